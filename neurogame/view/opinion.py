"""What is thought of states and moves: an evaluator's values, or the scores of a judge of moves."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, final

import numpy as np
import torch

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.evaluators.true_goal import state_values
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.by_rules import (
    RuleEffect,
    rule_effects,
    weighted_networks,
)
from neurogame.inspect.attribution.contribution import Attribution, Method
from neurogame.inspect.attribution.measured import value_for
from neurogame.inspect.attribution.of_moves import attribute_move, is_sum
from neurogame.inspect.move_values import MoveValue, move_values
from neurogame.kernels.leaves.move_scores import LOGITS, MoveJudge
from neurogame.learn.mapped_evaluator import MappedEvaluator
from neurogame.simulate.game import State
from neurogame.simulate.states import StateBatch

RoleMoves: TypeAlias = tuple[tuple[MoveValue, ...], ...]
"""Per role its legal moves, the best ones first."""


class Opinion(ABC):
    """Something that values what is seen; may be asked by several threads.

    Attributes:
        measure: what the numbers of moves are: ``value``, 0..1; ``share``, which add up to 1 over
            the moves of a role; ``score``, of which more is better.
        methods: how it takes the value of a state, or the score of a move, apart, the usual way
            first.
        of_moves_only: whether it has nothing to say of states.
        has_rules: whether it can say what each rule does for a value.
    """

    measure: Literal["value", "share", "score"]
    methods: tuple[Method, ...] = ()
    of_moves_only: bool = False
    has_rules: bool = False

    def __init__(self) -> None:
        # Compiled networks have memory for one state at a time.
        self._lock = threading.Lock()

    @abstractmethod
    def of_moves(self, state: State) -> RoleMoves:
        """Return the legal moves of each role, the best ones first.

        Args:
            state: one that is not terminal, in which every role has a move.
        """

    def of_states(self, states: Sequence[State]) -> list[tuple[float, ...]]:
        """Return per state the values of all roles, 0..1; the goals where the game is over.

        Args:
            states: of one game, at least one.

        Raises:
            GameError: it values moves only.
        """
        raise self._none()

    def explain(self, state: State, role: int, method: Method | None) -> Attribution:
        """Return what the value of a state is made of.

        Args:
            state: any state.
            role: index of the role.
            method: one of :attr:`methods`, or None for the first.

        Raises:
            GameError: it values moves only, or has no such method.
        """
        raise self._none()

    def explain_move(
        self, state: State, role: int, move: str | None, method: Method | None
    ) -> Attribution:
        """Return what the score of a move is made of.

        Args:
            state: one that is not terminal.
            role: whose move; its index.
            move: its text; None: the best one.
            method: one of :attr:`methods`, or None for the first.

        Raises:
            GameError: it values states, there is no such move, or nobody has one.
        """
        raise GameError("this checkpoint values states: a move is worth what it leads to")

    def rules(self, state: State, role: int) -> tuple[RuleEffect, ...]:
        """Return what each rule does for the value of a state, the largest effects first.

        Args:
            state: any state.
            role: index of the role.

        Raises:
            GameError: it has no weights that come from rules.
        """
        raise self._none()

    def _none(self) -> GameError:
        return GameError("this checkpoint judges moves, not states: there is no value of a state")


@final
class EvaluatorOpinion(Opinion):
    """The values of an evaluator.

    Args:
        evaluator: of the game that is looked at.
    """

    measure = "value"

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__()
        self._evaluator = evaluator
        inner = evaluator.inner if isinstance(evaluator, MappedEvaluator) else evaluator
        is_sum = isinstance(inner, PartsEvaluator)
        smooth: tuple[Method, ...] = ("gradients",) if value_for(evaluator, 0).is_smooth else ()
        self.methods = (*(("exact",) if is_sum else ()), "shapley", *smooth, "toggling")
        self.has_rules = weighted_networks(evaluator) is not None

    def of_moves(self, state: State) -> RoleMoves:
        """Return moves by what they lead to; see :class:`Opinion`."""
        with self._lock, torch.no_grad():
            return move_values(self._evaluator, state)

    def of_states(self, states: Sequence[State]) -> list[tuple[float, ...]]:
        """Return values of states; see :class:`Opinion`."""
        batch = StateBatch.from_bool(torch.stack([state.fluents for state in states]))
        with self._lock, torch.no_grad():
            values = state_values(states[0].game.simulator(), self._evaluator, batch)
        return [tuple(row) for row in values.tolist()]

    def explain(self, state: State, role: int, method: Method | None) -> Attribution:
        """Return an attribution; see :class:`Opinion`."""
        if method is not None and method not in self.methods:
            raise GameError(
                f"no attribution {method!r} of this evaluator; there are {', '.join(self.methods)}"
            )
        with self._lock:
            return attribute(self._evaluator, state, role, method=method or self.methods[0])

    def rules(self, state: State, role: int) -> tuple[RuleEffect, ...]:
        """Return what rules do; see :class:`Opinion`."""
        with self._lock:
            return rule_effects(self._evaluator, state, role)


@final
class JudgeOpinion(Opinion):
    """The scores of a judge of moves.

    Args:
        judge: of the game that is looked at.
    """

    of_moves_only = True

    def __init__(self, judge: MoveJudge) -> None:
        super().__init__()
        self._judge = judge
        self.measure = "share" if judge.scale == LOGITS else "score"
        self.methods = (*(("exact",) if is_sum(judge) else ()), "shapley", "toggling")

    def of_moves(self, state: State) -> RoleMoves:
        """Return moves by their scores; logarithms of weights as shares."""
        with self._lock, torch.no_grad():
            found = move_values(self._judge, state)
        return tuple(map(_shares, found)) if self.measure == "share" else found

    def explain_move(
        self, state: State, role: int, move: str | None, method: Method | None
    ) -> Attribution:
        """Return an attribution; see :class:`Opinion`."""
        if method is not None and method not in self.methods:
            raise GameError(
                f"no attribution {method!r} of this judge; there are {', '.join(self.methods)}"
            )
        if state.is_terminal:
            raise GameError("the game is over here: there are no moves to judge")
        game = state.game
        with self._lock:
            if move is None:
                number = move_values(self._judge, state)[role][0].move
            else:
                number = game.move_index(game.roles[role], move)
            return attribute_move(self._judge, state, role, number, method=method)


def _shares(moves: tuple[MoveValue, ...]) -> tuple[MoveValue, ...]:
    """Return moves with the shares that logarithms of weights stand for."""
    scores = np.array([own.value for own in moves])
    weights = np.exp(scores - scores.max(initial=-np.inf))
    shares = (weights / weights.sum()).tolist()
    return tuple(replace(own, value=share) for own, share in zip(moves, shares, strict=True))

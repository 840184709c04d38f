"""What is thought of states and moves: an evaluator's values, or the scores of a judge of moves."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
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
        methods: how it takes the value of a state apart, the usual way first; none: it values
            moves only.
        has_rules: whether it can say what each rule does for a value.
    """

    measure: Literal["value", "share", "score"]
    methods: tuple[Method, ...] = ()
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
        self.methods = ("exact", "gradients", "toggling") if is_sum else ("gradients", "toggling")
        self.has_rules = weighted_networks(evaluator) is not None
        if not any(True for _ in evaluator.parameters()):
            self.methods = ("toggling",)

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

    def __init__(self, judge: MoveJudge) -> None:
        super().__init__()
        self._judge = judge
        self.measure = "share" if judge.scale == LOGITS else "score"

    def of_moves(self, state: State) -> RoleMoves:
        """Return moves by their scores; logarithms of weights as shares."""
        fluents = state.fluents[None].numpy()
        found = []
        ends = pairwise(state.game.move_offsets)
        for role, (legal, (begin, end)) in enumerate(zip(state.legal_moves, ends, strict=True)):
            flags = np.zeros((1, end - begin), dtype=bool)
            flags[0, list(legal)] = True
            with self._lock, torch.no_grad():
                scores = np.asarray(self._judge.move_scores(fluents, flags, role))[0, list(legal)]
            if self.measure == "share":
                weights = np.exp(scores - scores.max())
                scores = weights / weights.sum()
            texts = state.game.moves[role]
            rows = zip(legal, scores.tolist(), strict=True)
            own = [MoveValue(move=move, text=texts[move], value=score) for move, score in rows]
            found.append(tuple(sorted(own, key=lambda one: -one.value)))
        return tuple(found)

"""Who values what is seen, as the page asks: an evaluator of states, or a judge of moves."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, final

import torch

from neurogame.errors import GameError
from neurogame.evaluators.attribution import Attribution, Method
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kinds import kind_of_evaluator, kind_of_judge
from neurogame.evaluators.true_goal import state_values
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.by_rules import RuleEffect, rule_effects
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.inspect.move_values import EvaluatorOrJudge, MoveValue, move_values
from neurogame.inspect.weights import weighted_networks
from neurogame.judges.moves import LOGITS
from neurogame.simulate.game import State
from neurogame.simulate.states import StateBatch

Measure: TypeAlias = Literal["value", "share", "score"]


@final
class PageOpinion:
    """An evaluator or a judge of moves; several threads may ask it.

    Args:
        opinion: of the game that is looked at.

    Attributes:
        measure: what the numbers of moves are: ``value`` of what a move leads to, 0..1; ``share``:
            they add up to 1 over the moves of a role; ``score``, of which more is better.
        methods: how it can be taken apart, the usual way first.
        has_rules: whether it can say what each rule does for a value.
    """

    def __init__(self, opinion: EvaluatorOrJudge) -> None:
        self._opinion = self._explaining = opinion
        # Compiled networks have memory for one question at a time.
        self._lock = self._long_lock = threading.Lock()
        smooth: tuple[Method, ...] = ()
        networks = None
        if isinstance(opinion, Evaluator):
            self.measure: Measure = "value"
            is_sum = kind_of_evaluator(opinion).is_sum(opinion)
            smooth = ("gradients",) if opinion.is_smooth else ()
            networks = weighted_networks(opinion)
            if networks is not None:
                # To take a value of goal networks apart takes seconds: that has networks of its
                # own, so that values need not wait for it.
                self._explaining = copy.deepcopy(opinion)
                self._long_lock = threading.Lock()
        else:
            self.measure = "share" if opinion.scale == LOGITS else "score"
            is_sum = kind_of_judge(opinion).is_sum(opinion)
        exact: tuple[Method, ...] = ("exact",) if is_sum else ()
        self.methods: tuple[Method, ...] = (*exact, "shapley", *smooth, "toggling")
        self.has_rules = networks is not None

    def of_moves(self, state: State) -> tuple[tuple[MoveValue, ...], ...]:
        """Return the legal moves of each role, the best ones first.

        Args:
            state: one that is not terminal, in which every role has a move.
        """
        with self._lock, torch.no_grad():
            values = move_values(self._opinion, state)
        return tuple(map(_shares, values)) if self.measure == "share" else values

    def of_states(self, states: Sequence[State]) -> list[tuple[float, ...]]:
        """Return per state the values of all roles, 0..1; the goals where the game is over.

        Args:
            states: of one game, at least one.

        Raises:
            GameError: it is a judge of moves.
        """
        evaluator = self._evaluator(self._opinion)
        batch = StateBatch.from_bool(torch.stack([state.fluents for state in states]))
        with self._lock, torch.no_grad():
            values = state_values(states[0].game.simulator(), evaluator, batch)
        return [tuple(row) for row in values.tolist()]

    def explain(
        self, state: State, role: int, method: Method | None, move: int | None = None
    ) -> Attribution:
        """Return what the value of a state, or the worth of a move, is made of.

        Args:
            state: any state.
            role: index of the role.
            method: one of :attr:`methods`, or None for the first.
            move: a legal move of the role, an index into its moves; None: the state is valued, or
                by a judge of moves the best move.

        Raises:
            GameError: there is no such role, move or method.
        """
        with self._long_lock:
            if move is None and isinstance(self._explaining, Evaluator):
                return attribute(self._explaining, state, role, method=method)
            if move is None:
                if state.is_terminal:
                    raise GameError("the game is over here: there are no moves to judge")
                move = move_values(self._opinion, state)[role][0].move
            return attribute_move(self._explaining, state, role, move, method=method)

    def rules(self, state: State, role: int) -> tuple[RuleEffect, ...]:
        """Return what each rule does for the value of a state, the largest effects first.

        Args:
            state: any state.
            role: index of the role.

        Raises:
            GameError: it has no weights that come from rules.
        """
        with self._long_lock:
            return rule_effects(self._evaluator(self._explaining), state, role)

    def _evaluator(self, opinion: EvaluatorOrJudge) -> Evaluator:
        if not isinstance(opinion, Evaluator):
            raise GameError("this judges moves, not states: there is no value of a state")
        return opinion


def _shares(moves: tuple[MoveValue, ...]) -> tuple[MoveValue, ...]:
    """Return moves with shares in place of logarithms of weights."""
    most = max((move.value for move in moves), default=0.0)
    weights = [math.exp(move.value - most) for move in moves]
    total = sum(weights)
    return tuple(
        replace(move, value=weight / total) for move, weight in zip(moves, weights, strict=True)
    )

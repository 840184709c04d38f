"""What an action heuristic's score of a move is made of: conditions, of which one has to hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s1
from neurogame.errors import GameError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.attribution import Attribution
from neurogame.evaluators.measured import Measured
from neurogame.graph.graph import OR
from neurogame.inspect.attribution.by_fluents import integrated_gradients
from neurogame.inspect.attribution.exact import adds, exact
from neurogame.simulate.game import Game, State

_LISTED = 6
"""Fluents of a condition that its label names."""
_SURE = 1.0 - 1e-15
"""Conditions that are fulfilled wholly count as this true: of several, each has its share."""


def action_score(circuit: ActionCircuit, role: int, move: int) -> Measured:
    """Return the score of a move as a number of states."""
    return Measured(
        of=lambda fluents: circuit(fluents, role, _only(circuit, fluents, role, move))[:, move],
        unit="logit" if circuit.config.trainable else "score",
        role=role,
        move=move,
        kind=circuit.of_role(role).dtype,
    )


def attribute_actions(circuit: ActionCircuit, state: State, role: int, move: int) -> Attribution:
    """Return the score of a move as the sum of what conditions add to it.

    A move's formula is a disjunction of conditions, such as the lines that may be completed, once
    conjunctions above it that hold for all of them are taken for a common factor. A disjunction is
    1 - prod (1 - x): each condition's share of it is that of the logarithm of its factor, so the
    shares add up. Conditions read many fluents, and overlap, so fluents have their integrated
    gradients from the initial state.

    Args:
        circuit: of the state's game; not trainable.
        state: any state.
        role: whose move.
        move: an index into the role's moves.

    Raises:
        GameError: its scores are logarithms of learned weights, which are no such sum.

    *Reference:* Trutman and Schiffel (2015), section "Evaluation".
    """
    if circuit.config.trainable:
        raise GameError(
            "a trainable action heuristic is no sum of conditions, so that no attribution is "
            "exact; methods for it are 'gradients', 'shapley' and 'toggling'"
        )
    formula, names = _Formula(circuit, state, role, move), input_names(state.game)
    contributions = [
        adds("condition", formula.label(row, names), amount, formula.fluents(row).tolist())
        for row, amount in formula.conditions()
    ]
    score = action_score(circuit, role, move)
    gradients = integrated_gradients(score, state, state.game.initial_state())
    return exact("score", role, formula.total, contributions, gradients.by_fluent, move=move)


def input_names(game: Game) -> list[str]:
    """Return the names of what formulas may read: fluents, then moves of all roles."""
    moves = [
        f"({role} {move})"
        for role, choices in zip(game.roles, game.moves, strict=True)
        for move in choices
    ]
    return [*game.fluents, *moves]


@final
class _Formula:
    """The formula of one move in one state: its rows, and how far each is fulfilled."""

    def __init__(self, circuit: ActionCircuit, state: State, role: int, move: int) -> None:
        self._graph = graph = circuit.of_role(role).graph
        self._values = circuit.row_truths(state.fluents[None], role, move)[:, 0].double().numpy()
        self._root = int(graph.outputs[move])
        self._fluent_count = circuit.fluent_count

    @property
    def total(self) -> float:
        """How far the formula is fulfilled, 0..1."""
        return float(self._values[self._root])

    def conditions(self) -> list[tuple[int, float]]:
        """Return the rows of the conditions, each once, with what they add to the total."""
        row = self._root
        # Down through conjunctions to the widest disjunction: what is beside it is a factor.
        while not self._is_or(row) and row >= self._graph.leaf_count:
            widest = max(_inputs(self._graph, row), key=self._width)
            if self._width(widest) < 2:
                break
            row = widest
        times = self._disjuncts(row)
        rows = list(times)
        factors = np.log1p(-np.minimum(self._values[rows], _SURE)) * list(times.values())
        whole = factors.sum()
        shares = self.total * factors / whole if whole else factors
        return list(zip(rows, shares.tolist(), strict=True))

    def fluents(self, row: int) -> Int64s1:
        """Return the fluents that a row reads, ascending."""
        read = self._graph.leaf_input[self._leaves(row)]
        held = (read >= 1) & (read <= self._fluent_count)
        return np.unique(read[held] - 1).astype(np.int64)

    def label(self, row: int, names: Sequence[str]) -> str:
        """Return a text of a condition: what it reads, as it has to be, the least nested first."""
        texts: dict[str, None] = {}
        for leaf in self._leaves(row):
            read, (low, high) = int(self._graph.leaf_input[leaf]), self._graph.leaf_truth[leaf]
            if read:
                name = names[read - 1]
                texts[name if high > low else f"(not {name})"] = None
        shown = list(texts)[:_LISTED]
        more = f" and {len(texts) - _LISTED} more" if len(texts) > _LISTED else ""
        return " ".join(shown) + more or "what is always so"

    def _disjuncts(self, row: int) -> dict[int, int]:
        """Return the rows that a disjunction is one of, and how often it reads each."""
        waiting, disjuncts = {row: 1}, dict[int, int]()
        while waiting:
            # Gates read earlier rows, so all readers of the last one have been seen.
            last = max(waiting)
            times = waiting.pop(last)
            if not self._is_or(last):
                disjuncts[last] = times
                continue
            for child in _inputs(self._graph, last):
                waiting[child] = waiting.get(child, 0) + times
        return disjuncts

    def _width(self, row: int) -> int:
        return len(self._disjuncts(row))

    def _is_or(self, row: int) -> bool:
        gate = row - self._graph.leaf_count
        return gate >= 0 and int(self._graph.graph.kind[gate]) == OR

    def _leaves(self, row: int) -> list[int]:
        """Return the leaves that a row reads, the least nested first."""
        queue, seen = deque([row]), {row}
        leaves = []
        while queue:
            node = queue.popleft()
            if node < self._graph.leaf_count:
                leaves.append(node)
                continue
            below = [other for other in _inputs(self._graph, node) if other not in seen]
            seen.update(below)
            queue.extend(below)
        return leaves


def _inputs(graph: ActionGraph, row: int) -> list[int]:
    """Return the rows that a gate reads."""
    gate = row - graph.leaf_count
    begin, end = int(graph.graph.start[gate]), int(graph.graph.start[gate + 1])
    return [int(child) for child in graph.inputs[begin:end]]


def _only(circuit: ActionCircuit, fluents: Tensor, role: int, move: int) -> Tensor | None:
    """Return legal moves of all roles of which only one is the role's, where that saves work.

    None where the formulas ask which moves of others are legal, or do not gain from it.
    """
    graph = circuit.of_role(role).graph
    if not graph.is_shared or (graph.leaf_input > circuit.fluent_count).any():
        return None
    legal = torch.zeros(len(fluents), sum(circuit.move_counts), dtype=torch.bool)
    legal[:, sum(circuit.move_counts[:role]) + move] = True
    return legal

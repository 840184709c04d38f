"""All reachable states by plain sets and the gate-by-gate twin: defines the state space."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from neurogame.circuit.circuit import Circuit
from tests.circuit.evaluate import Values, evaluate_circuit

State = tuple[bool, ...]


@dataclass(frozen=True)
class SlowSpace:
    """States, what the rules say of each, and the steps between them, one per joint move."""

    values: dict[State, tuple[np.ndarray, bool, frozenset[tuple[str, int]]]]
    steps: list[tuple[State, State]]

    def longest(self) -> int | None:
        """Return the plies of the longest game, or None if there is no longest."""
        following: dict[State, set[State]] = {state: set() for state in self.values}
        for source, target in self.steps:
            following[source].add(target)
        left = set(following)
        for depth in range(len(left) + 1):
            # After n rounds only states with a path of n more plies are left.
            left = {state for state in left if following[state] & left}
            if not left:
                return depth
        return None


def slow_space(circuit: Circuit) -> SlowSpace:
    """Enumerate the states of a small game."""
    first = tuple(circuit.initial.tolist())
    values: dict[State, tuple[np.ndarray, bool, frozenset[tuple[str, int]]]] = {}
    steps: list[tuple[State, State]] = []
    layer = {first: None}
    offsets = np.cumsum([0, *map(len, circuit.moves)])
    while layer:
        found = _evaluate(circuit, [(state, ()) for state in layer])
        asked: list[tuple[State, tuple[int, ...]]] = []
        for i, state in enumerate(layer):
            terminal = bool(found.terminal[i])
            values[state] = (found.legal[i], terminal, frozenset(found.goals[i]))
            choices = [
                [m for m in range(offsets[r], offsets[r + 1]) if found.legal[i, m]]
                for r in range(len(circuit.roles))
            ]
            asked += [(state, joint) for joint in product(*choices) if not terminal]
        layer = {}
        if asked:
            after = _evaluate(circuit, asked).next
            for (state, _), row in zip(asked, after, strict=True):
                target = tuple(row.tolist())
                steps.append((state, target))
                if target not in values:
                    layer[target] = None
    return SlowSpace(values, steps)


def _evaluate(circuit: Circuit, asked: list[tuple[State, tuple[int, ...]]]) -> Values:
    states = np.array([state for state, _ in asked], np.bool_).reshape(len(asked), -1)
    does = np.zeros((len(asked), circuit.move_count), np.bool_)
    for row, (_, joint) in zip(does, asked, strict=True):
        row[list(joint)] = True
    return evaluate_circuit(circuit, states, does)

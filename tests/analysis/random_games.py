"""Random circuits as games, and all reachable states by plain sets and the gate-by-gate twin."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import product

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.ground.atoms import AtomTable, TermTable
from tests.circuit.by_hand import inputs_of, with_outputs
from tests.circuit.evaluate import Values, evaluate_circuit
from tests.kernels.twin.random_circuits import random_circuit


def random_game(seed: int, gates: int) -> Circuit:
    """Return a random circuit whose fluents are terms of one function, ``(f 0) (f 1) ...``.

    Some of its next values are made persistent, exclusive or constant, so that there is something
    to prove; the legal moves are made easier to reach.
    """
    rng = np.random.default_rng(seed)
    circuit = random_circuit(seed, gates)
    count = len(circuit.fluents)
    names = ("f", *(str(i) for i in range(count)))
    # Terms: a constant per number, then (f i); fluent i is the atom (true (f i)).
    terms = TermTable(
        names,
        np.concatenate([np.arange(1, 1 + count), np.zeros(count, np.int64)]).astype(np.int64),
        np.concatenate([np.zeros(1 + count, np.int64), np.arange(1, 1 + count)]).astype(np.int64),
        np.arange(count),
    )
    atoms = AtomTable(
        terms, ("true",), np.zeros(count, np.int64), np.arange(count + 1), count + np.arange(count)
    )
    following = circuit.next.copy()
    for fluent in range(count):
        choice = rng.integers(0, 6)
        if choice == 0:
            following[fluent] = 2 * (1 + fluent)
        elif choice == 1:
            following[fluent] = 2 * (1 + (fluent + 1) % count)
        elif choice == 2:
            following[fluent] = 0
        elif choice == 3:
            following[fluent] = 2 * (1 + count + int(rng.integers(0, circuit.move_count)))
    # Before the moves are made nothing may depend on them.
    free = np.ones(circuit.graph.node_count, np.bool_)
    free[1 + count : circuit.input_count] = False
    for node in range(circuit.input_count, circuit.graph.node_count):
        free[node] = free[inputs_of(circuit, node) >> 1].all()

    def usable(literals: np.ndarray) -> np.ndarray:
        return np.where(free[literals >> 1], literals, literals & 1)

    legal = usable(circuit.legal)
    legal[rng.random(len(legal)) < 0.3] = 1
    return with_outputs(
        dataclasses.replace(circuit, atoms=atoms),
        following=following,
        legal=legal,
        terminal=int(usable(np.array([circuit.terminal]))[0]),
        goals=tuple(
            tuple((v, int(usable(np.array([x]))[0])) for v, x in own) for own in circuit.goals
        ),
    )


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

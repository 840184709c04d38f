"""Circuits written by hand for the tests, and goal networks by the book."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import TypeAlias

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.cilp_weights import DEFAULT_ALPHA
from neurogame.evaluators.proof import ProofGraph
from neurogame.graph.graph import AND, OR
from neurogame.ground.atoms import AtomTable, TermTable
from tests.circuit.by_hand import graph_of

Goals: TypeAlias = Sequence[Sequence[tuple[int, int]]]
Boards: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def atom_table(names: Sequence[str]) -> AtomTable:
    """Return atoms without arguments, one per name."""
    none = np.zeros(0, dtype=np.int64)
    empty = np.zeros(1, dtype=np.int64)
    return AtomTable(
        terms=TermTable(names=(), functor=none, start=empty, arguments=none),
        predicates=tuple(names),
        predicate=np.arange(len(names)),
        start=np.zeros(len(names) + 1, dtype=np.int64),
        arguments=none,
    )


class CircuitDraft:
    """Gates added one by one; a literal is ``2 * node + complement``."""

    def __init__(self, fluents: Sequence[str], moves: int = 0) -> None:
        self.fluents = tuple(fluents)
        self.moves = moves
        self.gates: list[tuple[int, list[int], str | None, int]] = []

    def fluent(self, index: int) -> int:
        return 2 * (1 + index)

    def gate(
        self, kind: int, inputs: Sequence[int], atom: str | None = None, rule: int = -1
    ) -> int:
        node = 1 + len(self.fluents) + self.moves + len(self.gates)
        self.gates.append((kind, sorted(set(inputs)), atom, rule))
        return 2 * node

    def circuit(self, roles: Sequence[str], goals: Goals) -> Circuit:
        names = [atom for _, _, atom, _ in self.gates if atom is not None]
        index = {name: i for i, name in enumerate(names)}
        none = np.zeros(self.moves + len(self.fluents) + 1, dtype=np.int64)
        return Circuit(
            roles=tuple(roles),
            fluents=self.fluents,
            moves=(tuple(f"m{i}" for i in range(self.moves)), *[() for _ in roles[1:]]),
            initial=np.zeros(len(self.fluents), dtype=bool),
            graph=graph_of(
                1 + len(self.fluents) + self.moves,
                [kind for kind, _, _, _ in self.gates],
                [inputs for _, inputs, _, _ in self.gates],
                np.append(none, [literal for pairs in goals for _, literal in pairs]),
                np.asarray(
                    [-1 if atom is None else index[atom] for _, _, atom, _ in self.gates],
                    dtype=np.int64,
                ),
                np.asarray([rule for _, _, _, rule in self.gates], dtype=np.int64),
            ),
            named_goals=tuple(tuple(value for value, _ in pairs) for pairs in goals),
            atoms=atom_table(names),
            key="hand-made",
        )


def pentago_lines() -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    """Return the cells of Pentago's 12 rows, 12 columns and 8 diagonals of five."""

    def cells(x: int, y: int, dx: int, dy: int) -> list[int]:
        return [6 * (y + i * dy) + x + i * dx for i in range(5)]

    rows = [cells(x, y, 1, 0) for y in range(6) for x in (0, 1)]
    columns = [cells(x, y, 0, 1) for x in range(6) for y in (0, 1)]
    diagonals = [cells(x, y, 1, 1) for x in (0, 1) for y in (0, 1)]
    diagonals += [cells(x, y, -1, 1) for x in (4, 5) for y in (0, 1)]
    return rows, columns, diagonals


def red_line_circuit() -> Circuit:
    """Return the one goal of a red line on the same fluents; (goal red 100)."""
    draft = CircuitDraft([f"(cell {c // 36} {c % 36})" for c in range(72)])
    parts = [
        draft.gate(OR, [draft.gate(AND, [draft.fluent(c) for c in line]) for line in group])
        for group in pentago_lines()
    ]
    return draft.circuit(("red",), (((100, draft.gate(OR, parts)),),))


def pentago_circuit() -> Circuit:
    """Return Pentago's line structure for red and black: (goal 100), 50 for no line, 0."""
    draft = CircuitDraft([f"(cell {c // 36} {c % 36})" for c in range(72)])
    lines: list[int] = []
    for player, colour in enumerate(("red", "black")):
        parts = []
        for rule, (name, group) in enumerate(
            zip(("row", "column", "diagonal"), pentago_lines(), strict=True)
        ):
            ands = [
                draft.gate(AND, [draft.fluent(36 * player + c) for c in line], None, rule)
                for line in group
            ]
            parts.append(draft.gate(OR, ands, f"{name}-{colour}"))
        lines.append(draft.gate(OR, parts, f"line-{colour}"))
    red, black = lines
    draw = draft.gate(AND, [red ^ 1, black ^ 1], None, 7)
    return draft.circuit(
        ("red", "black"),
        (((100, red), (50, draw), (0, black)), ((100, black), (50, draw), (0, red))),
    )


def random_circuit(seed: int, fluents: int = 8, gates: int = 12, fan_in: int = 6) -> Circuit:
    """Return a random and/or circuit with complemented edges; two roles with two goals each."""
    choose = random.Random(seed)
    draft = CircuitDraft([f"f{i}" for i in range(fluents)])
    nodes = [draft.fluent(i) for i in range(fluents)]
    while len(draft.gates) < gates:
        picked = choose.sample(nodes, min(choose.randint(2, fan_in), len(nodes)))
        inputs = [x ^ (choose.random() < 0.3) for x in picked]
        nodes.append(draft.gate(choose.choice((AND, OR)), inputs, f"g{len(draft.gates)}"))
    top = [x ^ (choose.random() < 0.3) for x in nodes[-4:]]
    return draft.circuit(("x", "o"), (((100, top[3]), (0, top[2])), ((100, top[1]), (50, top[0]))))


def random_states(count: int, fluents: int, seed: int) -> Boards:
    """Return random states of varied density; bool ``[count, fluents]``."""
    generator = np.random.default_rng(seed)
    density = generator.random((count, 1))
    return generator.random((count, fluents)) < density


def minimal_lines() -> Boards:
    """Return the 32 Pentago boards with a red line and nothing else; bool ``[32, 72]``."""
    lines = [line for group in pentago_lines() for line in group]
    boards = np.zeros((len(lines), 72), dtype=bool)
    for board, line in zip(boards, lines, strict=True):
        board[line] = True
    return boards


def full_without_a_line() -> Boards:
    """Return a board with 29 red stones and no red line; bool ``[1, 72]``."""
    board = np.zeros((1, 72), dtype=bool)
    for cell in range(36):
        board[0, cell] = (cell % 6 + 2 * (cell // 6)) % 5 != 4
    return board


def five_stones(count: int, *, won: bool | None = None) -> Boards:
    """Return random boards of five red stones; ``won=False`` leaves out the lines."""
    generator = np.random.default_rng(7)
    boards = np.zeros((count, 72), dtype=bool)
    np.put_along_axis(boards, generator.random((count, 36)).argsort(axis=1)[:, :5], True, axis=1)
    if won is None:
        return boards
    lines = [line for group in pentago_lines() for line in group]
    has_line = np.stack([boards[:, line].all(axis=1) for line in lines]).any(axis=0)
    wanted: Boards = boards[has_line == won]
    return wanted


DIGITS = 80


class SlowNetwork:
    """One goal network of a proof graph, evaluated by recursion.

    Args:
        proof: the proof graph.
        goal: index of the goal.
        weight: W, or None for the sound weight of equation (4).
        alpha: of equation (5).
        beta: steepness.
    """

    def __init__(
        self,
        proof: ProofGraph,
        goal: int,
        weight: float | None,
        alpha: float = 0.2,
        beta: float = 1.0,
    ) -> None:
        self.graph, self.root = proof.graph, int(proof.graph.outputs[goal])
        self.beta = Decimal(beta)
        with localcontext() as context:
            context.prec = DIGITS
            self.k = max(int(proof.graph.fan_in[i]) for i in proof.cone([goal]))
            bound = Decimal(self.k - 1) / Decimal(self.k + 1)
            self.a_min = (bound - 1) * Decimal(alpha) + 1
            a = self.a_min
            logs = (1 + a).ln() - (1 - a).ln()
            sound = 2 / self.beta * logs / (self.k * (a - 1) + a + 1)
            self.weight = sound if weight is None else Decimal(weight)

    def output(self, state: Sequence[bool]) -> Decimal:
        """Return the network's output, the sign of the goal included."""
        with localcontext() as context:
            context.prec = DIGITS
            leaves = [Decimal(1 if x else -1) for x in state]
            return self._literal(self.root, leaves, leaves, {})

    def log_odds(self, state: Sequence[bool], reserve: float) -> Decimal:
        """Return log((o - floor) / (ceiling - o)) of the goal's own neuron."""
        with localcontext() as context:
            context.prec = DIGITS
            root = self.root & ~1
            leaves = [Decimal(1 if x else -1) for x in state]
            far = 1 + Decimal(reserve)
            high, low = [far] * len(leaves), [-far] * len(leaves)
            o = self._literal(root, leaves, leaves, {})
            floor = self._literal(root, low, high, {})
            ceiling = self._literal(root, high, low, {})
            return ((o - floor) / (ceiling - o)).ln()

    def _literal(
        self,
        literal: int,
        positive: list[Decimal],
        negative: list[Decimal],
        known: dict[tuple[int, bool], Decimal],
        swapped: bool = False,
    ) -> Decimal:
        """Evaluate a literal; leaves read in odd polarity come from ``negative``."""
        node, complement = literal >> 1, bool(literal & 1)
        swapped = swapped != complement
        graph, gate = self.graph, node - self.graph.input_count
        if gate < 0:
            value = (negative if swapped else positive)[node - 1]
        elif (node, swapped) in known:
            value = known[node, swapped]
        else:
            first, last = int(graph.start[gate]), int(graph.start[gate + 1])
            n = last - first
            sign = 1 - n if graph.kind[gate] == AND else n - 1
            net = (1 + self.a_min) * sign / 2 * self.weight
            for child in graph.inputs[first:last].tolist():
                net += self.weight * self._literal(child, positive, negative, known, swapped)
            value = 2 / (1 + (-self.beta * net).exp()) - 1
            known[node, swapped] = value
        return -value if complement else value


def sound_weight_of_alpha(k: int, alpha: float = DEFAULT_ALPHA, beta: float = 1.0) -> float:
    """Return the same weight in closed form, ``ln((k + 1) / alpha - 1) / (beta (1 - alpha))``.

    Args:
        k: largest number of children of a node, at least 1.
        alpha: in the open (0, 1).
        beta: steepness of the activation, positive.

    *Reference:* equation (5) put into equation (4).
    """
    return math.log((k + 1) / alpha - 1.0) / (beta * (1.0 - alpha))


def best_alpha(k: int) -> float:
    """Return the alpha with the smallest sound weight for nodes of up to ``k`` children.

    The paper reports "0.15 to 0.3", which holds for k from 4 to 43 only; its fixed 0.2 costs
    at most 6 % more weight for every k from 2 to 1000.

    Args:
        k: largest number of children of a node, at least 2 (at 1 the weight falls all the way).
    """

    def slope(alpha: float) -> float:
        return math.log((k + 1) / alpha - 1.0) - (1.0 - alpha) * (k + 1) / (alpha * (k + 1 - alpha))

    low, high = 1e-9, 1.0 - 1e-9
    for _ in range(200):
        middle = 0.5 * (low + high)
        # Below the minimiser the weight still falls: its derivative has the sign of `slope`.
        if slope(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)

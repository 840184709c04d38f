"""Circuits written by hand for the tests: Pentago's lines, and random formulas."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from neurogame.circuit.circuit import Circuit
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

"""Library games written a second time in plain Python, straight from the rules of the games.

They share nothing with the rulesheets but the texts of the moves, so that a library game and its
plain twin can be played in step and compared in every state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Generic, TypeVar

State = TypeVar("State")
Cell = tuple[int, ...]


def text(name: str, *arguments: object) -> str:
    """Return the compact KIF text of a move."""
    return f"({name} {' '.join(map(str, arguments))})"


def numbers(move: str) -> Cell:
    """Return the integers among the words of a move's text, in order."""
    return tuple(int(word) for word in move.strip("()").split() if word.isdecimal())


class PlainGame(ABC, Generic[State]):
    """A game on hashable states; a joint move is one move text per role."""

    @abstractmethod
    def initial(self) -> State:
        """Return the initial state."""

    @abstractmethod
    def moves(self, state: State) -> list[list[str]]:
        """Return the legal moves of every role in a state that is not terminal."""

    @abstractmethod
    def next(self, state: State, joint: Sequence[str]) -> State:
        """Return the state after a joint move."""

    @abstractmethod
    def goals(self, state: State) -> list[int] | None:
        """Return the goals of a terminal state, or None if the state is not terminal."""

    def perft(self, state: State, plies: int) -> int:
        """Return the number of sequences of exactly so many joint moves."""
        if plies == 0:
            return 1
        if self.goals(state) is not None:
            return 0
        return sum(
            self.perft(self.next(state, joint), plies - 1) for joint in product(*self.moves(state))
        )


class StatedGame(PlainGame[State]):
    """A game that also tells what is true in its states."""

    @abstractmethod
    def fluents(self, state: State) -> set[str]:
        """Return the compact KIF texts of all fluents that hold."""


Board = tuple[int, tuple[tuple[Cell, int], ...]]


class BoardGame(PlainGame[Board]):
    """Two roles that move in turn on cells; a state is the role to move and the owned cells."""

    def initial(self) -> Board:
        return (0, ())

    def moves(self, state: Board) -> list[list[str]]:
        both = [["noop"], ["noop"]]
        both[state[0]] = sorted(self.own_moves(state[0], dict(state[1])))
        return both

    def next(self, state: Board, joint: Sequence[str]) -> Board:
        role, cells = state[0], dict(state[1])
        again = self.play(role, cells, joint[role])
        return (role if again else 1 - role, tuple(sorted(cells.items())))

    def goals(self, state: Board) -> list[int] | None:
        return self.result(dict(state[1]))

    @abstractmethod
    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        """Return the moves of the role whose turn it is."""

    @abstractmethod
    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        """Carry a move out on the cells; return whether the role moves again."""

    @abstractmethod
    def result(self, cells: dict[Cell, int]) -> list[int] | None:
        """Return the goals if the game has ended."""


def winner_goals(winner: int) -> list[int]:
    """Return 100 for the winner and 0 for the other role."""
    return [100 if role == winner else 0 for role in range(2)]


class LineGame(BoardGame):
    """Some cells in a straight line win, a full board is a draw."""

    sizes: tuple[int, ...]
    length: int
    verb: str

    def __init__(self) -> None:
        self.cells = list(product(*(range(1, size + 1) for size in self.sizes)))
        inside = set(self.cells)
        self.lines = []
        for cell, way in product(self.cells, product((-1, 0, 1), repeat=len(self.sizes))):
            line = [
                tuple(c + i * w for c, w in zip(cell, way, strict=True)) for i in range(self.length)
            ]
            if way > (0,) * len(way) and set(line) <= inside:
                self.lines.append(line)

    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        return [text(self.verb, *cell) for cell in self.cells if cell not in cells]

    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        cells[numbers(move)] = role
        return False

    def result(self, cells: dict[Cell, int]) -> list[int] | None:
        for line in self.lines:
            owners = {cells.get(cell) for cell in line}
            if len(owners) == 1 and (owner := owners.pop()) is not None:
                return winner_goals(owner)
        return [50, 50] if len(cells) == len(self.cells) else None


class TicTacToe(LineGame):
    sizes, length, verb = (3, 3), 3, "mark"


class Qubic(LineGame):
    sizes, length, verb = (4, 4, 4), 4, "take"


class ConnectFour(LineGame):
    sizes, length, verb = (7, 6), 4, "drop"

    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        columns, rows = self.sizes
        return [text("drop", c) for c in range(1, columns + 1) if (c, rows) not in cells]

    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        (column,) = numbers(move)
        cells[column, 1 + sum(taken[0] == column for taken in cells)] = role
        return False


class SmallConnectFour(ConnectFour):
    sizes = (5, 4)


class Breakthrough(BoardGame):
    """Breakthrough and Knightthrough on a square board: (column step, row step, may capture)."""

    def __init__(self, size: int, *, knights: bool = False) -> None:
        self.size = size
        pawn = [(0, 1, False), (-1, 1, True), (1, 1, True)]
        knight = [(s * w, 3 - w, True) for s in (-1, 1) for w in (1, 2)]
        self.steps = knight if knights else pawn

    def initial(self) -> Board:
        rows = {1: 0, 2: 0, self.size - 1: 1, self.size: 1}
        board = product(range(1, self.size + 1), rows.items())
        return (0, tuple(sorted(((x, y), role) for x, (y, role) in board)))

    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        found = []
        for ((x, y), owner), (across, ahead, may_capture) in product(cells.items(), self.steps):
            target = (x + across, y + (ahead if role == 0 else -ahead))
            inside = all(1 <= c <= self.size for c in target)
            free = target not in cells or (may_capture and cells[target] != role)
            if owner == role and inside and free:
                found.append(text("move", x, y, *target))
        return found

    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        x, y, u, v = numbers(move)
        del cells[x, y]
        cells[u, v] = role
        return False

    def result(self, cells: dict[Cell, int]) -> list[int] | None:
        for role, far in ((0, self.size), (1, 1)):
            if any(cells.get((x, far)) == role for x in range(1, self.size + 1)):
                return winner_goals(role)
            if 1 - role not in cells.values():
                return winner_goals(role)
        return None


class Reversi(BoardGame):
    """Reversi; a role without a capture passes with ``noop``.

    With ``fewer`` the smaller number of discs wins, as in Nothello.
    """

    def __init__(self, size: int, *, fewer: bool = False) -> None:
        self.size, self.fewer = size, fewer

    def initial(self) -> Board:
        h = self.size // 2
        return (0, tuple(((h + i, h + j), i ^ j) for i in (0, 1) for j in (0, 1)))

    def captured(self, role: int, cells: dict[Cell, int], x: int, y: int) -> list[Cell]:
        """Return the discs that a disc of the role on an empty cell would turn."""
        discs: list[Cell] = []
        for dx, dy in product((-1, 0, 1), repeat=2):
            run: list[Cell] = []
            u, v = x + dx, y + dy
            while cells.get((u, v)) == 1 - role:
                run.append((u, v))
                u, v = u + dx, v + dy
            if cells.get((u, v)) == role:
                discs += run
        return discs

    def placements(self, role: int, cells: dict[Cell, int]) -> Iterator[str]:
        """Yield the role's captures."""
        for x, y in product(range(1, self.size + 1), repeat=2):
            if (x, y) not in cells and self.captured(role, cells, x, y):
                yield text("place", x, y)

    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        return list(self.placements(role, cells)) or ["noop"]

    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        if move != "noop":
            x, y = numbers(move)
            cells |= dict.fromkeys([(x, y), *self.captured(role, cells, x, y)], role)
        return False

    def result(self, cells: dict[Cell, int]) -> list[int] | None:
        if any(next(self.placements(role, cells), None) for role in (0, 1)):
            return None
        lead = sum(1 - 2 * owner for owner in cells.values())
        return [50, 50] if lead == 0 else winner_goals(int((lead < 0) != self.fewer))


class Hex(BoardGame):
    """Hex; connection by flood filling."""

    size = 5

    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        board = product(range(1, self.size + 1), repeat=2)
        return [text("place", *cell) for cell in board if cell not in cells]

    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        cells[numbers(move)] = role
        return False

    def result(self, cells: dict[Cell, int]) -> list[int] | None:
        for role in (0, 1):
            own = {cell for cell, owner in cells.items() if owner == role}
            todo = [cell for cell in own if cell[role] == 1]
            while todo:
                r, c = cell = todo.pop()
                if cell[role] == self.size:
                    return winner_goals(role)
                six = {
                    (r, c + 1),
                    (r + 1, c),
                    (r + 1, c - 1),
                    (r, c - 1),
                    (r - 1, c),
                    (r - 1, c + 1),
                }
                todo += own & six
                own -= six | {cell}
        return None


class DotsAndBoxes(BoardGame):
    """Dots and Boxes; lines are cells (0 across or 1 up, x, y), boxes are cells (x, y)."""

    lines = tuple(
        [(0, x, y) for x in (1, 2, 3) for y in (1, 2, 3, 4)]
        + [(1, x, y) for x in (1, 2, 3, 4) for y in (1, 2, 3)]
    )

    def own_moves(self, role: int, cells: dict[Cell, int]) -> list[str]:
        return [
            text("draw", ("across", "up")[w], x, y)
            for w, x, y in self.lines
            if (w, x, y) not in cells
        ]

    def play(self, role: int, cells: dict[Cell, int], move: str) -> bool:
        cells[(int("up" in move), *numbers(move))] = 0
        gained = False
        for x, y in product((1, 2, 3), repeat=2):
            sides = {(0, x, y), (0, x, y + 1), (1, x, y), (1, x + 1, y)}
            if (x, y) not in cells and sides <= cells.keys():
                cells[x, y] = role
                gained = True
        return gained

    def result(self, cells: dict[Cell, int]) -> list[int] | None:
        if len(cells) < len(self.lines) + 9:
            return None
        return winner_goals(int(sum(role for cell, role in cells.items() if len(cell) == 2) > 4))

"""Plain twins of the library games that are not two players taking turns on a board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from neurogame.array_types import Int8s
from tests.games.plain_games import Cell, PlainGame, numbers, text, winner_goals

# The upper and lower half of rows (counted from the top) and the columns of each quadrant.
QUADRANTS = ((0, 3), (0, 0), (3, 0), (3, 3))


class Pentago(PlainGame[tuple[int, bytes]]):
    """Pentago on a 6x6 array, row 0 at the top; a state is the ply and the array's bytes.

    Plies 0 and 1 modulo 4 are red's placing and turning, 2 and 3 are black's.
    """

    def initial(self) -> tuple[int, bytes]:
        return (0, bytes(36))

    def board(self, state: tuple[int, bytes]) -> Int8s:
        """Return 0 for an empty cell, 1 for red, 2 for black; int8 [6, 6]."""
        return np.frombuffer(state[1], dtype=np.int8).reshape(6, 6).copy()

    def moves(self, state: tuple[int, bytes]) -> list[list[str]]:
        both = [["noop"], ["noop"]]
        board = self.board(state)
        own = []
        for quadrant, (top, left) in enumerate(QUADRANTS, 1):
            if state[0] % 2:
                own += [text("rotate", quadrant, way) for way in ("clockwise", "anticlockwise")]
                continue
            for x, y in product((1, 2, 3), repeat=2):
                if not board[top + 3 - y, left + x - 1]:
                    own.append(text("place", quadrant, x, y))
        both[state[0] % 4 // 2] = own
        return both

    def next(self, state: tuple[int, bytes], joint: Sequence[str]) -> tuple[int, bytes]:
        role = state[0] % 4 // 2
        board = self.board(state)
        quadrant, *cell = numbers(joint[role])
        top, left = QUADRANTS[quadrant - 1]
        part = board[top : top + 3, left : left + 3]
        if cell:
            part[3 - cell[1], cell[0] - 1] = role + 1
        else:
            part[:] = np.rot90(part, 1 if "anticlockwise" in joint[role] else -1).copy()
        return (state[0] + 1, board.tobytes())

    def goals(self, state: tuple[int, bytes]) -> list[int] | None:
        board = self.board(state)
        lines = [line for grid in (board, board.T) for row in grid for line in (row[:5], row[1:])]
        for grid in (board, board[::-1]):
            lines += [grid.diagonal(1), grid.diagonal(-1)]
            lines += [grid.diagonal()[:5], grid.diagonal()[1:]]
        won = [any((line == colour).all() for line in lines) for colour in (1, 2)]
        if won[0] != won[1]:
            return winner_goals(won.index(True))
        return [50, 50] if won[0] or board.all() else None


class EightPuzzle(PlainGame[tuple[int, Cell]]):
    """The eight puzzle; a state is the number of moves made and the tiles row by row, 0 blank."""

    def initial(self) -> tuple[int, Cell]:
        return (0, (0, 1, 2, 5, 8, 3, 4, 6, 7))

    def moves(self, state: tuple[int, Cell]) -> list[list[str]]:
        row, column = divmod(state[1].index(0), 3)
        beside = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        inside = [3 * r + c for r, c in beside if 0 <= r < 3 and 0 <= c < 3]
        return [sorted(text("slide", state[1][place]) for place in inside)]

    def next(self, state: tuple[int, Cell], joint: Sequence[str]) -> tuple[int, Cell]:
        (tile,) = numbers(joint[0])
        swap = {0: tile, tile: 0}
        return (state[0] + 1, tuple(swap.get(t, t) for t in state[1]))

    def goals(self, state: tuple[int, Cell]) -> list[int] | None:
        placed = sum(state[1][tile - 1] == tile for tile in range(1, 9))
        if placed == 8:
            return [100]
        return [10 * placed] if state[0] == 30 else None


class LightsOut(PlainGame[tuple[int, frozenset[Cell]]]):
    """Lights out; a state is the number of presses made and the lit lamps."""

    picture = ("##.##", "#.#.#", ".###.", "#.#.#", "##.##")

    def initial(self) -> tuple[int, frozenset[Cell]]:
        lit = {
            (x, y)
            for y, row in enumerate(self.picture, 1)
            for x, c in enumerate(row, 1)
            if c == "#"
        }
        return (0, frozenset(lit))

    def moves(self, state: tuple[int, frozenset[Cell]]) -> list[list[str]]:
        return [[text("press", x, y) for x, y in product(range(1, 6), repeat=2)]]

    def next(
        self, state: tuple[int, frozenset[Cell]], joint: Sequence[str]
    ) -> tuple[int, frozenset[Cell]]:
        x, y = numbers(joint[0])
        cross = {(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}
        return (state[0] + 1, state[1] ^ {(u, v) for u, v in cross if 1 <= u <= 5 and 1 <= v <= 5})

    def goals(self, state: tuple[int, frozenset[Cell]]) -> list[int] | None:
        if state[1] and state[0] < 15:
            return None
        return [max(0, 100 - 25 * -(-len(state[1]) // 4))]


class Nim(PlainGame[tuple[int, Cell]]):
    """Nim; a state is the role to move and the heaps."""

    def initial(self) -> tuple[int, Cell]:
        return (0, (1, 3, 5, 7))

    def moves(self, state: tuple[int, Cell]) -> list[list[str]]:
        both = [["noop"], ["noop"]]
        heaps = zip("abcd", state[1], strict=True)
        both[state[0]] = [text("leave", heap, n) for heap, size in heaps for n in range(size)]
        return both

    def next(self, state: tuple[int, Cell], joint: Sequence[str]) -> tuple[int, Cell]:
        _, heap, left = joint[state[0]].strip("()").split()
        heaps = list(state[1])
        heaps["abcd".index(heap)] = int(left)
        return (1 - state[0], tuple(heaps))

    def goals(self, state: tuple[int, Cell]) -> list[int] | None:
        return None if any(state[1]) else winner_goals(1 - state[0])


class RockPaperScissors(PlainGame[Cell]):
    """Seven rounds of rock, paper, scissors; a state is the round and both scores."""

    hands = ("rock", "paper", "scissors")

    def initial(self) -> Cell:
        return (0, 0, 0)

    def moves(self, state: Cell) -> list[list[str]]:
        return [[text("throw", hand) for hand in self.hands]] * 2

    def next(self, state: Cell, joint: Sequence[str]) -> Cell:
        first, second = (self.hands.index(move[7:-1]) for move in joint)
        lead = (first - second) % 3
        return (state[0] + 1, state[1] + (lead == 1), state[2] + (lead == 2))

    def goals(self, state: Cell) -> list[int] | None:
        if state[0] < 7:
            return None
        return [50, 50] if state[1] == state[2] else winner_goals(int(state[1] < state[2]))


class Prisoners(PlainGame[Cell]):
    """Five rounds of the prisoner's dilemma; a state is the round and both players' points."""

    def initial(self) -> Cell:
        return (0, 0, 0)

    def moves(self, state: Cell) -> list[list[str]]:
        return [["(choose cooperate)", "(choose defect)"]] * 2

    def next(self, state: Cell, joint: Sequence[str]) -> Cell:
        row, column = ("cooperate" in move for move in joint)
        # A cooperating opponent gives 3, and whoever defects takes 1 more, 2 from a cooperator.
        gain = [
            3 * yours + (not mine) * (1 + yours) for mine, yours in ((row, column), (column, row))
        ]
        return (state[0] + 1, state[1] + gain[0], state[2] + gain[1])

    def goals(self, state: Cell) -> list[int] | None:
        return [4 * state[1], 4 * state[2]] if state[0] == 5 else None

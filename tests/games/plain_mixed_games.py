"""Plain twins of library games that are not two players taking turns on a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.games.plain_games import Cell, PlainGame, StatedGame, numbers, text, winner_goals

# The upper and lower half of rows (counted from the top) and the columns of each quadrant.
QUADRANTS = ((0, 3), (0, 0), (3, 0), (3, 3))


class Pentago(PlainGame[tuple[int, bytes]]):
    """Pentago on a 6x6 array, row 0 at the top; a state is the ply and the array's bytes.

    Plies 0 and 1 modulo 4 are red's placing and turning, 2 and 3 are black's.
    """

    def initial(self) -> tuple[int, bytes]:
        return (0, bytes(36))

    def board(self, state: tuple[int, bytes]) -> npt.NDArray[np.int8]:
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


WAYS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


class Pegs(StatedGame[frozenset[Cell]]):
    """Peg solitaire; a state is the set of pegs."""

    board = frozenset(
        cell for cell in product(range(1, 8), repeat=2) if min(abs(c - 4) for c in cell) < 2
    )

    def initial(self) -> frozenset[Cell]:
        return self.board - {(4, 4)}

    def jumps(self, state: frozenset[Cell]) -> list[tuple[Cell, Cell, Cell]]:
        """Return start, middle and end of all possible jumps."""
        found = list[tuple[Cell, Cell, Cell]]()
        for (x, y), (dx, dy) in product(sorted(state), WAYS.values()):
            middle, end = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if middle in state and end in self.board - state:
                found.append(((x, y), middle, end))
        return found

    def moves(self, state: frozenset[Cell]) -> list[list[str]]:
        return [[text("jump", *start, *end) for start, _, end in self.jumps(state)]]

    def next(self, state: frozenset[Cell], joint: Sequence[str]) -> frozenset[Cell]:
        x, y, u, v = numbers(joint[0])
        return state - {(x, y), ((x + u) // 2, (y + v) // 2)} | {(u, v)}

    def goals(self, state: frozenset[Cell]) -> list[int] | None:
        if self.jumps(state):
            return None
        return [100 if state == {(4, 4)} else max(0, 100 - 10 * len(state))]

    def fluents(self, state: frozenset[Cell]) -> set[str]:
        return {text("peg", *cell) for cell in state} | {text("pegs", len(state))}


class Walk(NamedTuple):
    """The painters' plies, cells, headings and the owner of each painted cell."""

    plies: int
    cells: tuple[Cell, ...]
    headings: tuple[str, ...]
    paint: tuple[tuple[Cell, str], ...]


class Painters(StatedGame[Walk]):
    """Two painters on a torus for 2047 plies."""

    roles = ("red", "blue")

    def initial(self) -> Walk:
        return Walk(0, ((2, 3), (4, 3)), ("west", "east"), ())

    def moves(self, state: Walk) -> list[list[str]]:
        back = {"north": "south", "south": "north", "east": "west", "west": "east"}
        return [[text("walk", way) for way in WAYS if way != back[own]] for own in state.headings]

    def next(self, state: Walk, joint: Sequence[str]) -> Walk:
        headings = tuple(move[6:-1] for move in joint)
        cells = tuple(
            tuple((c + w - 1) % 5 + 1 for c, w in zip(cell, WAYS[heading], strict=True))
            for cell, heading in zip(state.cells, headings, strict=True)
        )
        paint = {cell: owner for cell, owner in state.paint if cell not in cells}
        if cells[0] != cells[1]:
            paint |= zip(cells, self.roles, strict=True)
        return Walk(state.plies + 1, cells, headings, tuple(sorted(paint.items())))

    def goals(self, state: Walk) -> list[int] | None:
        if state.plies < 2047:
            return None
        red, blue = (sum(owner == name for _, owner in state.paint) for name in self.roles)
        return [50 + 50 * ((red > blue) - (red < blue)), 50 + 50 * ((blue > red) - (blue < red))]

    def fluents(self, state: Walk) -> set[str]:
        found = {text("clock", bit) for bit in range(1, 12) if state.plies >> (bit - 1) & 1}
        for role, cell, heading in zip(self.roles, state.cells, state.headings, strict=True):
            found |= {text("at", role, *cell), text("heading", role, heading)}
        return found | {text("paint", *cell, owner) for cell, owner in state.paint}


class Hunt(NamedTuple):
    """The number of complete rounds, whether the hounds move, and the cells of all three."""

    rounds: int
    hunting: bool
    cells: tuple[Cell, ...]


class Pursuit(StatedGame[Hunt]):
    """A fox and two hounds."""

    roles = ("fox", "hound1", "hound2")

    def initial(self) -> Hunt:
        return Hunt(0, False, ((3, 3), (1, 1), (5, 5)))

    def moves(self, state: Hunt) -> list[list[str]]:
        both = []
        for role, (x, y) in enumerate(state.cells):
            near = [(x, y), *((x + dx, y + dy) for dx, dy in WAYS.values())]
            grass = [c for c in near if {*c} <= {1, 2, 3, 4, 5} and not {*c} <= {2, 4}]
            active = (role > 0) == state.hunting
            both.append([text("run", *cell) for cell in grass] if active else ["noop"])
        return both

    def next(self, state: Hunt, joint: Sequence[str]) -> Hunt:
        pairs = zip(joint, state.cells, strict=True)
        cells = tuple(cell if move == "noop" else numbers(move) for move, cell in pairs)
        return Hunt(state.rounds + state.hunting, not state.hunting, cells)

    def goals(self, state: Hunt) -> list[int] | None:
        if state.cells[0] not in state.cells[1:] and state.rounds < 20:
            return None
        return [5 * state.rounds, *[100 - 5 * state.rounds] * 2]

    def fluents(self, state: Hunt) -> set[str]:
        at = {text("at", role, *c) for role, c in zip(self.roles, state.cells, strict=True)}
        return at | {text("round", state.rounds)} | ({"hunting"} if state.hunting else set())


class Lake(NamedTuple):
    """The year, the fish in the lake, and both crews' boats and catches."""

    year: int
    fish: int
    boats: Cell
    caught: Cell


class Fishery(StatedGame[Lake]):
    """Two crews on one lake."""

    roles = ("north", "south")

    def initial(self) -> Lake:
        return Lake(0, 12, (1, 1), (0, 0))

    def moves(self, state: Lake) -> list[list[str]]:
        return [
            [text("catch", n) for n in range(2 * boats + 1)] + ["build"] * (boats < 3)
            for boats in state.boats
        ]

    def next(self, state: Lake, joint: Sequence[str]) -> Lake:
        wanted = [sum(numbers(move)) for move in joint]
        left = state.fish - sum(wanted)
        caught = state.caught
        if left >= 0:
            caught = tuple(min(25, c + w) for c, w in zip(caught, wanted, strict=True))
        built = (boats + (move == "build") for boats, move in zip(state.boats, joint, strict=True))
        fish = max(0, min(12, left * 3 // 2))
        return Lake(state.year + 1, fish, tuple(built), caught)

    def goals(self, state: Lake) -> list[int] | None:
        if state.year < 8 and state.fish:
            return None
        return [4 * caught for caught in state.caught]

    def fluents(self, state: Lake) -> set[str]:
        found = {text("year", state.year), text("fish", state.fish)}
        for role, boats, caught in zip(self.roles, state.boats, state.caught, strict=True):
            found |= {text("boats", role, boats), text("caught", role, caught)}
        return found


class Crowd(NamedTuple):
    """The cells taken, who moves (4: all at once), and who leads the turns."""

    cells: tuple[tuple[Cell, str], ...]
    mover: int
    leader: int


class FourTicTacToe(StatedGame[Crowd]):
    """Tic-tac-toe for four."""

    roles = ("north", "east", "south", "west")
    board = tuple(product(range(1, 6), repeat=2))

    def initial(self) -> Crowd:
        return Crowd((), 4, 0)

    def moves(self, state: Crowd) -> list[list[str]]:
        taken = dict(state.cells)
        marks = [text("mark", *cell) for cell in self.board if cell not in taken]
        return [marks if state.mover in (role, 4) else ["noop"] for role in range(4)]

    def next(self, state: Crowd, joint: Sequence[str]) -> Crowd:
        cells, named = dict(state.cells), Counter(joint)
        for role, move in zip(self.roles, joint, strict=True):
            if move != "noop":
                cells[numbers(move)] = role if named[move] == 1 else "rock"
        mover, leader = (state.mover + 1) % 4, state.leader
        if state.mover == 4:
            mover = leader
        elif mover == leader:
            mover, leader = 4, (leader + 1) % 4
        return Crowd(tuple(sorted(cells.items())), mover, leader)

    def goals(self, state: Crowd) -> list[int] | None:
        cells = dict(state.cells)
        winners = set()
        for ((x, y), owner), (dx, dy) in product(state.cells, ((1, 0), (0, 1), (1, 1), (1, -1))):
            if cells.get((x + dx, y + dy)) == cells.get((x - dx, y - dy)) == owner != "rock":
                winners.add(owner)
        if winners:
            return [100 // len(winners) * (role in winners) for role in self.roles]
        return [25] * 4 if len(cells) == 25 else None

    def fluents(self, state: Crowd) -> set[str]:
        turn = "rush" if state.mover == 4 else text("control", self.roles[state.mover])
        cells = {text("cell", *cell, owner) for cell, owner in state.cells}
        return cells | {turn, text("leader", self.roles[state.leader])}

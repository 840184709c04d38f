"""Plain twins of library games for one, three and four roles, and for two that move at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from tests.games.plain_games import Cell, StatedGame, numbers, text

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

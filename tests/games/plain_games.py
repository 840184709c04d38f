"""Library games written a second time in plain Python, straight from the rules of the games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Generic, NamedTuple, TypeVar

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


class Turn(NamedTuple):
    """Points kept and of the turn, its number, who is at turn, what is next, and who has won."""

    kept: tuple[int, int] = (0, 0)
    gained: int = 0
    turn: int = 1
    player: int = 0
    rolls: bool = False
    winner: int | None = None


class Pig(StatedGame[Turn]):
    """Roll on, or keep what you have."""

    names = ("first", "second")

    def initial(self) -> Turn:
        return Turn()

    def moves(self, state: Turn) -> list[list[str]]:
        if state.rolls:
            return [[text("die", n) for n in range(1, 7)], ["noop"], ["noop"]]
        found = [["noop"], ["noop"], ["noop"]]
        found[1 + state.player] = ["roll", "hold"] if state.gained else ["roll"]
        return found

    def next(self, state: Turn, joint: Sequence[str]) -> Turn:
        move = joint[1 + state.player]
        if move == "roll":
            return state._replace(rolls=True)
        kept, state = list(state.kept), state._replace(rolls=False)
        (face,) = numbers(joint[0]) or (1,)
        if face > 1 and kept[state.player] + state.gained + face >= 30:
            return state._replace(winner=state.player, gained=state.gained + face)
        if face > 1:
            return state._replace(gained=state.gained + face)
        if move == "hold":
            kept[state.player] += state.gained
        return Turn((kept[0], kept[1]), 0, state.turn + 1, 1 - state.player)

    def goals(self, state: Turn) -> list[int] | None:
        if state.winner is not None:
            return [0, *(100 if p == state.winner else 0 for p in range(2))]
        if state.turn <= 24:
            return None
        mine, other = state.kept
        points = 50 * (1 + (mine > other) - (mine < other))
        return [0, points, 100 - points]

    def fluents(self, state: Turn) -> set[str]:
        found = {text("kept", name, n) for name, n in zip(self.names, state.kept, strict=True)}
        found.add(text("turn", state.turn if state.turn <= 24 else "over"))
        stage = "die" if state.rolls else "choice"
        found.add(text("at", self.names[state.player], stage))
        if state.gained < 30:
            found.add(text("gained", state.gained))
        if state.winner is not None:
            found.add(text("won", self.names[state.winner]))
        return found


class Stones(NamedTuple):
    """Where the stones are, who is at turn, and the die, 0 before it is rolled."""

    stones: tuple[tuple[tuple[int, int], Cell], ...]
    player: int = 0
    die: int = 0


class EinStein(StatedGame[Stones]):
    """Numbered stones, of which a die says which one moves."""

    rows = ((6, 2, 4), (1, 5), (3,))
    names = ("red", "blue")

    def initial(self) -> Stones:
        places = {}
        for x, row in enumerate(self.rows, 1):
            for y, number in enumerate(row, 1):
                places[0, number] = (x, y)
                places[1, number] = (6 - x, 6 - y)
        return Stones(tuple(sorted(places.items())))

    def moves(self, state: Stones) -> list[list[str]]:
        if not state.die:
            return [["noop"], ["noop"], [text("roll", n) for n in range(1, 7)]]
        places, way = dict(state.stones), 1 - 2 * state.player
        left = [number for player, number in places if player == state.player]
        above = min((n for n in left if n >= state.die), default=None)
        below = max((n for n in left if n <= state.die), default=None)
        found = []
        for number in {own for own in (above, below) if own is not None}:
            x, y = places[state.player, number]
            for dx, dy in product((0, way), repeat=2):
                if (dx or dy) and 1 <= x + dx <= 5 and 1 <= y + dy <= 5:
                    found.append(text("move", number, x + dx, y + dy))
        both = [["noop"], ["noop"], ["noop"]]
        both[state.player] = found
        return both

    def next(self, state: Stones, joint: Sequence[str]) -> Stones:
        if not state.die:
            return state._replace(die=numbers(joint[2])[0])
        number, *cell = numbers(joint[state.player])
        places = {own: there for own, there in state.stones if there != tuple(cell)}
        places[state.player, number] = tuple(cell)
        return Stones(tuple(sorted(places.items())), 1 - state.player)

    def goals(self, state: Stones) -> list[int] | None:
        for player, target in enumerate(((5, 5), (1, 1))):
            mine = [there for (own, _), there in state.stones if own == player]
            if target in mine or len(mine) == len(state.stones):
                return [100 if p == player else 0 for p in range(2)] + [0]
        return None

    def fluents(self, state: Stones) -> set[str]:
        found = {
            text("cell", *there, f"{self.names[player][0]}{number}")
            for (player, number), there in state.stones
        }
        found.add(text("turn", self.names[state.player], "moves" if state.die else "rolls"))
        return found | ({text("die", state.die)} if state.die else set())

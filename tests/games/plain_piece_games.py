"""Plain twins of the library's games of two players with pieces that move or are captured."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import ClassVar, NamedTuple

from tests.games.plain_games import Cell, StatedGame, numbers, text, winner_goals

EIGHT = [way for way in product((-1, 0, 1), repeat=2) if way != (0, 0)]
STRAIGHT = [way for way in EIGHT if 0 in way]
DIAGONAL = [way for way in EIGHT if 0 not in way]


class Position(NamedTuple):
    """A position; pieces are texts such as ``white king``, the empty text where there is none.

    ``bound`` is the cell of the only piece that may move, or empty.
    """

    mover: int
    pieces: tuple[tuple[Cell, str], ...]
    plies: int = 0
    bound: Cell = ()


def walk(cell: Cell, way: Cell, size: int) -> Iterator[Cell]:
    """Yield the cells after a cell in a direction, up to the edge of the board."""
    x, y = cell[0] + way[0], cell[1] + way[1]
    while 1 <= x <= size and 1 <= y <= size:
        yield x, y
        x, y = x + way[0], y + way[1]


def joined(cell: Cell, cells: Iterable[Cell], ways: list[Cell], size: int) -> set[Cell]:
    """Return those of the cells that one of them is joined with, by steps in these directions."""
    todo, found, allowed = [cell], {cell}, set(cells)
    while todo:
        here = todo.pop()
        steps = {next(walk(here, way, size), here) for way in ways}
        todo += (steps & allowed) - found
        found |= steps & allowed
    return found


class PieceGame(StatedGame[Position]):
    """Two roles in turn move pieces on a square board, or place them."""

    roles: tuple[str, str] = ("black", "white")
    relation = "cell"
    size = 5
    most_plies = 1000

    @abstractmethod
    def start(self) -> dict[Cell, str]:
        """Return the pieces of the initial position."""

    @abstractmethod
    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        """Return the moves of the role whose turn it is."""

    @abstractmethod
    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        """Carry a move out on the pieces; return the cell of the piece that must move on, or ()."""

    @abstractmethod
    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        """Return the goals if the game has ended."""

    def counters(self, position: Position, pieces: Mapping[Cell, str]) -> set[str]:
        """Return the fluents beside the pieces and the role to move: the number of plies."""
        return {text("tens", position.plies // 10), text("ones", position.plies % 10)}

    def initial(self) -> Position:
        return Position(0, tuple(sorted(self.start().items())))

    def moves(self, state: Position) -> list[list[str]]:
        both = [["noop"], ["noop"]]
        both[state.mover] = self.own_moves(state, dict(state.pieces))
        return both

    def next(self, state: Position, joint: Sequence[str]) -> Position:
        pieces, move = dict(state.pieces), joint[state.mover]
        bound = self.play(state.mover, pieces, move) if move != "noop" else ()
        mover = state.mover if bound else 1 - state.mover
        return Position(mover, tuple(sorted(pieces.items())), state.plies + 1, bound)

    def goals(self, state: Position) -> list[int] | None:
        return self.result(state, dict(state.pieces))

    def fluents(self, state: Position) -> set[str]:
        pieces = {text(self.relation, *cell, piece) for cell, piece in state.pieces}
        turn = text("control", self.roles[state.mover])
        return pieces | {turn} | self.counters(state, dict(state.pieces))

    def own_cells(self, role: int, pieces: Mapping[Cell, str]) -> list[Cell]:
        """Return the cells of a role's pieces."""
        return [cell for cell, piece in pieces.items() if piece.split()[0] == self.roles[role]]

    def queen_cells(
        self, cell: Cell, pieces: Mapping[Cell, str], ways: list[Cell] = EIGHT
    ) -> Iterator[Cell]:
        """Yield the empty cells that a piece reaches in straight lines, and each first obstacle."""
        for way in ways:
            for target in walk(cell, way, self.size):
                yield target
                if target in pieces:
                    break


class Checkers(PieceGame):
    """Checkers 6x6 with the difference in pieces as its goal."""

    roles, size, most_plies = ("white", "black"), 6, 80

    def start(self) -> dict[Cell, str]:
        dark = [cell for cell in product(range(1, 7), repeat=2) if sum(cell) % 2 == 0]
        return {c: "white man" if c[1] < 3 else "black man" for c in dark if c[1] not in (3, 4)}

    def paths(self, cell: Cell, pieces: Mapping[Cell, str]) -> tuple[list[Cell], list[Cell]]:
        """Return where the piece can step, and where it can jump."""
        steps, jumps = [], []
        colour, kind = pieces[cell].split()
        for way in DIAGONAL:
            line = [*walk(cell, way, self.size), (), ()]
            if kind == "man" and way[1] != (1 if colour == "white" else -1):
                continue
            if line[0] and line[0] not in pieces:
                steps.append(line[0])
            elif line[1] and line[1] not in pieces and not pieces[line[0]].startswith(colour):
                jumps.append(line[1])
        return steps, jumps

    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        cells = [position.bound] if position.bound else self.own_cells(position.mover, pieces)
        paths = [(cell, *self.paths(cell, pieces)) for cell in cells]
        jumps = [text("jump", *cell, *target) for cell, _, found in paths for target in found]
        return jumps or [
            text("step", *cell, *target) for cell, found, _ in paths for target in found
        ]

    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        x, y, u, v = numbers(move)
        piece = pieces.pop((x, y))
        crowned = piece.endswith("man") and v in (1, 6)
        pieces[u, v] = self.roles[mover] + " king" if crowned else piece
        if not move.startswith("(jump"):
            return ()
        del pieces[(x + u) // 2, (y + v) // 2]
        return (u, v) if not crowned and self.paths((u, v), pieces)[1] else ()

    def counts(self, pieces: Mapping[Cell, str]) -> list[int]:
        """Return each role's number of pieces."""
        return [len(self.own_cells(role, pieces)) for role in (0, 1)]

    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        if position.plies < 80 and self.own_moves(position, pieces):
            return None
        white, black = self.counts(pieces)
        lead = max(-50, min(50, 10 * (white - black)))
        return [50 + lead, 50 - lead]

    def counters(self, position: Position, pieces: Mapping[Cell, str]) -> set[str]:
        numbered = zip(self.roles, self.counts(pieces), strict=True)
        bound = {text("chained", *position.bound)} if position.bound else set()
        left = {text("pieces", *pair) for pair in numbered}
        return super().counters(position, pieces) | left | bound


class Minichess(PieceGame):
    """Gardner's minichess; the king is captured."""

    roles = ("white", "black")

    def start(self) -> dict[Cell, str]:
        pieces = dict[Cell, str]()
        for x, kind in enumerate(("rook", "knight", "bishop", "queen", "king"), 1):
            pieces |= {(x, 1): f"white {kind}", (x, 2): "white pawn"}
            pieces |= {(x, 5): f"black {kind}", (x, 4): "black pawn"}
        return pieces

    def targets(self, cell: Cell, pieces: Mapping[Cell, str]) -> Iterator[Cell]:
        """Yield where a piece can go, its own colour's cells included."""
        (x, y), (colour, kind) = cell, pieces[cell].split()
        if kind == "pawn":
            ahead = y + (1 if colour == "white" else -1)
            for u in (x - 1, x, x + 1):
                if ((u, ahead) in pieces) == (u != x):
                    yield u, ahead
        elif kind == "knight":
            for u, v in product(range(1, 6), repeat=2):
                if (u - x) ** 2 + (v - y) ** 2 == 5:
                    yield u, v
        elif kind == "king":
            yield from (cell for way in EIGHT for cell in list(walk((x, y), way, 5))[:1])
        else:
            ways = {"rook": STRAIGHT, "bishop": DIAGONAL, "queen": EIGHT}[kind]
            yield from self.queen_cells(cell, pieces, ways)

    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        own = self.own_cells(position.mover, pieces)
        targets = {(cell, target) for cell in own for target in self.targets(cell, pieces)}
        return [text("move", *cell, *target) for cell, target in targets if target not in own]

    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        x, y, u, v = numbers(move)
        piece = pieces.pop((x, y))
        queens = piece.endswith("pawn") and v == (5, 1)[mover]
        pieces[u, v] = f"{self.roles[mover]} queen" if queens else piece
        return ()

    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        for role, name in enumerate(self.roles):
            if f"{name} king" not in pieces.values():
                return winner_goals(1 - role)
        return [50, 50] if position.plies == 99 or not self.own_moves(position, pieces) else None


class Amazons(PieceGame):
    """Amazons; arrows are pieces too."""

    roles, relation = ("white", "black"), "amazon"

    def start(self) -> dict[Cell, str]:
        return {(2, 1): "white", (4, 1): "white", (2, 5): "black", (4, 5): "black"}

    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        found = []
        for cell in self.own_cells(position.mover, pieces):
            others = {c: piece for c, piece in pieces.items() if c != cell}
            for target in self.queen_cells(cell, others):
                if target not in others:
                    arrows = [c for c in self.queen_cells(target, others) if c not in others]
                    found += [text("fire", *cell, *target, *arrow) for arrow in arrows]
        return found

    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        x, y, u, v, s, t = numbers(move)
        del pieces[x, y]
        pieces |= {(u, v): self.roles[mover], (s, t): "arrow"}
        return ()

    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        for cell in self.own_cells(position.mover, pieces):
            if any(target not in pieces for target in self.queen_cells(cell, pieces)):
                return None
        return winner_goals(1 - position.mover)

    def fluents(self, state: Position) -> set[str]:
        arrows = {text("arrow", *cell) for cell, piece in state.pieces if piece == "arrow"}
        amazons = {text("amazon", *c, piece) for c, piece in state.pieces if piece != "arrow"}
        return arrows | amazons | {text("control", self.roles[state.mover])}


class LinesOfAction(PieceGame):
    """Lines of Action; being together is found by flood filling."""

    relation = "piece"

    def start(self) -> dict[Cell, str]:
        sides = [((i, j), (j, i)) for i in (2, 3, 4) for j in (1, 5)]
        return {cell: name for pair in sides for cell, name in zip(pair, self.roles, strict=True)}

    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        found = []
        for cell, way in product(self.own_cells(position.mover, pieces), EIGHT):
            ahead = list(walk(cell, way, 5))
            line = [*ahead, cell, *walk(cell, (-way[0], -way[1]), 5)]
            length = sum(c in pieces for c in line)
            if length > len(ahead) or pieces.get(ahead[length - 1]) == pieces[cell]:
                continue
            if all(pieces.get(c, pieces[cell]) == pieces[cell] for c in ahead[: length - 1]):
                found.append(text("move", *cell, *ahead[length - 1]))
        return found or ["noop"]

    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        x, y, u, v = numbers(move)
        pieces[u, v] = pieces.pop((x, y))
        return ()

    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        united = []
        for role in (0, 1):
            own = self.own_cells(role, pieces)
            united.append(joined(own[0], own, EIGHT, 5) == set(own))
        if united[0] != united[1]:
            return winner_goals(united.index(True))
        return [50, 50] if united[0] or position.plies == 60 else None


class AtariGo(PieceGame):
    """Atari Go; groups and their liberties by flood filling."""

    relation = "stone"
    board: ClassVar[list[Cell]] = list(product(range(1, 6), repeat=2))

    def start(self) -> dict[Cell, str]:
        return {}

    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        return [text("place", *cell) for cell in self.board if cell not in pieces]

    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        pieces[numbers(move)] = self.roles[mover]
        return ()

    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        empty = set(self.board) - pieces.keys()
        for role in (position.mover, 1 - position.mover):
            own = self.own_cells(role, pieces)
            for stone in own:
                group = joined(stone, own, STRAIGHT, 5)
                beside = {c for s in group for way in STRAIGHT for c in [*walk(s, way, 5)][:1]}
                if not beside & empty:
                    return winner_goals(1 - role)
        return None

    def counters(self, position: Position, pieces: Mapping[Cell, str]) -> set[str]:
        return set()


class Arrows(PieceGame):
    """Arrows; a piece is an arrow and its owner, ``nobody`` at first."""

    roles, relation, size = ("red", "blue"), "arrow", 4
    ways: ClassVar[dict[str, Cell]] = {
        "north": (0, 1),
        "east": (1, 0),
        "south": (0, -1),
        "west": (-1, 0),
    }
    # Rows from the top.
    picture = ("NWNE", "WSWN", "SENE", "WSES")

    def start(self) -> dict[Cell, str]:
        names = {way[0].upper(): way for way in self.ways}
        return {
            (x, 4 - y): f"nobody {names[letter]}"
            for y, row in enumerate(self.picture)
            for x, letter in enumerate(row, 1)
        }

    def own_moves(self, position: Position, pieces: dict[Cell, str]) -> list[str]:
        taken = self.own_cells(1 - position.mover, pieces)
        return [text("turn", *cell) for cell in pieces if cell not in taken]

    def play(self, mover: int, pieces: dict[Cell, str], move: str) -> Cell:
        cell, names, chain = numbers(move), list(self.ways), list[Cell]()
        owner, way = pieces[cell].split()
        pieces[cell] = f"{owner} {names[(names.index(way) + 1) % 4]}"
        while cell not in chain:
            chain.append(cell)
            way = pieces[cell].split()[1]
            pieces[cell] = f"{self.roles[mover]} {way}"
            cell = next(walk(cell, self.ways[way], 4), cell)
        return ()

    def result(self, position: Position, pieces: dict[Cell, str]) -> list[int] | None:
        if position.plies < 24 and self.own_moves(position, pieces):
            return None
        owners = Counter(piece.split()[0] for piece in pieces.values())
        lead = owners["red"] - owners["blue"]
        return winner_goals(int(lead < 0)) if lead else [50, 50]

    def fluents(self, state: Position) -> set[str]:
        found = {text("control", self.roles[state.mover]), text("turns", state.plies)}
        for cell, piece in state.pieces:
            owner, way = piece.split()
            found.add(text("arrow", *cell, way))
            if owner != "nobody":
                found.add(text("owner", *cell, owner))
        return found

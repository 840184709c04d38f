"""Library games with dice in plain Python; see :mod:`tests.games.plain_games`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from tests.games.plain_games import Cell, StatedGame, numbers, text


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

"""Library sheets are the same games as the public rulesheets of these games, where we have one.

Both are played in step: each random joint move is made in both, and in every state they must
agree on the legal moves, on the end and, at the end, on the goals. Sheets of another size are
first brought to the public size by changing their facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import hypot, sqrt

import pytest
import torch

from neurogame.gdl.library import library_path
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts
from tests.conftest import shared
from tests.games.sampling import random_moves


def facts(name: str, first: int, last: int) -> str:
    """Return the successor facts ``(name first first+1) ... (name last-1 last)``."""
    return " ".join(f"({name} {n} {n + 1})" for n in range(first, last))


def wide_board(text: str) -> str:
    """Make Connect Four's board eight columns wide."""
    return text + "(column 8) (succ 7 8)\n"


def long_heaps(text: str) -> str:
    """Give Nim heaps of 11, 12, 15 and 25."""
    for old, new in (("a 1", "a 11"), ("b 3", "b 12"), ("c 5", "c 15"), ("d 7", "d 25")):
        text = text.replace(f"(start {old})", f"(start {new})")
    return text + facts("succ", 7, 26)


def large_hex(text: str) -> str:
    """Make the rhombus nine by nine."""
    coords = " ".join(f"(coord {n})" for n in range(6, 10))
    text = text.replace("(finish red 5 ?c)", "(finish red 9 ?c)")
    text = text.replace("(finish blue ?r 5)", "(finish blue ?r 9)")
    return text + coords + facts("succ", 5, 9)


def many_boxes(text: str) -> str:
    """Make Dots and Boxes five by five boxes."""
    boxes = [(x, y) for y in range(1, 6) for x in range(1, 6)]
    numbered = "".join(f"(numbered {k} {x} {y})" for k, (x, y) in enumerate(boxes, 1))
    text = re.sub(r"^\(numbered.*\n", "", text, flags=re.M).replace("?p 9 5", "?p 25 13")
    return text + numbered + "(dot 5) (dot 6)" + facts("succ", 4, 6) + facts("count", 9, 25)


def letters(move: str) -> str:
    """Turn the public Hex rows a, b, ... into numbers."""
    return re.sub(r"place ([a-i])", lambda m: f"place {'abcdefghi'.index(m[1]) + 1}", move)


def undirected(move: str) -> str:
    """Turn a line between two dots into its direction and first dot."""
    return re.sub(
        r"draw (\d) (\d) (\d) (\d)",
        lambda m: f"draw {'up' if m[1] == m[3] else 'across'} {m[1]} {m[2]}",
        move,
    )


def replacing(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """Return a function that replaces texts by regular expressions."""

    def replace(move: str) -> str:
        for pattern, replacement in pairs:
            move = re.sub(pattern, replacement, move)
        return move

    return replace


def unchanged(text: str) -> str:
    """Return the text."""
    return text


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A library sheet and a public one.

    Attributes:
        ours: library name.
        public: file name without suffix.
        move: turns a public move into ours.
        size: brings our text to the public size.
        games: number of games to play in step.
    """

    ours: str
    public: str
    move: Callable[[str], str] = field(default=unchanged)
    size: Callable[[str], str] = field(default=unchanged)
    games: int = 128


PAIRS = [
    Pair(ours="tictactoe", public="ticTacToe", games=1024),
    Pair(ours="tictactoe3p", public="tictactoe_3player", games=256),
    Pair(
        ours="pentago",
        public="pentago",
        move=replacing(("counterclockwise", "anticlockwise")),
        games=1024,
    ),
    Pair(ours="qubic", public="tictactoe_3d_2player", move=replacing(("select", "take"))),
    Pair(ours="breakthrough", public="breakthrough"),
    Pair(ours="breakthrough6", public="breakthroughSmall"),
    Pair(ours="knightthrough", public="knightThrough"),
    Pair(ours="reversi", public="reversi", move=replacing(("move", "place")), games=64),
    Pair(ours="connectfour", public="connectFour", size=wide_board, games=512),
    Pair(
        ours="connectfour_simultaneous",
        public="connectFourSimultaneous",
        move=replacing((r"drop (\d) 1", r"drop one \1"), (r"drop (\d) 2", r"drop two \1")),
        games=512,
    ),
    Pair(
        ours="bidding_tictactoe",
        public="biddingTicTacToe",
        move=replacing(("no_tiebreaker", "keep"), ("with_tiebreaker", "stake")),
        games=1024,
    ),
    Pair(ours="nim", public="nim3", move=replacing(("reduce", "leave")), size=long_heaps),
    Pair(ours="hex5", public="hex", move=letters, size=large_hex, games=64),
    Pair(ours="dotsandboxes", public="dotsAndBoxes", move=undirected, size=many_boxes),
]


def columns(ours: Game, public: Game, move: Callable[[str], str]) -> tuple[list[int], list[int]]:
    """Return the columns of corresponding moves in the legal masks of both games."""
    mine: list[int] = []
    theirs: list[int] = []
    for role, moves in enumerate(public.moves):
        table = {text: index for index, text in enumerate(ours.moves[role])}
        for index, text in enumerate(moves):
            if move(text) in table:
                mine.append(ours.move_offsets[role] + table[move(text)])
                theirs.append(public.move_offsets[role] + index)
    return mine, theirs


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.ours)
def test_played_in_step_with_the_public_sheet(pair: Pair) -> None:
    public = Game.load(shared("games", f"{pair.public}.kif"))
    ours = Game.from_text(pair.size(library_path(pair.ours).read_text(encoding="utf-8")), pair.ours)
    assert len(ours.roles) == len(public.roles)
    mine, theirs = columns(ours, public, pair.move)
    to_mine = torch.full((public.circuit.move_count,), -1)
    to_mine[theirs] = torch.tensor(mine)
    unknown_here = sorted(set(range(ours.circuit.move_count)) - set(mine))
    unknown_there = sorted(set(range(public.circuit.move_count)) - set(theirs))

    generator = torch.Generator().manual_seed(3)
    states = (ours.simulator().initial(pair.games), public.simulator().initial(pair.games))
    for _ in range(1000):
        look, other = ours.simulator().look(states[0]), public.simulator().look(states[1])
        assert torch.equal(look.terminal, other.terminal)
        assert torch.equal(look.legal[:, mine], other.legal[:, theirs])
        assert not look.legal[:, unknown_here].any()
        assert not other.legal[:, unknown_there].any()
        assert torch.equal(look.goals[look.terminal], other.goals[look.terminal])
        if bool(look.terminal.all()):
            return
        drawn = random_moves(public, other.legal, generator)
        translated = to_mine[drawn + torch.tensor(public.move_offsets[:-1])]
        own = (translated - torch.tensor(ours.move_offsets[:-1])).clamp(min=0)
        states = (ours.simulator().step(states[0], own), public.simulator().step(states[1], drawn))
    pytest.fail("the games did not end")


@pytest.mark.parametrize(
    "name", ["breakthrough6", "connectfour_simultaneous", "pentago", "tictactoe3p"]
)
def test_random_play_has_the_same_means_as_the_public_sheet(name: str) -> None:
    """Means of lengths and goals of 4096 random games each differ by less than 4.5 errors."""
    (pair,) = (pair for pair in PAIRS if pair.ours == name)
    public = Game.load(shared("games", f"{pair.public}.kif"))
    first, second = (
        playouts(game.simulator(), 4096, seed, lengths=True)
        for seed, game in enumerate((Game.load(name), public), 17)
    )
    samples = [tuple(dict(enumerate(found.lengths or ())) for found in (first, second))]
    samples += zip(first.goals, second.goals, strict=True)
    for one, other in samples:
        means, errors = zip(*(mean_and_error(counts) for counts in (one, other)), strict=True)
        assert abs(means[0] - means[1]) < 4.5 * hypot(*errors)


def mean_and_error(counts: Mapping[int, int]) -> tuple[float, float]:
    """Return the mean of counted values and its standard error."""
    games = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / games
    variance = sum((value - mean) ** 2 * count for value, count in counts.items()) / games
    return mean, sqrt(variance / games)

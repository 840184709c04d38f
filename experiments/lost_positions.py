"""Lost positions: how often does a search take a move that loses as late as possible?

Positions of connect four in which whoever is to move has lost, whatever it does, but not with
every move equally soon. They are made from sequences of moves with random moves added, so many of
each role as of the other; a solver that is independent of the package (bit boards, written below)
says when each move loses against the soonest win::

    python experiments/lost_positions.py ../shared/positions/connectfour-exact.txt

Every seed is another search of the same positions. With ``--list`` the positions are printed, with
the columns that lose latest and the plies that are left then.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numba
import numpy as np
from tqdm import tqdm

from neurogame.array_types import Int64s
from neurogame.intervals import wilson_interval
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State

WIDTH, HEIGHT = 7, 6
FEWEST, MOST = 20, 34
"""Discs on the board."""
_PLACES = 1 << 20
_NONE = -100


@numba.njit(cache=True)
def _has_line(discs: int) -> bool:
    """Return whether there are four in a row; bit ``7 column + row``."""
    for way in (1, 6, 7, 8):
        pairs = discs & (discs >> way)
        if pairs & (pairs >> (2 * way)):
            return True
    return False


@numba.njit(cache=True)
def _score(mine: int, all_: int, count: int, low: int, high: int, table: Int64s) -> int:
    """Return the score of a position for who is to move, within bounds.

    A win with the own disc number ``n`` is worth ``22 - n``, a loss as much less than 0.

    Args:
        mine: discs of who is to move.
        all_: all discs; nobody has four in a row.
        count: of discs.
        low: lower bound of what is of interest.
        high: upper bound.
        table: of scores; ``[_PLACES, 2]``, the key, and an upper bound.
    """
    if count == WIDTH * HEIGHT:
        return 0
    for column in range(WIDTH):
        disc = (all_ + (1 << (7 * column))) & (0x3F << (7 * column))
        if disc and _has_line(mine | disc):
            return (WIDTH * HEIGHT + 1 - count) // 2
    most = (WIDTH * HEIGHT - 1 - count) // 2
    key = mine + all_
    place = (key ^ (key >> 21)) % _PLACES
    if table[place, 0] == key:
        most = min(most, table[place, 1])
    high = min(high, most)
    if low >= high:
        return high
    for near in range(WIDTH):
        column = 3 + (near + 1) // 2 * (1 - 2 * (near & 1))
        disc = (all_ + (1 << (7 * column))) & (0x3F << (7 * column))
        if disc:
            found = -_score(all_ ^ mine, all_ | disc, count + 1, -high, -low, table)
            if found >= high:
                return found
            low = max(low, found)
    table[place, 0], table[place, 1] = key, low
    return low


@final
@dataclass(frozen=True)
class Position:
    """A lost position.

    Attributes:
        moves: columns so far, 1..7.
        plies: of each column that is not full, the plies to the end if it is chosen now.
    """

    moves: str
    plies: dict[int, int]

    @property
    def latest(self) -> list[int]:
        """The columns that lose latest."""
        return [column for column, n in self.plies.items() if n == max(self.plies.values())]


def position_after(moves: Sequence[int], table: Int64s) -> Position | None:
    """Return a position, None if the game is over or whoever is to move has not lost."""
    mine, all_, count = 0, 0, len(moves)
    for column in moves:
        disc = (all_ + (1 << (7 * (column - 1)))) & (0x3F << (7 * (column - 1)))
        if not disc or _has_line(mine | disc):
            return None
        mine, all_ = all_ ^ mine, all_ | disc
    plies: dict[int, int] = {}
    for column in range(1, WIDTH + 1):
        disc = (all_ + (1 << (7 * (column - 1)))) & (0x3F << (7 * (column - 1)))
        if not disc:
            continue
        if _has_line(mine | disc):
            return None
        score = -_score(all_ ^ mine, all_ | disc, count + 1, -22, 22, table)
        if score >= 0:
            return None
        plies[column] = _left(score, count)
    return Position("".join(map(str, moves)), plies) if plies else None


def _left(score: int, count: int) -> int:
    """Return the plies until the other role has won, from the score and the discs so far."""
    # The winner's last disc is number 22 + score of its own; the first role has the odd ones.
    return 2 * (22 + score) - count % 2 - count


def lost_positions(sequences: Sequence[str], count: int, seed: int) -> list[Position]:
    """Return different lost positions in which it matters what is played.

    Args:
        sequences: moves to begin with, or their first ones, before random ones.
        count: how many; half of them with an even number of discs.
        seed: of the random moves.
    """
    random, table = np.random.default_rng(seed), np.zeros((_PLACES, 2), np.int64)
    made: dict[str, Position] = {}
    sides = [0, 0]
    with tqdm(total=count, unit="position") as bar:
        while len(made) < count:
            discs = int(random.integers(FEWEST, MOST + 1))
            begun = sequences[int(random.integers(len(sequences)))][:discs]
            own = [int(letter) for letter in begun]
            own += random.integers(1, WIDTH + 1, discs - len(own)).tolist()
            if 2 * sides[discs % 2] >= count:
                continue
            one = position_after(own, table)
            if one is None or len(set(one.plies.values())) < 2 or one.moves in made:
                continue
            made[one.moves] = one
            sides[discs % 2] += 1
            bar.update()
    return list(made.values())


def state_of(game: Game, moves: str) -> State:
    """Return the state of the game after some moves."""
    state = game.initial_state()
    for number, letter in enumerate(moves):
        joint = [0, 0]
        for role in (0, 1):
            wanted = f"(drop {letter})" if number % 2 == role else "noop"
            joint[role] = game.move_index(game.roles[role], wanted)
        state = state.next(joint)
    return state


def chosen_columns(
    game: Game, text: str, limit: Limit, positions: Sequence[Position], seed: int
) -> Iterator[int]:
    """Yield the column that a player chooses in each position, with no memory of the others."""
    players = [make_player(text, game, seed), make_player(text, game, seed)]
    for one in positions:
        role = len(one.moves) % 2
        players[role].start(MatchStart(game, role, seed))
        move = players[role].choose(state_of(game, one.moves), limit)
        players[role].stop()
        yield int(game.moves[role][move].split()[1].rstrip(")"))


def main() -> None:
    """Try all positions with all players; print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sequences", type=Path, help="a sequence of columns begins each line")
    parser.add_argument("--players", nargs="+", default=["mcts"])
    parser.add_argument("--limit", default="sims=5000")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the positions")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="of the searches")
    parser.add_argument("--list", action="store_true", help="print the positions, and end")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lines = options.sequences.read_text().splitlines()
    sequences = [line.split()[0] for line in lines if line and not line.startswith("#")]
    positions = lost_positions(sequences, options.positions, options.seed)
    if options.list:
        for one in positions:
            print(one.moves, "".join(map(str, one.latest)), max(one.plies.values()))
        return
    chance = statistics.mean(len(one.latest) / len(one.plies) for one in positions)
    game, limit, rows = Game.load("connectfour"), Limit.parse(options.limit), []
    for text in options.players:
        for seed in options.seeds:
            begun = time.process_time()
            columns = list(chosen_columns(game, text, limit, positions, seed))
            spent = time.process_time() - begun
            good = [c in one.latest for c, one in zip(columns, positions, strict=True)]
            rows.append(_told(text, seed, good, positions, spent))
    if options.json:
        print(json.dumps({"random": chance, "rows": rows}))
        return
    print(f"{len(positions)} positions; a random move is right in {100 * chance:.0f} %")
    for row in rows:
        print(*row.values(), sep="  ")


def _told(
    text: str, seed: int, good: Sequence[bool], positions: Sequence[Position], spent: float
) -> dict[str, str]:
    """Return what is printed of a player and a seed: also by the plies that are left at best."""
    low, high = wilson_interval(sum(good), len(good))
    groups: dict[int, list[bool]] = {}
    for right, one in zip(good, positions, strict=True):
        groups.setdefault(max(one.plies.values()), []).append(right)
    by_plies = ", ".join(f"{n}: {sum(own)}/{len(own)}" for n, own in sorted(groups.items()))
    return {
        "player": text,
        "seed": f"seed {seed}",
        "share": f"{100 * statistics.mean(good):.1f} % ({100 * low:.0f} to {100 * high:.0f} %)",
        "by plies": by_plies,
        "seconds": f"{spent:.0f} s of processor time",
    }


if __name__ == "__main__":
    main()

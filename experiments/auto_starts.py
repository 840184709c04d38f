"""What `auto` chooses in a start clock, and how that plays against plain tree search.

Every cell is one start of a new `auto` player, which knows nothing of earlier ones, and matches
against `mcts` at equal time per move, from an opening of an exact length, one in each role. Where
there are not two roles its goals are held against those of `mcts` in its place::

    python experiments/auto_starts.py ../shared/games/connectFour.kif --start 30 --out runs/auto
    python experiments/auto_starts.py --report --out runs/auto

So chance in learning and in trials is part of what the intervals say: a start is a cluster of
matches. A finished cell stays in the folder. Seconds of START and of moves are those of a clock,
those of learning the processor's: on a busy machine a start clock holds fewer of them, so the
processor seconds of the whole start stand beside. With ``--core`` all clocks are the processor's,
in START and in matches, those of compiled code too, so that what is measured on a busy machine is
what a free core would show::

    NUMBA_CACHE_DIR=runs/code python experiments/auto_starts.py GAMES --core --out runs/auto
"""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from cells import Cells, progress

from neurogame.intervals import paired_interval
from neurogame.learn import self_teaching
from neurogame.native import clock
from neurogame.players.auto.auto_player import AutoPlayer
from neurogame.players.match import play_match
from neurogame.players.match_settings import CLOCK_SHARE, MatchSettings
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.openings import Openings
from neurogame.simulate.game import Game

PLIES = 4
"""Of an opening."""


def cell(
    game: Game, start: float, seconds: float, seed: int, prepare: str, *, first: bool
) -> dict[str, Any]:
    """Return one start and its matches, one in each role.

    Args:
        game: the game.
        start: clock, in seconds.
        seconds: for a move of every player.
        seed: of the start and the opening.
        prepare: the player string.
        first: whether it plays the first role alone, from the initial state.
    """
    auto, limit = make_player(prepare), Limit(seconds=seconds)
    wall, core = time.perf_counter(), time.process_time()
    auto.start(MatchStart(game, game.players[0], seed, CLOCK_SHARE * start, limit))
    wall, core = time.perf_counter() - wall, time.process_time() - core
    auto.stop()
    several, seats = len(game.players) != 1, len(game.players)
    opening = Openings(game, PLIES if several and not first else 0, seed)[0]
    settings = MatchSettings(limit=limit)

    def match(place: int | None) -> MatchRecord:
        players: list[Player] = [make_player("mcts") for _ in range(seats)]
        if place is not None:
            players[place] = auto
        return play_match(game, players, seed=seed, settings=settings, opening=opening)

    plain = None if seats == 2 else match(None)
    points, goals, slowest = [], [], 0.0
    for place, role in enumerate(game.players[:1] if first else game.players):
        record = match(place)
        other = record.goals[game.players[1 - place]] if plain is None else plain.goals[role]
        points.append(0.5 + (record.goals[role] - other) / 200)
        goals.append(record.goals[role])
        slowest = max(slowest, record.slowest_seconds[role])
    return {
        "game": game.name,
        "start": start,
        "seconds": seconds,
        "points": points,
        "goals": goals,
        "report": auto.report if isinstance(auto, AutoPlayer) else "",
        "learned": auto.learned if isinstance(auto, AutoPlayer) else 0.0,
        "wall": wall,
        "core": core,
        "slowest": slowest,
    }


def count_processor_seconds() -> None:
    """Let all clocks be those of the processor, before anything is compiled.

    Raises:
        SystemExit: code would be kept among that which is compiled with the usual clock.
    """
    if not os.environ.get("NUMBA_CACHE_DIR"):
        raise SystemExit("--core: let NUMBA_CACHE_DIR name a folder for code with that clock")
    clock._CLOCK = time.CLOCK_PROCESS_CPUTIME_ID
    time.monotonic, time.monotonic_ns = time.process_time, time.process_time_ns


def warm_up() -> None:
    """Compile what is compiled at its first use, which shall not count."""
    for _ in range(2):
        make_player("auto:prepare=4").start(MatchStart(Game.load("tictactoe"), 0, 0))


def report(cells: Cells) -> str:
    """Return the table of all finished cells."""
    groups: dict[tuple[str, float, float], list[dict[str, Any]]] = {}
    for one in cells.all():
        groups.setdefault((one["game"], one["start"], one["seconds"]), []).append(one)
    lines = [
        "| game | start, move | chosen | points, 95 % interval (matches) "
        "| START: learned, core, wall |",
        "|---|---|---|---|---|",
    ]
    for (name, start, seconds), rows in sorted(groups.items()):
        chosen = [one["report"].split(" (")[0].removeprefix("plays ") for one in rows]
        chosen = [re.sub(r"refine=\d+", "refine", text) for text in chosen]
        tally = ", ".join(f"`{text}` {chosen.count(text)}" for text in sorted(set(chosen)))
        points = [one["points"] for one in rows]
        low, high = (100 * bound for bound in paired_interval(points))
        mean = 100 * sum(map(sum, points)) / sum(map(len, points))
        spent = (
            f"{sum(one[key] for one in rows) / len(rows):.1f}"
            for key in ("learned", "core", "wall")
        )
        lines.append(
            f"| {name} | {start:g}, {seconds:g} | {tally} | {mean:.1f} [{low:.0f}, {high:.0f}] "
            f"({sum(map(len, points))}) | {', '.join(spent)} |"
        )
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser, seconds: float) -> None:
    """Declare what all experiments with starts take; for a move so many seconds, if not told."""
    parser.add_argument("games", nargs="*", help="library games or paths")
    parser.add_argument("--start", type=float, default=30.0, help="clock in seconds")
    parser.add_argument("--seconds", type=float, default=seconds, help="for a move")
    parser.add_argument("--starts", type=int, default=2, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, required=True, help="folder; one for each set of options below"
    )
    parser.add_argument("--report", action="store_true", help="only print the table")


def finished(options: argparse.Namespace, make: Callable[[Game, int], dict[str, Any]]) -> Cells:
    """Return all cells, after those that are missing were made, of a game and a seed each."""
    cells = Cells(options.out)
    torch.set_num_threads(1)
    if options.report:
        return cells
    # Nothing is kept from one start to the next.
    vars(self_teaching)["game_file"] = lambda *_: None
    warm_up()
    for seed in range(options.seed, options.seed + options.starts):
        for path in options.games:
            name = f"{Path(path).stem}-{options.start:g}-{options.seconds:g}-{seed}"
            if not cells.has(name):
                progress(name)
                cells.put(name, make(Game.load(path), seed))
    return cells


def main() -> None:
    """Play what is missing and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_arguments(parser, seconds=0.2)
    parser.add_argument("--player", default="auto")
    parser.add_argument(
        "--first", action="store_true", help="one match each, first, from the initial state"
    )
    parser.add_argument("--core", action="store_true", help="count processor seconds")
    options = parser.parse_args()
    if options.core:
        count_processor_seconds()

    def make(game: Game, seed: int) -> dict[str, Any]:
        return cell(game, options.start, options.seconds, seed, options.player, first=options.first)

    print(report(finished(options, make)))


if __name__ == "__main__":
    main()

"""Games of one role within a minute: the player that solves beside plain Monte-Carlo tree search.

Each player plays one match of each rulesheet: half of the time before the first move, the other
half in equal parts for the moves of the longest of 2,048 random games. Every match is a line of a
file, so that the run can be interrupted and started again; the report is made of what there is::

    python experiments/puzzles.py ../shared/games --out runs/puzzles
    python experiments/puzzles.py ../shared/games --games sudokuGrade2 eightPuzzle --seed 1
    python experiments/puzzles.py ../shared/games --out runs/puzzles --report

What is compiled for a game is kept on disk and is no part of the minute; a match that takes longer
than its clocks, as moves of a longer game do, says so by its seconds.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import torch
from tqdm import tqdm

from neurogame.errors import NeurogameWarning
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts

PLAYERS = ("solve", "mcts")
_RANDOM_GAMES = 2048


class Line(TypedDict):
    """One match.

    ``highest`` is the highest goal that the rules name, ``random`` the best of 2,048 random games.
    """

    game: str
    player: str
    seed: int
    minute: float
    goal: float
    highest: int
    random: int
    moves: int
    seconds: float


def play(path: Path, player: str, minute: float, seed: int) -> Line | None:
    """Play one match; None if the game has several roles."""
    game = Game.load(path)
    if len(game.roles) != 1:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeurogameWarning)
        sample = playouts(game.simulator(), _RANDOM_GAMES, seed, lengths=True)
        assert sample.lengths is not None
        # What is compiled when a game is first played is no part of the minute.
        make_player(player, game).stop()
        settings = MatchSettings(
            start_clock=minute / 2, play_clock=minute / 2 / (len(sample.lengths) - 1)
        )
        begun = time.monotonic()
        record = play_match(game, [make_player(player)], seed=seed, settings=settings)
    return Line(
        game=path.stem,
        player=player,
        seed=seed,
        minute=minute,
        goal=record.goals[0],
        highest=max((value for value, _ in game.circuit.goals[0]), default=0),
        random=max(sample.goals[0]),
        moves=record.length,
        seconds=round(time.monotonic() - begun, 1),
    )


def report(lines: Sequence[Line]) -> str:
    """Return a table and what it comes to."""
    found = {(line["game"], line["player"]): line for line in lines}
    text = [f"{'game':32s} {'highest':>7s} {'random':>6s} " + "".join(f"{p:>16s}" for p in PLAYERS)]
    for game in sorted({line["game"] for line in lines}):
        own = [found.get((game, player)) for player in PLAYERS]
        any_ = next(line for line in own if line)
        cells = [f"{line['goal']:.0f} in {line['seconds']:.0f} s" if line else "" for line in own]
        text.append(
            f"{game:32s} {any_['highest']:7d} {any_['random']:6d} "
            + "".join(f"{cell:>16s}" for cell in cells)
        )
    for player in PLAYERS:
        own_lines = [line for line in lines if line["player"] == player]
        top = sum(line["goal"] >= line["highest"] for line in own_lines)
        mean = sum(line["goal"] for line in own_lines) / max(len(own_lines), 1)
        text.append(f"{player}: the highest goal in {top} of {len(own_lines)}, mean {mean:.1f}")
    return "\n".join(text)


def main() -> int:
    """Play what is missing and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of rulesheets")
    parser.add_argument("--games", nargs="+", help="names; all if not given")
    parser.add_argument("--minute", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/puzzles"))
    parser.add_argument("--report", action="store_true", help="only print what is there")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "matches.jsonl"
    lines: list[Line] = []
    if path.exists():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    done = {(line["game"], line["player"], line["seed"], line["minute"]) for line in lines}
    sheets = sorted(options.folder.glob("*.kif"))
    if options.games:
        sheets = [sheet for sheet in sheets if sheet.stem in options.games]
    todo = [
        (sheet, player)
        for sheet in sheets
        for player in PLAYERS
        if (sheet.stem, player, options.seed, options.minute) not in done
    ]
    for sheet, player in tqdm([] if options.report else todo, unit="match"):
        line = play(sheet, player, options.minute, options.seed)
        if line is not None:
            lines.append(line)
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
    chosen = [
        line for line in lines if (line["seed"], line["minute"]) == (options.seed, options.minute)
    ]
    print(report(chosen))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Published schemes of Monte-Carlo tree search against plain UCT, in fourteen games.

Every cell is an arena of two players in one game, with a folder of its own, so that everything can
be interrupted and started again; the report is written from what there is::

    python experiments/baselines.py GAMES --matches 40 --out runs/baselines
    python experiments/baselines.py GAMES --seconds 0.03 --matches 40 --out runs/baselines-timed
    python experiments/baselines.py GAMES --out runs/baselines --matches 0      # the report alone

``GAMES`` is a folder of rulesheets, or several rulesheets; of a folder the fourteen games of the
action heuristics' paper are taken, or those that ``--games`` names. All cells get a few matches
before any gets more, so that an early report has all of them. Openings are four random plies, each
played in both roles. The settings are the published ones. In the report a
scheme that is not on the list is named by its options.

In slow games (``SLOW``) both players gather 16 leaves at a time, and where that is not enough they
make fewer simulations.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from tqdm import tqdm

from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.errors import NeurogameError
from neurogame.workers.options import add_workers, chosen_workers

GAMES = (
    *("battle", "biddingTicTacToe", "blocker", "breakthrough", "checkersSmall"),
    *("chineseCheckers2", "chinook", "connectFour", "crisscross", "ghostMaze2p"),
    *("nineBoardTicTacToe", "pentago", "sheepAndWolf", "skirmish"),
)
"""The fourteen games of the paper, as their rulesheets are named."""

SCHEMES = {
    "mast": "playout=mast,choice=greedy,epsilon=0.4",
    "mast-gibbs": "playout=mast,choice=gibbs,tau=10",
    "rave": "tree=rave",
    "grave": "tree=grave",
    "cilp-bias": "cilp,bias=2",
    "cilp-cutoff": "cilp,cutoff=4",
    "cilp-minimax": "cilp,minimax=0.2",
    "features-bias": "features,bias=2",
    "features-cutoff": "features,cutoff=4",
    "features-minimax": "features,minimax=0.8,exploration=0.1",
}
"""Scheme -> the part of the player string that makes it."""

SLOW = {
    "battle": "lanes=16",
    "breakthrough": "lanes=16",
    "checkersSmall": "lanes=16",
    "chinook": "lanes=16",
    "sheepAndWolf": "lanes=16",
    "skirmish": "lanes=16",
}
"""Game -> more options of both players, at equal simulations."""

SIMULATIONS = {"skirmish": 250}
"""Games in which there are fewer than ``--sims``."""

PASSES = (4, 10, 20, 40, 100)
"""Matches that all cells have before any gets more."""


def rulesheets(paths: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """Return the rulesheets that are meant.

    Args:
        paths: folders or files.
        names: which of a folder's; all fourteen if empty.
    """
    found = []
    for path in paths:
        if path.is_dir():
            found += [path / f"{name}.kif" for name in names or GAMES]
        else:
            found.append(path)
    return found


@final
@dataclass(frozen=True, kw_only=True)
class Cell:
    """One pairing.

    Attributes:
        game: path of the rulesheet.
        scheme: its name.
        players: player strings, the one with the scheme first.
        folder: of the arena.
    """

    game: Path
    scheme: str
    players: tuple[str, str]
    folder: Path

    @property
    def played(self) -> int:
        """Number of matches that are kept."""
        path = self.folder / "matches.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    @property
    def result(self) -> dict[str, Any] | None:
        """What the matches came to; None where there is nothing yet."""
        path = self.folder / "results.json"
        found: dict[str, Any] | None = None
        if path.exists():
            found = json.loads(path.read_text())["pairings"][0]
        return found if found is None or found["matches"] else None


def cells(options: argparse.Namespace) -> Iterator[Cell]:
    """Yield all cells that are asked for, game by game."""
    for game in rulesheets(options.rulesheets, options.games):
        limit, common = f"seconds={options.seconds}", ""
        if options.seconds is None:
            limit = f"sims={min(options.sims, SIMULATIONS.get(game.stem, options.sims))}"
            common = SLOW.get(game.stem, "")
        for scheme in options.schemes or SCHEMES:
            own = SCHEMES.get(scheme, scheme)
            yield Cell(
                game=game,
                scheme=scheme,
                players=(_player(own, common, limit), _player(common, limit)),
                folder=options.out / f"{game.stem}-{scheme.replace('=', '-')}",
            )


def _player(*parts: str) -> str:
    return "mcts:" + ",".join(filter(None, parts))


def play(cell: Cell, matches: int, options: argparse.Namespace) -> None:
    """Play what a cell misses of some number of matches."""
    settings = ArenaSettings(
        games=(str(cell.game),), players=cell.players, matches=matches, seed=options.seed
    )
    if run_arena(settings, workers=chosen_workers(options), output=cell.folder).interrupted:
        raise KeyboardInterrupt


def play_all(wanted: list[Cell], options: argparse.Namespace) -> list[str]:
    """Play all cells, in passes; return what could not be played, and why."""
    failed: dict[Path, str] = {}
    goals = [goal for goal in PASSES if goal < options.matches]
    with tqdm(total=options.matches * len(wanted), unit="match", smoothing=0.02) as bar:
        for goal in [*goals, options.matches]:
            for cell in wanted:
                bar.set_description_str(f"{cell.game.stem} {cell.scheme}")
                if cell.played < goal and cell.folder not in failed:
                    try:
                        play(cell, goal, options)
                    except NeurogameError as error:
                        failed[cell.folder] = f"{cell.game.stem}, {cell.scheme}: {error}"
                bar.n = sum(min(own.played, options.matches) for own in wanted)
                bar.refresh()
            report(wanted, options)
    return list(failed.values())


def sign(found: dict[str, Any]) -> str:
    """Return whether a result lies above (``+``) or below (``−``) one half, or nothing."""
    low, high = found["ci95"]
    return "+" if low > 0.5 else "−" if high < 0.5 else ""


def share(found: dict[str, Any] | None) -> str:
    """Return the points in per cent with their interval, in bold where that excludes one half."""
    if found is None:
        return "–"
    low, high = found["ci95"]
    text = f"{100 * found['win_rate']:.0f} [{100 * low:.0f}, {100 * high:.0f}]"
    return f"**{text}**" if sign(found) else text


def mean_share(found: Sequence[dict[str, Any]]) -> str:
    """Return the mean of several games' points in per cent, with half its 95 % interval."""
    if not found:
        return "–"
    # Openings of different games are independent, so variances add.
    squares = sum(((own["ci95"][1] - own["ci95"][0]) / 2) ** 2 for own in found)
    mean = sum(own["win_rate"] for own in found) / len(found)
    return f"{100 * mean:.1f} ± {100 * squares**0.5 / len(found):.1f}"


def report(wanted: list[Cell], options: argparse.Namespace) -> str:
    """Write and return the table of all schemes, and below it what each cell is made of."""
    results = {(cell.game.stem, cell.scheme): cell.result for cell in wanted}
    games = list(dict.fromkeys(game for game, _ in results))
    schemes = list(dict.fromkeys(scheme for _, scheme in results))
    rows = [["game", "matches", *schemes], ["---"] * (2 + len(schemes))]
    for game in games:
        counts = [found["matches"] for own in schemes if (found := results[game, own])]
        least, most = min(counts, default=0), max(counts, default=0)
        played = f"{least}" if least == most else f"{least}–{most}"
        rows.append([game, played, *(share(results[game, own]) for own in schemes)])
    known = [[found for game in games if (found := results[game, own])] for own in schemes]
    signs = [[sign(found) for found in own] for own in known]
    rows.append(["mean", "", *(mean_share(own) for own in known)])
    rows.append(["above / below", "", *(f"{own.count('+')} / {own.count('−')}" for own in signs)])
    details = [
        ["game", "player", "against", "matches", "distinct", "mean goals", "points %", "ms/move"],
        ["---"] * 8,
    ]
    for cell in wanted:
        if found := results[cell.game.stem, cell.scheme]:
            scores, times = found["scores"], found["seconds_per_move"]
            details.append(
                [
                    cell.game.stem,
                    *(f"`{player}`" for player in cell.players),
                    str(found["matches"]),
                    str(found["distinct_games"]),
                    f"{scores[0]:.1f} : {scores[1]:.1f}",
                    share(found),
                    f"{1000 * times[0]:.1f} / {1000 * times[1]:.1f}",
                ]
            )
    text = "\n\n".join(
        "\n".join("| " + " | ".join(row) + " |" for row in table) for table in (rows, details)
    )
    (options.out / "report.md").write_text(text + "\n")
    return text


def main() -> None:
    """Play all cells and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rulesheets", nargs="+", type=Path)
    parser.add_argument("--games", nargs="+", default=[])
    parser.add_argument(
        "--schemes", nargs="+", default=[], help="of the list, or parts of player strings"
    )
    parser.add_argument("--sims", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="for a move, instead of simulations")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    add_workers(parser)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = list(cells(options))
    failed: list[str] = []
    if options.matches:
        try:
            failed = play_all(wanted, options)
        except KeyboardInterrupt:
            print("interrupted; start again to go on")
    print("\n".join([report(wanted, options), *failed]))


if __name__ == "__main__":
    main()

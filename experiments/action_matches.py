"""Action heuristics against other players: Tables 1 and 2 of Trutman and Schiffel, and gating.

Every cell is an arena of two players in one game, with a folder of its own, so that everything can
be interrupted and started again; the report is written from what there is::

    python experiments/action_matches.py table1 GAMES --sims 1000 --matches 100 --out runs/table1
    python experiments/action_matches.py table2 GAMES --seconds 0.2 --matches 100 --out runs/table2
    python experiments/action_matches.py gated GAMES --sims 1000 --matches 100 --out runs/gated
    python experiments/action_matches.py gated GAMES --seconds 0.1 --matches 100 --out runs/timed
    python experiments/action_matches.py decisive GAMES --seconds 0.1 --matches 50 --out runs/timed

``GAMES`` is a folder of rulesheets, or several rulesheets; of a folder the fourteen games of the
paper are taken, or those that ``--games`` names. ``neurogame reproduce trutman`` has the paper's
figures beside ours; here are other options of both players, such as ``--common lanes=64``.

*Reference:* Trutman and Schiffel, "Creating Action Heuristics for General Game Playing Agents",
2015, Tables 1 and 2.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tqdm import tqdm

from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.workers.options import add_workers, chosen_workers

GAMES = (
    *("battle", "biddingTicTacToe", "blocker", "breakthrough", "checkersSmall"),
    *("chineseCheckers2", "chinook", "connectFour", "crisscross", "ghostMaze2p"),
    *("nineBoardTicTacToe", "pentago", "sheepAndWolf", "skirmish"),
)
"""The fourteen games of the paper, as their rulesheets are named."""

PLAYOUT, TREE = "playout=action", "tree=action"
SCHEMES: dict[str, dict[str, tuple[str, str]]] = {
    "table1": {
        "playout": (PLAYOUT, ""),
        "tree": (TREE, ""),
        "combined": (f"{PLAYOUT},{TREE}", ""),
    },
    "table2": {
        "playout": (PLAYOUT, "playout=mast,choice=gibbs"),
        "tree": (TREE, "tree=rave"),
        "combined": (f"{PLAYOUT},{TREE}", "playout=mast,choice=gibbs,tree=rave"),
    },
    "gated": {"gated": ("playout=gated,tree=gated", "")},
    "decisive": {"decisive": ("playout=decisive", "")},
}
"""For each experiment: column -> options of the player and of its opponent."""


@final
@dataclass(frozen=True, kw_only=True)
class Cell:
    """One pairing.

    Attributes:
        game: path of the rulesheet.
        scheme: column of the table.
        players: player strings, the one with the heuristic first.
    """

    game: Path
    scheme: str
    players: tuple[str, str]


def cells(options: argparse.Namespace) -> Iterator[Cell]:
    """Yield all cells that are asked for, game by game."""
    for game in rulesheets(options.rulesheets, options.games):
        for scheme, pair in SCHEMES[options.experiment].items():
            if options.schemes and scheme not in options.schemes:
                continue
            limit = (
                f"sims={options.sims}" if options.seconds is None else f"seconds={options.seconds}"
            )
            texts = [",".join(filter(None, [own, options.common, limit])) for own in pair]
            extra = f",{options.own}" if options.own else ""
            yield Cell(
                game=game,
                scheme=scheme,
                players=(f"mcts:{texts[0]}{extra}", f"mcts:{texts[1]}"),
            )


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


def play(cell: Cell, options: argparse.Namespace) -> PairingResult:
    """Play what is missing of a cell, and return its result."""
    settings = ArenaSettings(
        games=(str(cell.game),),
        players=cell.players,
        matches=options.matches,
        seed=options.seed,
        opening_plies=options.opening_plies,
        max_plies=options.max_plies,
    )
    output = options.out / f"{cell.game.stem}-{cell.scheme}"
    found = run_arena(settings, workers=chosen_workers(options), output=output)
    if found.interrupted:
        raise KeyboardInterrupt
    return found.pairings[0]


def line(cell: Cell, result: PairingResult) -> list[str]:
    """Return a cell's line of the report."""
    low, high = (100 * bound for bound in result.win_rates_ci95[0])
    sign = "+" if low > 50 else "−" if high < 50 else "0"
    return [
        cell.game.stem,
        cell.scheme,
        str(result.matches),
        f"{result.scores[0]:.1f} : {result.scores[1]:.1f}",
        f"{100 * result.win_rates[0]:.1f} [{low:.1f}, {high:.1f}]",
        sign,
        f"{1000 * result.seconds_per_move[0]:.1f} / {1000 * result.seconds_per_move[1]:.1f}",
    ]


def main() -> None:
    """Play all cells and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("experiment", choices=list(SCHEMES))
    parser.add_argument("rulesheets", nargs="+", type=Path)
    parser.add_argument("--games", nargs="+", default=[])
    parser.add_argument("--schemes", nargs="+", default=[])
    parser.add_argument("--sims", type=int, default=1000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--common", default="", help="options of both players, such as lanes=64")
    parser.add_argument("--own", default="", help="more options of the first player alone")
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--max-plies", type=int, default=1000)
    parser.add_argument(
        "--opening-plies", type=int, default=0, help="random plies; the paper mentions none"
    )
    parser.add_argument("--seed", type=int, default=0)
    add_workers(parser)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    header = ["game", "scheme", "matches", "mean goals", "points % [95 %]", "sign"]
    rows = []
    wanted = list(cells(options))
    try:
        for cell in tqdm(wanted, desc=options.experiment):
            rows.append(line(cell, play(cell, options)))
    except KeyboardInterrupt:
        print(f"interrupted: {len(rows)} of {len(wanted)} cells; start again to go on")
    table = [[*header, "ms/move"], ["---"] * (len(header) + 1), *rows]
    text = "\n".join("| " + " | ".join(row) + " |" for row in table) + "\n"
    (options.out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

"""Knowledge learned from games against plain UCT, at equal simulations.

Every row is knowledge that is learned once and frozen, and an arena of two players with a folder of
its own, so that everything can be interrupted and started again; the report is written from what
there is::

    python experiments/knowledge_matches.py GAMES --matches 400 --sims 500 --out runs/knowledge

``GAMES`` is a folder of rulesheets, or several rulesheets; of a folder the four games of the paper
are taken, or those that ``--games`` names. ``--variants`` chooses rows; the ones that begin with
``paper`` differ in nothing that the paper says.

*Reference:* Sharma, Kobti and Goodwin, "Knowledge generation for improving simulations in UCT for
general game playing", 2008, Table 1.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tqdm import tqdm

from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.cli.main import main as neurogame
from neurogame.workers.options import add_workers, chosen_workers

GAMES = ("ticTacToeLarge", "connectFour", "breakthrough", "checkersSmall")
PAPER = {
    "ticTacToeLarge": "15 / 78 / 7",
    "connectFour": "59 / 0 / 41",
    "breakthrough": "68 / 0 / 32",
    "checkersSmall": "57 / 0 / 43 (checkers)",
}
"""The paper's wins, draws and losses of the player with knowledge."""

PLAYOUT, TREE = "playout=knowledge", "tree=knowledge,mix=seed"
BOTH = f"{PLAYOUT},{TREE}"
FROZEN = "games=5000,true_goals=off"
NETWORK = "games=60000,hidden=32,policy=knowledge"
STATES = f"{NETWORK},move_weight=0"
MIXED = "tree=knowledge,mix=beta"
DRAWN_BY_RANGE = f"{PLAYOUT},choice=gibbs,tau=20"
DRAWN = f"{PLAYOUT},choice=gibbs,scaling=raw,tau=10"
VARIANTS: dict[str, tuple[str, str]] = {
    "paper": (FROZEN, BOTH),
    "paper-late": (f"{FROZEN},history=late", BOTH),
    "paper-flat": (f"{FROZEN},history=flat", BOTH),
    "paper-playout": (FROZEN, PLAYOUT),
    "paper-tree": (FROZEN, TREE),
    "mixed": ("games=5000", MIXED),
    "mixed-both": ("games=5000", f"{MIXED},{DRAWN_BY_RANGE}"),
    "goals": ("games=5000", BOTH),
    "goals-playout": ("games=5000", PLAYOUT),
    "goals-tree": ("games=5000", TREE),
    "network": (NETWORK, BOTH),
    "network-playout": (NETWORK, PLAYOUT),
    "network-tree": (NETWORK, TREE),
    "network-mixed": (NETWORK, MIXED),
    "network-mixed-both": (NETWORK, f"{MIXED},{DRAWN_BY_RANGE}"),
    "states": (STATES, f"{DRAWN},{TREE}"),
    "states-playout": (STATES, DRAWN),
    "states-tree": (STATES, TREE),
}
"""Row -> settings of the knowledge, and options of the player that uses it."""


@final
@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the report.

    Attributes:
        game: path of the rulesheet.
        variant: its name.
        learn: words of the command that makes the knowledge, without the program.
        players: player strings, the one with knowledge first.
    """

    game: Path
    variant: str
    learn: tuple[str, ...]
    players: tuple[str, str]

    @property
    def knowledge(self) -> Path:
        """The checkpoint with the knowledge."""
        return Path(self.learn[self.learn.index("--out") + 1])


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows that are asked for, game by game."""
    variants = {name: VARIANTS[name] for name in options.variants or VARIANTS}
    if options.knowledge or options.player:
        variants["own"] = (options.knowledge or "games=5000", options.player or BOTH)
    for game in rulesheets(options.rulesheets, options.games):
        for variant, (settings, player) in variants.items():
            name = settings.replace("=", "-").replace(",", "_")
            path = options.out / f"{game.stem}-{name}-{options.seed}.pt"
            words = ["learn", str(game), "--knowledge", settings, "--seed", str(options.seed)]
            limit = f"sims={options.sims}"
            yield Row(
                game=game,
                variant=variant,
                learn=(*words, "--out", str(path), "--quiet"),
                players=(f"mcts:{path},{player},{limit}", f"mcts:{options.rival}{limit}"),
            )


def rulesheets(paths: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """Return the rulesheets that are meant.

    Args:
        paths: folders or files.
        names: which of a folder's; the four of the paper if empty.
    """
    found = []
    for path in paths:
        if path.is_dir():
            found += [path / f"{name}.kif" for name in names or GAMES]
        else:
            found.append(path)
    return found


def play(row: Row, options: argparse.Namespace) -> PairingResult:
    """Learn and play what is missing of a row, and return its result."""
    if not row.knowledge.exists() and neurogame(row.learn):
        raise SystemExit(1)
    settings = ArenaSettings(
        games=(str(row.game),),
        players=row.players,
        matches=options.matches,
        seed=options.seed,
    )
    output = options.out / f"{row.game.stem}-{row.variant}"
    found = run_arena(settings, workers=chosen_workers(options), output=output)
    if found.interrupted:
        raise KeyboardInterrupt
    return found.pairings[0]


def sign_test(wins: int, losses: int) -> float:
    """Return the chance of a result as uneven as this if both sides were equally strong.

    Args:
        wins: matches won.
        losses: matches lost; draws say nothing.
    """
    decided = wins + losses
    tail = sum(math.comb(decided, count) for count in range(max(wins, losses), decided + 1))
    return min(1.0, float(2 * tail / 2**decided))


def line(row: Row, result: PairingResult, options: argparse.Namespace) -> list[str]:
    """Return the report's line of a row."""
    wins, draws, losses = (own[0] for own in (result.wins, result.draws, result.losses))
    low, high = (100 * bound for bound in result.win_rates_ci95[0])
    words = ["arena --game", str(row.game), "--players", *row.players]
    words += ["--matches", str(options.matches), "--seed", str(options.seed)]
    return [
        row.game.stem,
        row.variant,
        f"{wins} / {draws} / {losses}",
        f"{100 * result.win_rates[0]:.1f} [{low:.1f}, {high:.1f}]",
        f"{sign_test(wins, losses):.2g}",
        PAPER.get(row.game.stem, "–") if row.variant == "paper" else "–",
        f"{1000 * result.seconds_per_move[0]:.1f} / {1000 * result.seconds_per_move[1]:.1f}",
        f"`neurogame {' '.join(row.learn)}; neurogame {' '.join(words)}`",
    ]


def main() -> None:
    """Play all rows and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rulesheets", nargs="+", type=Path)
    parser.add_argument("--games", nargs="+", default=[], help="names of rulesheets of a folder")
    parser.add_argument("--variants", nargs="+", default=[], choices=list(VARIANTS))
    parser.add_argument("--knowledge", default="", help="settings of one more row, own")
    parser.add_argument("--player", default="", help="options of the player of that row")
    parser.add_argument("--rival", default="", help="options of the other player, with a comma")
    parser.add_argument("--sims", type=int, default=500)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    add_workers(parser)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    header = ["game", "variant", "won / drawn / lost", "points % [95 %]", "p", "paper"]
    lines = []
    wanted = list(rows(options))
    try:
        for row in tqdm(wanted, desc="knowledge"):
            lines.append(line(row, play(row, options), options))
    except KeyboardInterrupt:
        print(f"interrupted: {len(lines)} of {len(wanted)} rows; start again to go on")
    table = [[*header, "ms/move", "commands"], ["---"] * (len(header) + 2), *lines]
    text = "\n".join("| " + " | ".join(entry) + " |" for entry in table) + "\n"
    (options.out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

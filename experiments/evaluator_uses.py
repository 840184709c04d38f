"""What a tree search makes of an evaluator: each use against plain UCT at equal time.

Every cell is an arena of two players with a folder of its own, so that everything can be
interrupted and started again; the report is written from what there is::

    python experiments/evaluator_uses.py breakthrough connectfour --matches 40 --out runs/uses

``--source`` names the evaluator, as in player strings, and ``--uses`` the options.

*Reference:* Lanctot et al., "Monte Carlo tree search with heuristic evaluations using implicit
minimax backups" (2014); Draper, "Sancho" (2014).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tqdm import tqdm

from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.search.mcts.settings import MctsSettings
from neurogame.workers.options import add_workers, chosen_workers

USES = (
    "minimax=0.8,exploration=0.1",
    "minimax=0.5,exploration=0.2",
    "cutoff=0,exploration=0.1",
    "cutoff=4,minimax=0.8,exploration=0.1",
    "experience=30,exploration=0.2",
    "bias=2",
    "exploration=0.3",
)
"""Options of the player; the last one uses no evaluator."""


def players(source: str, use: str, seconds: float) -> tuple[str, str]:
    """Return the players of a cell, the one with the evaluator first."""
    asked = dict(pair.split("=", 1) for pair in use.split(","))
    own = f"{source}," if MctsSettings.from_texts(asked).needs_evaluator else ""
    return f"mcts:{own}{use},seconds={seconds:g}", f"mcts:seconds={seconds:g}"


def cell(game: str, use: str, options: argparse.Namespace) -> str:
    """Play what is missing of a cell, and return its points in per cent with their interval."""
    settings = ArenaSettings(
        games=(game,),
        players=players(options.source, use, options.seconds),
        matches=options.matches,
        seed=options.seed,
    )
    name = use.replace("=", "-").replace(",", "_")
    found = run_arena(
        settings,
        workers=chosen_workers(options),
        output=options.out / f"{Path(game).stem}-{name}",
    )
    if found.interrupted:
        raise KeyboardInterrupt
    result = found.pairings[0]
    low, high = (100 * bound for bound in result.win_rates_ci95[0])
    return f"{100 * result.win_rates[0]:.1f} [{low:.1f}, {high:.1f}]"


def main() -> None:
    """Play all cells and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="+", help="library games or paths")
    parser.add_argument("--source", default="features", help="the evaluator")
    parser.add_argument("--uses", nargs="+", default=USES, help="options of the player")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a move of either player")
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    add_workers(parser)
    options = parser.parse_args()
    cells: dict[tuple[str, str], str] = {}
    wanted = [(game, use) for game in options.games for use in options.uses]
    try:
        for game, use in tqdm(wanted, desc="uses"):
            cells[game, use] = cell(game, use, options)
    except KeyboardInterrupt:
        print(f"interrupted: {len(cells)} of {len(wanted)} cells; start again to go on")
    lines = [["use", *(Path(game).stem for game in options.games)]]
    lines.append(["---"] * len(lines[0]))
    lines += [
        [f"`{use}`", *(cells.get((game, use), "–") for game in options.games)]
        for use in options.uses
    ]
    text = "\n".join("| " + " | ".join(entry) + " |" for entry in lines) + "\n"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

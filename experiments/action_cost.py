"""What the action heuristic costs: Table 3 of Trutman and Schiffel.

For each game: processor seconds to make the heuristic (without grounding), the share of a search's
time that goes into scoring moves, and how many simulations the search makes in the time of the
plain one. Searches start from random states of random games, the same ones for every scheme::

    python experiments/action_cost.py GAMES --sims 2000 --states 4 --lanes 1
    python experiments/action_cost.py GAMES --sims 20000 --states 4 --lanes 64
    neurogame reproduce trutman table3           # game by game, beside the paper's figures

*Reference:* Trutman and Schiffel, "Creating Action Heuristics for General Game Playing Agents",
2015, Table 3.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from action_matches import rulesheets
from tqdm import tqdm

from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.judges.moves import MoveJudge
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game, State
from neurogame.simulate.samples import sample_states

SCHEMES: dict[str, dict[str, Any]] = {
    "playout": {"playout": "action"},
    "tree": {"tree": "action"},
    "combined": {"playout": "action", "tree": "action"},
}

Choices = list[tuple[State, int]]
"""States, and who decides there."""


def choices(game: Game, count: int, seed: int) -> Choices:
    """Return random states with a role that has a choice in each."""
    found: Choices = []
    flags = sample_states(game.simulator(), 8 * count, seed).to_bool()
    for row in flags:
        texts = [text for text, held in zip(game.fluents, row.tolist(), strict=True) if held]
        state = game.state(texts)
        deciding = [role for role, own in enumerate(state.legal_moves) if len(own) > 1]
        if deciding and len(found) < count:
            found.append((state, deciding[0]))
    return found


def measure(
    game: Game, settings: MctsSettings, judges: Mapping[str, MoveJudge], asked: Choices, sims: int
) -> tuple[float, float]:
    """Return the share of the time spent on scores, and simulations per second."""
    search = Mcts(game, settings=settings, judges=judges, seed=1)
    scored = spent = done = 0.0
    for state, role in asked:
        search.forget()
        found = search.search(state, role, Limit(simulations=sims))
        scored += found.split.get("playout scores", 0.0) + found.split.get("tree scores", 0.0)
        spent += found.seconds
        done += found.simulations
    return scored / spent, done / spent


def main() -> None:
    """Measure all games and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rulesheets", nargs="+", type=Path, help="folders, files, library games")
    parser.add_argument("--games", nargs="+", default=[], help="of a folder; else the fourteen")
    parser.add_argument("--sims", type=int, default=2000)
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("--lanes", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
    options = parser.parse_args()
    names = list(SCHEMES)
    found_all: dict[str, dict[str, float]] = {}
    print("| game | s to make | " + " | ".join(f"% time, {name}" for name in names), end=" | ")
    print(" | ".join(f"% simulations, {name}" for name in names) + " |")
    print("|" + " --- |" * (2 + 2 * len(names)))
    shares: dict[str, list[float]] = {name: [] for name in names}
    for path in tqdm(rulesheets(options.rulesheets, options.games)):
        game, name = Game.load(str(path)), path.stem
        begun = time.process_time()
        judge = make_action_circuit(game)
        made = time.process_time() - begun
        asked = choices(game, options.states, options.seed)
        found: dict[str, list[tuple[float, float]]] = {scheme: [] for scheme in ("", *names)}
        # Round by round, so that what else the machine does is shared fairly.
        for _ in range(options.runs):
            for scheme in found:
                settings = MctsSettings(lanes=options.lanes, **SCHEMES.get(scheme, {}))
                found[scheme].append(
                    measure(game, settings, {"action": judge}, asked, options.sims)
                )
        middle = {
            scheme: [statistics.median(column) for column in zip(*runs, strict=True)]
            for scheme, runs in found.items()
        }
        found_all[name] = {"seconds": made}
        for scheme in names:
            shares[scheme].append(middle[scheme][0])
            found_all[name] |= {
                f"time {scheme}": 100 * middle[scheme][0],
                f"simulations {scheme}": 100 * middle[scheme][1] / middle[""][1],
            }
        cells = [f"{100 * middle[scheme][0]:.1f}" for scheme in names]
        cells += [f"{100 * middle[scheme][1] / middle[''][1]:.0f}" for scheme in names]
        print(f"| {name} | {made:.2f} | " + " | ".join(cells) + " |", flush=True)
    cells = [f"{100 * statistics.median(own):.1f}" for own in shares.values()]
    print("| median | | " + " | ".join(cells) + " | | | |")
    if options.json:
        print(json.dumps(found_all))


if __name__ == "__main__":
    main()

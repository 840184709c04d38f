"""What groups of lanes and rounds cost: one learner for all games, or several that agree.

Each configuration learns the same number of games with the recipe that fits the game; after a
quarter, a half and all of them stand the loss on what was learned since the last mark and the mean
goal of the averaged weights against the untrained goal networks, one ply deep::

    python experiments/lane_groups.py connectfour --games 300000

Runs are the same for the same seed.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import replace

import torch
from tqdm import tqdm

from neurogame.evaluators.build import make_evaluator
from neurogame.learn.comparison import compare
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game

GROUPS = ("1,16", "2,16", "4,16", "8,16", "4,64", "8,64", "4,128", "8,128")
_PARTS = (0.25, 0.5, 1.0)


def strength(game: Game, learner: LaneLearner, matches: int, seed: int) -> float:
    """Return the mean goal of the averaged weights against the untrained networks, in 0..1."""
    return compare(
        game,
        copy.deepcopy(learner.averaged).requires_grad_(False),
        make_evaluator(game).requires_grad_(False),
        matches=matches,
        seed=seed,
        opening_plies=4,
        max_plies=learner.config.plies,
        margin=opposed(game),
        depth=1,
    ).score


def main() -> None:
    """Learn with each configuration, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=300_000, help="of each configuration")
    parser.add_argument("--groups", nargs="+", default=GROUPS, metavar="CORES,PLIES")
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    game = Game.load(options.game)
    config = replace(fitted(game), seed=options.seed)
    print("| groups | plies of a round | loss | mean goal |\n|--:|--:|---|---|")
    for text in options.groups:
        cores, plies = map(int, text.split(","))
        own = replace(config, cores=cores, round_plies=plies)
        learner = LaneLearner(game, own, fresh_rules_network(game, own))
        losses, goals = [], []
        with tqdm(total=options.games, desc=text, leave=False) as bar:
            for part in _PARTS:
                while learner.counters.matches < part * options.games:
                    learner.round()
                    bar.update(learner.counters.matches - bar.n)
                losses.append(f"{learner.take_loss():.3f}")
                found = strength(game, learner, options.matches, options.seed + 5)
                goals.append(f"{100 * found:.0f} %")
        print(f"| {cores} | {plies} | {', '.join(losses)} | {', '.join(goals)} |", flush=True)


if __name__ == "__main__":
    main()

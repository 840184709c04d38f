"""What a few seconds of self-play before a match do for an evaluator, game by game.

Usage: python experiments/refinement.py RULES... [--seconds 15] [--seeds 2] [--kind cilp]

For each rulesheet and seed an evaluator is made from the rules and refined as `refine=SECONDS` in
a player string does it. A line says how many games there were time for, what the matches against
the former evaluator came to, and whether the new one stays.
"""

from __future__ import annotations

import argparse

import torch

from neurogame.errors import LimitError
from neurogame.evaluators.build import make_evaluator
from neurogame.learn.refine import refine_evaluator
from neurogame.simulate.game import Game


def main() -> None:
    """Refine and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rules", nargs="+", metavar="RULES")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--kind", default="cilp")
    options = parser.parse_args()
    torch.set_num_threads(1)
    kept = tried = 0
    for name in options.rules:
        game = Game.load(name)
        for seed in range(options.seeds):
            try:
                evaluator = make_evaluator(game, options.kind, seed)
            except LimitError as error:
                print(f"{game.name}: {error}", flush=True)
                break
            found = refine_evaluator(game, evaluator, options.seconds, seed)
            tried += 1
            kept += found is not None and found.is_kept
            text = "too slow for that time" if found is None else str(found)
            print(f"{game.name}, seed {seed}: {text}", flush=True)
    print(f"{kept} of {tried} kept")


if __name__ == "__main__":
    main()

"""How much of a learned evaluator is the rules: its strength with them alone, and without them.

    python experiments/rules_share.py checkpoints/connectfour.pt checkpoints/qubic.pt

- `rules alone`: units that began as conditions of the rules, with the weights that their conditions
  name; all that was added (other weights, other units, pattern tables) is what it was at first.
- `without rules`: those units are silent, all else is as it was learned.

Both play the whole evaluator and the untrained goal networks, from openings of exactly four random
plies in both roles.
"""

from __future__ import annotations

import argparse
import copy
from pathlib import Path

import torch

from neurogame.arena.yardstick import Yardstick
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork, as_rules_network
from neurogame.inspect.attribution.unit_labels import units_of
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

FRESH = 80_000


def halves(game: Game, whole: RulesNetwork) -> tuple[RulesNetwork, RulesNetwork]:
    """Return an evaluator with its rules alone, and without them."""
    alone, without = copy.deepcopy(whole), copy.deepcopy(whole)
    of_rules = torch.tensor([unit is not None for unit in units_of(whole, game)])
    # Noise of older files is no weight that a condition names.
    outside = whole.first_embedding.abs() < 0.5
    with torch.no_grad():
        alone.tables.zero_()
        alone.readout[:, :, ~of_rules] = 0.0
        alone.embedding[:, outside] = whole.first_embedding[outside]
        without.readout[:, :, of_rules] = 0.0
    return alone, without


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--matches", type=int, default=134)
    parser.add_argument("--depth", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| game | rule units | against the whole: rules alone | without rules ", end="")
    print("| against untrained: whole | rules alone | without rules |\n" + "|---" * 7 + "|")
    for path in options.checkpoints:
        checkpoint = load_checkpoint(path)
        game = checkpoint.game()
        whole = as_rules_network(checkpoint.evaluator(game).requires_grad_(False))
        assert whole is not None
        alone, without = halves(game, whole)
        untrained = make_evaluator(game).requires_grad_(False)
        limit = Limit(depth=options.depth)
        yardstick = Yardstick(game=game, matches=options.matches, seed=FRESH, limit=limit)
        pairs: list[tuple[Evaluator, Evaluator]] = [(alone, whole), (without, whole)]
        pairs += [(one, untrained) for one in (whole, alone, without)]
        measured = [yardstick.measure(one, other, progress=True) for one, other in pairs]
        shares = [f"{100 * m.score:.1f} [{100 * m.low:.0f}, {100 * m.high:.0f}]" for m in measured]
        count = sum(unit is not None for unit in units_of(whole, game))
        print(f"| {game.name} | {count} | " + " | ".join(shares) + " |", flush=True)


if __name__ == "__main__":
    main()

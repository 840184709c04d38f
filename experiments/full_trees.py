"""Full trees: does it pay to make room in them, or should they be searched on without growing?

Plain UCT whose tree of ``--capacity`` nodes stays as it is when it is full plays against the same
that drops what is visited least, and against one that has all the memory it wants. The times are
so short, and the trees so small, that a tree is full as soon as one of a million nodes is after
some seconds::

    python experiments/full_trees.py connectfour breakthrough --seconds 0.4 --rounds 10 --seed 5

A round is a match in each role from an opening of four random plies.
"""

from __future__ import annotations

import argparse
import math

from tqdm import tqdm

from neurogame.players.belief import Belief
from neurogame.players.race import Race, Racer
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.mcts.tree import MctsTree
from neurogame.simulate.game import Game

_HALF = 1.96 * 0.35
"""Half an interval of 95 % of a round, at least."""


def frozen(game: Game, capacity: int, seed: int) -> Mcts:
    """Return a search that never makes room within a search."""
    found = Mcts(game, settings=MctsSettings(capacity=capacity), seed=seed)
    for tree in found._trees:
        _freeze(tree)
    return found


def _freeze(tree: MctsTree) -> None:
    make_room = tree._make_room

    def stay(lanes: int, deadline: int) -> None:
        if tree.tree.full or tree.tree.size + lanes > tree.tree.most_nodes:
            tree._heeds = False
        else:
            make_room(lanes, deadline)

    tree._make_room = stay  # type: ignore[method-assign]


def shown(racer: Racer) -> str:
    """Return a line with the points in per cent and their interval."""
    half = _HALF / math.sqrt(max(len(racer.rounds), 1))
    low, high = 100 * max(racer.mean - half, 0.0), 100 * min(racer.mean + half, 1.0)
    return (
        f"{racer.name}: {100 * racer.mean:.1f} % [{low:.0f}, {high:.0f}] in "
        f"{len(racer.rounds)} rounds"
    )


def main() -> None:
    """Play, and print a line for each game and search."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--capacity", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in options.games:
        game = Game.load(name)
        searches = {
            "room is made": Mcts(game, settings=MctsSettings(capacity=options.capacity), seed=2),
            "all memory": Mcts(game, settings=MctsSettings(), seed=3),
        }
        race = Race(
            game,
            frozen(game, options.capacity, 1),
            searches,
            plies=4,
            seed=options.seed,
            # So sure that nothing is ever decided.
            priors=dict.fromkeys(searches, Belief(mean=0.5, spread=1e-9)),
        )
        with tqdm(total=options.rounds * len(searches), unit="round", desc=name) as bar:
            for _ in race.steps(Limit(seconds=options.seconds), options.rounds):
                bar.update(sum(len(racer.rounds) for racer in race.racers) - bar.n)
        for racer in race.racers:
            print(f"{name}: {shown(racer)}", flush=True)


if __name__ == "__main__":
    main()

"""Kept trees: does a search that goes on in its tree prove less than one that begins anew?

Two searches play a match, each with the tree that it keeps, and think in the other's time too.
Each position is searched by a third one without a tree, in the same seconds::

    python experiments/kept_trees.py ../shared/games/nineBoardTicTacToe.kif --seconds 1 --matches 8

A match ends once a position is proved by both. Counted are positions that only one of them has
proved, searches that ended in a tree without room, and the nodes made where nothing was proved.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable

import numpy as np
import torch

from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game, State

_QUICK = Limit(simulations=20_000)


def _play(game: Game, seconds: float, quick: int, seed: int, found: Counter[str]) -> None:
    """Play a match, and count what was found."""
    random, state, ply = np.random.default_rng(seed), game.initial_state(), 0
    kept = [Mcts(game, seed=4 * seed + number) for number in range(2)]
    anew = Mcts(game, settings=MctsSettings(reuse=False), seed=4 * seed + 2)
    before = Mcts(game, seed=4 * seed + 3)
    while not state.is_terminal:
        role = max(range(2), key=lambda one: len(state.legal_moves[one]))
        if ply < 2 or len(state.legal_moves[role]) < 2:
            move = int(random.choice(state.legal_moves[role]))
        elif ply < quick:
            move = before.search(state, role, _QUICK).move
        else:
            kept[1 - role].ponder(state, 1 - role, _after_seconds(seconds))
            one = kept[role].search(state, role, Limit(seconds=seconds))
            other = anew.search(state, role, Limit(seconds=seconds))
            move = one.move
            found["searches"] += 1
            found["without room"] += not kept[role]._trees[0]._heeds
            found["proved by both"] += one.proved and other.proved
            found["by the kept tree alone"] += one.proved and not other.proved
            found["by the new one alone"] += other.proved and not one.proved
            if one.proved and other.proved:
                return
            if not one.proved and not other.proved:
                found["nodes"] += one.nodes
                found["nodes of the new one"] += other.nodes
        state, ply = _after(state, role, move), ply + 1


def _after_seconds(seconds: float) -> Callable[[], bool]:
    """Return what says whether so many seconds are over."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _after(state: State, role: int, move: int) -> State:
    """Return the state after a role's move, the others making their first one."""
    return state.next([move if r == role else own[0] for r, own in enumerate(state.legal_moves)])


def main() -> None:
    """Play, and print what was counted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--matches", type=int, default=8)
    parser.add_argument("--quick", type=int, default=18, help="plies before that")
    options = parser.parse_args()
    torch.set_num_threads(1)
    game, found = Game.load(options.game), Counter[str]()
    for seed in range(options.matches):
        _play(game, options.seconds, options.quick, seed, found)
        print(", ".join(f"{name} {count:,}" for name, count in found.items()), flush=True)


if __name__ == "__main__":
    main()

"""Do attributions add up? The largest error over many states, and the time that a state takes.

States of random games, evaluators that are shipped (exact), and untrained goal networks by
integrated gradients from the initial state::

    python experiments/attribution_gaps.py --states 1000 --gradient-states 20

Errors are in the unit of the attribution: natural logarithms of odds for exact ones, values 0..1
for gradients.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.inspect.attribution.attribute import attribute
from neurogame.learn.checkpoint import load_checkpoint
from neurogame.simulate.game import Game, State

GAMES = (
    *("tictactoe", "connectfour", "breakthrough6", "qubic", "checkers6"),
    *("reversi6", "hex5", "loa5", "pentago", "knightthrough"),
)


def random_states(game: Game, count: int, seed: int) -> list[State]:
    """Return non-terminal states of random games, one in three plies."""
    chance, ply = random.Random(seed), 0
    found: list[State] = []
    state = game.initial_state()
    while len(found) < count:
        if state.is_terminal:
            state = game.initial_state()
        if ply % 3 == 0:
            found.append(state)
        state = state.next([chance.choice(own) for own in state.legal_moves])
        ply += 1
    return found


def worst(evaluator: Evaluator, states: Sequence[State], name: str) -> tuple[float, float]:
    """Return the largest gap of attributions, and milliseconds per state."""
    largest, begun = 0.0, time.perf_counter()
    for state in tqdm(states, desc=name, leave=False):
        largest = max(largest, abs(attribute(evaluator, state, 0).gap))
    return largest, 1000 * (time.perf_counter() - begun) / len(states)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--gradient-states", type=int, default=20)
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| game | parts: largest error | ms | C-IL2P: largest error | ms |")
    print("|---|--:|--:|--:|--:|")
    for name in options.games:
        game = Game.load(name)
        states = random_states(game, max(options.states, options.gradient_states), options.seed)
        trained = load_checkpoint(options.checkpoints / f"{name}.pt").evaluator(game)
        exact = worst(trained, states[: options.states], f"{name}, parts")
        some = states[:: max(len(states) // options.gradient_states, 1)]
        networks = make_evaluator(game, seed=options.seed)
        integral = worst(networks, some[: options.gradient_states], f"{name}, gradients")
        print(
            f"| {name} | {exact[0]:.1e} | {exact[1]:.1f} | {integral[0]:.1e} | {integral[1]:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""What two local workers bring: matches of an arena and plies of learning, beside one core.

python -m benchmarks.workers --workers 2

Both take turns, so that what else runs on the machine slows both alike; rates are medians over
the turns, per second of the clock. Workers are warm: each has played before it is measured.
Learning with workers has four groups of lanes and rounds of 128 plies, as ``neurogame train
--workers`` has; learning on one core has its usual settings. Threads are what ``--workers`` takes,
processes on this machine are beside them for comparison.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace

import torch

from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.simulate.game import Game
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import InlineExecutor, Workplace, open_workplace


def arena_rate(matches: int, seed: int, workplace: Workplace) -> float:
    """Return the matches a second of an arena."""
    settings = ArenaSettings(
        games=("connectfour",),
        players=("mcts:sims=2000", "alphabeta:cilp,depth=3"),
        matches=matches,
        seed=seed,
    )
    begun = time.perf_counter()
    run_arena(settings, workplace=workplace)
    return matches / (time.perf_counter() - begun)


def learning_rate(learner: LaneLearner, seconds: float) -> float:
    """Return the plies a second of learning."""
    begun, before = time.perf_counter(), learner.counters.plies
    while time.perf_counter() - begun < seconds:
        learner.round()
    return (learner.counters.plies - before) / (time.perf_counter() - begun)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=["connectfour", "pentago"], help="learned")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--matches", type=int, default=160, help="of a turn")
    parser.add_argument("--seconds", type=float, default=4.0, help="of a turn of learning")
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    alone = Workplace(InlineExecutor())
    print("| what | one core | workers | times |\n|---|--:|--:|---|")
    with open_workplace(WorkerSettings(workers=options.workers)) as workplace:
        rates = []
        for turn in range(-1, options.turns):
            pair = [arena_rate(options.matches, 1 + turn, place) for place in (alone, workplace)]
            rates += [pair] if turn >= 0 else []
        report("matches of an arena", rates)
        for name in options.games:
            game = Game.load(name)
            config = fitted(game)
            shared = replace(config, cores=4, round_plies=128)
            processes = replace(workplace, threads=None)
            learners = [LaneLearner(game, config, fresh_rules_network(game, config))] + [
                LaneLearner(game, shared, fresh_rules_network(game, shared), place)
                for place in (workplace, processes)
            ]
            rates = []
            for turn in range(-1, options.turns):
                now = [learning_rate(learner, options.seconds) for learner in learners]
                rates += [now] if turn >= 0 else []
            report(f"plies of learning, {name}, threads and processes", rates)


def report(what: str, rates: list[list[float]]) -> None:
    """Print a line of the table: medians, and of the quotients of a turn."""
    one, *others = zip(*rates, strict=True)
    many = ", ".join(f"{statistics.median(own):,.1f}" for own in others)
    times = ", ".join(
        f"{statistics.median(b / a for a, b in zip(one, own, strict=True)):.2f}" for own in others
    )
    print(f"| {what} | {statistics.median(one):,.1f} | {many} | {times} |", flush=True)


if __name__ == "__main__":
    main()

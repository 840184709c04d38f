"""Plies a second of self-play with learning: which network, and on how many cores.

python -m benchmarks.learning connectfour --cores 1 2

Configurations take turns, so that what else runs on the machine slows all alike. Rates are
medians over the turns, per second of the clock and, for one core, of the processor; learning
goes on from turn to turn, after some that are not counted.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.simulate.game import Game

NETWORKS: dict[str, dict[str, Any]] = {
    "recipe": {},
    "embeddings, 64 units": {"hidden": 64, "lookups": 0},
    "embeddings, 128 units": {"hidden": 128, "lookups": 0},
    "embeddings, 256 units": {"hidden": 256, "lookups": 0},
    "patterns, 96 look-ups": {"hidden": 0, "lookups": 96},
    "patterns, 160 look-ups": {"hidden": 0, "lookups": 160},
}


@dataclass
class Rates:
    """What one configuration has reached, turn by turn.

    Attributes:
        learner: goes on learning from turn to turn.
        clock: plies a second of the clock.
        processor: plies a second of the busiest core.
    """

    learner: LaneLearner
    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def turn(self, seconds: float) -> None:
        """Learn for some seconds of the clock."""
        began, before = time.perf_counter(), self.learner.counters.plies
        busy = 0.0
        while time.perf_counter() - began < seconds:
            busy += self.learner.round()
        plies = self.learner.counters.plies - before
        self.clock.append(plies / (time.perf_counter() - began))
        self.processor.append(plies / busy)


def learner(game: Game, network: Mapping[str, Any], cores: int) -> LaneLearner:
    """Return a learner with the fitted recipe, but for some settings of the network."""
    config = fitted(game, {"network": dict(network), "cores": cores})
    return LaneLearner(game, config, fresh_rules_network(game, config))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=["connectfour"])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--seconds", type=float, default=2.0, help="of a turn")
    parser.add_argument("--warm-up", type=float, default=4.0, help="seconds that are not counted")
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| game | network | cores | plies a second | of processor time | games a second |")
    print("|---|---|---|---|---|---|")
    for name in options.games:
        game = Game.load(name)
        own = {
            (network, cores): Rates(learner(game, NETWORKS[network], cores))
            for network in options.networks
            for cores in options.cores
        }
        for rates in own.values():
            rates.turn(options.warm_up)
            rates.clock.clear()
            rates.processor.clear()
        for _ in range(options.turns):
            for rates in own.values():
                rates.turn(options.seconds)
        for (network, cores), rates in own.items():
            counters = rates.learner.counters
            clock, processor = (statistics.median(one) for one in (rates.clock, rates.processor))
            games = clock * counters.matches / counters.plies
            print(
                f"| {name} | {network} | {cores} | {clock:,.0f} | {processor:,.0f} | {games:,.0f} |"
            )


if __name__ == "__main__":
    main()

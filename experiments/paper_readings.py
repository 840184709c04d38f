"""Which reading of the published learning rule learns, of those that its text allows?

Michulke and Thielscher (2009) train goal networks by back-propagation from the states of matches
against Fluxplayer (section 3.5, equations (9) and (10), section 4.1) and report 74 % in Pentago at
one ply after starting at 43. What the text leaves open is a setting here: which states, how often,
which networks, by which steps. A row is one reading: matches with
learning after each, against `fluxplayer,outlook=margin`, from openings of two random plies::

    python experiments/paper_readings.py pentago --out runs/readings --seeds 3 --matches 300
    python experiments/paper_readings.py --report --out runs/readings
    neurogame reproduce michulke readings        # beside the paper's figure

A finished run stays in the folder. Intervals are of 95 %, over matches of all seeds, or over the
seeds' own means by Student's t where that is wider. `--json` prints means and intervals instead.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import numpy as np
import torch
from cells import Cells, progress
from torch import Tensor, nn

from neurogame.array_types import Float64s
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import kind_of_evaluator
from neurogame.intervals import student_quantile
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.match import play_training_match
from neurogame.learn.paper.targets import outcome_examples
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.simulate.game import Game

_MATCH = 100
_RULE = PaperConfig()


@final
@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read the paper's rule; the default is that of the package.

    Attributes:
        rule: its settings.
        passes: over what is learned from, after each match.
        memory: matches, the last ones, whose states are learned from; 1: the last one.
        online: whether each state makes a step of its own, in random order.
        reached: whether only the networks of the goals that were reached are trained.
        momentum: of the steps.
        logistic: whether errors are those of the cross-entropy.
    """

    rule: PaperConfig = _RULE
    passes: int = 1
    memory: int = 1
    online: bool = False
    reached: bool = False
    momentum: float = 0.0
    logistic: bool = False


_SMALL, _LARGE = PaperConfig(learning_rate=0.003), PaperConfig(learning_rate=0.03)
READINGS = {
    "as the package has it": Reading(),
    "larger steps": Reading(rule=_LARGE),
    "all states": Reading(rule=replace(_LARGE, minimum_share=1.0)),
    "all states, a slow discount": Reading(rule=replace(_LARGE, minimum_share=1.0, lambda_=0.95)),
    "all states, each a step": Reading(rule=replace(_SMALL, minimum_share=1.0), online=True),
    "ten passes": Reading(rule=_SMALL, passes=10),
    "all former matches, ten passes": Reading(rule=_SMALL, passes=10, memory=1000),
    "only the goal reached": Reading(rule=_LARGE, reached=True),
    "each a step, with momentum": Reading(rule=_SMALL, momentum=0.9, online=True),
    "cross-entropy": Reading(rule=_LARGE, logistic=True),
    "no proofs": Reading(rule=replace(_LARGE, proofs=False, minimum_share=0.5)),
    "log space": Reading(
        rule=PaperConfig(learning_rate=0.3, evaluator=EvaluatorConfig(kind="cilp"))
    ),
    "all of the better ones": Reading(
        rule=PaperConfig(learning_rate=0.01, minimum_share=1.0, lambda_=0.95),
        passes=3,
        memory=100,
        logistic=True,
    ),
}


def played(game: Game, reading: Reading, seed: int, matches: int) -> list[float]:
    """Return the goals, 0..1, of the learner in each match, with learning after each.

    Args:
        game: of two roles.
        reading: how it learns.
        seed: of everything.
        matches: how many, with roles in turn.
    """
    config = replace(
        reading.rule, games=matches, seed=seed, opponent_outlook="margin", opening_plies=2
    )
    made = make_evaluator(game, config.evaluator, seed)
    learner = kind_of_evaluator(made).networks(made)
    assert learner is not None
    opponent = make_fresh("fluxplayer", game, seed=seed + 1).requires_grad_(False).eval()
    weights = [one for one in made.parameters() if one.requires_grad]
    optimiser = torch.optim.SGD(weights, lr=config.learning_rate, momentum=reading.momentum)
    role = torch.tensor([one for one, _ in learner.network_keys])
    goal = torch.tensor([value / 100 for _, value in learner.network_keys], dtype=torch.float64)
    kept: list[tuple[Tensor, Tensor]] = []
    points, order = [], random.Random(seed)
    for number in range(matches):
        match = play_training_match(
            game, config, learner, opponent, number, derived_seed(seed, _MATCH, number)
        )
        points.append(float(match.goals[number % 2]))
        examples = outcome_examples(match, role, goal, config)
        if len(examples):
            kept = [*kept, (examples.fluents, examples.targets)][-reading.memory :]
        if kept:
            fluents = torch.cat([one for one, _ in kept])
            targets = torch.cat([one for _, one in kept])
            learner.train()
            learn(learner.networks, optimiser, fluents, targets, reading, order)
            learner.eval()
    return points


def learn(
    networks: Callable[[Tensor], Tensor],
    optimiser: torch.optim.Optimizer,
    fluents: Tensor,
    targets: Tensor,
    reading: Reading,
    order: random.Random,
) -> None:
    """Make the steps after a match."""
    count = len(fluents)
    for _ in range(reading.passes):
        chosen = order.sample(range(count), min(count, 256))
        for rows in [[one] for one in chosen] if reading.online else [chosen]:
            outputs, wanted = networks(fluents[rows]), targets[rows]
            if reading.logistic:
                errors = nn.functional.binary_cross_entropy(
                    ((1 + outputs) / 2).clamp(1e-6, 1 - 1e-6), (1 + wanted) / 2, reduction="none"
                )
            else:
                errors = 0.5 * (outputs - wanted).square()
            if reading.reached:
                errors = errors * (wanted > 0)
            loss = errors.sum(dim=1).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()


def gathered(cells: Cells) -> dict[tuple[str, str], Float64s]:
    """Return the points of each game and reading; ``[S, N]``."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for one in cells.all():
        found.setdefault((one["game"], one["reading"]), []).append(one["points"])
    return {key: np.array(points) for key, points in found.items()}


def report(cells: Cells) -> str:
    """Return a table of all finished runs."""
    lines = ["| game | reading | first 50 | all | last 100 |", "|---|---|--:|--:|--:|"]
    for (game, reading), points in gathered(cells).items():
        parts = points[:, :50], points, points[:, -100:]
        lines.append(f"| {game} | {reading} | " + " | ".join(map(shown, parts)) + " |")
    return "\n".join(lines)


def interval(points: Float64s) -> tuple[float, float]:
    """Return the interval of a mean, 0..1; of points ``[S, N]`` of seeds and matches."""
    half = 1.96 * points.std(ddof=1) / points.size**0.5
    if len(points) > 1:
        spread = points.mean(axis=1).std(ddof=1) / len(points) ** 0.5
        half = max(half, student_quantile(len(points) - 1) * spread)
    return max(points.mean() - half, 0.0), min(points.mean() + half, 1.0)


def shown(points: Float64s) -> str:
    """Return mean and interval in per cent, and each seed's own mean."""
    low, high = interval(points)
    own = ", ".join(f"{100 * one:.0f}" for one in points.mean(axis=1))
    return f"{100 * points.mean():.1f} [{100 * low:.0f}, {100 * high:.0f}] ({own})"


def figures(points: Float64s) -> dict[str, object]:
    """Return mean and interval of all matches in per cent."""
    low, high = interval(points)
    return {"mean": 100 * points.mean(), "interval": [100 * low, 100 * high]}


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=["pentago"])
    parser.add_argument("--readings", nargs="+", default=list(READINGS), choices=READINGS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args()
    cells = Cells(options.out)
    torch.set_num_threads(1)
    for name in [] if options.report else options.games:
        for label in options.readings:
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                cell = f"{name}-{label}-{seed}"
                if cells.has(cell):
                    continue
                progress(cell)
                began = time.process_time()
                points = played(Game.load(name), READINGS[label], seed, options.matches)
                seconds = time.process_time() - began
                found = {"game": name, "reading": label, "points": points, "seconds": seconds}
                cells.put(cell, found)
    if options.json:
        table = gathered(cells).items()
        print(json.dumps({f"{game} {reading}": figures(own) for (game, reading), own in table}))
    else:
        print(report(cells))


if __name__ == "__main__":
    main()

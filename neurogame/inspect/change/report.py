"""What learning changed, as one JSON-able report and as text: ``neurogame inspect --compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from neurogame.array_types import Float64s2
from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.parts.evaluator import parts_of
from neurogame.inspect.calibration import by_distance
from neurogame.inspect.change.fluent_effects import by_square, fluent_effects, square_effects
from neurogame.inspect.change.move_changes import move_changes
from neurogame.inspect.change.part_weights import part_weights
from neurogame.inspect.change.role_effects import role_effects
from neurogame.inspect.change.rule_drift import rule_agreement
from neurogame.inspect.judges.changes import judge_changes, print_judge_changes
from neurogame.inspect.positions import PlayedPositions, played_positions, values_of
from neurogame.inspect.subject import Subject
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.simulate.game import Game
from neurogame.waiting import during

GAMES = 200
"""Games whose positions are looked at; half of the moves are random, so that they differ."""
STATES = 1000
LISTED = 12


def comparison(subject: Subject, others: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """Compare an evaluator with itself before learning, and with others of its game.

    Judges of moves are compared with those of the same name. Where there is no evaluator, that is
    all.

    Args:
        subject: what is looked at.
        others: files of other checkpoints of the same game, such as those of other seeds.
        seed: decides the games that are played.

    Raises:
        CheckpointError: a file is no checkpoint, is of another game, or has nothing in common.
    """
    game = subject.game
    files = [(name, load_checkpoint(name)) for name in others]
    report: dict[str, Any] = {"game": game.name}
    if subject.evaluator is not None:
        pairs = [
            subject.values(),
            *((own.evaluator(game), own.initial_evaluator(game)) for _, own in files),
        ]
        with during("comparing evaluators", 20 * len(pairs)):
            report |= compared(game, pairs, ["this", *others], seed)
    report["judges"] = judge_changes(subject, files, seed)
    if subject.evaluator is None and not report["judges"]:
        raise CheckpointError(
            f"{subject.name} holds judges of moves only ({', '.join(subject.judge_names)}), and "
            f"none of the same name is in {', '.join(others)}: there is nothing to compare"
        )
    return report


def compared(
    game: Game, pairs: Sequence[tuple[Evaluator, Evaluator]], names: Sequence[str], seed: int = 0
) -> dict[str, Any]:
    """Compare evaluators of one game, the first with itself before learning and with the others.

    Args:
        game: the game.
        pairs: each evaluator now and before learning.
        names: of the evaluators.
        seed: decides the games that are played.
    """
    current, initial = pairs[0]
    played = played_positions(game, current, matches=GAMES, seed=seed, epsilon=0.5)
    some = played.drawn(STATES, seed)
    now = [fluent_effects(game, one, some.states) for one, _ in pairs]
    then = [fluent_effects(game, one, some.states) for _, one in pairs]
    changes: Float64s2 = np.stack(
        [a.amounts[:, 0] - b.amounts[:, 0] for a, b in zip(now, then, strict=True)]
    )
    squares = square_effects(game, changes, now[0].states > 0)
    report: dict[str, Any] = {
        "game": game.name,
        "names": list(names),
        "states": len(some),
        "squares": [asdict(one) for one in squares],
        "rules": [asdict(one) for one in rule_agreement(game, pairs)],
        "roles": [asdict(one) for one in role_effects(game, now)],
        "moves": [
            {"other": name, **_moves(game, current, other, some)}
            for name, other in [
                ("its initial weights", initial),
                *((name, other) for name, (other, _) in zip(names[1:], pairs[1:], strict=True)),
            ]
        ],
        "distance": _distance(current, initial, played),
    }
    parts = parts_of(current)
    if parts is not None:
        weights = part_weights(parts, some.states)
        report["fluent_weights"] = dict(zip(game.fluents, weights.tolist(), strict=True))
        sums = by_square(game, weights)
        report["square_weights"] = [[*place, amount] for place, amount in sums.items()]
    return report


def _moves(
    game: Game, current: Evaluator, other: Evaluator, some: PlayedPositions
) -> dict[str, Any]:
    """Return how values and best moves of two evaluators differ."""
    found = move_changes(game, current, other, some.states)
    gap = np.abs(values_of(current, some.states) - values_of(other, some.states)).mean()
    return {**asdict(found), "share": found.share, "mean_difference": float(gap)}


def _distance(
    current: Evaluator, initial: Evaluator, played: PlayedPositions
) -> list[dict[str, Any]]:
    """Return mean absolute errors of the values against the outcomes, by plies to the end."""
    roles = played.outcomes.shape[1]
    plies, outcomes = np.repeat(played.to_end, roles), played.outcomes.ravel()
    now, then = (
        by_distance(values_of(one, played.states).ravel(), outcomes, plies)
        for one in (current, initial)
    )
    return [
        {
            "first": a.first,
            "last": a.last,
            "forecasts": a.found.count,
            "initial": b.found.absolute,
            "current": a.found.absolute,
        }
        for a, b in zip(now, then, strict=True)
    ]


def print_comparison(report: dict[str, Any]) -> None:
    """Print a report of :func:`comparison`."""
    if "squares" in report:
        _print_evaluators(report)
    print_judge_changes(report["judges"])


def _print_evaluators(report: dict[str, Any]) -> None:
    """Print what learning changed in an evaluator of states."""
    runs = len(report["names"])
    print(
        f"\n{report['game']}: what learning changed; checkpoints {runs}, states {report['states']}"
    )
    if report["squares"]:
        print("\nsquares: change of the log-odds of the first role (mean, deviation, same sign)")
    for row in report["squares"][:LISTED]:
        place = f"{row['board']} {row['column']} {row['row']}: {row['content']}"
        print(f"{place:32s} {_agreement(row['change'])}")
    if report["rules"]:
        print("\nrules: mean change of the absolute weight (mean, deviation, same sign)")
    for row in report["rules"][:LISTED]:
        print(f"{_agreement(row['change'])}  {row['network']}: {row['source']}")
    for row in report["roles"]:
        print(
            f"\n{row['role']} beside {row['other']}: effects of the same things correlate by "
            f"{row['correlation']:.3f}; largest differences (mean, deviation, same sign)"
        )
        for one in row["differences"][:LISTED]:
            print(
                f"{_agreement(one['difference'])}  {one['fluent']} {one['mine']['mean']:+.3f}, "
                f"{one['image']} {one['yours']['mean']:+.3f}"
            )
    for row in report["moves"]:
        print(
            f"\nbeside {row['other']}: the best move differs in {row['changed']} of {row['asked']} "
            f"choices ({100 * row['share']:.1f} %; ties drawn: {100 * row['drawn']:.1f} %), values "
            f"by {row['mean_difference']:.3f} on average"
        )
        for one in row["examples"]:
            print(f"  {one['role']}: {one['move']} instead of {one['other']}, {one['loss']:+.3f}")
            print(f"    in {' '.join(one['fluents'])}")
    print("\nmean absolute error of the values by plies to the end: before, now")
    for row in report["distance"]:
        print(f"{row['first']:4d}-{row['last']:<4d} {row['initial']:8.3f} {row['current']:8.3f}")


def _agreement(change: dict[str, Any]) -> str:
    return f"{change['mean']:+8.3f} {change['deviation']:7.3f} {100 * change['same_sign']:4.0f} %"

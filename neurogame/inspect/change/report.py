"""What learning changed: ``neurogame inspect --compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from neurogame.arena.positions import PlayedPositions, played_positions, values_of
from neurogame.array_types import Float64s2
from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.calibration import by_distance
from neurogame.inspect.change.fluent_effects import fluent_effects, square_effects
from neurogame.inspect.change.move_changes import choices, examples, move_changes
from neurogame.inspect.change.role_effects import role_effects
from neurogame.inspect.change.rule_drift import rule_agreement
from neurogame.inspect.judges.changes import changes_parts, judge_changes
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Table
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
    if subject.has_evaluator:
        pairs = [
            subject.values(),
            *(
                (checkpoint.evaluator(game), checkpoint.initial_evaluator(game))
                for _, checkpoint in files
            ),
        ]
        with during("comparing evaluators", 20 * len(pairs)):
            report |= compared(game, pairs, ["this", *others], seed)
    report["judges"] = judge_changes(subject, files, seed)
    if not subject.has_evaluator and not report["judges"]:
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
    return {
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


def _moves(
    game: Game, current: Evaluator, other: Evaluator, some: PlayedPositions
) -> dict[str, Any]:
    """Return how values and best moves of two evaluators differ."""
    changes = move_changes(game, current, other, some.states)
    gap = np.abs(values_of(current, some.states) - values_of(other, some.states)).mean()
    return {**asdict(changes), "share": changes.share, "mean_difference": float(gap)}


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


def comparison_parts(report: dict[str, Any]) -> list[Part]:
    """Return a report of :func:`comparison` as people read it."""
    judged = changes_parts(report["judges"])
    return [*_evaluator_parts(report), *judged] if "squares" in report else judged


def _evaluator_parts(report: dict[str, Any]) -> list[Part]:
    """Return what learning changed in an evaluator of states."""
    square = f"square={{board}} {{column}} {{row}}: {{content}} | {_OVER_RUNS.format('change')}"
    parts: list[Part] = [
        f"{report['game']}: what learning changed; checkpoints {len(report['names'])}, states "
        f"{report['states']}",
        Table(
            report["squares"][:LISTED], square, "squares: change of the log-odds of the first role"
        ),
        Table(
            report["rules"][:LISTED],
            _OVER_RUNS.format("change") + " | rule={network}: {source}",
            "rules: mean change of the absolute weight",
        ),
    ]
    for row in report["roles"]:
        title = (
            f"{row['role']} beside {row['other']}: effects of the same things correlate by "
            f"{row['correlation']:.3f}; largest differences"
        )
        both = " | ={fluent} {mine[mean]:+.3f} | ={image} {yours[mean]:+.3f}"
        columns = _OVER_RUNS.format("difference") + both
        parts.append(Table(row["differences"][:LISTED], columns, title))
    for row in report["moves"]:
        parts.append(
            f"beside {row['other']}: {choices(row)}, values by {row['mean_difference']:.3f} on "
            "average"
        )
        parts.append(examples(row))
    distances = "plies={first}-{last} | before={initial:.3f} | now={current:.3f}"
    title = "mean absolute error of the values by plies to the end"
    return [*parts, Table(report["distance"], distances, title)]


_OVER_RUNS = (
    "mean={{{0}[mean]:+.3f}} | deviation={{{0}[deviation]:.3f}} | same sign={{{0}[same_sign]:.0%}}"
)
"""Columns of a number over runs, whatever its name in the rows."""

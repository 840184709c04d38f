"""In what judges of moves differ: best moves, scores, and what knowledge has learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from neurogame.arena.positions import played_positions
from neurogame.array_types import Float64s2
from neurogame.evaluators.kinds import kind_of_judge
from neurogame.inspect.change.move_changes import changed_choices, choices, examples
from neurogame.inspect.move_values import worths_of_moves
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Table
from neurogame.judges.moves import MoveJudge
from neurogame.learn.checkpoints.checkpoint import Checkpoint
from neurogame.search.lockstep.joint_moves import JointMoves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.waiting import during

GAMES, STATES = 100, 500
"""Random games, and how many of their states judges are asked about."""


def judge_changes(
    subject: Subject, others: Sequence[tuple[str, Checkpoint]], seed: int = 0
) -> list[dict[str, Any]]:
    """Compare the judges of moves of a subject with those of the same name in checkpoints.

    Args:
        subject: what is looked at.
        others: names and contents of other checkpoints of its game.
        seed: decides the random games whose states are looked at.

    Returns:
        For each judge and each other checkpoint that has one: how often the best move differs, how
        scores correlate, and for knowledge the fluents whose weights differ most.
    """
    game = subject.game
    pairs = [(judge, *other) for judge in subject.judge_names for other in others]
    pairs = [(judge, name, other) for judge, name, other in pairs if judge in other.judges]
    if not pairs:
        return []
    with during("comparing judges of moves", 5 * len(pairs)):
        played = played_positions(game, None, matches=GAMES, seed=seed)
        states = played.drawn(STATES, seed).states
        return [
            {"judge": judge, "other": name}
            | compared_judges(game, subject.judge(judge), other.judge(judge, game), states)
            for judge, name, other in pairs
        ]


def compared_judges(
    game: Game, one: MoveJudge, other: MoveJudge, states: StateBatch
) -> dict[str, Any]:
    """Compare two judges of moves of one game.

    Args:
        game: the game.
        one: a judge.
        other: another one.
        states: states that are not terminal, in which every role has a move.
    """
    (joint, mine), (_, theirs) = (worths_of_moves(game, judge, states) for judge in (one, other))
    changes = changed_choices(game, states, joint, mine, theirs)
    kind = kind_of_judge(one)
    alike = kind is kind_of_judge(other)
    return {
        **asdict(changes),
        "share": changes.share,
        "correlation": _correlation(joint, mine, theirs),
        "fluents": kind.differing(one, other, game) if alike else [],
    }


def changes_parts(report: Sequence[dict[str, Any]]) -> list[Part]:
    """Return a report of :func:`judge_changes` as people read it."""
    parts: list[Part] = []
    columns = "this={this:+.4f} | other={other:+.4f} | fluent={role}: {fluent}"
    for row in report:
        parts += [
            f"judge {row['judge']} beside that of {row['other']}: {choices(row)}, scores "
            f"correlate by {row['correlation']:.3f}",
            examples(row),
            Table(row["fluents"], columns, "fluents whose weights differ most"),
        ]
    return parts


def _correlation(
    joint: JointMoves, mine: Sequence[Float64s2], theirs: Sequence[Float64s2]
) -> float:
    """Return how scores correlate within the choices of a state, -1..1; 0 where none differ."""
    products, squares = 0.0, np.zeros(2)
    for role, table in enumerate(joint.table):
        listed = table >= 0
        count = listed.sum(axis=1, keepdims=True)
        apart = []
        for scores in (mine[role], theirs[role]):
            plain = np.where(listed, scores, 0.0)
            mean = plain.sum(axis=1, keepdims=True) / np.maximum(count, 1)
            apart.append(np.where(listed, plain - mean, 0.0))
        products += float((apart[0] * apart[1]).sum())
        squares += [(gap**2).sum() for gap in apart]
    scale = float(np.sqrt(squares.prod()))
    return products / scale if scale else 0.0

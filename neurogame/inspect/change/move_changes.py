"""Effect of a change on play: in which states another move is the best at one ply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float64s2
from neurogame.inspect.move_values import EvaluatorOrJudge, worths_of_moves
from neurogame.inspect.table import Row, Table
from neurogame.search.lockstep.joint_moves import JointMoves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

_EQUAL = 1e-7
"""Moves whose values differ by no more are equally good: values are of single precision."""


@final
@dataclass(frozen=True, kw_only=True)
class ChangedMove:
    """A state in which two evaluators choose differently.

    Attributes:
        row: which of the states.
        fluents: what holds in it.
        role: who moves.
        move: the first evaluator's best move.
        other: the second one's.
        loss: by how much the first one values its own move higher; 0..1 by evaluators.
    """

    row: int
    fluents: tuple[str, ...]
    role: str
    move: str
    other: str
    loss: float


@final
@dataclass(frozen=True, kw_only=True)
class MoveChanges:
    """How often two evaluators choose different moves one ply ahead.

    Attributes:
        asked: pairs of a state and a role with a choice.
        changed: in how many no best move of one is a best move of the other.
        drawn: share of the choices that change if each evaluator draws among its best moves: the
            chance that the second one's move is not among the first one's best, 0..1. An evaluator
            to which all moves are equal never counts as changed, but does not play the same.
        chance: that a move at random is among the first one's best, 0..1.
        examples: some of the changed choices, the largest difference to the first evaluator first.
    """

    asked: int
    changed: int
    drawn: float
    chance: float
    examples: tuple[ChangedMove, ...]

    @property
    def share(self) -> float:
        """Share of the choices that changed, 0..1."""
        return self.changed / self.asked if self.asked else 0.0


def move_changes(
    game: Game,
    one: EvaluatorOrJudge,
    other: EvaluatorOrJudge,
    states: StateBatch,
    *,
    examples: int = 3,
) -> MoveChanges:
    """Compare the moves that two evaluators, or two judges of moves, choose.

    Args:
        game: the game.
        one: an evaluator or a judge of moves.
        other: another one.
        states: states that are not terminal, in which every role has a move.
        examples: how many changed moves to list, at most.
    """
    (joint, mine), (_, theirs) = (
        worths_of_moves(game, opinion, states) for opinion in (one, other)
    )
    return changed_choices(game, states, joint, mine, theirs, examples=examples)


def changed_choices(
    game: Game,
    states: StateBatch,
    joint: JointMoves,
    mine: Sequence[Float64s2],
    theirs: Sequence[Float64s2],
    *,
    examples: int = 3,
) -> MoveChanges:
    """Compare the moves that two evaluators choose, by what moves are worth to them.

    Args:
        game: the game.
        states: see :func:`move_changes`.
        joint: the moves in these states.
        mine: what they are worth to the first one; see :func:`.worths_of_moves`, as of all three.
        theirs: to the second one.
        examples: how many changed moves to list, at most.
    """
    asked, missed, lucky, changed = 0, 0.0, 0.0, []
    for role, name in enumerate(game.roles):
        choosing = joint.choices[:, role] > 1
        asked += int(choosing.sum())
        best = [_best_moves(values[role]) for values in (mine, theirs)]
        both = (best[0] & best[1]).sum(axis=1) / best[1].sum(axis=1)
        missed += float((1 - both)[choosing].sum())
        lucky += float((best[0].sum(axis=1) / joint.choices[:, role])[choosing].sum())
        for row in np.flatnonzero(choosing & ~(best[0] & best[1]).any(axis=1)).tolist():
            ranks = [int(values[row].argmax()) for values in best]
            moves = [game.moves[role][int(joint.table[role][row, rank])] for rank in ranks]
            gap = float(mine[role][row, ranks[0]] - mine[role][row, ranks[1]])
            changed.append((gap, row, name, moves))
    changed.sort(key=lambda change: (-change[0], change[1]))
    held = states.to_bool()
    return MoveChanges(
        asked=asked,
        changed=len(changed),
        drawn=missed / max(asked, 1),
        chance=lucky / max(asked, 1),
        examples=tuple(
            ChangedMove(
                row=row,
                fluents=tuple(game.fluents[i] for i in held[row].nonzero().view(-1).tolist()),
                role=name,
                move=moves[0],
                other=moves[1],
                loss=gap,
            )
            for gap, row, name, moves in changed[:examples]
        ),
    )


def choices(row: Row) -> str:
    """Return how often the best move differs; ``row``: the fields of :class:`MoveChanges`."""
    return (
        f"the best move differs in {row['changed']} of {row['asked']} choices "
        f"({100 * row['share']:.1f} %; ties drawn: {100 * row['drawn']:.1f} %)"
    )


def examples(row: Row) -> Table:
    """Return some of the choices that differ; ``row``: the fields of :class:`MoveChanges`."""
    rows = [{**choice, "held": " ".join(choice["fluents"])} for choice in row["examples"]]
    return Table(rows, "={role}: {move} instead of {other} | ={loss:+.3f} | =in {held}")


def _best_moves(values: Float64s2) -> Bools:
    """Return which moves are as good as the best; ``values``: ``[A, widest]``, -inf beyond."""
    best: Bools = values >= values.max(axis=1, keepdims=True) - _EQUAL
    return best

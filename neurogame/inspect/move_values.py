"""What an evaluator makes of the moves of a state, one ply ahead, or a judge of moves at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from neurogame.array_types import Float64s2
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.judges.moves import MoveJudge, check_judge
from neurogame.search.lockstep.counter_random import derive
from neurogame.search.lockstep.joint_moves import JointMoves, joint_moves
from neurogame.search.lockstep.lookahead import Ahead, Judges, look_ahead, worth
from neurogame.simulate.game import Game, State
from neurogame.simulate.states import StateBatch


@final
@dataclass(frozen=True, kw_only=True)
class MoveValue:
    """A legal move and what it is worth.

    Attributes:
        move: index into its role's moves.
        text: the move as compact KIF.
        value: by an evaluator: of what it leads to, for the role that makes it, 0..1: the goal
            where the game is over then, else what the evaluator says. Where others move at the same
            time, what the role can rely on: the least over their answers. By a judge of moves: its
            score, the higher the better.
    """

    move: int
    text: str
    value: float


EvaluatorOrJudge: TypeAlias = Evaluator | MoveJudge
"""Who has something to say of moves."""


def move_values(opinion: EvaluatorOrJudge, state: State) -> tuple[tuple[MoveValue, ...], ...]:
    """Return the legal moves of each role, the best ones first; none of chance has a value.

    Args:
        opinion: an evaluator or a judge of moves of the state's game.
        state: any state; in a terminal one nobody has a move.

    Raises:
        GameError: some role has no move though the game is not over.
    """
    if state.is_terminal:
        return tuple(() for _ in state.game.roles)
    if not all(state.legal_moves):
        raise GameError(f"{state.game.name}: a role has no legal move, so no move can be valued")
    joint, worths = worths_of_moves(state.game, opinion, state.batch)
    by_role: list[tuple[MoveValue, ...]] = []
    for role, (texts, legal) in enumerate(zip(state.game.moves, state.legal_moves, strict=True)):
        listed = joint.table[role][0, : len(legal)].tolist()
        values = zip(listed, worths[role][0].tolist(), strict=False)
        moves = (MoveValue(move=move, text=texts[move], value=value) for move, value in values)
        is_chance = role == state.game.chance
        by_role.append(() if is_chance else tuple(sorted(moves, key=lambda choice: -choice.value)))
    return tuple(by_role)


def worst_answer(evaluator: Evaluator, state: State, role: int, move: int) -> tuple[int, ...]:
    """Return the joint move with a role's move and the others' answers that are worst for it.

    Args:
        evaluator: of the state's game.
        state: not terminal; every role has a move.
        role: whose move.
        move: an index into the role's moves; legal.
    """
    ahead = _ahead(state.game, evaluator, state.batch)
    rows = np.flatnonzero(ahead.joint.moves[:, role] == move)
    worst = rows[int(ahead.values[rows, role].argmin())]
    return tuple(ahead.joint.moves[worst].tolist())


def worths_of_moves(
    game: Game, opinion: EvaluatorOrJudge, states: StateBatch
) -> tuple[JointMoves, list[Float64s2]]:
    """Return the moves of all roles, and what each is worth to its role.

    Args:
        game: the game.
        opinion: an evaluator or a judge of moves of the game.
        states: ``A`` states that are not terminal, in which every role has a move.

    Returns:
        The joint moves, and per role float64 ``[A, widest]``, -inf beyond the last, in the order of
        :attr:`~neurogame.search.lockstep.joint_moves.JointMoves.table`.
    """
    if isinstance(opinion, Evaluator):
        ahead = _ahead(game, opinion, states)
        return ahead.joint, [worth(ahead, role) for role in range(len(game.roles))]
    check_judge(opinion, "opinion")
    legal, fluents = game.simulator().look(states).legal.numpy(), states.to_bool().numpy()
    joint = joint_moves(legal, list(game.move_offsets), derive(np.arange(len(states))).view("i8"))
    worths = []
    for role, table in enumerate(joint.table):
        legal_of_role = legal[:, game.move_offsets[role] : game.move_offsets[role + 1]]
        scores = opinion.move_scores(fluents, legal_of_role, role).astype(np.float64)
        listed = np.take_along_axis(scores, np.maximum(table, 0), axis=1)
        worths.append(np.where(table < 0, -np.inf, listed))
    return joint, worths


def _ahead(game: Game, evaluator: Evaluator, states: StateBatch) -> Ahead:
    """Return what lies behind all joint moves, valued for all roles."""
    legal = game.simulator().look(states).legal.numpy()
    judge = np.zeros((len(states), len(game.roles)), np.int64)
    judges = Judges(evaluators=[evaluator], margin=False)
    return look_ahead(game, states, legal, judge, judges, 1, derive(np.arange(len(states))))

"""Many matches of shallow players at once: few circuit passes and forward passes per ply.

Each role looks at every joint move of the present state, one or two plies deep, and values the
states they lead to: terminal ones by their goals, others by the evaluator in its seat. It plays
the move with the highest value that it can rely on, whatever the others do; ties are broken at
random. Every random choice is a function of the match's own seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import final

import numpy as np
import torch

from neurogame.array_types import Bools, Float64s, Int64s, UInt64s
from neurogame.evaluators.base import Evaluator
from neurogame.search.lockstep.counter_random import derive, uniform
from neurogame.search.lockstep.joint_moves import JointMoves
from neurogame.search.lockstep.lookahead import Ahead, Judges, look_ahead, worth
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

# What a random word is drawn for; part of the counter, so that uses do not correlate.
_TIE, _MOVE, _JOINT, _WHIM = 0, 2, 4, 6
RANDOM_SEAT = -1


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class MatchPlan:
    """Which matches to play.

    Attributes:
        evaluators: the players.
        seats: the player of each role in each match: an index into ``evaluators``, or
            ``RANDOM_SEAT`` (-1) for uniformly random moves, where chance always sits; int64
            ``[N, R]``.
        seeds: a seed per match, int64 ``[N]``, at least 0.
        openings: joint moves with which each match starts, as indices into each role's own
            moves; int64 ``[N, P, R]``.
        drawn: for how many plies each match then goes on by uniformly random moves; int64 ``[N]``.
        max_plies: a match is cut off after this many plies, at least 1.
        margin: for two roles whose goals sum to 100: whether a role values a state by
            ``(own + 1 - other) / 2`` instead of its own value alone.
        depth: plies that evaluators look ahead, without any pruning; at least 1.
        epsilon: chance, for each move of an evaluator, that a uniformly random one is made; 0..1.
    """

    evaluators: Sequence[Evaluator]
    seats: Int64s
    seeds: Int64s
    openings: Int64s | None = None
    drawn: Int64s | None = None
    max_plies: int = 1000
    margin: bool = False
    depth: int = 1
    epsilon: float = 0.0


@final
@dataclass(frozen=True, eq=False)
class LockstepMatch:
    """A match that was played.

    Attributes:
        goals: goals of the last state per role, float64 ``[R]`` in 0..1; NaN where the match was
            cut off before a terminal state.
        moves: the joint moves, as indices into each role's own moves; int64 ``[T, R]``.
        drawn: whether a player with a choice moved at random; bool ``[T]``.
    """

    goals: Float64s
    moves: Int64s
    drawn: Bools

    @property
    def finished(self) -> bool:
        """Whether the match reached a terminal state."""
        return not bool(np.isnan(self.goals).any())

    @property
    def plies(self) -> int:
        """Number of joint moves, ``T``."""
        return len(self.moves)


def play_lockstep(
    game: Game, plan: MatchPlan, stop: Callable[[], bool] = lambda: False
) -> list[LockstepMatch]:
    """Play all matches of a plan and return them in order.

    Args:
        game: the game.
        plan: which matches.
        stop: asked before every ply; once it is true all matches are cut off where they are.

    Raises:
        GameError: a reached state that is not terminal gives a role no legal move.
    """
    simulator = game.simulator()
    if game.chance is not None:
        plan = replace(plan, seats=plan.seats.copy())
        plan.seats[:, game.chance] = RANDOM_SEAT
    count, roles = plan.seats.shape
    moves: list[list[Int64s]] = [[] for _ in range(count)]
    drawn: list[list[np.bool_]] = [[] for _ in range(count)]
    goals = np.full((count, roles), np.nan)
    judges = Judges(evaluators=plan.evaluators, margin=plan.margin)
    states, active = simulator.initial(count), np.arange(count)
    for ply in range(plan.max_plies + 1):
        look = simulator.look(states)
        terminal = look.terminal.numpy()
        # Goals are whole hundredths: rounding takes the float32 error away.
        ended = np.rint(look.goals.numpy()[terminal].astype(np.float64) * 100) / 100
        goals[active[terminal]] = ended
        going = np.flatnonzero(~terminal)
        if len(going) == 0 or ply == plan.max_plies or stop():
            break
        active, legal = active[going], look.legal.numpy()[going]
        states = states.select(torch.from_numpy(going))
        words = derive(plan.seeds[active], ply)
        choices, seats = _choices(game, legal), _seats(plan, active, words, ply)
        judge = np.where(choices > 1, seats, RANDOM_SEAT)
        ahead = look_ahead(game, states, legal, judge, judges, plan.depth, derive(words, _JOINT))
        joint, greedy = ahead.joint, _best_ranks(ahead, words)
        ranks = _with_random_seats(seats, joint, greedy, words)
        chosen = np.stack(
            [joint.table[r][np.arange(len(active)), ranks[:, r]] for r in range(roles)], axis=1
        )
        if plan.openings is not None and ply < plan.openings.shape[1]:
            chosen = plan.openings[active, ply]
        whims = ((seats == RANDOM_SEAT) & (choices > 1))[:, list(game.players)].any(axis=1)
        for place, match in enumerate(active):
            moves[match].append(chosen[place])
            drawn[match].append(whims[place])
        states = simulator.step(states, torch.from_numpy(chosen), check=False)
    return [
        LockstepMatch(
            goals[i],
            np.array(record, np.int64).reshape(len(record), roles),
            np.array(drawn[i], bool),
        )
        for i, record in enumerate(moves)
    ]


def _choices(game: Game, legal: Bools) -> Int64s:
    """Return the number of legal moves of each role, int64 ``[A, R]``."""
    columns = [legal[:, a:b].sum(axis=1) for a, b in pairwise(game.move_offsets)]
    return np.stack(columns, axis=1).astype(np.int64)


def _best_ranks(ahead: Ahead, words: UInt64s) -> Int64s:
    """Return for each state and role the rank of its best move, int64 ``[A, R]``; ties random."""
    states, roles = ahead.joint.choices.shape
    result = np.zeros((states, roles), dtype=np.int64)
    for role in range(roles):
        value = worth(ahead, role)
        tie = uniform(derive(words[:, None], _TIE, role, np.arange(value.shape[1])[None, :]))
        tied = value == value.max(axis=1, keepdims=True)
        result[:, role] = np.argmax(np.where(tied, tie, -1.0), axis=1)
    return result


def _seats(plan: MatchPlan, active: Int64s, words: UInt64s, ply: int) -> Int64s:
    """Return who moves for each role, int64 ``[A, R]``: by chance ``epsilon`` nobody but chance."""
    seats = plan.seats[active]
    if plan.drawn is not None:
        seats = np.where((ply < plan.drawn[active])[:, None], RANDOM_SEAT, seats)
    if plan.epsilon == 0:
        return seats
    draw = uniform(derive(words[:, None], _WHIM, np.arange(seats.shape[1])[None, :]))
    return np.where(draw < plan.epsilon, RANDOM_SEAT, seats)


def _with_random_seats(seats: Int64s, joint: JointMoves, greedy: Int64s, words: UInt64s) -> Int64s:
    """Return the ranks played, int64 ``[A, R]``: random ones where a seat is random."""
    role = np.arange(seats.shape[1])[None, :]
    draw = uniform(derive(words[:, None], _MOVE, role))
    drawn = np.minimum((draw * joint.choices).astype(np.int64), joint.choices - 1)
    return np.where((seats == RANDOM_SEAT) & (joint.choices > 1), drawn, greedy)


def replayed(game: Game, matches: Sequence[LockstepMatch]) -> Iterator[tuple[Int64s, StateBatch]]:
    """Play matches again, side by side, and yield their states ply by ply, the last ones too.

    Args:
        game: what was played.
        matches: of this game.

    Yields:
        Numbers of the matches that have so many plies, ascending, int64 ``[K]``, and the state
        of each.
    """
    simulator = game.simulator()
    active, states = np.arange(len(matches)), simulator.initial(len(matches))
    for ply in count():
        yield active, states
        going = np.flatnonzero([matches[number].plies > ply for number in active.tolist()])
        if not len(going):
            return
        active = active[going]
        moves = np.stack([matches[number].moves[ply] for number in active.tolist()])
        before = states.select(torch.from_numpy(going))
        states = simulator.step(before, torch.from_numpy(moves), check=False)

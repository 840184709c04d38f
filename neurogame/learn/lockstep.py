"""Many matches of shallow players at once: few circuit passes and forward passes per ply.

Each role looks at every joint move of the present state, one or two plies deep, and values the
states they lead to: terminal ones by their goals, others by the evaluator in its seat. It plays
the move with the highest value that it can rely on, whatever the others do; ties are broken at
random. Every random choice is a function of the match's own seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import numpy.typing as npt
import torch

from neurogame.evaluators.base import Evaluator
from neurogame.learn.counter_random import derive, uniform
from neurogame.learn.joint_moves import Ints, JointMoves
from neurogame.learn.lookahead import Ahead, Floats, Judges, look_ahead, proofs, worth
from neurogame.learn.trajectory import FORCED, SEVERAL, Trajectory, extend_proofs
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import Words

# What a random word is drawn for; part of the counter, so that uses do not correlate.
_TIE, _COIN, _MOVE, _OPENING, _JOINT = range(5)
RANDOM_SEAT = -1


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class MatchPlan:
    """Which matches to play.

    Attributes:
        evaluators: the players; number 0 is the one that learns.
        seats: the player of each role in each match: an index into ``evaluators``, or
            ``RANDOM_SEAT`` (-1) for uniformly random moves; int64 ``[N, R]``.
        seeds: a seed per match, int64 ``[N]``, at least 0.
        epsilon: chance of a random move per role and ply, for each evaluator; in 0..1.
        random_plies: a match starts with 0 to this many random plies, uniformly drawn.
        openings: joint moves with which each match starts, as indices into each role's own
            moves; int64 ``[N, P, R]``.
        max_plies: a match is cut off after this many plies, at least 1.
        margin: for two roles whose goals sum to 100: whether a role values a state by
            ``(own + 1 - other) / 2`` instead of its own value alone.
        depth: plies that evaluators look ahead, without any pruning; at least 1.
    """

    evaluators: Sequence[Evaluator]
    seats: Ints
    seeds: Ints
    epsilon: Sequence[float]
    random_plies: int = 0
    openings: Ints | None = None
    max_plies: int = 1000
    margin: bool = False
    depth: int = 1


@final
@dataclass(eq=False)
class _Record:
    """What has been noted of one match so far; one entry per state or per move."""

    fluents: list[npt.NDArray[np.bool_]]
    proved: list[Floats]
    searched: list[Floats]
    explored: list[bool]
    moves: list[Ints]
    movers: list[int]


def play_lockstep(
    game: Game, plan: MatchPlan, stop: Callable[[], bool] = lambda: False
) -> list[Trajectory]:
    """Play all matches of a plan and return them in order.

    Args:
        game: the game.
        plan: which matches.
        stop: asked before every ply; once it is true all matches are cut off where they are.

    Raises:
        GameError: a reached state that is not terminal gives a role no legal move.
    """
    simulator = game.simulator()
    count, roles = plan.seats.shape
    records = [_Record([], [], [], [], [], []) for _ in range(count)]
    goals = np.full((count, roles), np.nan)
    best = best_goals(game)
    judges = Judges(evaluators=plan.evaluators, margin=plan.margin, best=best)
    opening = _opening_lengths(plan)
    states, active = simulator.initial(count), np.arange(count)
    for ply in range(plan.max_plies + 1):
        look = simulator.look(states)
        terminal = look.terminal.numpy()
        _note_states(records, active, states, terminal, look.goals.numpy(), goals)
        going = np.flatnonzero(~terminal)
        if len(going) == 0 or ply == plan.max_plies or stop():
            break
        active, legal = active[going], look.legal.numpy()[going]
        states = states.select(torch.from_numpy(going))
        words = derive(plan.seeds[active], ply)
        judge = _judges(plan, active, _choices(game, legal))
        ahead = look_ahead(game, states, legal, judge, judges, plan.depth, derive(words, _JOINT))
        joint, greedy = ahead.joint, _best_ranks(ahead, words)
        ranks, explored = _explore(plan, active, joint, greedy, words, ply < opening[active])
        _note_search(records, plan, active, ahead, greedy, best)
        chosen = np.stack(
            [joint.table[r][np.arange(len(active)), ranks[:, r]] for r in range(roles)], axis=1
        )
        if plan.openings is not None and ply < plan.openings.shape[1]:
            chosen, explored = plan.openings[active, ply], np.ones(len(active), np.bool_)
        for place, match in enumerate(active):
            records[match].explored.append(bool(explored[place]))
            records[match].moves.append(chosen[place])
        states = simulator.step(states, torch.from_numpy(chosen), check=False)
    return [_trajectory(record, goals[i], best) for i, record in enumerate(records)]


def best_goals(game: Game) -> Floats:
    """Return the highest goal each role can have, float64 ``[R]`` in 0..1."""
    return np.array([max((v for v, _ in pairs), default=0) for pairs in game.circuit.goals]) / 100


def _choices(game: Game, legal: npt.NDArray[np.bool_]) -> Ints:
    """Return the number of legal moves of each role, int64 ``[A, R]``."""
    columns = [legal[:, a:b].sum(axis=1) for a, b in pairwise(game.move_offsets)]
    return np.stack(columns, axis=1).astype(np.int64)


def _opening_lengths(plan: MatchPlan) -> Ints:
    draw = uniform(derive(plan.seeds, _OPENING, 0x5EED))
    return np.floor(draw * (plan.random_plies + 1)).astype(np.int64)


def _note_states(
    records: list[_Record],
    active: Ints,
    states: StateBatch,
    terminal: npt.NDArray[np.bool_],
    state_goals: npt.NDArray[np.float32],
    goals: Floats,
) -> None:
    fluents = states.to_bool().numpy()
    unknown = np.full(goals.shape[1], np.nan)
    for place, match in enumerate(active):
        record = records[match]
        record.fluents.append(fluents[place])
        record.proved.append(unknown)
        record.searched.append(unknown)
        if terminal[place]:
            # Goals are whole hundredths: rounding takes the float32 error away.
            goals[match] = np.rint(state_goals[place].astype(np.float64) * 100) / 100
            record.proved[-1] = goals[match]


def _judges(plan: MatchPlan, active: Ints, choices: Ints) -> Ints:
    """Return whose evaluator each role uses, int64 ``[A, R]``, -1 for none.

    A role with a choice uses its own. Where the learner decides, it values the others' prospects
    too: they are what its search backs up to the state.
    """
    seats, deciding = plan.seats[active], choices > 1
    first = np.argmax(deciding, axis=1)
    learner = deciding.any(axis=1) & (seats[np.arange(len(seats)), first] == 0)
    return np.where(deciding, seats, np.where(learner[:, None], 0, RANDOM_SEAT))


def _best_ranks(ahead: Ahead, words: Words) -> Ints:
    """Return for each state and role the rank of its best move, int64 ``[A, R]``; ties random."""
    states, roles = ahead.joint.choices.shape
    result = np.zeros((states, roles), dtype=np.int64)
    for role in range(roles):
        value = worth(ahead, role)
        tie = uniform(derive(words[:, None], _TIE, role, np.arange(value.shape[1])[None, :]))
        tied = value == value.max(axis=1, keepdims=True)
        result[:, role] = np.argmax(np.where(tied, tie, -1.0), axis=1)
    return result


def _explore(
    plan: MatchPlan,
    active: Ints,
    joint: JointMoves,
    greedy: Ints,
    words: Words,
    opening: npt.NDArray[np.bool_],
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return the ranks played, int64 ``[A, R]``, and where a role with a choice moved randomly."""
    seats = plan.seats[active]
    role = np.arange(seats.shape[1])[None, :]
    chance = np.array([*plan.epsilon, 1.0])[seats]  # seat -1 is the last entry: always random
    coin = uniform(derive(words[:, None], _COIN, role))
    random = ((coin < chance) | opening[:, None]) & (joint.choices > 1)
    draw = uniform(derive(words[:, None], _MOVE, role))
    drawn = np.minimum((draw * joint.choices).astype(np.int64), joint.choices - 1)
    return np.where(random, drawn, greedy), np.logical_or.reduce(random, axis=1)


def _note_search(
    records: list[_Record], plan: MatchPlan, active: Ints, ahead: Ahead, greedy: Ints, best: Floats
) -> None:
    """Note what the search knows of each state: who moves, backed-up values, proofs."""
    joint = ahead.joint
    start = np.searchsorted(joint.parent, np.arange(len(active)))
    proved = proofs(ahead, best)
    for place, match in enumerate(active):
        several = np.flatnonzero(joint.choices[place] > 1)
        mover = FORCED if len(several) == 0 else int(several[0])
        record = records[match]
        record.movers.append(SEVERAL if len(several) > 1 else mover)
        record.proved[-1] = proved[place]
        if len(several) == 1 and plan.seats[match, mover] == 0:
            # With one role to choose, its moves are the joint moves in the same order.
            record.searched[-1] = ahead.values[start[place] + greedy[place, mover]].copy()


def _trajectory(record: _Record, goals: Floats, best: Floats) -> Trajectory:
    plies, roles = len(record.moves), len(goals)
    proved = torch.from_numpy(np.stack(record.proved))
    movers = torch.tensor(record.movers, dtype=torch.int64)
    moves = np.stack(record.moves) if plies else np.empty((0, roles), dtype=np.int64)
    return Trajectory(
        fluents=torch.from_numpy(np.stack(record.fluents)),
        goals=torch.from_numpy(goals.copy()),
        proved=extend_proofs(proved, movers, torch.from_numpy(best)),
        searched=torch.from_numpy(np.stack(record.searched)),
        explored=torch.tensor(record.explored, dtype=torch.bool),
        moves=torch.from_numpy(moves),
    )

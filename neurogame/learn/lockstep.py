"""Many matches of depth-1 players at once: one circuit pass and one forward pass per ply.

Each role looks at every joint move of the present state and values the states they lead to:
terminal ones by their goals, others by the evaluator in its seat. It plays the move with the
highest value that it can rely on, whatever the other roles do at the same time; ties are broken
at random. Every random choice is a function of the match's own seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch

from neurogame.evaluators.base import Evaluator
from neurogame.learn.counter_random import derive, uniform
from neurogame.learn.joint_moves import Ints, JointMoves, joint_moves
from neurogame.learn.trajectory import FORCED, SEVERAL, Trajectory, extend_proofs
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

Floats = npt.NDArray[np.float64]

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
        max_plies: a match is cut off after this many plies, at least 1.
        margin: for two roles whose goals sum to 100: whether a role values a state by
            ``(own + 1 - other) / 2`` instead of its own value alone.
    """

    evaluators: Sequence[Evaluator]
    seats: Ints
    seeds: Ints
    epsilon: Sequence[float]
    random_plies: int = 0
    max_plies: int = 1000
    margin: bool = False


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


@final
@dataclass(frozen=True, eq=False)
class _Children:
    """The states behind all joint moves of ``A`` states; ``K`` in all.

    ``values`` is what each role's own player makes of them, float64 ``[K, R]``; NaN where it has
    none or has no choice. ``learned`` are all roles' values by evaluator 0, float64 ``[K, R]``,
    where it decides for the first role with a choice; NaN elsewhere.
    """

    joint: JointMoves
    terminal: npt.NDArray[np.bool_]
    goals: Floats
    values: Floats
    learned: Floats


def play_lockstep(game: Game, plan: MatchPlan) -> list[Trajectory]:
    """Play all matches of a plan at depth 1 and return them in order.

    Raises:
        GameError: a reached state that is not terminal gives a role no legal move.
    """
    simulator = game.simulator()
    count, roles = plan.seats.shape
    records = [_Record([], [], [], [], [], []) for _ in range(count)]
    goals = np.full((count, roles), np.nan)
    best = best_goals(game)
    opening = _opening_lengths(plan)
    states, active = simulator.initial(count), np.arange(count)
    for ply in range(plan.max_plies + 1):
        look = simulator.look(states)
        terminal = look.terminal.numpy()
        _note_states(records, active, states, terminal, look.goals.numpy(), goals)
        going = np.flatnonzero(~terminal)
        if len(going) == 0 or ply == plan.max_plies:
            break
        active, legal = active[going], look.legal.numpy()[going]
        states = states.select(torch.from_numpy(going))
        words = derive(plan.seeds[active], ply)
        joint = joint_moves(legal, list(game.move_offsets), derive(words, _JOINT).view(np.int64))
        children = _expand(game, plan, states, active, joint)
        greedy = _best_ranks(joint, children.values, words)
        ranks, explored = _explore(plan, active, joint, greedy, words, ply < opening[active])
        _note_search(records, active, children, greedy, best)
        chosen = np.stack(
            [joint.table[r][np.arange(len(active)), ranks[:, r]] for r in range(roles)], axis=1
        )
        for place, match in enumerate(active):
            records[match].explored.append(bool(explored[place]))
            records[match].moves.append(chosen[place])
        states = simulator.step(states, torch.from_numpy(chosen), check=False)
    return [_trajectory(record, goals[i], best) for i, record in enumerate(records)]


def best_goals(game: Game) -> Floats:
    """Return the highest goal each role can have, float64 ``[R]`` in 0..1."""
    return np.array([max((v for v, _ in pairs), default=0) for pairs in game.circuit.goals]) / 100


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


def _expand(
    game: Game, plan: MatchPlan, states: StateBatch, active: Ints, joint: JointMoves
) -> _Children:
    simulator = game.simulator()
    parents = states.select(torch.from_numpy(joint.parent))
    after = simulator.step(parents, torch.from_numpy(joint.moves), check=False)
    look = simulator.look(after)
    terminal = look.terminal.numpy()
    goals = np.rint(look.goals.numpy().astype(np.float64) * 100) / 100
    seats, choices = plan.seats[active][joint.parent], joint.choices[joint.parent]
    deciding = choices > 1
    values = np.full(goals.shape, np.nan)
    learned = np.full(goals.shape, np.nan)
    first = np.argmax(deciding, axis=1)
    first_seat = np.where(deciding.any(axis=1), seats[np.arange(len(seats)), first], RANDOM_SEAT)
    fluents = after.to_bool()
    for index, evaluator in enumerate(plan.evaluators):
        wanted = deciding & (seats == index)
        rows = np.flatnonzero(wanted.any(axis=1))
        if len(rows) == 0:
            continue
        found = goals[rows]
        inner = np.flatnonzero(~terminal[rows])
        if len(inner) > 0:
            with torch.no_grad():
                found[inner] = evaluator(fluents[torch.from_numpy(rows[inner])]).numpy()
        outlook = (found + 1.0 - found[:, ::-1]) / 2 if plan.margin else found
        outlook = np.where(terminal[rows, None], found, outlook)
        values[rows] = np.where(wanted[rows], outlook, values[rows])
        if index == 0:
            mine = first_seat[rows] == 0
            learned[rows[mine]] = found[mine]
    return _Children(joint, terminal, goals, values, learned)


def _best_ranks(joint: JointMoves, values: Floats, words: npt.NDArray[np.uint64]) -> Ints:
    """Return for each state and role the rank of its best move, int64 ``[A, R]``; ties random."""
    states, roles = joint.choices.shape
    result = np.zeros((states, roles), dtype=np.int64)
    for role in range(roles):
        width = joint.table[role].shape[1]
        key = joint.parent * width + joint.rank[:, role]
        worst = np.full(states * width, np.inf)
        np.minimum.at(worst, key, np.nan_to_num(values[:, role]))
        worst = np.where(joint.table[role] < 0, -np.inf, worst.reshape(states, width))
        tie = uniform(derive(words[:, None], _TIE, role, np.arange(width)[None, :]))
        tied = worst == worst.max(axis=1, keepdims=True)
        result[:, role] = np.argmax(np.where(tied, tie, -1.0), axis=1)
    return result


def _explore(
    plan: MatchPlan,
    active: Ints,
    joint: JointMoves,
    greedy: Ints,
    words: npt.NDArray[np.uint64],
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
    records: list[_Record], active: Ints, children: _Children, greedy: Ints, best: Floats
) -> None:
    """Note what the search knows of each state: who moves, backed-up values, proofs."""
    joint = children.joint
    start = np.searchsorted(joint.parent, np.arange(len(active) + 1))
    for place, match in enumerate(active):
        rows = slice(int(start[place]), int(start[place + 1]))
        several = np.flatnonzero(joint.choices[place] > 1)
        mover = FORCED if len(several) == 0 else int(several[0])
        record = records[match]
        record.movers.append(SEVERAL if len(several) > 1 else mover)
        if len(several) > 1:
            continue
        chosen = rows.start + (int(greedy[place, mover]) if mover >= 0 else 0)
        record.searched[-1] = children.learned[chosen].copy()
        ends, goals = children.terminal[rows], children.goals[rows]
        if not ends.any():
            continue
        if mover == FORCED:
            record.proved[-1] = goals[0]
            continue
        top = int(np.argmax(np.where(ends, goals[:, mover], -1.0)))
        if ends.all() or goals[top, mover] >= best[mover]:
            record.proved[-1] = goals[top]


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

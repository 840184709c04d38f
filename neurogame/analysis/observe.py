"""What states of a game show: gathered from random play, or from all reachable states."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.analysis.hypotheses import facts_about
from neurogame.analysis.random_play import WordEvaluator, play
from neurogame.analysis.state_space import StateSpace
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.lanes import ALL, any_lane, pack_lanes, popcount, unpack_lanes

_KEPT_PER_PLY = 32
_KEPT_CELLS = 8_000_000
_BLOCK = 1 << 12


@final
@dataclass(eq=False)
class Observations:
    """What was seen, in non-terminal states unless said otherwise.

    ``F`` fluents, ``M`` moves of all roles, ``R`` roles, ``V`` pairs of role and goal value.

    Attributes:
        games: games played, or 0 if every reachable state was seen.
        unfinished: games that were stopped before their end.
        longest: plies of the longest game seen.
        states: states looked at, with repetitions in play.
        held: fluents seen to hold, in any state; bool ``[F]``.
        missed: fluents seen not to hold, in any state; bool ``[F]``.
        began: fluents that held after a step, but not before it; bool ``[F]``.
        ended: fluents that held before a step, but not after it; bool ``[F]``.
        left: fluents that held in a state that a step left; bool ``[F]``.
        chooses: ``chooses[r, f]``: role ``r`` had two or more legal moves where fluent ``f``
            held; bool ``[R, F]``.
        together: two roles had two or more legal moves each in one state.
        idle: moves that were a role's only one while another role had two or more; bool ``[M]``.
        forced: the legal moves of each state in which no role had two or more.
        stuck: roles that had no legal move; bool ``[R]``.
        ends_with: goal values seen in terminal states; bool ``[V]``.
        sums: sums of all roles' goals in terminal states, where each has one or more.
        end_none: terminal states seen in which some role had no goal value.
        end_several: terminal states seen in which some role had several goal values.
        before_none: the same in states that are not terminal.
        before_several: the same in states that are not terminal.
        sample: some of the states, the initial one first; bool ``[S, F]``.
    """

    games: int
    unfinished: int
    longest: int
    states: int
    held: Bools
    missed: Bools
    began: Bools
    ended: Bools
    left: Bools
    chooses: Bools
    together: bool
    idle: Bools
    forced: set[tuple[int, ...]]
    stuck: Bools
    ends_with: Bools
    sums: set[int]
    end_none: int
    end_several: int
    before_none: int
    before_several: int
    sample: Bools


def observe_play(
    evaluator: WordEvaluator, *, seed: int, games: int, plies: int, work: int
) -> Observations:
    """Play games at random and gather what they show.

    Args:
        evaluator: of the game.
        seed: of the choices.
        games: games to play, a multiple of 64; fewer if the work would not last for 300 plies.
        plies: most plies of a game.
        work: most input literals read.
    """
    circuit = evaluator.circuit
    cost = evaluator.work + 8 * circuit.move_count
    words = max(min(games // 64, work // (300 * cost)), 1)
    seen = _nothing(circuit, 64 * words)
    kept = [circuit.initial[None]]
    playing = np.full(words, ALL)
    for ply in play(evaluator, seed=seed, words=words, plies=plies, work=work):
        _look(seen, circuit, ply.state, ply.legal, ply.terminal, ply.goals, ply.playing)
        _step(seen, ply.state, ply.next, ply.moved)
        lanes = _lanes(ply.playing)
        lanes = lanes[:: max(len(lanes) // _KEPT_PER_PLY, 1)]
        kept.append(_columns(ply.state, lanes))
        if sum(part.size for part in kept) > _KEPT_CELLS:
            kept = [kept[0], *kept[1::2]]
        seen.longest += bool(ply.moved.any())
        playing = ply.moved
    seen.unfinished = popcount(playing)
    seen.sample = np.concatenate(kept)
    return seen


def observe_all(circuit: Circuit, space: StateSpace) -> Observations:
    """Gather what all reachable states show."""
    seen = _nothing(circuit, 0)
    for begin in range(0, len(space.states), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        rows = [space.states[block], space.legal[block], space.goals[block]]
        state, legal, goals = (pack_lanes(part.T) for part in rows)
        terminal = pack_lanes(space.terminal[block][None])[0]
        present = pack_lanes(np.ones((1, len(rows[0])), np.bool_))[0]
        _look(seen, circuit, state, legal, terminal, goals, present)
    for begin in range(0, len(space.source), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        before = pack_lanes(space.states[space.source[block]].T)
        after = pack_lanes(space.states[space.target[block]].T)
        present = pack_lanes(np.ones((1, len(space.source[block])), np.bool_))[0]
        _step(seen, before, after, present)
    seen.sample = space.states
    return seen


def count_lanes(rows: UInt64s) -> tuple[UInt64s, UInt64s]:
    """Return in which lanes at least one, and at least two, of the rows are set.

    Args:
        rows: uint64 ``[N, W]``.

    Returns:
        uint64 ``[W]`` twice.
    """
    one, two = rows, np.zeros_like(rows)
    if not len(rows):
        return np.zeros(rows.shape[1], np.uint64), np.zeros(rows.shape[1], np.uint64)
    while len(one) > 1:
        half = len(one) // 2
        a, b, rest = one[:half], one[half : 2 * half], one[2 * half :]
        two = np.concatenate([two[:half] | two[half : 2 * half] | (a & b), two[2 * half :]])
        one = np.concatenate([a | b, rest])
    return one[0], two[0]


def _nothing(circuit: Circuit, games: int) -> Observations:
    roles, fluents = len(circuit.roles), len(circuit.fluents)
    none = np.zeros(fluents, np.bool_)
    return Observations(
        games, 0, 0, 0, circuit.initial.copy(), ~circuit.initial, none, none.copy(), none.copy(),
        np.zeros((roles, fluents), np.bool_), False, np.zeros(circuit.move_count, np.bool_),
        set(), np.zeros(roles, np.bool_), np.zeros(len(circuit.goal_literals), np.bool_), set(),
        0, 0, 0, 0, circuit.initial[None],
    )  # fmt: skip


def _look(
    seen: Observations,
    circuit: Circuit,
    state: UInt64s,
    legal: UInt64s,
    terminal: UInt64s,
    goals: UInt64s,
    present: UInt64s,
) -> None:
    """Take in states, 64 per word; only the lanes of ``present`` count."""
    seen.states += popcount(present)
    seen.held |= any_lane(state & present)
    seen.missed |= any_lane(~state & present)
    open_, ended = present & ~terminal, present & terminal
    offsets = circuit.move_offsets
    counts = [count_lanes(legal[a:b]) for a, b in pairwise(offsets)]
    one, two = (np.stack(part) for part in zip(*counts, strict=True))
    _, both = count_lanes(two)
    seen.together |= bool((both & open_).any())
    seen.stuck |= any_lane(~one & open_)
    if len(two) > 1:
        lanes = _lanes(open_ & ~np.bitwise_or.reduce(two))
        seen.forced.update(tuple(row.nonzero()[0].tolist()) for row in _columns(legal, lanes))
    for role, (a, b) in enumerate(pairwise(offsets)):
        seen.chooses[role] |= any_lane(state & (two[role] & open_))
        others = np.bitwise_or.reduce(np.delete(two, role, axis=0), axis=0)
        seen.idle[a:b] |= any_lane(legal[a:b] & (one[role] & ~two[role] & others & open_))
    _look_at_goals(seen, circuit, goals, open_, ended)


def _look_at_goals(
    seen: Observations, circuit: Circuit, goals: UInt64s, open_: UInt64s, ended: UInt64s
) -> None:
    offsets = circuit.goal_offsets.tolist()
    counts = [count_lanes(goals[a:b]) for a, b in pairwise(offsets)]
    none = np.bitwise_or.reduce([~one for one, _ in counts])
    several = np.bitwise_or.reduce([two for _, two in counts])
    seen.end_none += popcount(none & ended)
    seen.end_several += popcount(several & ended)
    seen.before_none += popcount(none & open_)
    seen.before_several += popcount(several & open_)
    seen.ends_with |= any_lane(goals & ended)
    lanes = _lanes(ended & ~none)
    if len(lanes):
        flags = _columns(goals, lanes)
        total = np.zeros(len(lanes), np.int64)
        for role, (a, b) in enumerate(pairwise(offsets)):
            values = np.array([value for value, _ in circuit.goals[role]], np.int64)
            # The values come highest first: the policy where there are several.
            total += values[flags[:, a:b].argmax(axis=1)]
        seen.sums.update(np.unique(total).tolist())


def _step(seen: Observations, before: UInt64s, after: UInt64s, moved: UInt64s) -> None:
    """Take in steps; only the lanes of ``moved`` count."""
    seen.began |= any_lane(after & ~before & moved)
    seen.ended |= any_lane(before & ~after & moved)
    seen.left |= any_lane(before & moved)


def _lanes(words: UInt64s) -> Int64s:
    """Return the lanes that are set in uint64 ``[W]`` words; int64 ``[n]``."""
    return np.flatnonzero(unpack_lanes(words[None], 64 * len(words))[0])


def _columns(rows: UInt64s, lanes: np.ndarray) -> Bools:
    """Return some lanes of uint64 ``[N, W]`` rows as bool ``[len(lanes), N]``."""
    return facts_about(rows, lanes).T

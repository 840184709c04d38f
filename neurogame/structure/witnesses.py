"""States and steps of a game: all of them where they are few, else those of random play.

Random play depends on the order of the moves, so they are put in an order that names have no
influence on. Then a game and its scrambled copy show the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.random_play import WordEvaluator, play
from neurogame.analysis.state_space import StateSpace, enumerate_states
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.gdl.canonical import canonical_form
from neurogame.gdl.kept import kept_names
from neurogame.gdl.terms import Rules
from neurogame.graph.lanes import ALL, pack_lanes, unpack_lanes

_CELLS = 8_000_000
"""Most words of all states kept."""

_FEWEST_PLIES = 8
_WORD = r"[()]|[^\s()]+"


@final
@dataclass(frozen=True, kw_only=True)
class RelationLimits:
    """How much looking at a game's states may cost.

    Attributes:
        states: most states to enumerate; 0 enumerates none.
        games: random games otherwise, a multiple of 64; fewer on a large circuit.
        plies: most plies of a random game.
        work: input literals read for either; 8 plies are played whatever they cost.
    """

    states: int = 6_000
    games: int = 256
    plies: int = 300
    work: int = 60_000_000


@final
@dataclass(frozen=True, eq=False)
class Witnesses:
    """States and steps that play can reach; ``F`` fluents, ``N`` words of 64 states.

    Attributes:
        states: uint64 ``[F, N]``; lanes that are no states are zero.
        present: which lanes are states; uint64 ``[N]``.
        left: which lanes are states that a step leaves: no terminal ones; uint64 ``[N]``.
        complete: whether these are all states and steps.
        count: the states if complete, else the games played.
    """

    states: UInt64s
    present: UInt64s
    left: UInt64s
    complete: bool
    count: int
    _source: Int64s | None
    _target: Int64s | None
    _bits: Bools | None
    _moved: UInt64s
    _width: int

    def steps(self, fluents: Int64s) -> tuple[UInt64s, UInt64s, UInt64s]:
        """Return fluents before and after steps; uint64 ``[K, P]`` twice, and which are steps.

        Args:
            fluents: int64 ``[K]``.
        """
        if self._bits is None:
            rows = self.states[fluents]
            return rows[:, : -self._width], rows[:, self._width :], self._moved
        bits = self._bits[:, fluents]
        return pack_lanes(bits[self._source].T), pack_lanes(bits[self._target].T), self._moved

    def sample(self, most: int) -> Bools:
        """Return at most so many of the states, the initial one first; bool ``[S, F]``."""
        lanes = np.flatnonzero(unpack_lanes(self.present[None], 64 * len(self.present))[0])
        if len(lanes) > most:
            lanes = lanes[np.linspace(0, len(lanes) - 1, most).astype(np.int64)]
        bits = self.states[:, lanes >> 6] >> (lanes & 63).astype(np.uint64)
        return np.asarray((bits & np.uint64(1)).T, np.bool_)

    def verdict(self, holds: bool) -> Verdict:
        """Return a verdict on something that one state or step can refute."""
        if self.complete:
            return Verdict(holds, Evidence.DECIDED, self.count)
        return (
            Verdict(True, Evidence.SAMPLED, self.count) if holds else Verdict(False, Evidence.SEEN)
        )


def find_witnesses(
    rules: Rules, circuit: Circuit, *, seed: int = 0, limits: RelationLimits | None = None
) -> Witnesses:
    """Enumerate the states of a game, or play it at random.

    Args:
        rules: the rulesheet.
        circuit: made from it.
        seed: of the random play.
        limits: what it may cost.
    """
    limits = limits or RelationLimits()
    evaluator = WordEvaluator(circuit)
    space = enumerate_states(
        evaluator, states=limits.states, steps=8 * limits.states, work=limits.work // 4
    )
    if space is not None:
        return _all(space)
    return _played(evaluator, _move_order(rules, circuit), seed, limits)


def _all(space: StateSpace) -> Witnesses:
    count, steps = len(space.states), len(space.source)
    left = np.zeros((1, count), np.bool_)
    left[0, space.source] = True
    return Witnesses(
        states=pack_lanes(space.states.T),
        present=pack_lanes(np.ones((1, count), np.bool_))[0],
        left=pack_lanes(left)[0],
        complete=True,
        count=count,
        _source=space.source,
        _target=space.target,
        _bits=space.states,
        _moved=pack_lanes(np.ones((1, steps), np.bool_))[0],
        _width=0,
    )


def _played(
    evaluator: WordEvaluator, order: Int64s, seed: int, limits: RelationLimits
) -> Witnesses:
    circuit = evaluator.circuit
    cost = evaluator.work + 8 * circuit.move_count + len(circuit.fluents)
    words = max(min(limits.games // 64, limits.work // (limits.plies * cost // 2)), 1)
    plies = min(
        limits.plies, limits.work // (words * cost), _CELLS // (len(circuit.fluents) * words + 1)
    )
    plies = max(plies, _FEWEST_PLIES)
    initial = np.repeat(circuit.initial[:, None], words, axis=1).astype(np.uint64) * ALL
    states, present = [initial], [np.full(words, ALL)]
    played = play(
        evaluator, seed=seed, words=words, plies=plies, work=plies * words * cost, order=order
    )
    for ply in played:
        if ply.moved.any():
            states.append(ply.next & ply.moved)
            present.append(ply.moved)
    return Witnesses(
        states=np.concatenate(states, axis=1),
        present=np.concatenate(present),
        left=np.concatenate([*present[1:], np.zeros(words, np.uint64)]),
        complete=False,
        count=64 * words,
        _source=None,
        _target=None,
        _bits=None,
        _moved=np.concatenate([np.zeros(0, np.uint64), *present[1:]]),
        _width=words,
    )


def _move_order(rules: Rules, circuit: Circuit) -> Int64s:
    """Return the moves of all roles, role by role, in an order that names do not change.

    Of a rulesheet that is too regular to be numbered, the moves stay in the order of their texts.
    """
    try:
        names = canonical_form(rules, kept_names(rules)).names
    except LimitError:
        return np.arange(circuit.move_count)
    rank = {"(": -2, ")": -1, **{name: i for i, name in enumerate(names)}}
    order: list[int] = []
    for begin, moves in zip(circuit.move_offsets.tolist(), circuit.moves, strict=False):
        keys = [
            [rank.get(word, len(rank)) for word in re.findall(_WORD, text.lower())]
            for text in moves
        ]
        order += [begin + i for i in sorted(range(len(moves)), key=keys.__getitem__)]
    return np.array(order, np.int64)

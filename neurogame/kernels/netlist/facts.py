"""Facts about a game that its play netlist rests on, all of them proved.

Which moves are forced, which roles never have a choice in the same state, and which fluents
exclude each other. Candidates come from a little random play and the shape of the fluents; what is
used is proved by induction over the ``next`` rules. Everything is deterministic and takes numpy
alone, so that every backend, the plain one included, starts from the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final
from weakref import WeakKeyDictionary

import numpy as np

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.hypotheses import Hypotheses, find_hypotheses
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.lanes import unpack_lanes
from neurogame.kernels.netlist.invariants import prove_groups

_MOST_EVIDENCE = 32
"""Forced moves are looked for among this many moves of a role."""

_MOST_LITERALS = 4
"""A turn is told by at most this many fluents."""

_MOST_JOINT = 4096
"""Combinations of forced moves of all roles of a choice that are looked at."""


@final
@dataclass(frozen=True)
class Turn:
    """A condition that holds where a role has a move that is not forced.

    It does not hold where another role of the same choice has one.

    Attributes:
        literals: fluent literals whose conjunction this is; none of them: it always holds.
        complement: whether it is the complement of the conjunction instead.
    """

    literals: tuple[int, ...]
    complement: bool = False


@final
@dataclass(frozen=True, eq=False)
class Facts:
    """What holds in every reachable state that is not terminal.

    ``F`` fluents, ``M`` moves of all roles, ``R`` roles. A *fluent literal* is ``2 * fluent``,
    plus 1 for its complement.

    Attributes:
        forced: moves that are the only legal one of their role whenever they are legal, those
            that are never legal among them; bool ``[M]``.
        shared: the roles of each choice, ascending; roles without a choice are in none. Never two
            roles of a choice have moves that are not forced in the same state.
        turn: when it is each role's turn, among the roles of its choice; ``[R]``.
        always_some: per choice whether in every state in which every role has a legal move a
            role of the choice has one that is not forced.
        groups: disjoint groups of fluents of which at most one, or exactly one, holds, in
            terminal states, too.
        never: fluents that hold in no reachable state; bool ``[F]``.
        always: fluents that hold in every reachable state; bool ``[F]``.
        implied: fluent literals that hold where a move is legal: side 0 the fluents that hold,
            side 1 those that do not; uint64 ``[M, 2, X]``, one bit per fluent. None if finding
            them would cost too much.
    """

    forced: Bools
    shared: tuple[tuple[int, ...], ...]
    turn: tuple[Turn, ...]
    always_some: tuple[bool, ...]
    groups: tuple[ExclusiveGroup, ...]
    never: Bools
    always: Bools
    implied: UInt64s | None

    @property
    def streams(self) -> tuple[int, ...]:
        """Key of the random words of each role, the first role of its choice; ``[R]``."""
        first = {role: roles[0] for roles in self.shared for role in roles}
        return tuple(first.get(role, role) for role in range(len(self.turn)))


_FOUND: WeakKeyDictionary[Circuit, Facts] = WeakKeyDictionary()


def facts_of(circuit: Circuit) -> Facts:
    """Return the facts of a game, found once for as long as its circuit is in use.

    Where the rules come from another game, its facts hold too, and in all of its states: searches
    come to states of it that games by these rules do not reach.
    """
    circuit = circuit.origin or circuit
    facts = _FOUND.get(circuit)
    if facts is None:
        facts = _FOUND[circuit] = find_facts(circuit)
    return facts


def find_facts(circuit: Circuit) -> Facts:
    """Find and prove the facts of a game."""
    finder = ConeFinder(circuit.graph)
    proof = prove_groups(circuit, finder)
    known = find_hypotheses(
        circuit, finder, proof.groups, proof.never, proof.always, proof.work_left
    )
    implied = None if known is None else _implied(known)
    forced = np.asarray(circuit.legal == 0, np.bool_)
    for moves in map(circuit.moves_of, range(len(circuit.roles))):
        if implied is not None:
            forced[moves] |= _forced(implied[moves])
        if (~forced[moves]).sum() < 2:
            forced[moves] = True
    shared, turn = _choices(circuit, forced, implied)
    return Facts(
        forced=forced,
        shared=shared,
        turn=turn,
        always_some=tuple(_always_some(circuit, forced, known, implied, roles) for roles in shared),
        groups=proof.groups,
        never=proof.never,
        always=proof.always,
        implied=implied,
    )


def fluent_literals(words: UInt64s, fluents: int) -> Int64s:
    """Return the fluent literals of a set ``[2, X]`` of facts, those that hold first."""
    bits = unpack_lanes(words, fluents)
    return np.concatenate([2 * np.flatnonzero(bits[0]), 2 * np.flatnonzero(bits[1]) + 1])


def _implied(known: Hypotheses) -> UInt64s:
    """Return what a legal move implies: the opposite of what excludes it, and the base."""
    return known.excluded_moves[:, ::-1] | known.base


def _contradict(one: UInt64s, other: UInt64s) -> Bools:
    """Return whether facts ``[..., 2, X]`` and ``[..., 2, X]`` never hold together."""
    clash = (one[..., 0, :] & other[..., 1, :]) | (one[..., 1, :] & other[..., 0, :])
    return np.asarray(clash.any(axis=-1), np.bool_)


def _forced(implied: UInt64s) -> Bools:
    """Return which moves of one role exclude all its others.

    Args:
        implied: of the role's moves; uint64 ``[A, 2, X]``.
    """
    count = len(implied)
    forced = _contradict(implied, implied)
    alive = np.flatnonzero(~forced)
    if len(alive) < 2:
        return np.ones(count, np.bool_)
    width = implied.shape[-1]
    # How often each literal is implied tells for which moves a search may be worth while: those
    # that imply the opposite of what many others imply.
    bits = np.zeros((2, 64 * width), np.int64)
    for begin in range(0, len(alive), 4096):
        part = implied[alive[begin : begin + 4096]]
        for side in (0, 1):
            bits[side] += unpack_lanes(part[:, side], 64 * width).sum(axis=0)
    strength = np.zeros(len(alive), np.int64)
    for begin in range(0, len(alive), 4096):
        part = implied[alive[begin : begin + 4096]]
        for side in (0, 1):
            literals = unpack_lanes(part[:, side], 64 * width)
            opposite = (literals * bits[1 - side]).max(axis=1)
            strength[begin : begin + 4096] = np.maximum(strength[begin : begin + 4096], opposite)
    forced[alive[strength >= len(alive) - 1]] = True
    order = np.argsort(-strength, kind="stable")[:_MOST_EVIDENCE]
    for index in order[(strength[order] > 0) & (strength[order] < len(alive) - 1)].tolist():
        others = np.delete(alive, index)
        forced[alive[index]] |= bool(_contradict(implied[alive[index]], implied[others]).all())
    return forced


def _choices(
    circuit: Circuit, forced: Bools, implied: UInt64s | None
) -> tuple[tuple[tuple[int, ...], ...], tuple[Turn, ...]]:
    """Return :attr:`Facts.shared` and :attr:`Facts.turn`."""
    moves = [
        np.flatnonzero(~forced & (circuit.role_of_move == role))
        for role in range(len(circuit.roles))
    ]
    rest = [role for role, unforced in enumerate(moves) if len(unforced)]
    turn = [Turn(()) for _ in circuit.roles]
    shared = []
    while rest:
        together, turns = [rest[0]], [Turn(())]
        for role in rest[1:]:
            if implied is None:
                break
            candidate = _turns([implied[moves[r]] for r in (*together, role)], len(circuit.fluents))
            if candidate is not None:
                together, turns = [*together, role], candidate
        for role, its in zip(together, turns, strict=True):
            turn[role] = its
        shared.append(tuple(together))
        rest = [role for role in rest if role not in together]
    return tuple(shared), tuple(turn)


def _turns(implied: list[UInt64s], fluents: int) -> list[Turn] | None:
    """Return what tells the turns of some roles apart, or None if nothing is known to.

    Args:
        implied: per role, of its moves that are not forced; uint64 ``[A, 2, X]``.
        fluents: number of fluents.
    """
    if len(implied) == 2:
        first = _separating(implied[0], implied[1], fluents)
        return None if first is None else [Turn(first), Turn(first, True)]
    turns = []
    for index, implications in enumerate(implied):
        others = np.concatenate([part for other, part in enumerate(implied) if other != index])
        literals = _separating(implications, others, fluents)
        if literals is None:
            return None
        turns.append(Turn(literals))
    return turns


def _separating(members: UInt64s, others: UInt64s, fluents: int) -> tuple[int, ...] | None:
    """Return a few literals that all of ``members`` imply and of which each other excludes one."""
    common = fluent_literals(np.bitwise_and.reduce(members, axis=0), fluents)
    chosen: list[int] = []
    while len(others) and len(chosen) < _MOST_LITERALS:
        excluded = [_holds(others, literal ^ 1) for literal in common.tolist()]
        counts = [int(some.sum()) for some in excluded]
        if not counts or max(counts) == 0:
            return None
        best = counts.index(max(counts))
        chosen.append(int(common[best]))
        others = others[~excluded[best]]
    return None if len(others) else tuple(chosen)


def _holds(facts: UInt64s, literal: int) -> Bools:
    """Return in which of the facts ``[A, 2, X]`` a fluent literal is."""
    fluent = literal >> 1
    bits = facts[:, literal & 1, fluent >> 6] >> np.uint64(fluent & 63)
    return np.asarray(bits & np.uint64(1), np.bool_)


def _always_some(
    circuit: Circuit,
    forced: Bools,
    known: Hypotheses | None,
    implied: UInt64s | None,
    roles: tuple[int, ...],
) -> bool:
    """Return whether the roles of a choice never all have forced moves in the same state."""
    if known is None or implied is None:
        return False
    forced_moves = [np.flatnonzero(forced & (circuit.role_of_move == role)) for role in roles]
    forced_moves = [moves[~_contradict(implied[moves], implied[moves])] for moves in forced_moves]
    forced_moves = [moves[circuit.legal[moves] != 0] for moves in forced_moves]
    if any(len(moves) == 0 for moves in forced_moves):
        return True
    joint: UInt64s = np.zeros((1, *implied.shape[1:]), np.uint64)
    for moves in forced_moves:
        if len(joint) * len(moves) > _MOST_JOINT:
            return False
        joint = (joint[:, None] | implied[moves][None]).reshape(-1, *implied.shape[1:])
    return bool(known.impossible(joint).all())

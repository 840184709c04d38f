"""Candidates for groups of fluents of which at most one holds, or exactly one.

The contents of a board's cell, the role in control, the value of a step counter: groups like these
are what a proof by induction needs to know. They are read off the shape of the fluents (same
function, some arguments equal) and kept as long as no state seen in play refutes them. Nothing
here is proved; see :mod:`~neurogame.analysis.induction`.

*Reference:* Kuhlmann and Stone, "Automatic Heuristic Construction in a Complete General Game
Player", section on invariants; Helmert, "Concise finite-domain representations for PDDL planning
tasks" (2009), section 5 (candidates with counted arguments).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s, UInt8s
from neurogame.circuit.circuit import Circuit

_MOST_ARGUMENTS = 6
_MOST_FLUENTS = 1024
_MOST_LOOSE = 400


@final
@dataclass(frozen=True, eq=False)
class ExclusiveGroup:
    """Fluents of which at most one holds in a state.

    Attributes:
        fluents: ascending; int64 ``[K]``.
        exactly: in every state one of them holds.
    """

    fluents: Int64s
    exactly: bool


def candidate_groups(
    circuit: Circuit, states: Bools, usable: Bools, *, small: bool = False
) -> list[ExclusiveGroup]:
    """Return disjoint groups of two or more fluents that no given state refutes.

    Args:
        circuit: the game.
        states: states seen in play, the initial state among them; bool ``[S, F]``.
        usable: fluents to group; bool ``[F]``.
        small: of two ways to group equally many fluents, take that of smaller groups; else that
            of larger ones.
    """
    columns = np.ascontiguousarray(states.T).view(np.uint8)
    groups: list[ExclusiveGroup] = []
    loose: list[int] = []
    for _, fluents, arguments in circuit.atoms.sentences(len(circuit.fluents)):
        members, arguments = fluents[usable[fluents]], arguments[usable[fluents]]
        while len(members):
            best = _best_split(arguments, columns[members], small)
            if not best:
                break
            groups += [ExclusiveGroup(members[g.fluents], g.exactly) for g in best]
            left = np.ones(len(members), np.bool_)
            left[np.concatenate([g.fluents for g in best])] = False
            members, arguments = members[left], arguments[left]
        loose += members.tolist()
    return _joined(groups, loose, states, small)


def _best_split(arguments: Int64s, states: UInt8s, small: bool) -> list[ExclusiveGroup]:
    """Return the groups of the choice of counted arguments that explains most fluents.

    Args:
        arguments: of fluents of one function; int64 ``[N, A]``.
        states: of these fluents; uint8 ``[N, S]``.
        small: whether ties go to small groups.
    """
    size = arguments.shape[1]
    positions = range(size)
    if size <= _MOST_ARGUMENTS:
        choices = [c for n in range(size, 0, -1) for c in combinations(positions, n)]
    else:
        choices = [tuple(positions), *((p,) for p in positions)]
    best: list[ExclusiveGroup] = []
    best_score = 0
    chosen: list[tuple[int, ...]] = []
    for counted in choices:
        kept = [p for p in positions if p not in counted]
        groups = _groups_of(arguments[:, kept], states)
        score = sum(len(g.fluents) * (2 if g.exactly else 1) for g in groups)
        # Ties go to the first choice, as few large groups say more than many small ones; unless
        # small ones are wanted: then to the contents of many cells, not the places of few pieces.
        # Parts of what was chosen (the white pieces of a cell) are never better.
        part = any(set(counted) <= set(other) for other in chosen)
        better = small and score == best_score and not part and len(groups) > len(best)
        if score > best_score:
            chosen = []
        if score > best_score or better:
            best, best_score = groups, score
        if score == best_score > 0:
            chosen.append(counted)
    return best


def _groups_of(keys: Int64s, states: UInt8s) -> list[ExclusiveGroup]:
    """Return the groups of two or more fluents with one key that no state refutes."""
    if keys.shape[1]:
        _, key = np.unique(keys, axis=0, return_inverse=True)
        key = key.reshape(-1)
    else:
        key = np.zeros(len(keys), np.int64)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    held = np.add.reduceat(states[order], starts, axis=0, dtype=np.int32)
    most, least = held.max(axis=1), held.min(axis=1)
    parts = np.split(order, starts[1:])
    return [
        ExclusiveGroup(np.sort(part), bool(low == 1))
        for part, high, low in zip(parts, most, least, strict=True)
        if high <= 1 and 1 < len(part) <= _MOST_FLUENTS
    ]


def _joined(
    groups: list[ExclusiveGroup], loose: list[int], states: Bools, small: bool
) -> list[ExclusiveGroup]:
    """Join groups and single fluents of different shapes of which exactly one always holds.

    So the phases of a turn, or whose turn it is where this is said by fluents of their own names,
    become one group. If small groups are wanted, those of few fluents are joined first: whose turn
    it is to choose with whose turn it is to place, not with what has been chosen.
    """
    partial = [g for g in groups if not g.exactly]
    if small:
        partial.sort(key=lambda group: len(group.fluents))
    units = [g.fluents for g in partial] + [np.array([f]) for f in sorted(loose)]
    held = np.stack([states[:, u].any(axis=1) for u in units], axis=1) if units else states[:, :0]
    open_ = np.flatnonzero(held.any(axis=0))
    joined: list[ExclusiveGroup] = []
    used: set[int] = set()
    if 1 < len(open_) <= _MOST_LOOSE:
        seen = held[:, open_].astype(np.float32)
        together = seen.T @ seen > 0
        for first in range(len(open_)):
            members = [first]
            for other in range(first + 1, len(open_)):
                if open_[other] not in used and not together[other, members].any():
                    members.append(other)
            complete = bool((seen[:, members].sum(axis=1) == 1).all())
            if open_[first] not in used and len(members) > 1 and complete:
                chosen = open_[members].tolist()
                used.update(chosen)
                joined.append(
                    ExclusiveGroup(np.sort(np.concatenate([units[u] for u in chosen])), True)
                )
    kept = [g for index, g in enumerate(partial) if index not in used]
    return [g for g in groups if g.exactly] + kept + joined

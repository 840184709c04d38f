"""The cone of some fluents' next values, in which moves that it cannot tell apart are one case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.cone import Cone, ConeFinder, make_steps
from neurogame.analysis.hypotheses import Hypotheses
from neurogame.array_types import Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.groups import group_starts

_SALTS = (0x9E3779B97F4A7C15, 0xD1342543DE82EF95)


@final
@dataclass(frozen=True, eq=False)
class MoveCases:
    """The moves of one role as a cone tells them apart.

    Attributes:
        role: which role.
        leaves: cone leaf (0-based among leaves) that stands for each case, or -1 for the moves
            that the cone does not read; int64 ``[C]``.
        facts: what holds whenever a move of the case is made; uint64 ``[C, 2, X]``.
    """

    role: int
    leaves: Int64s
    facts: UInt64s


@final
@dataclass(frozen=True, eq=False)
class CaseCone:
    """A cone with its case distinctions.

    Attributes:
        cone: of the outputs.
        outputs: literals in the cone; int64 ``[K]``.
        fluents: fluents that it reads; int64 ``[P]``. Its first ``P`` leaves.
        uses: how many gates read each of these; int64 ``[P]``.
        roles: per role of which it reads moves, the cases; most cases first.
        role_of_leaf: of each leaf, -1 for fluents; int64 ``[L]``.
    """

    cone: Cone
    outputs: Int64s
    fluents: Int64s
    uses: Int64s
    roles: tuple[MoveCases, ...]
    role_of_leaf: Int64s


def make_case_cone(
    circuit: Circuit, finder: ConeFinder, known: Hypotheses, literals: Int64s
) -> CaseCone:
    """Cut the cone of some literals and bundle its moves."""
    plain = finder.find(literals)
    leaves = plain.leaves - 1
    fluents = leaves[leaves < len(circuit.fluents)]
    moves = leaves[len(fluents) :] - len(circuit.fluents)
    targets, sizes, inputs, levels = _flatten(plain)
    owner = np.repeat(np.arange(len(targets)), sizes)
    leaf = (inputs >> 1) - 1
    read = (leaf >= 0) & (leaf < plain.leaf_count)
    uses = np.bincount(leaf[read], minlength=plain.leaf_count)
    offsets = circuit.move_offsets
    role_of_move = circuit.role_of_move[moves]
    wanted = plain.rows(literals)
    # An output that is a move itself reads this move, too.
    direct = (wanted >> 1) - 1
    outer = np.flatnonzero((direct >= len(fluents)) & (direct < plain.leaf_count))
    class_of, first = _classes(
        np.concatenate([leaf[read], direct[outer]]) - len(fluents),
        np.concatenate([2 * owner[read] + (inputs[read] & 1), 2 * (len(targets) + outer)]),
        role_of_move,
    )
    # A move that stands for a class has the same effect as the others; they are cut off where
    # their absence changes nothing, as neutral inputs of a gate.
    spare = np.ones(plain.leaf_count, np.bool_)
    spare[: len(fluents)] = False
    spare[len(fluents) + first] = False
    cut = read & (inputs & 1 == 1)
    cut[read] &= spare[leaf[read]]
    keep = ~cut
    sizes = np.bincount(owner[keep], minlength=len(targets))
    steps = make_steps(levels, targets, group_starts(sizes), inputs[keep])
    cases = []
    for role in np.unique(role_of_move).tolist():
        members = np.flatnonzero(role_of_move == role)
        cases.append(
            _cases(known, role, offsets, moves[members], class_of[members], first, len(fluents))
        )
    cases.sort(key=lambda case: (-len(case.leaves), case.role))
    return CaseCone(
        Cone(plain.nodes, plain.leaf_count, steps),
        wanted,
        fluents,
        uses[: len(fluents)],
        tuple(cases),
        np.concatenate([np.full(len(fluents), -1, np.int64), role_of_move]),
    )


def _flatten(cone: Cone) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Return targets, sizes, inputs and levels of all conjunctions, without the padding."""
    empty = np.zeros(0, np.int64)
    targets = np.concatenate([empty, *(t for t, _ in cone.steps)])
    levels = np.concatenate([empty, *(np.full(len(t), i) for i, (t, _) in enumerate(cone.steps))])
    sizes = np.concatenate([empty, *((x != 1).sum(axis=0) for _, x in cone.steps)])
    inputs = np.concatenate([empty, *(x.T[x.T != 1] for _, x in cone.steps)])
    return targets, sizes, inputs, levels


def _classes(move: Int64s, reader: Int64s, role: Int64s) -> tuple[Int64s, Int64s]:
    """Give moves of one role that the same gates read in the same way one number.

    Args:
        move: of each edge, negative for fluents.
        reader: which gate reads it and how.
        role: of each move; int64 ``[N]``.

    Returns:
        The class of each move, int64 ``[N]``, and the first move of each class.
    """
    edges = move >= 0
    move, key = move[edges], reader[edges].astype(np.uint64)
    sums = []
    for salt in _SALTS:
        # Two independent sums of 64 bits: an accidental clash is out of the question.
        mixed = (key + np.uint64(1)) * np.uint64(salt)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        total = np.zeros(len(role), np.uint64)
        np.add.at(total, move, mixed)
        sums.append(total)
    _, first, class_of = np.unique(
        np.stack([role.astype(np.uint64), *sums], axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    return class_of.reshape(-1), first


def _cases(
    known: Hypotheses,
    role: int,
    offsets: Int64s,
    moves: Int64s,
    class_of: Int64s,
    first: Int64s,
    before: int,
) -> MoveCases:
    """Return the cases of one role: one per class, and one for all moves not read."""
    order = np.argsort(class_of, kind="stable")
    classes, starts = np.unique(class_of[order], return_index=True)
    excluded = np.bitwise_and.reduceat(known.excluded_moves[moves[order]], starts, axis=0)
    leaves = before + first[classes]
    rest = np.setdiff1d(np.arange(offsets[role], offsets[role + 1]), moves)
    if len(rest):
        other = np.bitwise_and.reduce(known.excluded_moves[rest], axis=0)
        excluded = np.concatenate([excluded, other[None]])
        leaves = np.append(leaves, -1)
    # What excludes the move does not hold when it is made.
    return MoveCases(role, leaves, np.ascontiguousarray(excluded[:, ::-1]))

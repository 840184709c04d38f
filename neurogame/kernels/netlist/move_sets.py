"""What the next state asks about the moves, said in as few words as possible.

A frame axiom names every move but a few: that one of them is made is said by "none of the others".
A move that is made is legal, so what its legality implies need not be asked again, and a move whose
legality contradicts another condition of the same conjunction need not be named.

*Reference:* Kautz and Selman, "Pushing the envelope" (1996), section 3 (explanatory frame axioms).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, FALSE, OR
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.graph.rewrite import conjunctions_of, rewrite
from neurogame.graph.store import GateStore
from neurogame.kernels.netlist.conjunctions import conjunctions, flattened
from neurogame.kernels.netlist.products import take_apart

_MOST_WORDS = 1 << 25
"""Room for sets of moves, in words of 64."""
_SETS_AT_ONCE = 64
_SMALL_SET = 8


@final
@dataclass(frozen=True, eq=False)
class Owner:
    """A choice, as far as sets of moves are concerned.

    Attributes:
        moves: per role the moves that are chosen from, by slot; int64 ``[A]`` each.
        turns: per role the literal of its turn.
        active: literal of each slot; int64 ``[slots]``.
        some: literal that says whether a slot is active.
    """

    moves: tuple[Int64s, ...]
    turns: tuple[int, ...]
    active: Int64s
    some: int


@final
class MoveSets:
    """Makes literals that say whether one of some moves is made."""

    def __init__(
        self, store: GateStore, owners: Sequence[Owner], forced: Int64s, does: Int64s
    ) -> None:
        """Prepare.

        Args:
            store: where the gates are made.
            owners: the choices.
            forced: moves that belong to no choice.
            does: literal of each move; ``[M]``.
        """
        self.store, self.owners, self.forced, self.does = store, owners, forced, does

    def literals(self, chosen: Bools) -> Int64s:
        """Return for each set of moves whether one of them is made; bool ``[N, M]``."""
        result = np.zeros(len(chosen), np.int64)
        for begin in range(0, len(chosen), _SETS_AT_ONCE):
            part = chosen[begin : begin + _SETS_AT_ONCE]
            flags = part[:, self.forced]
            columns = [np.where(flags, self.does[self.forced], FALSE)]
            columns += [self._of_owner(owner, part)[:, None] for owner in self.owners]
            rows = np.concatenate(columns, axis=1)
            result[begin : begin + len(part)] = self.store.rows(OR, rows)
        return result

    def _of_owner(self, owner: Owner, chosen: Bools) -> Int64s:
        """Return whether one of the moves of a choice is made, naming the fewer moves."""
        named = sum(np.count_nonzero(chosen[:, moves], axis=1) for moves in owner.moves)
        whole = sum(map(len, owner.moves))
        others = 2 * named > whole
        direct = self._named(owner, chosen ^ others[:, None])
        return np.where(others, self.store.pairs(AND, direct ^ 1, owner.some), direct)

    def _named(self, owner: Owner, chosen: Bools) -> Int64s:
        """Return whether one of the moves of a choice is made, naming each."""
        shape = (len(owner.moves), len(chosen), len(owner.active))
        inside, outside = np.zeros((2, *shape), np.bool_)
        for row, moves in enumerate(owner.moves):
            inside[row, :, : len(moves)] = chosen[:, moves]
            outside[row, :, : len(moves)] = ~chosen[:, moves]
        # Where a slot stands for moves of the set only, it does not matter whose turn it is.
        every = inside.any(axis=0) & ~outside.any(axis=0)
        columns = [np.where(every, owner.active, FALSE)]
        for row, turn in enumerate(owner.turns):
            rest = self.store.rows(OR, np.where(inside[row] & ~every, owner.active, FALSE))
            columns.append(self.store.pairs(AND, rest, turn)[:, None])
        return self.store.rows(OR, np.concatenate(columns, axis=1))


def rewrite_next(
    circuit: Circuit,
    implied: UInt64s | None,
    leaves: Int64s,
    store: GateStore,
    sets: MoveSets,
    most_named: int,
) -> Int64s:
    """Return the literals of the next state; int64 ``[F]``.

    Args:
        circuit: the game.
        implied: what each legal move implies, see :class:`~.facts.Facts`; None: nothing.
        leaves: literal of the store of each input of the circuit.
        store: where the gates are made.
        sets: makes literals of the store that say whether one of some moves is made.
        most_named: a condition stays as it is where a set would have to name more moves.
    """
    from neurogame.kernels.netlist import move_loops

    form = flattened(conjunctions_of(circuit.graph.with_outputs(circuit.next)))
    first, count, moves = form.input_count, form.gate_count, circuit.move_count
    begin = first - moves
    words = max(-(-moves // 64), 1)
    start, refined, single, place, bits = move_loops.refine(
        form,
        begin,
        _implying(circuit, implied, words),
        _sets(role_moves(circuit), words, moves),
        _sets([np.concatenate(owner.moves) for owner in sets.owners], words, moves),
        most_named,
        min(_MOST_WORDS // words, len(form.inputs) + count),
    )
    if not len(start):
        return rewrite(form, leaves, store)
    literal = np.where(single >= 0, leaves[begin + np.maximum(single, 0)], 0)
    used = np.flatnonzero(place >= 0)
    distinct, index = np.unique(bits, axis=0, return_inverse=True)
    made = sets.literals(unpack_lanes(distinct, moves))
    literal[used] = made[index.reshape(-1)[place[used]]]
    apart = take_apart(
        first,
        start,
        refined,
        form.outputs,
        _members(single, place, bits),
        _owner(sets, moves),
        ~move_loops.find_moving(form, begin),
    )
    more = np.zeros((len(apart.more), moves), np.bool_)
    for row, members in zip(more, apart.more, strict=True):
        row[list(members)] = True
    inputs = first + len(single) + len(more)
    graph = conjunctions(inputs, apart.start, apart.inputs, apart.roots)
    return rewrite(graph, np.concatenate([leaves, literal, sets.literals(more)]), store)


def _members(single: Int64s, place: Int64s, bits: UInt64s) -> list[tuple[int, ...]]:
    """Return the moves of each set, none for those that are not small."""
    small: dict[int, tuple[int, ...]] = {}
    # Fewer words than moves are set in a small set; only those are looked at move by move.
    rows = np.flatnonzero(np.count_nonzero(bits, axis=1) <= _SMALL_SET)
    for row in rows.tolist():
        words = np.flatnonzero(bits[row])
        word, lane = np.nonzero(unpack_lanes(bits[row, words][:, None], 64))
        if len(word) <= _SMALL_SET:
            small[row] = tuple((64 * words[word] + lane).tolist())
    return [
        (only,) if only >= 0 else small.get(where, ())
        for only, where in zip(single.tolist(), place.tolist(), strict=True)
    ]


def _owner(sets: MoveSets, moves: int) -> Int64s:
    """Return the choice of each move, or -1."""
    owner = np.full(moves, -1, np.int64)
    for index, choice in enumerate(sets.owners):
        owner[np.concatenate(choice.moves)] = index
    return owner


def _implying(circuit: Circuit, implied: UInt64s | None, words: int) -> UInt64s:
    """Return per fluent literal the moves that imply it; uint64 ``[2 F, words]``."""
    fluents = len(circuit.fluents)
    result = np.zeros((2 * fluents, words), np.uint64)
    if implied is not None and circuit.move_count:
        for side in (0, 1):
            for begin in range(0, fluents, 64):
                word = implied[:, side, begin >> 6]
                part = np.arange(begin, min(begin + 64, fluents))
                shift = (part - begin).astype(np.uint64)
                flags = (word[None] >> shift[:, None]) & np.uint64(1)
                result[2 * part + side] = pack_lanes(flags.astype(np.bool_))
    return result


def role_moves(circuit: Circuit) -> list[Int64s]:
    """Return the moves of each role; int64 ``[A]`` each."""
    ends = circuit.move_offsets
    return [np.arange(a, b) for a, b in pairwise(ends.tolist())]


def _sets(members: Sequence[Int64s], words: int, moves: int) -> UInt64s:
    """Return some sets of moves as rows of bits; uint64 ``[N, words]``."""
    flags = np.zeros((len(members), max(moves, 64 * words)), np.bool_)
    for row, group in zip(flags, members, strict=True):
        row[group] = True
    return pack_lanes(flags)

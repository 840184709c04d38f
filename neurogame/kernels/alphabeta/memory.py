"""The memory of a compiled tree search: made and enlarged in Python, used by compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.alphabeta.records import ASKED, CHILD, ENTRY, FRAME, ROW, RUN

Words = npt.NDArray[np.uint64]
Reals = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]

DEEPEST = 200
"""Plies that no search exceeds."""

MOST_QUIET = 15
"""Plies that quiescence may add."""


class Sizes(NamedTuple):
    """Sizes of a game: ``Fw`` and ``Mw`` words of a state and of legal moves, ``R`` roles.

    Attributes:
        state_words: ``Fw``.
        move_words: ``Mw``.
        roles: ``R``.
        moves: of all roles.
    """

    state_words: int
    move_words: int
    roles: int
    moves: int


class Stack(NamedTuple):
    """The nodes from the root to the present one, with their children.

    Attributes:
        frames: ``FRAME [D]``.
        rows: ``ROW [S]``.
        states: of the rows; uint64 ``[S, Fw]``.
        legal: uint64 ``[S, Mw]``.
        values: float32 ``[S, R]``.
    """

    frames: Records
    rows: Records
    states: Words
    legal: Words
    values: Reals


class Kept(NamedTuple):
    """Children of many nodes, in a ring: the oldest ones are overwritten.

    Places are counted on and on; place ``p`` is index ``p % C``.

    Attributes:
        rows: ``CHILD [C]``.
        states: uint64 ``[C, Fw]``.
        legal: uint64 ``[C, Mw]``.
        values: goals of terminal states, estimates of the others; float32 ``[C, R]``.
    """

    rows: Records
    states: Words
    legal: Words
    values: Reals


class Table(NamedTuple):
    """The transposition table, in buckets of four entries.

    Attributes:
        entries: ``ENTRY [E]``, ``E`` a power of 2.
        values: max^n values of all roles; float32 ``[E, R]``, without rows for alpha-beta.
    """

    entries: Records
    values: Reals


class Proofs(NamedTuple):
    """States whose values are known, in buckets of four.

    Attributes:
        states: uint64 ``[P, Fw]``, ``P`` a power of 2.
        values: per role, NaN where it is unknown; float32 ``[P, R]``.
        used: bool ``[P]``.
    """

    states: Words
    values: Reals
    used: npt.NDArray[np.bool_]


class Batch(NamedTuple):
    """Nodes whose children are generated together.

    Attributes:
        asked: ``ASKED [Q]``.
        states: uint64 ``[Q, Fw]``.
        legal: uint64 ``[Q, Mw]``.
        target: index among the kept children of each lane; int64 ``[N]``.
    """

    asked: Records
    states: Words
    legal: Words
    target: Integers


class Choices(NamedTuple):
    """Moves: what there is to choose from in a state, and what has been good elsewhere.

    Attributes:
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        order: roles, the searching one first; int64 ``[R]``.
        moves: legal moves of the node at hand; int32 ``[M]``.
        starts: where each role's begin, in the order of ``order``; int64 ``[R + 1]``.
        picked: for max^n: the best row so far of each role's choice; int64 ``[R]``.
        history: score of each move; float32 ``[M]``.
        top: highest score of each role's moves; float32 ``[R]``.
        killers: two moves of the searching role and two answers of the others, by their codes,
            per ply; int64 ``[D, 4]``.
    """

    offsets: Integers
    order: Integers
    moves: npt.NDArray[np.int32]
    starts: Integers
    picked: Integers
    history: Reals
    top: Reals
    killers: Integers


class Search(NamedTuple):
    """All memory of a search; see the parts, and ``RUN`` for the only record of ``run``."""

    run: Records
    stack: Stack
    kept: Kept
    table: Table
    proofs: Proofs
    batch: Batch
    choices: Choices


def make_stack(sizes: Sizes, rows: int) -> Stack:
    """Reserve a stack with room for some rows."""
    return Stack(
        frames=np.zeros(DEEPEST + MOST_QUIET + 2, FRAME),
        rows=np.zeros(rows, ROW),
        states=np.zeros((rows, sizes.state_words), np.uint64),
        legal=np.zeros((rows, sizes.move_words), np.uint64),
        values=np.zeros((rows, sizes.roles), np.float32),
    )


def larger_stack(stack: Stack, rows: int) -> Stack:
    """Return a stack with room for more rows and what the other one held."""
    parts = []
    for old in stack[1:]:
        new = np.zeros((rows, *old.shape[1:]), old.dtype)
        new[: len(old)] = old
        parts.append(new)
    return Stack(stack.frames, *parts)


def make_kept(sizes: Sizes, rows: int) -> Kept:
    """Reserve room for children; the system provides memory as it is used."""
    return Kept(
        rows=np.empty(rows, CHILD),
        states=np.empty((rows, sizes.state_words), np.uint64),
        legal=np.empty((rows, sizes.move_words), np.uint64),
        values=np.empty((rows, sizes.roles), np.float32),
    )


def make_table(entries: int, roles: int) -> Table:
    """Reserve a table.

    Args:
        entries: a power of 2, at least 4.
        roles: ``R`` for max^n, 0 for alpha-beta.
    """
    return Table(np.zeros(entries, ENTRY), np.zeros((entries if roles else 0, roles), np.float32))


def make_proofs(sizes: Sizes, states: int) -> Proofs:
    """Reserve room for proved states; ``states`` is a power of 2, at least 4."""
    return Proofs(
        states=np.zeros((states, sizes.state_words), np.uint64),
        values=np.zeros((states, sizes.roles), np.float32),
        used=np.zeros(states, np.bool_),
    )


def make_batch(sizes: Sizes, lanes: int) -> Batch:
    """Reserve room for as many nodes as a block has lanes."""
    return Batch(
        asked=np.zeros(lanes, ASKED),
        states=np.zeros((lanes, sizes.state_words), np.uint64),
        legal=np.zeros((lanes, sizes.move_words), np.uint64),
        target=np.zeros(lanes, np.int64),
    )


def make_choices(offsets: Integers, role: int) -> Choices:
    """Reserve room for moves.

    Args:
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        role: the searching one.
    """
    roles, moves = len(offsets) - 1, int(offsets[-1])
    return Choices(
        offsets=offsets,
        order=np.array([role, *(other for other in range(roles) if other != role)], np.int64),
        moves=np.zeros(moves, np.int32),
        starts=np.zeros(roles + 1, np.int64),
        picked=np.zeros(roles, np.int64),
        history=np.zeros(moves, np.float32),
        top=np.zeros(roles, np.float32),
        killers=np.full((DEEPEST + MOST_QUIET + 2, 4), -1, np.int64),
    )


def make_run() -> Records:
    """Return the record of a run, all numbers 0."""
    return np.zeros(1, RUN)


def child_bytes(sizes: Sizes) -> int:
    """Return the memory of one kept child; bytes."""
    return CHILD.itemsize + 8 * (sizes.state_words + sizes.move_words) + 4 * sizes.roles


def entry_bytes(roles: int) -> int:
    """Return the memory of one entry of the table; bytes."""
    return ENTRY.itemsize + 4 * roles

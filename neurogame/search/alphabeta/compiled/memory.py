"""The memory of a compiled tree search: made and enlarged in Python, used by compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from neurogame.array_types import Bools1, Float32s1, Float32s2, Int32s1, Int64s1, Int64s2, UInt64s2
from neurogame.judges.states import Values
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.native.numbers import filled, numbers_of
from neurogame.native.struct import Struct
from neurogame.search.alphabeta.compiled.records import (
    Asked,
    Child,
    Frame,
    Records,
    Row,
    TableEntry,
    layout,
)
from neurogame.search.alphabeta.settings import SearchSettings

if TYPE_CHECKING:
    Numbers: TypeAlias = SearchSettings
else:
    # For the type checker they are the settings, whose fields have the same names and types.
    @numbers_of(SearchSettings)
    class Numbers(Struct):
        """The settings that are numbers or flags."""


DEEPEST = 200
"""Plies that no search exceeds."""

_FRAMES = DEEPEST + 17
"""Nodes of a line: where bounds say too little, it is longer than the depth."""


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


class Stack(Struct):
    """The nodes from the root to the present one, with their children.

    Attributes:
        frames: ``[D]``.
        rows: ``[S]``.
        states: of the rows; uint64 ``[S, Fw]``.
        legal: uint64 ``[S, Mw]``.
        values: float32 ``[S, R]``.
    """

    frames: Records[Frame]
    rows: Records[Row]
    states: UInt64s2
    legal: UInt64s2
    values: Float32s2


class Kept(Struct):
    """Children of many nodes, in a ring: the oldest ones are overwritten.

    Places are counted on and on; place ``p`` is index ``p % C``.

    Attributes:
        rows: ``[C]``.
        states: uint64 ``[C, Fw]``.
        legal: uint64 ``[C, Mw]``.
        values: goals of terminal states, estimates of the others; float32 ``[C, R]``.
    """

    rows: Records[Child]
    states: UInt64s2
    legal: UInt64s2
    values: Float32s2


class TranspositionTable(Struct):
    """The transposition table, in buckets of four entries.

    Attributes:
        entries: ``[E]``, ``E`` a power of 2.
        values: max^n values of all roles; float32 ``[E, R]``, without rows for alpha-beta.
    """

    entries: Records[TableEntry]
    values: Float32s2


class Proofs(Struct):
    """States whose values are known, in buckets of four.

    Attributes:
        states: uint64 ``[P, Fw]``, ``P`` a power of 2.
        values: per role, NaN where it is unknown; float32 ``[P, R]``.
        used: bool ``[P]``.
    """

    states: UInt64s2
    values: Float32s2
    used: Bools1


class Batch(Struct):
    """Nodes whose children are generated together.

    Attributes:
        asked: ``[Q]``.
        states: uint64 ``[Q, Fw]``.
        legal: uint64 ``[Q, Mw]``.
        target: index among the kept children of each lane; int64 ``[N]``.
    """

    asked: Records[Asked]
    states: UInt64s2
    legal: UInt64s2
    target: Int64s1


class Choices(Struct):
    """Moves: what there is to choose from in a state, and what has been good elsewhere.

    Attributes:
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        order: roles, the searching one first, chance last; int64 ``[R]``.
        chance: the role that is chance; -1 if there is none.
        moves: legal moves of the node at hand; int32 ``[M]``.
        starts: where each role's begin, in the order of ``order``; int64 ``[R + 1]``.
        picked: for max^n: the best row so far of each role's choice; int64 ``[R]``.
        history: score of each move; float32 ``[M]``.
        top: highest score of each role's moves; float32 ``[R]``.
        killers: two moves of the searching role and two answers of the others, by their codes,
            per ply; int64 ``[D, 4]``.
    """

    offsets: Int64s1
    order: Int64s1
    chance: int
    moves: Int32s1
    starts: Int64s1
    picked: Int64s1
    history: Float32s1
    top: Float32s1
    killers: Int64s2


class Search(Struct):
    """All memory of a search: its parts, its settings, and what it is doing.

    Attributes:
        stack: the nodes from the root to the present one.
        kept: children of many nodes.
        table: the transposition table.
        proofs: states whose values are known.
        batch: nodes whose children are generated together.
        choices: moves.
        rules: the game.
        block: memory for leaves.
        values: the evaluator.
        role: the searching one.
        numbers: the settings that are numbers or flags, as they are.
        means: for max^n with chance: values of a node's choices, averaged over the outcomes;
            float32 ``[C / 8, R]``, without rows elsewhere.
        united: whether max^n takes the others to want nothing but the worst for the searching
            role: then what its own value lacks to 1 stands for theirs, and is no fact.
        margin: whether estimates are the margin over the only opponent.
        widest: most joint moves of a node.
        fill: blocks are filled up to a multiple of so many lanes, which cost no more.
        sums: see :data:`~neurogame.search.alphabeta.compiled.records.ONE_ROLE`.
        slack: how far below the best one moves of the root may be and have exact values; float32.
        limit: states that may be generated.
        deadline: when to stop; nanoseconds.
        pause: when to look for interrupts; nanoseconds.
        slow: most lanes of a block, so that the clock is looked at in time.
        last_count: lanes of the last block.
        last_time: what it took; nanoseconds.
        nodes: states generated so far, as all the counts that follow.
        visits: nodes visited.
        evaluations: states that are not terminal, whose values the evaluator gave.
        rules_time: spent in the rules; nanoseconds.
        values_time: spent in the evaluator; nanoseconds.
        blocks: calls of the rules.
        top: number of the present frame.
        asked: number of nodes in the batch.
        head: place behind the newest of the kept children.
        entry_count: entries of the table in use.
        proof_count: proved states.
        entries_limit: entries in use from which on the table is enlarged.
        proofs_limit: proved states from which on their memory is enlarged.
        age: number of the search.
        horizon: whether a value of this iteration rested on an estimate, not on terminal states
            alone.
        value: of the node that was settled or finished last; float32.
    """

    stack: Stack
    kept: Kept
    table: TranspositionTable
    proofs: Proofs
    batch: Batch
    choices: Choices
    rules: StateMachine
    block: Block
    values: Values
    numbers: Numbers
    means: Float32s2
    role: int
    united: int = 0
    margin: int = 0
    widest: int = 0
    fill: int = 0
    sums: int = 0
    slack: float = 0
    limit: int = 0
    deadline: int = 0
    pause: int = 0
    slow: int = 0
    last_count: int = 0
    last_time: int = 0
    nodes: int = 0
    visits: int = 0
    evaluations: int = 0
    rules_time: int = 0
    values_time: int = 0
    blocks: int = 0
    top: int = 0
    asked: int = 0
    head: int = 0
    entry_count: int = 0
    proof_count: int = 0
    entries_limit: int = 0
    proofs_limit: int = 0
    age: int = 0
    horizon: int = 0
    value: float = 0


COUNTS = ("nodes", "visits", "evaluations", "rules_time", "values_time", "blocks")
"""What a search counts."""


def make_search(
    sizes: Sizes,
    *,
    offsets: Int64s1,
    role: int,
    rows: int,
    children: int,
    entries: int,
    lanes: int,
    maxn: bool,
    proofs: Proofs,
    rules: StateMachine,
    block: Block,
    values: Values,
    chance: int | None = None,
) -> Search:
    """Reserve the memory of a search; all of its numbers are 0, its settings the usual ones.

    Args:
        sizes: of the game.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        role: the searching one.
        rows: of the stack.
        children: to be kept.
        entries: of the table; a power of 2, at least 4.
        lanes: most nodes that are generated together.
        maxn: whether values of all roles are kept.
        proofs: states whose values are known.
        rules: the game.
        block: memory for leaves.
        values: the evaluator.
        chance: the role that is chance, None if there is none.
    """
    averaged = 0 if chance is None else children // 8 + 1
    return Search(
        stack=make_stack(sizes, rows),
        kept=make_kept(sizes, children),
        table=make_table(entries, sizes.roles if maxn else 0),
        proofs=proofs,
        batch=make_batch(sizes, lanes),
        choices=make_choices(offsets, role, chance),
        rules=rules,
        block=block,
        values=values,
        numbers=filled(Numbers, SearchSettings()),
        means=np.zeros((averaged, sizes.roles), np.float32),
        role=role,
    )


def _records(count: int, record: type) -> Any:
    """Return records, all 0, whose fields Python reads as attributes."""
    return np.zeros(count, layout(record)).view(np.recarray)


def make_stack(sizes: Sizes, rows: int) -> Stack:
    """Reserve a stack with room for some rows."""
    return Stack(
        frames=_records(_FRAMES, Frame),
        rows=_records(rows, Row),
        states=np.zeros((rows, sizes.state_words), np.uint64),
        legal=np.zeros((rows, sizes.move_words), np.uint64),
        values=np.zeros((rows, sizes.roles), np.float32),
    )


def enlarge_stack(stack: Stack, rows: int) -> None:
    """Give a stack room for more rows."""
    for name in ("rows", "states", "legal", "values"):
        old = getattr(stack, name)
        new = np.zeros((rows, *old.shape[1:]), old.dtype).view(type(old))
        new[: len(old)] = old
        setattr(stack, name, new)


def make_kept(sizes: Sizes, rows: int) -> Kept:
    """Reserve room for children; the system provides memory as it is used."""
    return Kept(
        rows=np.empty(rows, layout(Child)).view(np.recarray),
        states=np.empty((rows, sizes.state_words), np.uint64),
        legal=np.empty((rows, sizes.move_words), np.uint64),
        values=np.empty((rows, sizes.roles), np.float32),
    )


def make_table(entries: int, roles: int) -> TranspositionTable:
    """Reserve a table.

    Args:
        entries: a power of 2, at least 4.
        roles: ``R`` for max^n, 0 for alpha-beta.
    """
    return TranspositionTable(
        entries=_records(entries, TableEntry),
        values=np.zeros((entries if roles else 0, roles), np.float32),
    )


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
        asked=_records(lanes, Asked),
        states=np.zeros((lanes, sizes.state_words), np.uint64),
        legal=np.zeros((lanes, sizes.move_words), np.uint64),
        target=np.zeros(lanes, np.int64),
    )


def make_choices(offsets: Int64s1, role: int, chance: int | None = None) -> Choices:
    """Reserve room for moves.

    Args:
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        role: the searching one.
        chance: the role that is chance, None if there is none.
    """
    roles, moves = len(offsets) - 1, int(offsets[-1])
    others = [other for other in range(roles) if other not in (role, chance)]
    last = [] if chance is None else [chance]
    return Choices(
        offsets=offsets,
        order=np.array([role, *others, *last], np.int64),
        chance=-1 if chance is None else chance,
        moves=np.zeros(moves, np.int32),
        starts=np.zeros(roles + 1, np.int64),
        picked=np.zeros(roles, np.int64),
        history=np.zeros(moves, np.float32),
        top=np.zeros(roles, np.float32),
        killers=np.full((_FRAMES, 4), -1, np.int64),
    )


def child_bytes(sizes: Sizes) -> int:
    """Return the memory of one kept child; bytes."""
    return layout(Child).itemsize + 8 * (sizes.state_words + sizes.move_words) + 4 * sizes.roles


def entry_bytes(roles: int) -> int:
    """Return the memory of one entry of the table; bytes."""
    return layout(TableEntry).itemsize + 4 * roles

"""The records that a compiled tree search keeps: of nodes, their children and the table.

A *node* is a state whose moves are searched; the nodes from the root to the present one are
*frames* on a stack. A *row* is a child of such a node, one per joint move. Rows are numbered with
the searching role's move outermost: row ``a * answers + b`` is its move ``a`` and the joint
move ``b`` of all others, an *answer*. All values are the searching role's, in 0..1, unless more
roles are named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Float32s1, Int32s1

UPPER, EXACT, LOWER = -1, 0, 1
"""What a remembered value is: at least the true one, the true one, at most the true one."""

UNKNOWN, CLOSED = -1, 0
"""Width of a row: not counted yet; not to be searched further (terminal, stuck or too wide)."""

PER_PLY = 16
"""A *draft* is how far a value looked ahead: ``PER_PLY * plies + plies of quiescence left``."""

SETTLED, DEEPER, GENERATE = range(3)
"""What a row needs: nothing, its value is known; to be searched; its children first."""

SOLVED, CERTAIN = 1, 2
"""Marks of max^n: every line ends in a terminal state; no tie could change the value."""

DONE, PAUSED, OUT_OF_TIME, OUT_OF_NODES, MORE_ROWS, MORE_ENTRIES, MORE_PROOFS, FAILED = range(8)
"""Why the search returned: the iteration is complete; it is time to look for interrupts; a limit is
reached (two); memory has to be enlarged (three); a function of Python has raised an error."""

ONE_ROLE, TWO_ROLES, ZERO_SUM, FREE_SUM = range(4)
"""What a proved value of the searching role says of the other roles' values.

``ONE_ROLE``: there are none. ``TWO_ROLES``: the other has the rest of the sum. ``ZERO_SUM``, more
roles whose goals sum to 100: nothing, unless it is a win; then all others have lost. ``FREE_SUM``:
nothing at all.
"""

FRAME = np.dtype(
    [
        *(("key", np.uint64), ("first", np.int64), ("count", np.int64), ("source", np.int64)),
        *(("own", np.int64), ("answers", np.int64), ("group", np.int64), ("answer", np.int64)),
        *(("best_row", np.int64), ("worst_row", np.int64), ("depth", np.int64)),
        *(("draft", np.int64), ("quiet", np.int64), ("cut", np.int64), ("full", np.int64)),
        *(("alpha", np.float32), ("beta", np.float32), ("best", np.float32)),
        *(("worst", np.float32), ("low", np.float32), ("high", np.float32)),
        *(("slack", np.float32),),
    ],
    align=True,
)
"""A node on the stack.

``key``: in the table; ``first``, ``count``: its rows on the stack; ``source``: its own row there,
in the frame below; ``own``, ``answers``: number of moves of the searching role and of joint moves
of the others; ``group``, ``answer``: place in the order of what is searched now; ``best_row``,
``worst_row``: best row so far, and worst answer to the present move, counted from ``first``;
``depth``: plies to look ahead; ``draft``: what its value is to be remembered as; ``quiet``: plies
of quiescence left; ``cut``: whether its first row is expected to be enough; ``full``: whether the
present row needs the full window; ``alpha``, ``beta``: the window; ``best``, ``worst``: values of
those rows; ``low``, ``high``: proved bounds; ``slack``: how far below the best one a row may be
and is not cut off.
"""

ROW = np.dtype(
    [
        *(("key", np.uint64), ("width", np.int64)),
        *(("static", np.float32), ("estimate", np.float32), ("low", np.float32)),
        *(("high", np.float32), ("weight", np.float32), ("bonus", np.float32)),
        *(("score", np.float32),),
        *(("order", np.int32), ("group", np.int32), ("rank", np.int32), ("marks", np.int32)),
    ],
    align=True,
)
"""A child of a node on the stack.

``key``: in the table; ``width``: number of its joint moves, see :data:`UNKNOWN`; ``static``: value
before any search; ``estimate``: best guess for the ordering; ``low``, ``high``: proved bounds;
``order`` and ``group``: see :mod:`.order`, and there ``weight``,
``bonus`` and ``rank``; ``score``: at place ``a`` the value of move ``a`` of the searching role;
``marks``: of max^n."""

CHILD = np.dtype([("hash", np.uint64), ("static", np.float32), ("terminal", np.int32)], align=True)
"""A child that is kept for later visits: hash of the state, value before any search."""

# Bounds are kept in hundredths, a byte each, so that an entry has 32 bytes.
ENTRY = np.dtype(
    [
        *(("key", np.uint64), ("place", np.int64), ("value", np.float32)),
        *(("low", np.uint8), ("high", np.uint8), ("bound", np.int8), ("marks", np.uint8)),
        *(("best", np.int32), ("draft", np.int16), ("age", np.int16)),
    ],
    align=True,
)
"""What the table remembers of a state; 32 bytes.

``key``: 0 where it is free; ``place``: of its children, -1 for none; ``value`` with ``bound`` and
``draft``; ``low``, ``high``: proved bounds in hundredths; ``marks``: of max^n; ``best``: row;
``age``: number of the search that needed it last.
"""

ASKED = np.dtype(
    [("key", np.uint64), ("width", np.int64), ("place", np.int64), ("own", np.int64)], align=True
)
"""A node whose children are to be generated; ``own``: moves of the searching role."""


class Frame(Protocol):
    """A record of :data:`FRAME`."""

    key: np.uint64
    first: int
    count: int
    source: int
    own: int
    answers: int
    group: int
    answer: int
    best_row: int
    worst_row: int
    depth: int
    draft: int
    quiet: int
    cut: int | np.bool_
    full: int
    alpha: np.float32
    beta: np.float32
    best: np.float32
    worst: np.float32
    low: np.float32
    high: np.float32
    slack: np.float32


class Row(Protocol):
    """A record of :data:`ROW`."""

    key: np.uint64
    width: int
    static: np.float32
    estimate: np.float32
    low: np.float32
    high: np.float32
    weight: np.float32
    bonus: np.float32
    score: np.float32
    order: int
    group: int
    rank: int
    marks: int


class Child(Protocol):
    """A record of :data:`CHILD`."""

    hash: np.uint64
    static: np.float32
    terminal: int


class TableEntry(Protocol):
    """A record of :data:`ENTRY`."""

    key: np.uint64
    place: int
    value: np.float32
    low: int
    high: int
    bound: int
    marks: int
    best: int
    draft: int
    age: int


class Asked(Protocol):
    """A record of :data:`ASKED`."""

    key: np.uint64
    width: int
    place: int
    own: int


if TYPE_CHECKING:
    Kind = TypeVar("Kind", covariant=True)

    class Records(Protocol[Kind]):
        """An array of records, ``[N]``."""

        def __getitem__(self, place: int, /) -> Kind:
            """Return a record, which is a view."""

        def __setitem__(self, place: int, record: object, /) -> None:
            """Overwrite a record."""

        def __len__(self) -> int:
            """Return ``N``."""

    class Rows(Records[Row], Protocol):
        """The same of rows, and some columns of them."""

        low: Float32s1
        high: Float32s1
        score: Float32s1
        rank: Int32s1

    class Children(Records[Child], Protocol):
        """The same of children that are kept, and a column of them."""

        static: Float32s1

    Frames: TypeAlias = Records[Frame]
    Entries: TypeAlias = Records[TableEntry]
    AskedNodes: TypeAlias = Records[Asked]
else:
    Frames: TypeAlias = Annotated[npt.NDArray[np.void], 1, FRAME]
    Rows: TypeAlias = Annotated[npt.NDArray[np.void], 1, ROW]
    Children: TypeAlias = Annotated[npt.NDArray[np.void], 1, CHILD]
    Entries: TypeAlias = Annotated[npt.NDArray[np.void], 1, ENTRY]
    AskedNodes: TypeAlias = Annotated[npt.NDArray[np.void], 1, ASKED]

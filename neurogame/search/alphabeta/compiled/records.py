"""The records that a compiled tree search keeps: of nodes, their children and the table.

A *node* is a state whose moves are searched; the nodes from the root to the present one are
*frames* on a stack. A *row* is a child of such a node, one per joint move. Rows are numbered with
the searching role's move outermost: row ``a * answers + b`` is its move ``a`` and the joint
move ``b`` of all others, an *answer*. All values are the searching role's, in 0..1, unless more
roles are named.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Annotated,
    Protocol,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Float32s1

UPPER, EXACT, LOWER = -1, 0, 1
"""What a remembered value is: at least the true one, the true one, at most the true one."""

UNKNOWN, CLOSED = -1, 0
"""Width of a row: not counted yet; not to be searched further (terminal, stuck or too wide)."""

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

_Int32: TypeAlias = Annotated[int, np.int32]
_Int16: TypeAlias = Annotated[int, np.int16]
_Int8: TypeAlias = Annotated[int, np.int8]
_UInt8: TypeAlias = Annotated[int, np.uint8]


def layout(record: type) -> np.dtype[np.void]:
    """Return how a record lies in memory, from the types of its fields.

    A number of Python is one of 64 bits unless its annotation names another type.
    """
    fields = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        kind = get_args(hint)[-1] if get_origin(hint) is Annotated else hint
        fields.append((name, np.dtype(kind)))
    return np.dtype(fields, align=True)


class Frame(Protocol):
    """A node on the stack.

    Attributes:
        key: in the table.
        first: its first row on the stack.
        count: number of its rows.
        source: its own row, in the frame below.
        own: number of moves of the searching role.
        answers: number of joint moves of the others.
        group: place in the order of what is searched now.
        answer: the same of the answer.
        best_row: best row so far, counted from ``first``.
        worst_row: worst answer to the present move, counted likewise.
        depth: plies to look ahead.
        draft: plies that its value is remembered to have looked ahead.
        cut: whether its first row is expected to be enough.
        full: whether the present row needs the full window.
        less: plies by which the present row is searched less deep, to be refuted.
        alpha: lower end of the window.
        beta: upper end of the window.
        best: value of the best row.
        worst: value of the worst answer.
        low: proved lower bound.
        high: proved upper bound.
        slack: how far below the best one a row may be and is not cut off.
    """

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
    cut: Annotated[int | np.bool_, np.int64]
    full: int
    less: int
    alpha: np.float32
    beta: np.float32
    best: np.float32
    worst: np.float32
    low: np.float32
    high: np.float32
    slack: np.float32


class Row(Protocol):
    """A child of a node on the stack.

    Attributes:
        key: in the table.
        width: number of its joint moves, see :data:`UNKNOWN`.
        static: value before any search.
        estimate: best guess for the ordering.
        low: proved lower bound.
        high: proved upper bound.
        weight: see :mod:`.order`.
        bonus: likewise.
        score: at place ``a`` the value of move ``a`` of the searching role.
        order: see :mod:`.order`.
        group: likewise.
        rank: likewise.
        marks: of max^n.
    """

    key: np.uint64
    width: int
    static: np.float32
    estimate: np.float32
    low: np.float32
    high: np.float32
    weight: np.float32
    bonus: np.float32
    score: np.float32
    order: _Int32
    group: _Int32
    rank: _Int32
    marks: _Int32


class Child(Protocol):
    """A child that is kept for later visits.

    Attributes:
        hash: of the state.
        static: value before any search.
        terminal: whether the game is over.
    """

    hash: np.uint64
    static: np.float32
    terminal: _Int32


# Bounds are kept in hundredths, a byte each, so that an entry has 32 bytes.
class TableEntry(Protocol):
    """What the table remembers of a state; 32 bytes.

    Attributes:
        key: 0 where it is free.
        place: of its children, -1 for none.
        value: with ``bound`` and ``draft``.
        low: proved lower bound in hundredths.
        high: proved upper bound in hundredths.
        bound: what the value is: :data:`UPPER`, :data:`EXACT` or :data:`LOWER`.
        marks: of max^n.
        best: row.
        draft: how far the value looked ahead.
        age: number of the search that needed it last.
    """

    key: np.uint64
    place: int
    value: np.float32
    low: _UInt8
    high: _UInt8
    bound: _Int8
    marks: _UInt8
    best: _Int32
    draft: _Int16
    age: _Int16


class Asked(Protocol):
    """A node whose children are to be generated.

    Attributes:
        key: in the table.
        width: number of its joint moves.
        place: of its children.
        own: moves of the searching role.
    """

    key: np.uint64
    width: int
    place: int
    own: int


if TYPE_CHECKING:
    Kind = TypeVar("Kind", covariant=True)

    class Records(Protocol[Kind]):
        """Records of one class side by side, ``[N]``."""

        def __getitem__(self, place: int, /) -> Kind:
            """Return a record, which is a view."""

        def __setitem__(self, place: int, record: object, /) -> None:
            """Overwrite a record."""

        def __len__(self) -> int:
            """Return ``N``."""

else:

    class Records:
        """For compiled code, an array of the layout that the record's class declares."""

        def __class_getitem__(cls, record: type) -> object:
            """Return the annotation of an array of such records."""
            return Annotated[npt.NDArray[np.void], 1, layout(record)]


def column(records: Records[Row] | Records[Child], field: str) -> Float32s1:
    """Return, for Python, a field of 32 real bits of all records; float32 ``[N]``."""
    return np.asarray(records)[field]

"""Columns: arrays of equal length that follow each other in an array of 32-bit words.

A table of them is declared like a struct::

    class Edges(Columns):
        visits: Int32s1        # [A]
        sums: Float32s1        # [A]
        extra: Float32s2       # [rows, A]

``edges_at = columns(Edges)`` reads one in compiled code, ``edges_at(words, place, A)``, where it is
no more than an address and a length; Python reads it by ``Edges.over(words, place, A)``. An array
with two dimensions may come last: it has all rows that follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from llvmlite import ir

from neurogame.array_types import Int32s1, array_hint
from neurogame.native.compiled import written
from neurogame.native.struct_type import make_array
from neurogame.native.vectors import first_item
from neurogame.untyped import AttributeTemplate, cgutils, extending, numba, types

_WORD = ir.IntType(64)


class Columns:
    """Base of all tables of columns."""

    @classmethod
    def over(cls: type[Table], words: Int32s1, place: int, length: int, rows: int = 0) -> Table:
        """Return, for Python, the columns that begin at a place.

        Args:
            words: where they are.
            place: of the first number.
            length: of each array.
            rows: of the last array, if it has two dimensions.
        """
        table = cls()
        for row, (name, kind, ndim) in enumerate(_fields(cls)):
            begin = place + row * length
            column = words[begin : begin + length * (rows if ndim == 2 else 1)].view(kind)
            setattr(table, name, column.reshape(rows, length) if ndim == 2 else column)
        return table


Table = TypeVar("Table", bound=Columns)


_FIELDS: dict[type, list[tuple[str, Any, int]]] = {}


def _fields(table: type[Columns]) -> list[tuple[str, Any, int]]:
    """Return names, kinds and dimensions of the columns; once for each table: hints are slow."""
    fields = _FIELDS.get(table, [])
    if fields:
        return fields
    for name, hint in get_type_hints(table, include_extras=True).items():
        array = array_hint(hint)
        assert array is not None, f"{name} of {table.__qualname__} is no array"
        fields.append((name, array.dtype, array.ndim))
    _FIELDS[table] = fields
    return fields


class ColumnsType(types.Type):  # type: ignore[misc]
    """The compiler's type of a table of columns.

    Attributes:
        kinds: of each column: its place, and its type as an array.
    """

    def __init__(self, table: type[Columns]) -> None:
        self.kinds = {
            name: (place, types.Array(numba.from_dtype(kind), ndim, "C"))
            for place, (name, kind, ndim) in enumerate(_fields(table))
        }
        super().__init__(f"Columns[{table.__module__}.{table.__qualname__}]")


@extending.register_model(ColumnsType)
class _Model(extending.models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        members = [("data", types.CPointer(types.int32)), ("length", types.int64)]
        super().__init__(manager, kind, members)


@extending.infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = ColumnsType

    def generic_resolve(self, kind: ColumnsType, name: str) -> Any:
        return kind.kinds[name][1] if name in kind.kinds else None


@extending.lower_getattr_generic(ColumnsType)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, kind: ColumnsType, value: Any, name: str) -> Any:
    place, array = kind.kinds[name]
    table = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    begin = column(builder, table.data, table.length, place)
    shape = [table.length] if array.ndim == 1 else [ir.Constant(_WORD, 0), table.length]
    return make_array(context, builder, array, builder.ptrtoint(begin, _WORD), shape)


def column(builder: Any, data: Any, length: Any, place: Any) -> Any:
    """Generate the address of a column, for functions that Python code writes.

    Args:
        builder: LLVM's.
        data: pointer to the first column.
        length: of each, a word.
        place: number of the column, or a word.
    """
    number = ir.Constant(_WORD, place) if isinstance(place, int) else place
    return builder.gep(data, [builder.mul(length, number)])


def columns(table: type[Table]) -> Callable[[Int32s1, int, int], Table]:
    """Return what reads, in compiled code, the columns that begin at a place of an array.

    Args:
        table: their class.
    """
    kind = ColumnsType(table)

    def place_in(typing: Any, array: Any, place: Any, length: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            data = first_item(context, builder, signature.args[0], values[0])
            proxy = cgutils.create_struct_proxy(kind)(context, builder)
            proxy.data, proxy.length = builder.gep(data, [values[1]]), values[2]
            return proxy._getvalue()

        return kind(array, place, types.int64), generate

    made: Callable[[Int32s1, int, int], Table] = written(place_in)
    return made

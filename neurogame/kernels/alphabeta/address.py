"""The memory of a search by its address, for compiled code.

A search consists of some thirty arrays. To hand them from function to function takes longer than
what most functions do, and much longer to compile; so they are handed the address of where the
arrays are described, and take from there what they need.
"""

from __future__ import annotations

from typing import Any

import numba as _numba
import numpy as np
from llvmlite import ir
from numba import types

from neurogame.kernels.alphabeta.memory import (
    Search,
    Sizes,
    make_batch,
    make_choices,
    make_kept,
    make_proofs,
    make_run,
    make_stack,
    make_table,
)
from neurogame.kernels.native.compiled import written

# It is not annotated.
numba: Any = _numba


def example_search() -> Search:
    """Return a search that shows numba the type of all."""
    sizes = Sizes(1, 1, 1, 1)
    return Search(
        run=make_run(),
        stack=make_stack(sizes, 1),
        kept=make_kept(sizes, 1),
        table=make_table(4, 1),
        proofs=make_proofs(sizes, 4),
        batch=make_batch(sizes, 1),
        choices=make_choices(np.array([0, 1]), 0),
    )


_KIND = numba.typeof(example_search())


def _loader(field: str) -> Any:
    """Return a function for compiled code: from the address of a kept search to a part of it."""
    index = Search._fields.index(field)
    part = _KIND[index]

    def at(_context: Any, _address: Any) -> Any:
        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            form = context.get_value_type(_KIND)
            whole = builder.inttoptr(values[0], form.as_pointer())
            return _load(context, builder, part, _member(builder, whole, index))

        return part(types.int64), generate

    return written(at)


def _member(builder: Any, place: Any, index: int) -> Any:
    number = ir.IntType(32)
    return builder.gep(place, [number(0), number(index)], inbounds=True)


def _load(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    """Load a tuple of tuples and arrays; the arrays are not counted, their owner outlives us."""
    if not isinstance(kind, types.BaseTuple):
        array = context.make_array(kind)(context, builder, builder.load(place))
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    found = ir.Constant(context.get_value_type(kind), ir.Undefined)
    parts: Any = kind
    for index, own in enumerate(parts):
        part = _load(context, builder, own, _member(builder, place, index))
        found = builder.insert_value(found, part, index)
    return found


run_at, stack_at, kept_at, table_at, proofs_at, batch_at, choices_at = map(_loader, Search._fields)

"""The scores of eight edges at once, in the processor's vectors.

Every simulation chooses at every level of its path, so this is written as LLVM's vector
instructions. :func:`.select.mixed_score` is the same formula for one edge in plain Python, with the
options that are left out here; the twin of the tests compares both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from neurogame.native.columns import column
from neurogame.native.compiled import written
from neurogame.native.vectors import splat
from neurogame.search.mcts.compiled.search import SEED
from neurogame.search.mcts.compiled.tree import COLUMNS, COUNT, KNOWN, PENDING, Edges
from neurogame.untyped import cgutils, numba

_WIDTH = 8
_INT, _REAL, _WIDE = ir.IntType(32), ir.FloatType(), ir.IntType(64)
_INTS, _REALS = ir.VectorType(_INT, _WIDTH), ir.VectorType(_REAL, _WIDTH)
_WIDES = ir.VectorType(_WIDE, _WIDTH)
_ZERO = ir.Constant(_REAL, 0.0)
_ALIGNED = 32
"""Bytes: edges begin at multiples of 8 words of a heap that begins at a cache line."""


class _Eight:
    """Writes instructions on eight numbers, those of the edges from one on."""

    def __init__(self, context: Any, builder: Any, kind: Any, edges: Any, first: Any) -> None:
        self.builder = builder
        table = cgutils.create_struct_proxy(kind)(context, builder, value=edges)
        self._data, self._length, self.first = table.data, table.length, first

    def column(self, place: Any, kind: Any) -> Any:
        """Return eight numbers of a column."""
        begin = column(self.builder, self._data, self._length, place)
        # Columns are padded to multiples of eight: beyond the last edge lie words that mean
        # nothing, never those of another column. `_keys` leaves them out.
        pointer = self.builder.gep(begin, [self.first])
        wide = self.builder.bitcast(pointer, kind.as_pointer())
        return self.builder.load(wide, align=_ALIGNED)

    def splat(self, value: Any) -> Any:
        """Return eight times the same number."""
        return splat(self.builder, value, _WIDTH)

    def real_of_positive(self, numbers: Any) -> Any:
        """Return whole numbers as reals, 1 for those below."""
        one = ir.Constant(_INTS, [1] * _WIDTH)
        more = self.builder.icmp_signed(">", numbers, one)
        return self.builder.sitofp(self.builder.select(more, numbers, one), _REALS)

    def call(self, name: str, result: Any, argument: Any) -> Any:
        """Call one of LLVM's functions."""
        module = self.builder.module
        kind = ir.FunctionType(result, [argument.type])
        function = module.globals.get(name) or ir.Function(module, kind, name)
        return self.builder.call(function, [argument])


def _keys(eight: _Eight, scores: Any, words: Any, tried: Any) -> Any:
    """Return the greatest of the numbers that tell of scores and edges."""
    # One whole number tells score and edge. Scores are not negative, and the bits of such floats
    # are in the order of the floats: they are the upper half. The lower half falls with the edge:
    # of equal scores the first edge has the greatest number. So one reduction finds both.
    builder = eight.builder
    known = builder.and_(words, ir.Constant(_INTS, [KNOWN] * _WIDTH))
    open_ = builder.icmp_signed("==", known, ir.Constant(_INTS, [0] * _WIDTH))
    edges = ir.Constant(_WIDES, list(range(_WIDTH)))
    edges = builder.add(edges, eight.splat(eight.first))
    upper = builder.shl(
        builder.sext(builder.bitcast(scores, _INTS), _WIDES), ir.Constant(_WIDES, [32] * _WIDTH)
    )
    keys = builder.or_(upper, builder.sub(ir.Constant(_WIDES, [COUNT] * _WIDTH), edges))
    allowed = builder.icmp_signed("<", edges, eight.splat(tried))
    allowed = builder.and_(allowed, open_)
    # Less than every key: there is no edge to choose.
    keys = builder.select(allowed, keys, ir.Constant(_WIDES, [-1] * _WIDTH))
    return eight.call("llvm.vector.reduce.smax.v8i64", _WIDE, keys)


def _root(eight: _Eight, visits: Any, words: Any) -> Any:
    """Return what the spread is divided by in confidence bounds: of simulations begun."""
    builder = eight.builder
    waiting = builder.and_(words, ir.Constant(_INTS, [PENDING] * _WIDTH))
    begun = builder.add(visits, waiting)
    return eight.call("llvm.sqrt.v8f32", _REALS, eight.real_of_positive(begun))


def _best_of_eight(
    _context: Any, edges: Any, first: Any, tried: Any, spread: Any, mean: Any
) -> Any:
    """Type and generate :func:`best_of_eight`."""
    wide, real = numba.types.int64, numba.types.float32

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        eight = _Eight(context, builder, signature.args[0], *values[:2])
        tried, spread, mean = values[2:]
        visits, words = eight.column(0, _INTS), eight.column(2, _INTS)
        # Where nothing has come back the division is by 1, and its result is not selected.
        value = builder.fdiv(eight.column(1, _REALS), eight.real_of_positive(visits))
        some = builder.icmp_signed(">", visits, ir.Constant(_INTS, [0] * _WIDTH))
        value = builder.select(some, value, eight.splat(mean))
        bound = builder.fdiv(eight.splat(spread), _root(eight, visits, words))
        score = builder.fadd(value, bound)
        return _keys(eight, score, words, tried)

    return wide(edges, wide, wide, real, real), generate


def _best_of_eight_judged(
    _context: Any,
    edges: Any,
    first: Any,
    tried: Any,
    spread: Any,
    mean: Any,
    priors: Any,
    trust: Any,
    virtual: Any,
    mixing: Any,
) -> Any:
    """Type and generate :func:`best_of_eight_judged`."""
    wide, real = numba.types.int64, numba.types.float32

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        eight = _Eight(context, builder, signature.args[0], *values[:2])
        tried, spread, mean, priors, trust, virtual, mixing = values[2:]
        seeded = builder.icmp_signed("==", mixing, ir.Constant(_WIDE, SEED))
        visits, words = eight.column(0, _INTS), eight.column(2, _INTS)
        prior = eight.column(builder.add(priors, ir.Constant(_WIDE, COLUMNS)), _REALS)
        weight = eight.splat(builder.select(seeded, virtual, _ZERO))
        total = builder.fadd(eight.column(1, _REALS), builder.fmul(weight, prior))
        count = builder.fadd(eight.real_of_positive(visits), weight)
        value = builder.fdiv(total, count)
        other = builder.select(eight.splat(seeded), prior, eight.splat(mean))
        some = builder.icmp_signed(">", visits, ir.Constant(_INTS, [0] * _WIDTH))
        value = builder.select(some, value, other)
        more = builder.fmul(eight.splat(trust), builder.fsub(prior, value))
        value = builder.fadd(value, more)
        width = builder.fdiv(eight.splat(spread), _root(eight, visits, words))
        score = builder.fadd(value, width)
        return _keys(eight, score, words, tried)

    return wide(edges, wide, wide, real, real, wide, real, real, wide), generate


if TYPE_CHECKING:

    def best_of_eight(
        edges: Edges, first: int, tried: int, spread: np.float32, mean: np.float32
    ) -> int:
        """Return the best of eight edges as a number.

        See :func:`.select.best_tried`, whose arguments these are, but for
        ``first``, the first of the eight.
        """

    def best_of_eight_judged(
        edges: Edges,
        first: int,
        tried: int,
        spread: np.float32,
        mean: np.float32,
        priors: int,
        trust: np.float32,
        virtual: np.float32,
        mixing: int,
    ) -> int:
        """Return the same with priors.

        See :func:`.select.best_judged`; ``priors`` is their row, ``trust``
        how far they are trusted beside means, ``virtual`` the visits that they count for where
        they are seeds, and ``mixing`` what they are, as in the options.
        """

else:
    best_of_eight = written(_best_of_eight)
    best_of_eight_judged = written(_best_of_eight_judged)

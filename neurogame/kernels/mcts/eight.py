"""The scores of eight slots at once, in the processor's vectors."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

from neurogame.kernels.mcts.layout import COUNT, KNOWN, PENDING
from neurogame.kernels.native.compiled import written

_WIDTH = 8
_INT, _REAL, _WIDE = ir.IntType(32), ir.FloatType(), ir.IntType(64)
_INTS, _REALS = ir.VectorType(_INT, _WIDTH), ir.VectorType(_REAL, _WIDTH)
_WIDES = ir.VectorType(_WIDE, _WIDTH)
_FLAGS, _ZERO = ir.VectorType(ir.IntType(1), _WIDTH), ir.Constant(_REAL, 0.0)
_ALIGNED = 32
"""Bytes: slots begin at multiples of 8 words of a heap that begins at a cache line."""


class _Eight:
    """Writes instructions on eight numbers."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def splat(self, value: Any, kind: Any) -> Any:
        """Return eight times the same number."""
        none, first = ir.Constant(kind, ir.Undefined), ir.Constant(_INT, 0)
        one = self.builder.insert_element(none, value, first)
        order = ir.Constant(_INTS, [0] * _WIDTH)
        return self.builder.shuffle_vector(one, none, order)

    def load(self, address: Any, kind: Any) -> Any:
        """Return eight numbers from memory."""
        place = self.builder.inttoptr(address, kind.as_pointer())
        return self.builder.load(place, align=_ALIGNED)

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


def _keys(eight: _Eight, scores: Any, words: Any, first: Any, tried: Any) -> Any:
    """Return the greatest of the numbers that tell of scores and slots."""
    builder = eight.builder
    known = builder.and_(words, ir.Constant(_INTS, [KNOWN] * _WIDTH))
    open_ = builder.icmp_signed("==", known, ir.Constant(_INTS, [0] * _WIDTH))
    slots = ir.Constant(_WIDES, list(range(_WIDTH)))
    slots = builder.add(slots, eight.splat(first, _WIDES))
    upper = builder.shl(
        builder.sext(builder.bitcast(scores, _INTS), _WIDES), ir.Constant(_WIDES, [32] * _WIDTH)
    )
    keys = builder.or_(upper, builder.sub(ir.Constant(_WIDES, [COUNT] * _WIDTH), slots))
    allowed = builder.icmp_signed("<", slots, eight.splat(tried, _WIDES))
    allowed = builder.and_(allowed, open_)
    keys = builder.select(allowed, keys, ir.Constant(_WIDES, [-1] * _WIDTH))
    return eight.call("llvm.vector.reduce.smax.v8i64", _WIDE, keys)


def _counts(eight: _Eight, visits: Any, words: Any, loss: Any) -> Any:
    """Return simulations that have begun, and those that count in the mean."""
    builder = eight.builder
    waiting = builder.and_(words, ir.Constant(_INTS, [PENDING] * _WIDTH))
    begun = builder.add(visits, waiting)
    lost = eight.splat(builder.trunc(builder.neg(loss), _INT), _INTS)
    return begun, builder.add(visits, builder.and_(waiting, lost))


def _bound(eight: _Eight, begun: Any, spread: Any) -> Any:
    """Return the upper parts of confidence bounds."""
    root = eight.call("llvm.sqrt.v8f32", _REALS, eight.real_of_positive(begun))
    return eight.builder.fdiv(eight.splat(spread, _REALS), root)


def _best_of_eight(
    _context: Any,
    visits: Any,
    sums: Any,
    moves: Any,
    first: Any,
    tried: Any,
    spread: Any,
    mean: Any,
    loss: Any,
) -> Any:
    """Type and generate :data:`best_of_eight`."""
    wide, real = numba.types.int64, numba.types.float32

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        eight = _Eight(builder)
        first, tried, spread, mean, loss = values[3:]
        words = eight.load(values[2], _INTS)
        begun, counted = _counts(eight, eight.load(values[0], _INTS), words, loss)
        value = builder.fdiv(eight.load(values[1], _REALS), eight.real_of_positive(counted))
        some = builder.icmp_signed(">", counted, ir.Constant(_INTS, [0] * _WIDTH))
        value = builder.select(some, value, eight.splat(mean, _REALS))
        score = builder.fadd(value, _bound(eight, begun, spread))
        return _keys(eight, score, words, first, tried)

    return wide(wide, wide, wide, wide, wide, real, real, wide), generate


def _best_of_eight_judged(
    _context: Any,
    visits: Any,
    sums: Any,
    moves: Any,
    priors: Any,
    first: Any,
    tried: Any,
    spread: Any,
    mean: Any,
    loss: Any,
    trust: Any,
    virtual: Any,
    seeded: Any,
) -> Any:
    """Type and generate :data:`best_of_eight_judged`."""
    wide, real = numba.types.int64, numba.types.float32

    def generate(_: Any, builder: Any, __: Any, values: Any) -> Any:
        eight = _Eight(builder)
        first, tried, spread, mean, loss, trust, virtual, seeded = values[4:]
        words, prior = eight.load(values[2], _INTS), eight.load(values[3], _REALS)
        begun, counted = _counts(eight, eight.load(values[0], _INTS), words, loss)
        weight = eight.splat(builder.select(_is(builder, seeded), virtual, _ZERO), _REALS)
        total = builder.fadd(eight.load(values[1], _REALS), builder.fmul(weight, prior))
        count = builder.fadd(eight.real_of_positive(counted), weight)
        value = builder.fdiv(total, count)
        other = builder.select(
            eight.splat(_is(builder, seeded), _FLAGS), prior, eight.splat(mean, _REALS)
        )
        some = builder.icmp_signed(">", counted, ir.Constant(_INTS, [0] * _WIDTH))
        value = builder.select(some, value, other)
        more = builder.fmul(eight.splat(trust, _REALS), builder.fsub(prior, value))
        value = builder.fadd(value, more)
        score = builder.fadd(value, _bound(eight, begun, spread))
        return _keys(eight, score, words, first, tried)

    kinds = (wide, wide, wide, wide, wide, wide, real, real, wide, real, real, wide)
    return wide(*kinds), generate


def _is(builder: Any, number: Any) -> Any:
    """Return whether a whole number is not 0."""
    return builder.icmp_signed("!=", number, ir.Constant(_WIDE, 0))


best_of_eight: Any = written(_best_of_eight)
"""In compiled code: the best of eight slots as a number, see
:func:`~neurogame.kernels.mcts.select.best_tried`; its arguments are the addresses of eight visits,
sums and words of moves, the number of the first slot, and the last four of that function's."""
best_of_eight_judged: Any = written(_best_of_eight_judged)
"""The same with the address of eight priors behind the others, see
:func:`~neurogame.kernels.mcts.select.best_judged`; the last three arguments are how far priors are
trusted beside means, the visits that they count for where they are seeds, and whether they are."""

"""What kernels do to a block of words: random words, counting ones, truth tables.

All values are int64 tensors of one block. Constants are written as signed numbers; shifts are
arithmetic, so masks remove the copies of the sign bit.
"""

# mypy: disable-error-code="untyped-decorator,no-any-return"
from __future__ import annotations

import triton
import triton.language as tl

from neurogame.kernels.random_words import G2, MIX_1, MIX_2, signed

_FACTOR_1 = tl.constexpr(signed(MIX_1))
_FACTOR_2 = tl.constexpr(signed(MIX_2))
_STRIDE = tl.constexpr(signed(G2))


@triton.jit
def random_source(base: tl.tensor, counter: tl.tensor) -> tl.tensor:
    """Return the source of the random words of one attempt; see ``RandomWords.draw``.

    Args:
        base: scrambled seed of each word.
        counter: step, role and attempt at their places, int64.
    """
    word = base + (counter + 1) * _STRIDE
    word ^= (word >> 30) & 0x3FFFFFFFF
    word *= _FACTOR_1
    word ^= (word >> 27) & 0x1FFFFFFFFF
    word *= _FACTOR_2
    return word ^ ((word >> 31) & 0x1FFFFFFFF)


@triton.jit
def random_plane(source: tl.tensor, factor: tl.tensor) -> tl.tensor:
    """Return the random word of a plane, given the plane's factor."""
    word = source * factor
    return word ^ ((word >> 29) & 0x7FFFFFFFF) ^ (word << 18)


@triton.jit
def any_set(words: tl.tensor) -> tl.tensor:
    """Return whether any bit of the block is set."""
    return tl.max((words != 0).to(tl.int32), axis=0) != 0


@triton.jit
def count_ones(words: tl.tensor) -> tl.tensor:
    """Return the number of ones of each word, 0..64 (a pattern that LLVM knows)."""
    pairs = words - ((words >> 1) & 0x5555555555555555)
    nibbles = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
    octets = (nibbles + (nibbles >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((octets * 0x0101010101010101) >> 56) & 0xFF


@triton.jit
def lookup(form: tl.tensor, a: tl.tensor, b: tl.tensor, c: tl.tensor) -> tl.tensor:
    """Return a function of three inputs, given by its algebraic normal form.

    Args:
        form: bit ``4 i + 2 j + k`` is the coefficient of ``a^i b^j c^k``; an int64 number.
        a: first input.
        b: second input.
        c: third input.
    """
    without = (0 - (form & 1)) ^ (c & (0 - (form >> 1 & 1)))
    without ^= b & ((0 - (form >> 2 & 1)) ^ (c & (0 - (form >> 3 & 1))))
    factor = (0 - (form >> 4 & 1)) ^ (c & (0 - (form >> 5 & 1)))
    factor ^= b & ((0 - (form >> 6 & 1)) ^ (c & (0 - (form >> 7 & 1))))
    return without ^ (a & factor)

"""Uniform random numbers in bit-slices, as instructions.

The same numbers, bit by bit, as :func:`neurogame.kernels.twin.choose.uniform_below` draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import final

from neurogame.kernels.codegen.text import Text
from neurogame.kernels.twin.random_words import (
    ATTEMPT_FIELD,
    G2,
    MIX_1,
    MIX_2,
    ROLE_FIELD,
    plane_factor,
    signed,
)

_BELOW = 0x8E
"""Truth table of "the lower bits of a are below those of b": c where a = b, else b."""
_OR_AND = 0xF8
"""Truth table of ``a | (b & c)``."""
_XOR = 0x96
"""Truth table of ``a ^ b ^ c``."""
_AND_NOT = 0x30
"""Truth table of ``a & ~b``."""
_SHORTER = 3
"""Fewer planes that a draw may do with, where no lane has more legal moves."""


@final
@dataclass(frozen=True)
class Draw:
    """What one vector of lanes draws.

    Attributes:
        first: scrambled seeds of the lane words plus the key of the first attempt.
        total: bit-sliced total, least significant first.
        mask: what an attempt's bits are masked with, least significant first.
        missing: lanes to draw for; their total is not 0.
    """

    first: str
    total: Sequence[str]
    mask: Sequence[str]
    missing: str

    def short(self, bits: int) -> Draw:
        """Return the draw with fewer bits."""
        return Draw(self.first, self.total[: bits + 1], self.mask[:bits], self.missing)


def first_attempt(text: Text, base: str, step: str, stream: int) -> str:
    """Write the source of the first attempt, before it is scrambled.

    Args:
        text: the body of the function.
        base: scrambled seeds of the lane words; a vector.
        step: number of the step; an i64.
        stream: key of the random words.
    """
    key = text.integer("shl", step, ROLE_FIELD + ATTEMPT_FIELD)
    key = text.integer("add", key, (stream << ATTEMPT_FIELD) + 1)
    return text.both("add", base, text.splat(text.integer("mul", key, signed(G2))))


def write_rank(text: Text, draws: Sequence[Draw]) -> list[list[str]]:
    """Write the draw of numbers below a total; each lane takes its first attempt that is.

    Args:
        text: the body of the function.
        draws: one per vector; all have the same number of planes.

    Returns:
        Per vector the numbers, least significant bit first; 0 in lanes that do not draw.
    """
    planes = len(draws[0].mask)
    results: list[tuple[str, list[list[str]]]] = []
    done = text.new_label("ranked")
    # Lanes rarely have as many legal moves as there are slots: fewer planes are tried first.
    for bits in range(max(planes - _SHORTER, min(planes, 3)), planes):
        upper = draws[0].mask[bits]
        for plane in [p for draw in draws for p in draw.mask[bits:]][1:]:
            upper = text.both("or", upper, plane)
        short, longer = text.new_label("short"), text.new_label("longer")
        text.do(f"br i1 {text.any(upper)}, label %{longer}, label %{short}")
        text.begin(short)
        found = _attempts(text, [draw.short(bits) for draw in draws])
        results.append((text.label, [f + ["zeroinitializer"] * (planes - bits) for f in found]))
        text.do(f"br label %{done}")
        text.begin(longer)
    found = _attempts(text, draws)
    results.append((text.label, found))
    text.do(f"br label %{done}")
    text.begin(done)
    return [
        [
            text.let(
                f"phi {text.vector} "
                + ", ".join(f"[ {values[vector][bit]}, %{label} ]" for label, values in results)
            )
            for bit in range(planes)
        ]
        for vector in range(len(draws))
    ]


def _attempts(text: Text, draws: Sequence[Draw]) -> list[list[str]]:
    """Write the loop over attempts, the same for all vectors."""
    before, head, after = text.label, text.new_label("draw"), text.new_label("drawn")
    names = [[text.new("rank") for _ in range(2 + len(draw.mask))] for draw in draws]
    text.do(f"br label %{head}")
    text.begin(head)
    phis = len(text.lines)
    text.lines += [""] * sum(map(len, names))
    ends = [_attempt(text, draw, own) for draw, own in zip(draws, names, strict=True)]
    still = ends[0][1]
    for end in ends[1:]:
        still = text.both("or", still, end[1])
    text.do(f"br i1 {text.any(still)}, label %{head}, label %{after}")
    starts = [[draw.first, draw.missing, *["zeroinitializer"] * len(draw.mask)] for draw in draws]
    for index, (name, start, value) in enumerate(
        zip(chain(*names), chain(*starts), chain(*ends), strict=True)
    ):
        text.lines[phis + index] = (
            f"  {name} = phi {text.vector} [ {start}, %{before} ], [ {value}, %{text.label} ]"
        )
    text.begin(after)
    return [end[2:] for end in ends]


def _attempt(text: Text, draw: Draw, names: Sequence[str]) -> list[str]:
    """Write one attempt of one vector; return what its key, its lanes and its ranks become."""
    key, open_, *rank = names
    source = _mix(text, key)
    below = "zeroinitializer"
    taken = []
    for bit, plane in enumerate(draw.mask):
        drawn = text.both("and", _plane(text, source, bit), plane)
        taken.append(drawn)
        below = text.gate(_BELOW, drawn, draw.total[bit], below)
    for plane in draw.total[len(draw.mask) :]:
        below = text.both("or", below, plane)
    take = text.both("and", below, open_)
    drawn_rank = [text.gate(_OR_AND, r, d, take) for r, d in zip(rank, taken, strict=True)]
    still = text.gate(_AND_NOT, open_, below, "")
    return [text.both("add", key, f"splat (i64 {signed(G2)})"), still, *drawn_rank]


def _plane(text: Text, source: str, plane: int) -> str:
    """Write word ``plane`` of an attempt; see :mod:`neurogame.kernels.twin.random_words`."""
    word = source
    if plane:
        word = text.both("mul", source, f"splat (i64 {signed(plane_factor(plane))})")
    upper = text.both("lshr", word, "splat (i64 29)")
    lower = text.both("shl", word, "splat (i64 18)")
    return text.gate(_XOR, word, upper, lower)


def _mix(text: Text, words: str) -> str:
    """Write the scrambling of :func:`neurogame.kernels.twin.random_words.mix`."""
    for shift, factor in ((30, MIX_1), (27, MIX_2), (31, None)):
        moved = text.both("lshr", words, f"splat (i64 {shift})")
        words = text.both("xor", words, moved)
        if factor is not None:
            words = text.both("mul", words, f"splat (i64 {signed(factor)})")
    return words

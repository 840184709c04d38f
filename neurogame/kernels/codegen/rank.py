"""Uniform random numbers in bit-slices, as instructions.

The same numbers, bit by bit, as :func:`neurogame.kernels.twin.choose.uniform_below` draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import final

from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import AND_NOT, BORROW, OR_AND, XOR
from neurogame.kernels.words.random_words import (
    ATTEMPT_FIELD,
    ROLE_FIELD,
    plane_factor,
    signed,
    stream_offset,
)
from neurogame.splitmix import G2, MIX_1, MIX_2

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
        upper: see :class:`~neurogame.kernels.codegen.frame.PlayoutFrame`.
    """

    first: str
    total: Sequence[str]
    mask: Sequence[str]
    missing: str
    upper: str = ""

    def short(self, bits: int) -> Draw:
        """Return the draw with fewer bits."""
        return replace(self, total=self.total[: bits + 1], mask=self.mask[:bits])


def first_attempt(text: Text, base: str, step: str, stream: int) -> str:
    """Write the source of the first attempt, before it is scrambled.

    Args:
        text: the body of the function.
        base: scrambled seeds of the lane words; a vector.
        step: number of the step; an i64.
        stream: key of the random words.
    """
    key = text.integer("shl", step, ROLE_FIELD + ATTEMPT_FIELD)
    key = text.integer("add", key, signed(stream_offset(stream) + 1))
    key = text.integer("mul", key, signed(G2))
    first = text.let(f"insertelement {text.wide} poison, i64 {key}, i64 0")
    kind = f"<{text.words} x i32>"
    keys = text.let(
        f"shufflevector {text.wide} {first}, {text.wide} poison, {kind} zeroinitializer"
    )
    return _wide(text, "add", base, keys)


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
    # Lanes rarely have as many legal moves as there are slots: fewer planes are tried first. But
    # the threads of a GPU that run together go through all the ways that some of them take.
    fewest = planes if draws[0].upper else max(planes - _SHORTER, min(planes, 3))
    for bits in range(fewest, planes):
        upper = draws[0].mask[bits]
        for plane in [p for draw in draws for p in draw.mask[bits:]][1:]:
            upper = text.both("or", upper, plane)
        short, longer = text.new_label("short"), text.new_label("longer")
        text.do(f"br i1 {text.any(upper)}, label %{longer}, label %{short}")
        text.begin(short)
        numbers = _attempts(text, [draw.short(bits) for draw in draws])
        results.append((text.label, [f + ["zeroinitializer"] * (planes - bits) for f in numbers]))
        text.do(f"br label %{done}")
        text.begin(longer)
    numbers = _attempts(text, draws)
    results.append((text.label, numbers))
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
    head, after = text.new_label("draw"), text.new_label("drawn")
    names = [[text.new("rank") for _ in range(2 + len(draw.mask))] for draw in draws]
    starts = [[draw.first, draw.missing, *["zeroinitializer"] * len(draw.mask)] for draw in draws]
    again = text.loop(
        head,
        *(
            (name, text.vector if place else text.wide, start)
            for draw_names, draw_starts in zip(names, starts, strict=True)
            for place, (name, start) in enumerate(zip(draw_names, draw_starts, strict=True))
        ),
    )
    ends = [_attempt(text, draw, variables) for draw, variables in zip(draws, names, strict=True)]
    still = ends[0][1]
    for end in ends[1:]:
        still = text.both("or", still, end[1])
    text.do(f"br i1 {text.any(still)}, label %{head}, label %{after}")
    again(*chain(*ends))
    text.begin(after)
    return [end[2:] for end in ends]


def _attempt(text: Text, draw: Draw, names: Sequence[str]) -> list[str]:
    """Write one attempt of one vector; return what its key, its lanes and its ranks become."""
    key, open_, *rank = names
    source = _mix(text, key)
    below = "zeroinitializer"
    taken = []
    for bit, plane in enumerate(draw.mask):
        drawn = text.both("and", _plane(text, source, bit, draw.upper), plane)
        taken.append(drawn)
        below = text.gate(BORROW, drawn, draw.total[bit], below)
    for plane in draw.total[len(draw.mask) :]:
        below = text.both("or", below, plane)
    take = text.both("and", below, open_)
    drawn_rank = [text.gate(OR_AND, r, d, take) for r, d in zip(rank, taken, strict=True)]
    still = text.gate(AND_NOT, open_, below, "")
    return [_wide(text, "add", key, signed(G2)), still, *drawn_rank]


def _plane(text: Text, source: str, plane: int, upper: str) -> str:
    """Write word ``plane`` of an attempt; see :mod:`neurogame.kernels.words.random_words`.

    Of halves of words, the half that is played.
    """
    word = _wide(text, "mul", source, signed(plane_factor(plane))) if plane else source
    above, below = _wide(text, "lshr", word, 29), _wide(text, "shl", word, 18)
    if not upper:
        return text.gate(XOR, word, above, below)
    word = _wide(text, "xor", word, _wide(text, "xor", above, below))
    halves = text.let(f"bitcast {text.wide} {word} to <2 x i32>")
    low, high = (text.let(f"extractelement <2 x i32> {halves}, i32 {half}") for half in range(2))
    played = text.let(f"select i1 {upper}, i32 {high}, i32 {low}")
    return text.let(f"bitcast i32 {played} to {text.vector}")


def _mix(text: Text, words: str) -> str:
    """Write the scrambling of :func:`neurogame.kernels.words.random_words.mix`."""
    for shift, factor in ((30, MIX_1), (27, MIX_2), (31, None)):
        words = _wide(text, "xor", words, _wide(text, "lshr", words, shift))
        if factor is not None:
            words = _wide(text, "mul", words, signed(factor))
    return words


def _wide(text: Text, operation: str, left: str, right: str | int) -> str:
    """Write an operation on vectors of 64-bit words, or on one and a number."""
    if isinstance(right, int):
        right = f"splat (i64 {right})"
    return text.let(f"{operation} {text.wide} {left}, {right}")

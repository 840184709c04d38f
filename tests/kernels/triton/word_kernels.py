"""Kernels around the functions of a block, to test them one by one."""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

import triton
import triton.language as tl

from neurogame.kernels.triton.words import count_ones, lookup, random_plane, random_source


@triton.jit
def draw(
    bases: tl.tensor,
    found: tl.tensor,
    counters: tl.tensor,
    factors: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Draw one random word per base."""
    at = tl.arange(0, BLOCK)
    source = random_source(tl.load(bases + at), tl.load(counters))
    tl.store(found + at, random_plane(source, tl.load(factors)))


@triton.jit
def count(words: tl.tensor, found: tl.tensor, BLOCK: tl.constexpr) -> None:
    """Count the ones of each word."""
    at = tl.arange(0, BLOCK)
    tl.store(found + at, count_ones(tl.load(words + at)))


@triton.jit
def functions(inputs: tl.tensor, forms: tl.tensor, found: tl.tensor, BLOCK: tl.constexpr) -> None:
    """Compute all functions of three inputs."""
    at = tl.arange(0, BLOCK)
    a = tl.load(inputs + at)
    b = tl.load(inputs + BLOCK + at)
    c = tl.load(inputs + 2 * BLOCK + at)
    for table in range(256):
        tl.store(found + table * BLOCK + at, lookup(tl.load(forms + table), a, b, c))

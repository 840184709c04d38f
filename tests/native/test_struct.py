"""Structs: the same fields in Python and in compiled code, and what cannot be one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import Float32s1, Int32s, Int32s1, Int64s, Int64s2, UInt64s2
from neurogame.native.arrays import overlay, rows
from neurogame.native.bits import first_ones, lowest_bit, ones
from neurogame.native.compiled import compiled
from neurogame.native.entries import callback, entry
from neurogame.native.layout import STRIDED, Float32, Int32
from neurogame.native.random import below, fraction, hashed, mixed, random_word
from neurogame.native.struct import Struct
from neurogame.splitmix import G1
from tests.kernels.words.slow_random_words import ALL, slow_mix


class Part(Struct):
    """A struct in another."""

    gain: float
    sums: Float32s1
    parted: Annotated[Int64s, 2, STRIDED]


class Whole(Struct):
    """One field of each kind."""

    part: Part
    count: int
    grid: UInt64s2
    then: Callable[[Whole], None]


class Node(Struct):
    """Words of a heap."""

    visits: Int32
    index: Int32


class Worth(Struct):
    """Words of a heap that are real numbers."""

    mean: Float32


node_at, worth_at = overlay(Node), overlay(Worth)


@compiled
def work(whole: Whole, amount: int) -> float:
    """Read and write every kind of field; call the function twice."""
    part = whole.part
    total: float = 0.0
    sums, parted = part.sums, part.parted
    for place in range(len(sums)):
        sums[place] += amount
        total += sums[place] * part.gain + parted[place, 1]
    whole.count += amount
    part.gain = 0.5
    whole.then(whole)
    whole.then(whole)
    total += whole.grid.shape[0] + 10 * whole.grid.shape[1]
    return total


def add_hundred(whole: Whole) -> None:
    whole.count += 100


def make(parted: Int64s, then: Callable[[Whole], None]) -> Whole:
    return Whole(
        part=Part(gain=2.0, sums=np.arange(len(parted), dtype=np.float32), parted=parted),
        count=7,
        grid=np.zeros((2, 3), np.uint64),
        then=then,
    )


@given(st.lists(st.integers(-99, 99), max_size=9), st.integers(-9, 9))
def test_compiled_code_reads_and_writes_what_python_does(numbers: list[int], amount: int) -> None:
    wide = np.zeros((len(numbers), 4), np.int64)
    wide[:, 2] = numbers
    whole = make(wide[:, 1:], entry(add_hundred))
    expected = sum(2.0 * (place + amount) + own for place, own in enumerate(numbers))
    assert work(whole, amount) == expected + 2 + 30
    assert whole.count == 7 + amount + 200
    assert whole.part.gain == 0.5
    assert whole.part.sums.tolist() == [place + amount for place in range(len(numbers))]


def test_python_changes_numbers_arrays_and_functions() -> None:
    whole, called = make(np.ones((2, 3), np.int64), entry(add_hundred)), []
    whole.count, whole.part.gain, whole.grid = -5, 0.25, np.zeros((7, 1), np.uint64)
    whole.part.sums = np.array([3, 5], np.float32)

    def count_down() -> None:
        whole.count -= 1
        called.append(whole.count)

    whole.then = callback(count_down)
    assert work(whole, 1) == 0.25 * 4 + 0.25 * 6 + 2 + 7 + 10
    assert called == [-5, -6]
    assert whole.count == -6


def test_an_entry_is_called_from_python_too() -> None:
    whole = make(np.ones((1, 2), np.int64), entry(add_hundred))
    entry(add_hundred)(whole)
    assert whole.count == 107
    assert entry(add_hundred) is entry(add_hundred)


@compiled
def visit(heap: Int32s, place: int) -> float:
    """Count a visit of a node of a heap, and set its mean."""
    node, worth = node_at(heap, place), worth_at(heap, place + 2)
    node.visits += 1
    node.index = -node.visits
    worth.mean = 0.75
    return worth.mean + node.index


@pytest.mark.parametrize("place", [0, 1, 5])
def test_structs_of_32_bits_lie_in_a_heap(place: int) -> None:
    heap = np.full(8, 41, np.int32)
    assert visit(heap, place) == 0.75 - 42
    assert heap[place : place + 2].tolist() == [42, -42]
    assert heap.view(np.float32)[place + 2] == 0.75
    others = np.delete(heap, [place, place + 1, place + 2])
    assert (others == 41).all()


@compiled
def corner(grid: Int64s, begin: int, count: int) -> int:
    """Return the last number of some rows, which are then all set to 0."""
    some = rows(grid, begin, count)
    last = some[len(some) - 1, some.shape[1] - 1]
    for row in range(len(some)):
        for column in range(some.shape[1]):
            some[row, column] = 0
    return int(last)


@given(st.integers(1, 5), st.integers(0, 4), st.integers(1, 5))
def test_rows_are_those_of_a_slice(width: int, begin: int, count: int) -> None:
    grid = np.arange(10 * width).reshape(10, width)
    expected = grid.copy()
    assert corner(grid, begin, count) == expected[begin : begin + count][-1, -1]
    expected[begin : begin + count] = 0
    assert (grid == expected).all()


def test_what_compiled_code_would_misread_is_refused() -> None:
    part = make(np.ones((1, 2), np.int64), entry(add_hundred)).part
    wrongs: list[Any] = [np.zeros(3), np.zeros((3, 1), np.float32), np.zeros(6, np.float32)[::2]]
    for wrong in wrongs:
        with pytest.raises(TypeError, match=r"Part\.sums: an array of float32 with 1 dimensions"):
            part.sums = wrong
    with pytest.raises(AttributeError, match="Part has no field 'sum'"):
        part.sum = 3
    with pytest.raises(TypeError, match=r"missing \['parted'\], unknown \['shifted'\]"):
        Part(gain=1.0, sums=np.zeros(1, np.float32), shifted=1)  # type: ignore[call-arg]


class Mixed(Struct):
    """No heap can hold it, and it is no memory of its own."""

    narrow: Int32
    wide: int


class Text(Struct):
    """No field can be a text."""

    name: str


class Table(Struct):
    """An array must say how many dimensions it has."""

    table: Int64s


@pytest.mark.parametrize(
    ("struct", "said"),
    [
        (Mixed, "all fields have 32 bits, or none has"),
        (Text, r"Text\.name: <class 'str'> is no field of a struct"),
        (Table, "is no field of a struct; fields are int, float, arrays with their dimensions"),
    ],
)
def test_what_can_be_no_struct_is_refused(struct: type[Struct], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        struct.layout()


def test_fields_lie_one_after_the_other() -> None:
    class Job(Struct):
        first: int
        grid: Int64s2
        strided: Annotated[Int64s, 2, STRIDED]
        heap: Int32s1
        last: float

    places = {name: field.place for name, field in Job.layout().items()}
    assert places == {"first": 0, "grid": 1, "strided": 4, "heap": 9, "last": 11}


WORDS = st.integers(0, ALL)


@compiled
def bits(word: np.uint64, count: int) -> tuple[int, int, np.uint64]:
    return lowest_bit(word), ones(word), first_ones(count)


@compiled
def scrambled(word: np.uint64, number: int) -> tuple[np.uint64, np.uint64]:
    return mixed(word), hashed(word, number)


@compiled
def drawn(seed: int, number: int, draw: int, bound: int) -> tuple[np.uint64, int, float]:
    word = random_word(seed, number, draw)
    return word, below(word, bound), fraction(number)


@given(WORDS, st.integers(-3, 70))
def test_bits_are_counted_and_found(word: int, count: int) -> None:
    lowest, number, first = bits(np.uint64(word), count)
    assert lowest == ((word & -word).bit_length() - 1 if word else 64)
    assert number == word.bit_count()
    assert first == (1 << min(max(count, 0), 64)) - 1


@given(WORDS, st.integers(0, 1 << 40))
def test_words_are_scrambled_as_by_the_definition(word: int, number: int) -> None:
    found, hash_ = scrambled(np.uint64(word), number)
    assert found == slow_mix(word)
    assert hash_ == (slow_mix(word + (number + 1) * G1 & ALL) or G1)


@given(st.integers(0, 1 << 62), st.integers(0, 1 << 40), st.integers(0, 999), st.integers(1, 999))
def test_random_words_are_functions_of_their_numbers(
    seed: int, number: int, draw: int, bound: int
) -> None:
    word, chosen, part = drawn(seed, number, draw, bound)
    start = slow_mix(seed + (number + 1) * G1 & ALL)
    assert word == slow_mix(start + (draw + 1) * G1 & ALL)
    assert chosen == (int(word) >> 32) * bound >> 32
    assert part == (number * G1 & ALL) / 2**64 or abs(part - (number * G1 & ALL) / 2**64) < 1e-15

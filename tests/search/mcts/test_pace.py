"""Blocks of timed searches: large where that pays, small where it does not, none too late."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("numba")

from neurogame.native.compiled import compiled
from neurogame.search.mcts.compiled.pace import choose_pace, note_pace
from neurogame.search.mcts.compiled.search import PACES, Pace, new_pace

MILLISECOND = 1_000_000
LONG = 1 << 60


@compiled
def choose(pace: Pace, count: int, left: int) -> int:
    """Stands in for a search."""
    return choose_pace(pace, count, left)


@compiled
def note(pace: Pace, chosen: int, time: int) -> None:
    """Stands in for a search."""
    note_pace(pace, chosen, time)


def played(
    cost: Callable[[int], float], milliseconds: float, lanes: int = 64, known: Pace | None = None
) -> tuple[list[int], float, Pace]:
    """Return the sizes of a search's blocks, the time it took, and what it has noted.

    Args:
        cost: milliseconds of a block of a size.
        milliseconds: limit of the search.
        lanes: most simulations of a block.
        known: what was noted before.
    """
    known = new_pace(lanes) if known is None else known
    left, sizes = int(milliseconds * MILLISECOND), list[int]()
    while left > 0:
        pace = choose(known, lanes, left)
        if pace < 0:
            break
        sizes.append(min(1 << pace, lanes))
        spent = int(cost(sizes[-1]) * MILLISECOND)
        note(known, pace, spent)
        left -= spent
    return sizes, milliseconds - left / MILLISECOND, known


@pytest.mark.parametrize("lanes", [1, 3, 48, 64, 512])
@pytest.mark.parametrize("whole", [0.02, 1.0, 37.0])
def test_blocks_are_full_where_lanes_cost_nothing(lanes: int, whole: float) -> None:
    sizes, _, _ = played(lambda size: whole, 20 * whole, lanes)
    growth = sizes[: PACES + 1]
    assert growth == [min(1 << n, lanes) for n in range(len(growth))]
    assert set(sizes[PACES:]) == {lanes}


def test_blocks_stay_short_where_every_lane_costs() -> None:
    sizes, _, _ = played(lambda size: 0.7 * size, 2000)
    # Below 2 ms they may grow; beyond they do not, but for a trial now and then.
    assert max(sizes) <= 4
    assert np.mean([size <= 2 for size in sizes]) > 0.9
    sizes, _, _ = played(lambda size: 30.0 * size, 3000)
    assert np.mean([size == 1 for size in sizes]) > 0.9


def test_blocks_are_as_large_as_it_pays() -> None:
    sizes, _, _ = played(lambda size: 10 + 0.5 * size, 5000)
    assert np.median(sizes) == 32


@pytest.mark.parametrize("cost", [lambda n: 37.0, lambda n: 0.1 * n, lambda n: 5 + n])
def test_none_ends_too_late_once_it_is_known(cost: Callable[[int], float]) -> None:
    known = played(cost, 1000)[2]
    for limit in (500.0, 50.0, 123.4):
        _, took, known = played(cost, limit, known=known)
        assert took <= limit
        # Nor is more left over than a block of the smallest size, or of half the usual one.
        assert limit - took <= max(cost(1), cost(64) / 2)
    assert played(cost, 0.01, known=known)[0] == []


def test_a_hiccup_is_forgotten() -> None:
    blocks = iter(range(10**6))
    sizes, _, _ = played(lambda size: 40.0 if next(blocks) in (1, 3, 40) else 0.05, 1000)
    assert sizes[-1] == 64
    assert np.mean([size == 64 for size in sizes]) > 0.9


def test_only_what_was_measured_counts() -> None:
    pace = new_pace(64)
    assert choose(pace, 64, 1) == 0
    note(pace, 0, 7 * MILLISECOND)
    # A block of two is not begun where it may be late.
    assert choose(pace, 64, 13 * MILLISECOND) == 0
    assert choose(pace, 64, 6 * MILLISECOND) == -1
    assert choose(pace, 64, 14 * MILLISECOND) == 1
    assert pace.usual == 1
    note(pace, 1, 8 * MILLISECOND)
    note(pace, 1, 4 * MILLISECOND)
    assert pace.times[1] == 7 * MILLISECOND
    assert choose(pace, 1, LONG) == 1


@pytest.mark.parametrize(("whole", "most"), [(0.5, 64), (1.9, 64), (7.0, 512)])
def test_beyond_some_blocks_grow_only_where_they_take_long(whole: float, most: int) -> None:
    known = new_pace(64)
    sizes, _, _ = played(lambda size: whole, 60 * whole, 512, known)
    assert max(sizes) == most
    assert set(sizes[PACES:]) == {most}

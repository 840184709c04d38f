"""Plans of matches and rating lists: balance, slow twins, and what intervals promise."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.arena.rating import PairedComparison, RatingList, rating_list
from neurogame.arena.schedule import Slot, block_seed, lineups, pairings, seatings, slots
from neurogame.arena.strength import elo_difference

NAMES = ("A", "B", "C", "D")


def slow_ratings(count: int, comparisons: list[PairedComparison]) -> list[float]:
    """Return ratings by the algorithm of Zermelo (1929), one player after the other."""
    pairs = [(one, two, 0.5) for one, two in itertools.combinations(range(count), 2)]
    pairs += [(entry.first, entry.second, entry.points) for entry in comparisons]
    gained = [0.0] * count
    for one, two, points in pairs:
        gained[one] += points
        gained[two] += 1 - points
    strengths = [1.0] * count
    for _ in range(3000):
        for player in range(count):
            shares = [
                1 / (strengths[one] + strengths[two])
                for one, two, _ in pairs
                if player in (one, two)
            ]
            strengths[player] = gained[player] / sum(shares)
    elos = [400 * math.log10(found) for found in strengths]
    return [elo - sum(elos) / count for elo in elos]


def by_name(found: RatingList) -> dict[str, float]:
    return dict(zip(found.players, found.elo, strict=True))


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(itertools.combinations(range(4), 2))),
            st.sampled_from([0.0, 0.5, 1.0]),
        ),
        min_size=1,
        max_size=25,
    )
)
def test_ratings_are_those_of_a_slow_twin(results: list[tuple[tuple[int, int], float]]) -> None:
    found = [PairedComparison(n, *pair, points) for n, (pair, points) in enumerate(results)]
    listed = rating_list(NAMES, found)
    slow = slow_ratings(4, found)
    for player, name in enumerate(NAMES):
        assert by_name(listed)[name] == pytest.approx(slow[player], abs=0.01)
    assert sum(listed.elo) == pytest.approx(0, abs=1e-6)
    assert list(listed.elo) == sorted(listed.elo, reverse=True)


def test_two_players_by_hand() -> None:
    # Six of eight points, and half a point of the virtual comparison: 6.5 of 9.
    results = [1, 1, 1, 1, 1, 0.5, 0.5, 0]
    found = rating_list(
        "AB", [PairedComparison(n, 0, 1, points) for n, points in enumerate(results)]
    )
    assert found.players == ("A", "B")
    assert found.elo[0] - found.elo[1] == pytest.approx(elo_difference(6.5 / 9))
    assert found.comparisons == (8, 8)


def test_ratings_stay_finite_where_somebody_won_everything() -> None:
    everything = [
        PairedComparison(n, one, two, 1.0)
        for n in range(30)
        for one, two in ((0, 1), (0, 2), (1, 2))
    ]
    found = rating_list(NAMES[:3], everything, game="chess", limit="depth=2")
    assert found.players == ("A", "B", "C")
    assert (found.game, found.limit) == ("chess", "depth=2")
    for elo, (low, high) in zip(found.elo, found.elo_ci95, strict=True):
        assert low < elo < high
        assert math.isfinite(high - low)


def test_repetitions_within_a_cluster_make_no_surer() -> None:
    source = random.Random(2)
    results = [float(source.random() < 0.6) for _ in range(60)]

    def width(copies: int, *, together: bool) -> float:
        entries = [
            PairedComparison((n, 0 if together else copy), 0, 1, points)
            for n, points in enumerate(results)
            for copy in range(copies)
        ]
        low, high = rating_list("AB", entries).elo_ci95[0]
        return high - low

    once = width(1, together=True)
    assert width(4, together=True) == pytest.approx(once, rel=0.05)
    assert width(4, together=False) == pytest.approx(once / 2, rel=0.05)


def test_intervals_cover_as_often_as_they_say() -> None:
    source = random.Random(5)
    true = {"A": 120.0, "B": 0.0, "C": -120.0}
    elos = list(true.values())
    covered = 0
    rounds = 150
    for _ in range(rounds):
        entries = []
        for block in range(20):
            for one, two in itertools.combinations(range(3), 2):
                share = 1 / (1 + 10 ** ((elos[two] - elos[one]) / 400))
                for advantage in (0.1, -0.1):
                    won = float(source.random() < share + advantage)
                    entries.append(PairedComparison(block, one, two, won))
        found = rating_list(tuple(true), entries)
        for name, (low, high) in zip(found.players, found.elo_ci95, strict=True):
            covered += low <= true[name] <= high
    assert covered / (3 * rounds) > 0.92


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_every_player_plays_every_role_equally_often(count: int) -> None:
    block = seatings(count)
    for role in range(count):
        players = [seats[role] for seats in block]
        assert {players.count(player) for player in range(count)} == {len(block) // count}
    assert all(sorted(seats) == list(range(count)) for seats in block)


def test_who_meets_whom() -> None:
    assert lineups(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert pairings(3, 2) == lineups(3, 2)
    assert len(lineups(5, 3)) == 10
    # With one role everybody plays alone, and every two are compared.
    assert lineups(3, 1) == [(0,), (1,), (2,)]
    assert pairings(3, 1) == [(0, 1), (0, 2), (1, 2)]
    assert pairings(1, 1) == [(0,)]


plans = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 20)).filter(
    lambda plan: plan[0] >= plan[1]
)


@given(plan=plans, more=st.integers(1, 30), seed=st.integers(0, 99))
def test_a_longer_plan_begins_like_a_shorter_one(
    plan: tuple[int, int, int], more: int, seed: int
) -> None:
    players, roles, matches = plan

    def by_lineup(number: int) -> dict[tuple[int, ...], list[Slot]]:
        found: dict[tuple[int, ...], list[Slot]] = {}
        for slot in slots(players, roles, number, seed):
            found.setdefault(slot.lineup, []).append(slot)
        return found

    short, long = by_lineup(matches), by_lineup(matches + more)
    assert set(short) == set(long) == set(lineups(players, roles))
    for lineup, found in short.items():
        assert len(found) == matches
        assert long[lineup][:matches] == found
        assert len(long[lineup]) == matches + more


@given(plan=plans, seed=st.integers(0, 99))
def test_further_players_change_nothing(plan: tuple[int, int, int], seed: int) -> None:
    players, roles, matches = plan
    known = set(slots(players, roles, matches, seed))
    assert known <= set(slots(players + 1, roles, matches, seed))


@given(plan=plans)
def test_blocks_are_balanced_and_have_one_seed(plan: tuple[int, int, int]) -> None:
    players, roles, blocks = plan
    size = len(seatings(roles))
    planned = list(slots(players, roles, blocks * size, 3, game=2, limit=1))
    assert all((slot.game, slot.limit) == (2, 1) for slot in planned)
    for (_, block), found in itertools.groupby(planned, key=lambda slot: (slot.seed, slot.block)):
        group = list(found)
        assert {slot.seed for slot in group} == {block_seed(3, block)}
        for lineup in lineups(players, roles):
            seats = [slot.seats for slot in group if slot.lineup == lineup]
            assert len(set(seats)) == size
            roles_of = Counter((player, role) for s in seats for role, player in enumerate(s))
            assert set(roles_of.values()) == {size // roles}


def test_seeds_differ_from_block_to_block_and_from_plan_to_plan() -> None:
    seeds = {block_seed(seed, block) for seed in range(20) for block in range(50)}
    assert len(seeds) == 1000

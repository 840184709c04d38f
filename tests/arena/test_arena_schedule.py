"""The plan: balanced roles, common seeds, and longer plans that begin like shorter ones."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.arena.schedule import Slot, block_seed, lineups, pairings, seatings, slots


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

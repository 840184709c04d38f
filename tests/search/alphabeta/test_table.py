"""The transposition table and the memory of proved states, against dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurogame.native.compiled import compiled
from neurogame.search.alphabeta.compiled.memory import (
    Search,
    Sizes,
    TranspositionTable,
    make_proofs,
    make_table,
)
from neurogame.search.alphabeta.compiled.records import FREE_SUM, ONE_ROLE, TWO_ROLES, ZERO_SUM
from neurogame.search.alphabeta.compiled.table import (
    claim,
    find,
    place_of,
    refill,
    refill_proofs,
    remember,
)
from tests.search.alphabeta.searches import bare_search

SIZES = Sizes(1, 1, 2, 2)


@compiled
def _claim(search: Search, entries: Any, key: Any) -> int:
    return claim(search, entries, key)


@compiled
def _find(entries: Any, key: Any) -> int:
    return find(entries, key)


@compiled
def _remember(search: Search, state: Any, value: Any) -> None:
    remember(search, search.proofs, state, value)


def _records(table: TranspositionTable) -> Any:
    """Return the entries of a table for numpy."""
    return np.asarray(table.entries)


def _keys(count: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(1, 2**64, count, np.uint64)


def test_entries_are_found_until_their_bucket_is_full() -> None:
    search = bare_search(SIZES, entries=1024)
    table, entries = search.table, _records(search.table)
    keys = _keys(300, 0)
    for number, key in enumerate(keys):
        entries[_claim(search, table.entries, key)]["best"] = number
    assert search.entry_count == np.count_nonzero(entries["key"])
    places = [_find(table.entries, key) for key in keys]
    for number, place in enumerate(places):
        if place >= 0:
            assert entries[place]["key"] == keys[number]
            assert entries[place]["best"] == number
    assert places.count(-1) < 15
    assert _find(table.entries, np.uint64(12345)) == -1


def test_useful_entries_stay() -> None:
    search = bare_search(SIZES)
    table, entries = search.table, _records(search.table)
    deep, proved, shallow, old = _keys(4, 1)
    for key, draft in ((deep, 200), (proved, 16), (shallow, 16), (old, 32)):
        entry = entries[_claim(search, table.entries, key)]
        entry["draft"], entry["bound"] = draft, 1
    entries[_find(table.entries, proved)]["high"] = 0
    search.age = 1
    for key in (deep, proved, shallow):
        _claim(search, table.entries, key)
    following = _keys(3, 2)
    _claim(search, table.entries, following[0])
    assert _find(table.entries, old) == -1
    entries[_find(table.entries, following[0])]["draft"] = 32
    _claim(search, table.entries, following[1])
    assert _find(table.entries, shallow) == -1
    assert _find(table.entries, deep) >= 0
    assert _find(table.entries, proved) >= 0


def test_a_larger_table_holds_the_same() -> None:
    search = bare_search(SIZES, entries=256, maxn=True)
    old, new = search.table, make_table(1024, 2)
    entries, following = _records(old), _records(new)
    for number, key in enumerate(_keys(200, 3)):
        place = _claim(search, old.entries, key)
        entries[place]["best"], entries[place]["draft"] = number, number
        old.values[place] = number
    search.table = new
    refill(search, old)
    kept = entries[entries["key"] != 0]
    assert search.entry_count == len(kept) == np.count_nonzero(following["key"])
    for entry in kept:
        place = _find(new.entries, entry["key"])
        assert following[place] == entry
        assert (new.values[place] == entry["best"]).all()


@pytest.mark.parametrize("sums", [ONE_ROLE, TWO_ROLES, ZERO_SUM, FREE_SUM])
def test_proved_states_are_remembered(sums: int) -> None:
    roles = {ONE_ROLE: 1, TWO_ROLES: 2, ZERO_SUM: 3, FREE_SUM: 3}[sums]
    sizes = Sizes(2, 1, roles, roles)
    search = bare_search(sizes, role=roles - 1, proofs=1024)
    search.sums, proofs = sums, search.proofs
    random = np.random.default_rng(sums)
    states = random.integers(0, 2**64, (300, 2), np.uint64)
    states[200:] = states[:100]
    known = {}
    for state in states:
        value = np.float32(random.choice([0.0, 0.3, 1.0]))
        _remember(search, state, value)
        if sums <= TWO_ROLES or value == 1:
            rest = 1 - value if sums <= ZERO_SUM else np.nan
            known[state.tobytes()] = [rest] * (roles - 1) + [value]
    larger = make_proofs(sizes, 4096)
    for memory in (proofs, larger):
        count = 0
        for key, values in known.items():
            place = place_of(memory, np.frombuffer(key, np.uint64))
            if place >= 0:
                count += 1
                np.testing.assert_allclose(memory.values[place], np.array(values), atol=1e-6)
        assert count == search.proof_count == memory.used.sum() >= 0.95 * len(known)
        search.proofs = larger
        refill_proofs(search, proofs)
    assert place_of(proofs, random.integers(0, 2**64, 2, np.uint64)) == -1


def test_proved_states_are_bounded() -> None:
    search = bare_search(Sizes(1, 1, 1, 1), proofs=16)
    proofs = search.proofs
    states = _keys(500, 5)[:, None]
    for state in states:
        _remember(search, state, np.float32(1))
        assert place_of(proofs, state) >= 0
    assert search.proof_count == proofs.used.sum() <= 16

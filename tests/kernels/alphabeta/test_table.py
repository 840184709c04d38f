"""The transposition table and the memory of proved states, against dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurogame.kernels.alphabeta.memory import (
    Sizes,
    make_proofs,
    make_run,
    make_table,
)
from neurogame.kernels.alphabeta.records import FREE_SUM, ONE_ROLE, TWO_ROLES, ZERO_SUM
from neurogame.kernels.alphabeta.table import (
    claim,
    enlarge,
    enlarge_proofs,
    find,
    place_of,
    remember,
)
from neurogame.kernels.native.compiled import compiled


@compiled
def _claim(runs: Any, entries: Any, key: Any) -> int:
    place: int = claim(runs[0], entries, key)
    return place


@compiled
def _find(entries: Any, key: Any) -> int:
    return find(entries, key)


@compiled
def _remember(runs: Any, proofs: Any, state: Any, value: Any) -> None:
    remember(runs[0], proofs, state, value)


def _keys(count: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(1, 2**64, count, np.uint64)


def test_entries_are_found_until_their_bucket_is_full() -> None:
    run, table = make_run(), make_table(1024, 0)
    keys = _keys(300, 0)
    for number, key in enumerate(keys):
        table.entries[_claim(run, table.entries, key)]["best"] = number
    assert run["entries"][0] == np.count_nonzero(table.entries["key"])
    places = [_find(table.entries, key) for key in keys]
    for number, place in enumerate(places):
        if place >= 0:
            assert table.entries[place]["key"] == keys[number]
            assert table.entries[place]["best"] == number
    assert places.count(-1) < 15
    assert _find(table.entries, np.uint64(12345)) == -1


def test_useful_entries_stay() -> None:
    run, table = make_run(), make_table(4, 0)
    deep, proved, shallow, old = _keys(4, 1)
    for key, draft in ((deep, 200), (proved, 16), (shallow, 16), (old, 32)):
        entry = table.entries[_claim(run, table.entries, key)]
        entry["draft"], entry["bound"] = draft, 1
    table.entries[_find(table.entries, proved)]["high"] = 0
    run["age"] = 1
    for key in (deep, proved, shallow):
        _claim(run, table.entries, key)
    following = _keys(3, 2)
    _claim(run, table.entries, following[0])
    assert _find(table.entries, old) == -1
    table.entries[_find(table.entries, following[0])]["draft"] = 32
    _claim(run, table.entries, following[1])
    assert _find(table.entries, shallow) == -1
    assert _find(table.entries, deep) >= 0
    assert _find(table.entries, proved) >= 0


def test_a_larger_table_holds_the_same() -> None:
    run = make_run()
    old, new = make_table(256, 2), make_table(1024, 2)
    for number, key in enumerate(_keys(200, 3)):
        place = _claim(run, old.entries, key)
        old.entries[place]["best"], old.entries[place]["draft"] = number, number
        old.values[place] = number
    enlarge(run, old.entries, old.values, new.entries, new.values)
    kept = old.entries[old.entries["key"] != 0]
    assert run["entries"][0] == len(kept) == np.count_nonzero(new.entries["key"])
    for entry in kept:
        place = _find(new.entries, entry["key"])
        assert new.entries[place] == entry
        assert (new.values[place] == entry["best"]).all()


@pytest.mark.parametrize("sums", [ONE_ROLE, TWO_ROLES, ZERO_SUM, FREE_SUM])
def test_proved_states_are_remembered(sums: int) -> None:
    roles = {ONE_ROLE: 1, TWO_ROLES: 2, ZERO_SUM: 3, FREE_SUM: 3}[sums]
    run, proofs = make_run(), make_proofs(Sizes(2, 1, roles, 1), 1024)
    run["sums"], run["role"] = sums, roles - 1
    random = np.random.default_rng(sums)
    states = random.integers(0, 2**64, (300, 2), np.uint64)
    states[200:] = states[:100]
    known = {}
    for state in states:
        value = np.float32(random.choice([0.0, 0.3, 1.0]))
        _remember(run, proofs, state, value)
        if sums <= TWO_ROLES or value == 1:
            rest = 1 - value if sums <= ZERO_SUM else np.nan
            known[state.tobytes()] = [rest] * (roles - 1) + [value]
    larger = make_proofs(Sizes(2, 1, roles, 1), 4096)
    for memory in (proofs, larger):
        count = 0
        for key, values in known.items():
            place = place_of(memory, np.frombuffer(key, np.uint64))
            if place >= 0:
                count += 1
                np.testing.assert_allclose(memory.values[place], np.array(values), atol=1e-6)
        assert count == run["proofs"][0] == memory.used.sum() >= 0.95 * len(known)
        enlarge_proofs(run, proofs, larger)
    assert place_of(proofs, random.integers(0, 2**64, 2, np.uint64)) == -1


def test_proved_states_are_bounded() -> None:
    run, proofs = make_run(), make_proofs(Sizes(1, 1, 1, 1), 16)
    states = _keys(500, 5)[:, None]
    for state in states:
        _remember(run, proofs, state, np.float32(1))
        assert place_of(proofs, state) >= 0
    assert run["proofs"][0] == proofs.used.sum() <= 16

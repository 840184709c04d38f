"""The transposition table and the memory of proved states, against dictionaries."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.native.compiled import compiled
from neurogame.native.numbers import filled
from neurogame.search.alphabeta.compiled.backup import (
    best_reply,
    equilibrium,
    final_bounds,
    is_certain,
    proved_bounds,
)
from neurogame.search.alphabeta.compiled.memory import (
    Numbers,
    Search,
    Sizes,
    TranspositionTable,
    make_choices,
    make_proofs,
    make_table,
)
from neurogame.search.alphabeta.compiled.moves import MOST, joint_count, joint_move, list_moves
from neurogame.search.alphabeta.compiled.order import arrange, learn, row_at
from neurogame.search.alphabeta.compiled.records import (
    FREE_SUM,
    ONE_ROLE,
    TWO_ROLES,
    ZERO_SUM,
    Child,
    Row,
    layout,
)
from neurogame.search.alphabeta.compiled.table import (
    claim,
    find,
    place_of,
    refill,
    refill_proofs,
    remember,
)
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.packing import state_words
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
    for key, draft in ((deep, 13), (proved, 1), (shallow, 1), (old, 2)):
        entry = entries[_claim(search, table.entries, key)]
        entry["draft"], entry["bound"] = draft, 1
    entries[_find(table.entries, proved)]["high"] = 0
    search.age = 1
    for key in (deep, proved, shallow):
        _claim(search, table.entries, key)
    following = _keys(3, 2)
    _claim(search, table.entries, following[0])
    assert _find(table.entries, old) == -1
    entries[_find(table.entries, following[0])]["draft"] = 2
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
            place = place_of(memory, np.frombuffer(key, np.uint64).copy())
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


MOVES = 40
PLY = 3


@compiled
def _arrange(search: Search, best: int, out: Any) -> None:
    stack = search.stack
    frame = stack.frames[0]
    arrange(search, frame, PLY, best)
    for group in range(frame.own):
        for answer in range(frame.answers):
            out[group, answer] = row_at(frame, stack.rows, group, answer)


@compiled
def _learn(search: Search) -> None:
    learn(search, search.stack.frames[0], PLY)


def _search(own: int, answers: int, random: np.random.Generator) -> tuple[Search, Any, Any]:
    """Return a search with a node for two roles, the second searching, and their moves."""
    sizes = Sizes(1, 2, 2, 2 * MOVES)
    offsets = np.array([0, MOVES, 2 * MOVES])
    search = bare_search(sizes, offsets=offsets, role=1, rows=5 + own * answers)
    theirs = np.sort(random.choice(MOVES, answers, replace=False))
    mine = MOVES + np.sort(random.choice(MOVES, own, replace=False))
    flags = np.zeros(128, np.uint8)
    flags[np.concatenate([mine, theirs])] = 1
    search.stack.legal[1] = np.packbits(flags, bitorder="little").view(np.uint64)
    frame = search.stack.frames[0]
    frame.first, frame.count, frame.source = 4, own * answers, 1
    frame.own, frame.answers, frame.depth = own, answers, 5
    return search, mine, theirs


@given(
    own=st.integers(1, 20),
    answers=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    remembered=st.booleans(),
)
def test_the_most_promising_come_first(own: int, answers: int, seed: int, remembered: bool) -> None:
    random = np.random.default_rng(seed)
    search, mine, theirs = _search(own, answers, random)
    rows: Any = np.asarray(search.stack.rows)[4 : 4 + own * answers]
    rows["estimate"] = random.integers(0, 5, own * answers) / 8
    rows["rank"] = random.permutation(own * answers)
    choices = search.choices
    choices.history[:] = random.integers(0, 5, 2 * MOVES)
    choices.top[:] = 4
    choices.killers[PLY] = [random.choice(mine), -1, random.choice(theirs), -1]
    search.numbers = filled(Numbers, SearchSettings(history=0.125, killers=0.25))
    best = int(random.integers(own * answers)) if remembered else -1
    out = np.zeros((own, answers), np.int64)
    _arrange(search, best, out)

    grid = rows["estimate"].reshape(own, answers)
    gain = choices.history / 32 + np.isin(np.arange(2 * MOVES), choices.killers[PLY]) / 4
    bonus = gain[mine] if own > 1 else np.zeros(own)
    promise = grid.min(axis=1) + bonus
    threat = (gain[theirs] if answers > 1 else 0) - grid
    if remembered:
        promise[best // answers] = threat.reshape(-1)[best] = np.inf
    rank = rows["rank"]
    groups = sorted(range(own), key=lambda a: (-promise[a], rank[a], a))
    expected = [
        [
            a * answers + b
            for b in sorted(range(answers), key=lambda b: (-threat[a, b], rank[a * answers + b], b))
        ]
        for a in groups
    ]
    if answers == 1:
        expected = [[a] for a in groups]
    assert out.tolist() == expected


def test_the_best_moves_are_learned() -> None:
    search, mine, theirs = _search(3, 4, np.random.default_rng(0))
    choices = search.choices
    frame = search.stack.frames[0]
    for best, times in ((5, 2), (11, 1)):
        frame.best_row = best
        for _ in range(times):
            _learn(search)
    history = np.zeros(2 * MOVES)
    history[[mine[1], theirs[1]]] = 50
    history[[mine[2], theirs[3]]] = 25
    assert (choices.history == history).all()
    assert choices.top.tolist() == [50, 50]
    # Without repetition, the last one first.
    assert choices.killers[PLY].tolist() == [mine[2], mine[1], theirs[3], theirs[1]]


def test_a_forced_move_teaches_nothing() -> None:
    search, mine, theirs = _search(1, 4, np.random.default_rng(1))
    search.stack.frames[0].best_row = 2
    _learn(search)
    assert search.choices.history.nonzero()[0].tolist() == [theirs[2]]
    assert search.choices.history[mine[0]] == 0
    assert search.choices.killers[PLY, :2].tolist() == [-1, -1]


SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))


@compiled
def _reply(rows: Any, first: int, own: int, answers: int) -> Any:
    return best_reply(rows, first, own, answers)


@compiled
def _proved(rows: Any, first: int, own: int, answers: int, opposed: bool) -> Any:
    return proved_bounds(rows, first, own, answers, opposed)


@compiled
def _final(rows: Any, first: int, own: int, answers: int, opposed: bool) -> Any:
    return final_bounds(rows, first, own, answers, opposed)


@compiled
def _equilibrium(values: Any, first: int, order: Any, starts: Any, picked: Any) -> Any:
    best = equilibrium(values, first, order, starts, picked)
    return best, is_certain(values, first, best, order, starts)


@given(shape=SHAPES)
def test_static_children(shape: tuple[int, int, int]) -> None:
    own, answers, seed = shape
    random = np.random.default_rng(seed)
    rows = np.zeros(3 + own * answers, layout(Child))
    rows["static"] = random.integers(0, 5, len(rows)) / 4
    rows["terminal"] = random.random(len(rows)) < 0.5
    grid = rows["static"][3:].reshape(own, answers)
    value, row = _reply(rows, 3, own, answers)
    assert value == grid.min(axis=1).max()
    assert grid[row // answers].min() == grid.reshape(-1)[row] == value
    ends = rows["terminal"][3:].reshape(own, answers) != 0
    low, high = np.where(ends, grid, 0), np.where(ends, grid, 1)
    expected = low.min(axis=1).max(), high.max(axis=0).min()
    assert _final(rows, 3, own, answers, True) == expected
    assert _final(rows, 3, own, answers, False) == (expected[0], high.min(axis=1).max())


@given(shape=SHAPES)
def test_proved_bounds(shape: tuple[int, int, int]) -> None:
    own, answers, seed = shape
    random = np.random.default_rng(seed)
    rows = np.zeros(2 + own * answers, layout(Row))
    ends = np.sort(random.integers(0, 5, (len(rows), 2)) / 4, axis=1)
    rows["low"], rows["high"] = ends[:, 0], ends[:, 1]
    low = rows["low"][2:].reshape(own, answers)
    high = rows["high"][2:].reshape(own, answers)
    sure = low.min(axis=1).max()
    assert _proved(rows, 2, own, answers, True) == (sure, high.max(axis=0).min())
    assert _proved(rows, 2, own, answers, False) == (sure, high.min(axis=1).max())


def _slow_equilibrium(values: Any, counts: list[int]) -> int:
    """Return the row that is played, by backward induction on a grid of rows; role 0 first."""
    rows = np.arange(len(values)).reshape(counts)
    for role in reversed(range(len(counts))):
        own = values[rows, role]
        tied = own == own.max(axis=role, keepdims=True)
        choice = np.where(tied, values[rows, 0], np.inf).argmin(axis=role)
        rows = np.take_along_axis(rows, np.expand_dims(choice, role), axis=role)
    return int(rows.reshape(-1)[0])


@given(counts=st.lists(st.integers(1, 4), min_size=1, max_size=4), seed=st.integers(0, 2**32 - 1))
def test_equilibrium(counts: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    roles, rows = len(counts), int(np.prod(counts))
    values = (random.integers(0, 4, (rows + 5, roles)) / 4).astype(np.float32)
    starts = np.cumsum([0, *counts])
    best, certain = _equilibrium(values, 5, np.arange(roles), starts, np.zeros(roles, np.int64))
    own = values[5:]
    assert best == _slow_equilibrium(own, counts)
    choosers = [role for role in range(roles) if counts[role] > 1]
    if len(choosers) > 1:
        assert not certain
    else:
        equal = own[:, choosers[0]] == own[best, choosers[0]] if choosers else [True] * rows
        assert certain == (own[equal] == own[best]).all()


@compiled
def _count(legal: Any, offsets: Any) -> int:
    return joint_count(legal, offsets)


@compiled
def _all_rows(choices: Any, legal: Any, joint: Any) -> None:
    list_moves(choices, legal)
    for row in range(len(joint)):
        joint_move(choices, row, joint[row])


@given(
    sizes=st.lists(st.integers(1, 140), min_size=1, max_size=4),
    seed=st.integers(0, 2**32 - 1),
    role=st.integers(0, 3),
)
def test_rows_are_the_product_of_the_roles_moves(sizes: list[int], seed: int, role: int) -> None:
    random = np.random.default_rng(seed)
    role %= len(sizes)
    flags = np.concatenate([random.random(n) < min(0.5, 5 / n) for n in sizes])
    offsets = np.cumsum([0, *sizes])
    order = [role, *(r for r in range(len(sizes)) if r != role)]
    own = [[m for m in range(offsets[r], offsets[r + 1]) if flags[m]] for r in range(len(sizes))]
    expected = list(itertools.product(*(own[r] for r in order)))
    assert _count(state_words(flags), offsets) == len(expected)
    if expected:
        joint = np.zeros((len(expected), len(sizes)), np.int32)
        _all_rows(make_choices(offsets, role), state_words(flags), joint)
        assert [tuple(row) for row in joint[:, order].tolist()] == expected


def test_very_many_joint_moves_are_not_counted_on() -> None:
    offsets = np.arange(0, 641, 64)
    assert _count(np.full(10, 2**64 - 1, np.uint64), offsets) == MOST
    one_role_stuck = np.full(10, 2**64 - 1, np.uint64)
    one_role_stuck[7] = 0
    assert _count(one_role_stuck, offsets) == 0

"""The transposition table and the memory of proved states, for compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.array_types import Float32s1, UInt64s1
from neurogame.kernels.lane_rows import hash_row
from neurogame.native.compiled import compiled, inner
from neurogame.native.random import hashed
from neurogame.search.alphabeta.compiled.memory import Proofs, Search, TranspositionTable
from neurogame.search.alphabeta.compiled.records import (
    EXACT,
    LOWER,
    ONE_ROLE,
    TWO_ROLES,
    UPPER,
    ZERO_SUM,
    Records,
    TableEntry,
)

# Entries of a bucket lie side by side, four of 32 bytes: a question reads two cache lines.
BUCKET = 4
_THREE = np.uint64(BUCKET - 1)
# What is worth as much as so many plies of draft when an entry has to go.
_RECENT, _PROVED, _PRINCIPAL = 4, 16, 64


@inner
def bucket_of(word: np.uint64, size: int) -> int:
    """Return the first index of the bucket of a hash in a memory of ``size``, a power of 2."""
    first: Any = np.int64(word & np.uint64(size - 1) & ~_THREE)
    index: int = first
    return index


@inner
def hundredths(value: np.float32) -> int:
    """Return a goal / 100 as the goal."""
    return int(value * np.float32(100) + np.float32(0.5))


@inner
def of_hundredths(number: int) -> np.float32:
    """Return a goal as goal / 100; float32."""
    return np.float32(number / 100.0)


@inner
def child_key(key: np.uint64, row: int, hash_: np.uint64, shared: int) -> np.uint64:
    """Return the key of a child: of its state, or of the way to it where nothing is shared."""
    if shared == 0:
        return hashed(key, row)
    # 0 is the key of a free entry.
    return hash_ if hash_ != 0 else np.uint64(1)


@inner
def find(entries: Records[TableEntry], key: np.uint64) -> int:
    """Return the index of a state's entry, or -1."""
    first = bucket_of(key, len(entries))
    for index in range(first, first + BUCKET):
        if entries[index].key == key:
            return index
    return -1


@inner
def claim(search: Search, entries: Records[TableEntry], key: np.uint64) -> int:
    """Return the index of a state's entry; where it has none, the least useful one is cleared.

    Useful are deep values, those of this search, proved ones, and most of all the principal line.
    """
    first = bucket_of(key, len(entries))
    # More than any entry is worth.
    worst, least = first, 1 << 40
    for index in range(first, first + BUCKET):
        entry = entries[index]
        if entry.key == key:
            entry.age = search.age
            return index
        worth = int(entry.draft)
        if entry.age == search.age:
            worth += _RECENT
        if entry.low == entry.high:
            worth += _PROVED
        elif entry.bound == EXACT and entry.draft >= 2 and entry.age == search.age:
            worth += _PRINCIPAL
        if entry.key == 0:
            worth = -1
        if worth < least:
            worst, least = index, worth
    entry = entries[worst]
    if entry.key == 0:
        search.entry_count += 1
    entry.key = key
    entry.place = -1
    entry.draft = 0
    entry.bound = EXACT
    entry.marks = 0
    entry.best = -1
    entry.low = 0
    entry.high = 100
    entry.value = np.float32(0)
    entry.age = search.age
    return worst


@inner
def narrow(entry: TableEntry, low: np.float32, high: np.float32) -> None:
    """Take over proved bounds that are narrower than those remembered."""
    entry.low = max(int(entry.low), hundredths(low))
    entry.high = min(int(entry.high), hundredths(high))


@inner
def is_enough(entry: TableEntry, draft: int, alpha: np.float32, beta: np.float32) -> bool:
    """Return whether the remembered value answers a search with this draft and window."""
    if entry.draft < draft:
        return False
    if entry.bound == EXACT:
        return True
    if entry.bound == LOWER:
        return bool(entry.value >= beta)
    return bool(entry.bound == UPPER and entry.value <= alpha)


@compiled
def refill(search: Search, old: TranspositionTable) -> None:
    """Move all entries of a smaller table to the search's."""
    new = search.table
    search.entry_count = 0
    for index in range(len(old.entries)):
        entry = old.entries[index]
        if entry.key != 0:
            place = claim(search, new.entries, entry.key)
            new.entries[place] = entry
            if len(old.values) > 0:
                for role in range(new.values.shape[1]):
                    new.values[place, role] = old.values[index, role]


@inner
def remember(search: Search, proofs: Proofs, state: UInt64s1, value: np.float32) -> None:
    """Keep a state whose value for the searching role is proved, if that says enough."""
    win = value == np.float32(1)
    if search.sums > TWO_ROLES and not win:
        return
    place = _place(search, proofs, state)
    if search.sums == ONE_ROLE:
        rest = np.float32(0)
    elif search.sums <= ZERO_SUM:
        rest = of_hundredths(100 - hundredths(value))
    else:
        rest = np.float32(np.nan)
    for role in range(proofs.values.shape[1]):
        proofs.values[place, role] = value if role == search.role else rest


@inner
def remember_all(search: Search, proofs: Proofs, state: UInt64s1, values: Float32s1) -> None:
    """Keep a state whose values for all roles are known; float32 ``[R]``."""
    place = _place(search, proofs, state)
    for role in range(len(values)):
        proofs.values[place, role] = values[role]


@compiled
def place_of(proofs: Proofs, state: UInt64s1) -> int:
    """Return the index of a state among the proved ones, or -1."""
    first = bucket_of(hash_row(state), len(proofs.used))
    for index in range(first, first + BUCKET):
        if proofs.used[index] and _same(proofs.states[index], state):
            return index
    return -1


@inner
def _place(search: Search, proofs: Proofs, state: UInt64s1) -> int:
    """Return where to keep a proved state; where the bucket is full, one of it is given up."""
    hash_ = hash_row(state)
    first = bucket_of(hash_, len(proofs.used))
    # At random, but by numbers of the search alone: the same search gives up the same states.
    drawn: Any = np.int64(hashed(hash_, search.nodes) & _THREE)
    place: int = first + drawn
    for index in range(first, first + BUCKET):
        if not proofs.used[index]:
            search.proof_count += 1
            place = index
            break
        if _same(proofs.states[index], state):
            place = index
            break
    proofs.used[place] = True
    for word in range(len(state)):
        proofs.states[place, word] = state[word]
    return place


@inner
def _same(one: UInt64s1, other: UInt64s1) -> bool:
    for word in range(len(one)):  # noqa: SIM110 - compiled
        if one[word] != other[word]:
            return False
    return True


@compiled
def refill_proofs(search: Search, old: Proofs) -> None:
    """Move all proved states of a smaller memory to the search's."""
    search.proof_count = 0
    for index in range(len(old.used)):
        if old.used[index]:
            remember_all(search, search.proofs, old.states[index], old.values[index])

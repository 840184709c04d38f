"""The transposition table and the memory of proved states, for compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.alphabeta.bits import mixed
from neurogame.kernels.alphabeta.records import (
    EXACT,
    LOWER,
    ONE_ROLE,
    PER_PLY,
    TWO_ROLES,
    UPPER,
    ZERO_SUM,
)
from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.native.compiled import inner, merged, uncounted

BUCKET = 4
_THREE = np.uint64(BUCKET - 1)
_RECENT, _PROVED, _PRINCIPAL = 4 * PER_PLY, 16 * PER_PLY, 64 * PER_PLY


@merged
def bucket_of(word: Any, size: int) -> Any:
    """Return the first index of the bucket of a hash in a memory of ``size``, a power of 2."""
    return np.int64(word & np.uint64(size - 1) & ~_THREE)


@merged
def hundredths(value: Any) -> Any:
    """Return a goal / 100 as the goal."""
    return np.int64(value * np.float32(100) + np.float32(0.5))


@merged
def of_hundredths(number: int) -> Any:
    """Return a goal as goal / 100; float32."""
    return np.float32(np.int64(number) / 100.0)


@merged
def child_key(key: Any, row: int, hash_: Any, shared: int) -> Any:
    """Return the key of a child: of its state, or of the way to it where nothing is shared."""
    if shared == 0:
        return mixed(key, row)
    return hash_ if hash_ != 0 else np.uint64(1)


@merged
def find(entries: Any, key: Any) -> int:
    """Return the index of a state's entry, or -1."""
    first = bucket_of(key, len(entries))
    for index in range(first, first + BUCKET):
        if entries[index].key == key:
            return index
    return -1


@inner
def claim(run: Any, entries: Any, key: Any) -> Any:
    """Return the index of a state's entry; where it has none, the least useful one is cleared.

    Useful are deep values, those of this search, proved ones, and most of all the principal line.
    """
    first = bucket_of(key, len(entries))
    worst, least = first, np.int64(1 << 40)
    for index in range(first, first + BUCKET):
        entry = entries[index]
        if entry.key == key:
            entry.age = run.age
            return index
        worth = np.int64(entry.draft)
        if entry.age == run.age:
            worth += _RECENT
        if entry.low == entry.high:
            worth += _PROVED
        elif entry.bound == EXACT and entry.draft >= 2 * PER_PLY and entry.age == run.age:
            worth += _PRINCIPAL
        if entry.key == 0:
            worth = np.int64(-1)
        if worth < least:
            worst, least = index, worth
    entry = entries[worst]
    if entry.key == 0:
        run.entries += 1
    entry.key = key
    entry.place = -1
    entry.draft = 0
    entry.bound = EXACT
    entry.marks = 0
    entry.best = -1
    entry.low = 0
    entry.high = 100
    entry.value = np.float32(0)
    entry.age = run.age
    return worst


@merged
def narrow(entry: Any, low: Any, high: Any) -> None:
    """Take over proved bounds that are narrower than those remembered."""
    entry.low = max(np.int64(entry.low), hundredths(low))
    entry.high = min(np.int64(entry.high), hundredths(high))


@merged
def is_enough(entry: Any, draft: int, alpha: Any, beta: Any) -> Any:
    """Return whether the remembered value answers a search with this draft and window."""
    if entry.draft < draft:
        return False
    if entry.bound == EXACT:
        return True
    if entry.bound == LOWER:
        return bool(entry.value >= beta)
    return bool(entry.bound == UPPER and entry.value <= alpha)


@uncounted
def enlarge(runs: Any, old: Any, old_values: Any, new: Any, new_values: Any) -> None:
    """Move all entries of a table to a larger one; ``runs`` holds the only record of the run."""
    run = runs[0]
    run.entries = 0
    for index in range(len(old)):
        entry = old[index]
        if entry.key != 0:
            place = claim(run, new, entry.key)
            new[place] = entry
            if len(old_values) > 0:
                for role in range(new_values.shape[1]):
                    new_values[place, role] = old_values[index, role]


@inner
def remember(run: Any, proofs: Any, state: Any, value: Any) -> None:
    """Keep a state whose value for the searching role is proved, if that says enough."""
    win = value == np.float32(1)
    if run.sums > TWO_ROLES and not win:
        return
    place = _place(run, proofs, state)
    if run.sums == ONE_ROLE:
        rest = np.float32(0)
    elif run.sums <= ZERO_SUM:
        rest = of_hundredths(100 - hundredths(value))
    else:
        rest = np.float32(np.nan)
    for role in range(proofs.values.shape[1]):
        proofs.values[place, role] = value if role == run.role else rest


@merged
def remember_all(run: Any, proofs: Any, state: Any, values: Any) -> None:
    """Keep a state whose values for all roles are known; float32 ``[R]``."""
    place = _place(run, proofs, state)
    for role in range(len(values)):
        proofs.values[place, role] = values[role]


@uncounted
def place_of(proofs: Any, state: Any) -> int:
    """Return the index of a state among the proved ones, or -1."""
    first = bucket_of(hash_row(state), len(proofs.used))
    for index in range(first, first + BUCKET):
        if proofs.used[index] and _same(proofs.states[index], state):
            return index
    return -1


@merged
def _place(run: Any, proofs: Any, state: Any) -> Any:
    """Return where to keep a proved state; where the bucket is full, one of it is given up."""
    hash_ = hash_row(state)
    first = bucket_of(hash_, len(proofs.used))
    found = first + np.int64(mixed(hash_, run.nodes) & _THREE)
    for index in range(first, first + BUCKET):
        if not proofs.used[index]:
            run.proofs += 1
            found = index
            break
        if _same(proofs.states[index], state):
            found = index
            break
    proofs.used[found] = True
    for word in range(len(state)):
        proofs.states[found, word] = state[word]
    return found


@merged
def _same(one: Any, other: Any) -> bool:
    for word in range(len(one)):  # noqa: SIM110 - compiled
        if one[word] != other[word]:
            return False
    return True


@uncounted
def enlarge_proofs(runs: Any, old: Any, new: Any) -> None:
    """Move all proved states to a larger memory; ``runs`` as for :func:`enlarge`."""
    run = runs[0]
    run.proofs = 0
    for index in range(len(old.used)):
        if old.used[index]:
            remember_all(run, new, old.states[index], old.values[index])

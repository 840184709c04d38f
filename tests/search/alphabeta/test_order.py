"""The order of a node's rows against a sort in Python, and what is learned from the best one."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.native.compiled import compiled
from neurogame.native.numbers import filled
from neurogame.search.alphabeta.compiled.memory import Numbers, Search, Sizes
from neurogame.search.alphabeta.compiled.order import arrange, learn, row_at
from neurogame.search.alphabeta.settings import SearchSettings
from tests.search.alphabeta.searches import bare_search

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

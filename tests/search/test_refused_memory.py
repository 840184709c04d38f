"""A search that is refused memory goes on with less, and finds the same while it fits."""

from __future__ import annotations

from typing import Any

import pytest

from neurogame.errors import NeurogameWarning
from neurogame.search.alphabeta.compiled import memory as reserve
from neurogame.search.alphabeta.memory import Capacity
from neurogame.search.limit import Limit
from neurogame.search.refusal import say_less_memory
from tests.search.random_tree import OPPOSED, RandomTree, packed, plain_paranoid, searcher


def _tree() -> RandomTree:
    return RandomTree(3, roles=2, plies=9, width=400, simultaneous=False, zero_sum=True, ends=0.1)


def test_alpha_beta_keeps_fewer_children(monkeypatch: pytest.MonkeyPatch) -> None:
    say_less_memory.cache_clear()
    make, wanted = reserve.make_kept, []

    def refusing(sizes: Any, rows: int) -> Any:
        wanted.append(rows)
        if rows > 5000:
            raise MemoryError
        return make(sizes, rows)

    monkeypatch.setattr(reserve, "make_kept", refusing)
    tree = _tree()
    search = searcher(tree, OPPOSED, capacity=Capacity(40_000, 1 << 14, 1 << 10))
    with pytest.warns(NeurogameWarning, match="alpha-beta: the system refuses"):
        found = search.search(packed(0), 0, Limit(depth=6))
    assert wanted == [40_000, 20_000, 10_000, 5000]
    assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)
    assert search._memory(0).capacity == Capacity(5000, 1 << 11, 1 << 7)


def test_alpha_beta_without_any_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(sizes: Any, rows: int) -> Any:
        raise MemoryError

    monkeypatch.setattr(reserve, "make_kept", refusing)
    say_less_memory.cache_clear()
    search = searcher(_tree(), OPPOSED)

    def attempt() -> None:
        with pytest.raises(MemoryError):
            search.search(packed(0), 0, Limit(depth=6))

    with pytest.warns(NeurogameWarning):
        attempt()


@pytest.mark.parametrize(
    ("refused", "limit"), [("make_table", "entries_limit"), ("make_proofs", "proofs_limit")]
)
def test_alpha_betas_tables_stay_small(
    monkeypatch: pytest.MonkeyPatch, refused: str, limit: str
) -> None:
    say_less_memory.cache_clear()
    tree = _tree()
    search = searcher(tree, OPPOSED, capacity=Capacity(40_000, 1 << 14, 1 << 14))
    memory = search._memory(0)
    setattr(memory.search, limit, 20 if refused == "make_table" else 2)

    def refusing(*sizes: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(reserve, refused, refusing)
    monkeypatch.setattr(memory, "begin", lambda: setattr(memory.search, "age", 1))
    with pytest.warns(NeurogameWarning, match="goes on with less"):
        found = search.search(packed(0), 0, Limit(depth=9))
    assert found.depth == 9 or found.proved
    assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)
    kept = memory.capacity
    assert (kept.entries, kept.proofs) == (
        (4096, 1 << 14) if refused == "make_table" else (1 << 14, 1024)
    )

"""From rules to the circuit through the cache on disk."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from neurogame.circuit import compile as compile_module
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.errors import LimitError
from neurogame.gdl.library import load_rules
from neurogame.ground.limits import GroundLimits


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    return tmp_path


def same(left: Circuit, right: Circuit) -> bool:
    """Return whether two circuits agree in everything, the names of their atoms included."""
    texts = [[c.atoms.text(a) for a in range(len(c.atoms))] for c in (left, right)]
    pairs = [
        (getattr(one, field.name), getattr(other, field.name))
        for one, other in ((left, right), (left.graph, right.graph))
        for field in dataclasses.fields(one)
        if field.name not in ("atoms", "graph")
    ]
    return texts[0] == texts[1] and all(np.array_equal(one, other) for one, other in pairs)


def test_the_cache_gives_the_same_circuit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("tictactoe")
    first = compile_rules(rules)
    (file,) = cache.iterdir()
    assert first.key in file.name

    def refuse(*_: object) -> None:
        raise AssertionError("grounded again in spite of the cache")

    monkeypatch.setattr(compile_module, "ground", refuse)
    assert same(compile_rules(rules), first)
    with pytest.raises(AssertionError, match="in spite of"):
        compile_rules(rules, cache=False)


@pytest.mark.parametrize("keep", [0, 100, 2000])
def test_damaged_files_are_ignored(cache: Path, keep: int) -> None:
    rules = load_rules("tictactoe")
    first = compile_rules(rules)
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:keep])
    assert same(compile_rules(rules), first)


def test_a_cache_that_cannot_be_written_is_no_error(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "file").write_text("in the way")
    monkeypatch.setenv("NEUROGAME_CACHE", str(cache / "file"))
    assert compile_rules(load_rules("tictactoe")).roles


def test_nothing_is_cached_at_a_limit(cache: Path) -> None:
    with pytest.raises(LimitError, match="limit is 10 rules"):
        compile_rules(load_rules("tictactoe"), GroundLimits(rules=10))
    assert not list(cache.iterdir())

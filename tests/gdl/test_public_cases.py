"""Public rulesheets, malformed cases, and fuzzed ones: refused with a reason, or played."""

from __future__ import annotations

import csv
import random
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.errors import NeurogameWarning, NonstandardWarning, RulesError
from neurogame.gdl.check import check_rules, check_text
from neurogame.gdl.library import library_path, load_rules, read_text
from tests.conftest import SHARED, shared
from tests.gdl.public_rules import public_rules
from tests.library import experiment

_EXPECTED = SHARED / "gdl-cases" / "malformed" / "verdicts.tsv"


def _cases() -> list[tuple[str, str]]:
    if not _EXPECTED.exists():
        return [("absent", "ok")]
    with _EXPECTED.open(encoding="utf-8", newline="") as file:
        return [(row["case"], row["expected"]) for row in csv.DictReader(file, delimiter="\t")]


@pytest.mark.parametrize(("case", "expected"), _cases())
def test_malformed_case_gets_its_verdict(case: str, expected: str) -> None:
    path = shared("gdl-cases", "malformed", f"{case}.kif")
    severities = {finding.severity for finding in check_text(read_text(path), str(path))[1]}
    assert verdict_of(severities) == expected
    if expected == "error":
        with pytest.raises(RulesError) as caught:
            load_rules(path)
        assert str(caught.value).startswith(str(path))
    elif expected == "nonstandard":
        with pytest.warns(NonstandardWarning, match=rf"{case}\.kif:\d+:\d+: nonstandard: ") as said:
            assert len(load_rules(path)) > 0
        assert len(said) == 1
    else:
        assert len(load_rules(path)) > 0


def verdict_of(severities: Collection[str]) -> str:
    """Return the worst of some severities; ``ok`` if there is none."""
    order = ("error", "nonstandard", "warning")
    return next((severity for severity in order if severity in severities), "ok")


def test_there_are_as_many_malformed_cases_as_listed() -> None:
    files = {path.stem for path in shared("gdl-cases", "malformed").glob("*.kif")}
    assert files == {case for case, _ in _cases()}


def test_public_rulesheets_have_no_errors() -> None:
    paths = sorted(shared("games").glob("*.kif"))
    errors = [
        finding.text(path.name)
        for path in paths
        for finding in check_rules(public_rules(path))
        if finding.severity == "error"
    ]
    assert errors == []
    assert len(paths) == 141


@pytest.mark.parametrize(
    "case", ["test_case_3c", "test_case_5a", "test_case_5d", "test_distinct_beginning_rule"]
)
def test_rulesheets_that_break_naive_provers_are_valid(case: str) -> None:
    assert len(load_rules(shared("gdl-cases", f"{case}.kif"))) > 0


SMALL = ("nim", "rockpaperscissors", "tictactoe", "connectfour")
FEW = settings(derandomize=True, max_examples=12, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", name="fuzzer")
def _fuzzer() -> tuple[Any, Any]:
    """Return the modules that mutate and that try a rulesheet."""
    return experiment("rules_mutations"), experiment("fuzz_case")


def attempt(fuzzer: tuple[Any, Any], data: bytes, path: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NeurogameWarning)
        outcome, detail = fuzzer[1].try_rules(data, path, 5.0, 500.0)
    assert not outcome.startswith("FINDING"), f"{outcome}: {detail}"
    return str(outcome)


@FEW
@given(choose=st.randoms(use_true_random=False))
def test_mutated_rulesheets(
    fuzzer: tuple[Any, Any], tmp_path_factory: pytest.TempPathFactory, choose: random.Random
) -> None:
    corpus = [library_path(name).read_bytes() for name in SMALL]
    path = tmp_path_factory.getbasetemp() / "mutated.kif"
    attempt(fuzzer, fuzzer[0].mutated(corpus, choose), path)


WORDS = st.sampled_from(
    [
        *("role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input"),
        *("<=", "not", "or", "and", "distinct", "a", "b", "p", "q", "?x", "?y", "0", "101", "?"),
        *("(", "(", "(", "(", ")", ")", ")", ")", ";", "(p)", "(q ?x)", "(true p)", "(not (p))"),
        *("(<= p q)", "(goal a", "(<= (goal a 7)", "(or", "(<= terminal", "(<= (next (p ?x))"),
    ]
)


@FEW
@given(words=st.lists(WORDS, max_size=60))
def test_words_in_any_order(
    fuzzer: tuple[Any, Any], tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    game = "(role a) (init p) (legal a x) (goal a 5) (<= terminal (true q)) "
    path = tmp_path_factory.getbasetemp() / "words.kif"
    attempt(fuzzer, (game + " ".join(words)).encode(), path)


def test_every_mutation_gives_bytes_from_any_input(fuzzer: tuple[Any, Any]) -> None:
    mutations = fuzzer[0]
    assert len(mutations.MUTATIONS) == len(mutations.WEIGHTS)
    for mutation in mutations.MUTATIONS:
        for data in (b"", b"(", b"a", b"(p)", b"\xff\x00", library_path("nim").read_bytes()):
            for seed in range(5):
                mutated = mutation(data, [data, b"(q a)"], random.Random(seed))
                assert isinstance(mutated, bytes)


def test_the_fuzzer_finds_what_is_planted(
    fuzzer: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A circuit that forgets a goal is told from the reference; so is a crash in the checks."""
    _, case = fuzzer
    text = library_path("nim").read_bytes()
    assert attempt(fuzzer, text, tmp_path / "nim.kif") == "played"
    monkeypatch.setattr(case.ReferenceGame, "goals", lambda *_: [77])
    outcome, detail = case.try_rules(text, tmp_path / "nim.kif", 5.0, 500.0)
    assert (outcome, "goals" in detail) == ("FINDING circuit and reference differ", True)
    monkeypatch.setattr(case, "parse_rules", lambda *_: ())
    with pytest.raises(AssertionError, match="read back differently"):
        case.try_rules(text, tmp_path / "nim.kif", 5.0, 500.0)

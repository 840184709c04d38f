"""Checks against the public material: malformed cases with their verdicts, and real rulesheets."""

from __future__ import annotations

import csv
from collections.abc import Collection

import pytest

from neurogame.errors import NonstandardWarning, RulesError
from neurogame.gdl.check import check_rules, check_text
from neurogame.gdl.library import load_rules, read_text
from tests.conftest import SHARED, shared
from tests.gdl.public_rules import public_rules

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

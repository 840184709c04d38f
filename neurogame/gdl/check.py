"""Everything GDL demands of a rulesheet beyond its syntax, and the rules that are played.

This is the one place that decides whether a rulesheet can be played: every command, the player
and the Python interface go through :func:`valid_rules`.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace

from neurogame.errors import NonstandardWarning, RulesError
from neurogame.gdl.dependencies import check_dependencies, used_relations
from neurogame.gdl.finding import Finding, Position
from neurogame.gdl.keywords import KEYWORDS
from neurogame.gdl.parse import error_text, parse_with_findings
from neurogame.gdl.safety import check_safety
from neurogame.gdl.standard import standard_formulas, without_asked_moves
from neurogame.gdl.stratification import check_stratification
from neurogame.gdl.terms import Rule, Rules
from neurogame.gdl.usage import (
    REQUIRED,
    check_keywords,
    check_names,
    check_production,
    check_required,
)
from neurogame.gdl.walk import relation_of

_MISSING = {f"no-{name}" for name in REQUIRED}
"""Codes of findings about no statement."""


def check_rules(rules: Rules) -> list[Finding]:
    """Return all findings about a rulesheet, sorted by position.

    Args:
        rules: a parsed rulesheet.

    Returns:
        Errors, which make the rulesheet unusable; what is nonstandard, and played with the one
        meaning that it has; and warnings.
    """
    return _judged(rules, [], "")[1]


def check_text(text: str, source: str = "<text>") -> tuple[Rules, list[Finding]]:
    """Parse and check a rulesheet; after syntax errors, check what could be read.

    A rule with a syntax error is missing from the others, so what more rules could mend is not
    reported then: relations without definition or use, and required relations that the text
    mentions somewhere. All other findings would stay, whatever the unread rules say.

    Args:
        text: the text of the whole rulesheet.
        source: the file name, for messages.

    Returns:
        The rules that are played, in standard GDL, if there is no error; and all findings sorted
        by position.
    """
    rules, unread = parse_with_findings(text, source)
    return _judged(rules, unread, text)


def valid_rules(text: str, source: str = "<text>", *, prover: bool = False) -> Rules:
    """Parse a rulesheet that can be played.

    Args:
        text: the text of the whole rulesheet.
        source: the file name, for messages.
        prover: whether it will be played by proofs, which do not need the recursion restriction:
            they end wherever the arguments that are asked with are finite.

    Returns:
        The rules in standard GDL. What is nonstandard has got its one sensible meaning, or has
        been left out, with one :class:`~neurogame.errors.NonstandardWarning`.

    Raises:
        RulesError: the message lists every error as ``file:line:column: message``.
    """
    rules, findings = check_text(text, source)
    if prover:
        findings = [finding for finding in findings if finding.code != "recursion-restriction"]
    _refuse_errors(findings, source)
    odd = [finding for finding in findings if finding.severity == "nonstandard"]
    if odd:
        count = f"{len(odd)} findings" if len(odd) > 1 else "1 finding"
        text = f"{odd[0].text(source)} ({count} of this kind; see 'neurogame check')"
        warnings.warn(text, NonstandardWarning, stacklevel=3)
    return rules


def readable_rules(text: str, source: str = "<text>") -> Rules:
    """Return what can be made of a rulesheet whatever its errors: the rules that have none."""
    rules, findings = check_text(text, source)
    starts = sorted({rule.position for rule in rules})
    errors = [f.position for f in findings if f.severity == "error" and f.code not in _MISSING]
    places = {_start_of(starts, position) for position in errors}
    return replace(rules, rules=tuple(rule for rule in rules if rule.position not in places))


def _refuse_errors(findings: list[Finding], source: str) -> None:
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise RulesError(error_text(errors, source))


def _judged(rules: Rules, unread: list[Finding], text: str) -> tuple[Rules, list[Finding]]:
    """Return the rules that are played, and all findings about those that were read.

    Args:
        rules: what could be read.
        unread: what is wrong with the rest.
        text: of the rulesheet.
    """
    plain, odd = standard_formulas(rules)
    findings = check_keywords(plain)
    findings += check_names(plain)
    used = used_relations(plain)
    if any(finding.severity == "error" for finding in unread):
        missing = check_required(rules)
        findings += [f for f in missing if not _mentions(text, f.code.removeprefix("no-"))]
        findings += check_safety(plain, {relation_of(rule.head) for rule in plain})
    else:
        findings += check_required(rules)
        findings += check_safety(plain, used)
        if not unread:
            findings += check_production(plain)
    findings += check_dependencies(plain)
    findings += check_stratification(plain)
    kept, findings = _left_out(plain, findings, used)
    played = Rules(tuple(without_asked_moves(kept)), rules.spelling, rules.source, rules.remarks)
    # A rule that was split into several says everything several times.
    unique = dict.fromkeys([*findings, *odd, *unread, *rules.remarks])
    return played, sorted(unique, key=lambda finding: finding.position)


def _left_out(
    rules: Sequence[Rule], findings: Sequence[Finding], used: Collection[tuple[str, int]]
) -> tuple[list[Rule], list[Finding]]:
    """Leave out the rules with errors that nothing needs; what is wrong there is nonstandard."""
    starts = sorted({rule.position for rule in rules})
    spare = {
        rule.position
        for rule in rules
        if relation_of(rule.head) not in used and rule.head.name not in KEYWORDS
    }
    judged: list[Finding] = []
    places: set[Position | None] = set()
    for finding in findings:
        place = _start_of(starts, finding.position)
        if finding.severity == "error" and place in spare and finding.code not in _MISSING:
            message = f"{finding.message}; nothing that is played needs this rule: it is left out"
            finding = Finding("nonstandard", finding.position, message, finding.code, True)
        if finding.left_out:
            places.add(place)
        judged.append(finding)
    return [rule for rule in rules if rule.position not in places], judged


def _start_of(starts: Sequence[Position], position: Position) -> Position | None:
    """Return where the rule starts in which a position lies; ``starts`` ascend."""
    number = bisect_right(starts, position)
    return starts[number - 1] if number else None


def _mentions(text: str, word: str) -> bool:
    assert word in REQUIRED
    return re.search(rf"(?<![\w-]){word}(?![\w-])", text, re.IGNORECASE) is not None

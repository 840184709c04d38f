"""Everything GDL demands of a rulesheet beyond its syntax."""

from __future__ import annotations

import re

from neurogame.errors import RulesError
from neurogame.gdl.dependencies import check_dependencies, used_relations
from neurogame.gdl.finding import Finding
from neurogame.gdl.parse import error_text, parse_with_findings
from neurogame.gdl.safety import check_safety
from neurogame.gdl.stratification import check_stratification
from neurogame.gdl.terms import Rules
from neurogame.gdl.usage import (
    REQUIRED,
    check_keywords,
    check_names,
    check_production,
    check_required,
)
from neurogame.gdl.walk import relation_of


def check_rules(rules: Rules) -> list[Finding]:
    """Return all findings about a rulesheet, sorted by position.

    Args:
        rules: a parsed rulesheet.

    Returns:
        Errors, which make the rulesheet unusable, and warnings, which do not.
    """
    findings = [
        *rules.remarks,
        *check_required(rules),
        *check_keywords(rules),
        *check_names(rules),
        *check_production(rules),
        *check_safety(rules, used_relations(rules)),
        *check_dependencies(rules.rules),
        *check_stratification(rules.rules),
    ]
    return sorted(findings, key=lambda finding: finding.position)


def check_text(text: str, source: str = "<text>") -> tuple[Rules, list[Finding]]:
    """Parse and check a rulesheet; after syntax errors, check what could be read.

    A rule with a syntax error is missing from the others, so what more rules could mend is not
    reported then: relations without definition or use, and required relations that the text
    mentions somewhere. All other findings would stay, whatever the unread rules say.

    Args:
        text: the KIF text of the whole rulesheet.
        source: the file name, for messages.

    Returns:
        The facts and rules that could be read, and all findings sorted by position.
    """
    rules, errors = parse_with_findings(text, source)
    if not errors:
        return rules, check_rules(rules)
    findings = [
        *errors,
        *rules.remarks,
        *(f for f in check_required(rules) if not _mentions(text, f.code.removeprefix("no-"))),
        *check_keywords(rules),
        *check_names(rules),
        *check_safety(rules, {relation_of(rule.head) for rule in rules}),
        *check_dependencies(rules.rules),
        *check_stratification(rules.rules),
    ]
    return rules, sorted(findings, key=lambda finding: finding.position)


def valid_rules(text: str, source: str = "<text>", *, prover: bool = False) -> Rules:
    """Parse a rulesheet that must be valid.

    Args:
        text: the KIF text of the whole rulesheet.
        source: the file name, for messages.
        prover: whether it will be played by proofs, which do not need the recursion restriction:
            they end wherever the arguments that are asked with are finite.

    Raises:
        RulesError: the message lists every error as ``file:line:column: message``.
    """
    rules, findings = check_text(text, source)
    if prover:
        findings = [found for found in findings if found.code != "recursion-restriction"]
    _refuse_errors(findings, source)
    return rules


def require_valid(rules: Rules) -> None:
    """Raise if a rulesheet has errors.

    Raises:
        RulesError: the message lists every error as ``file:line:column: message``.
    """
    _refuse_errors(check_rules(rules), rules.source)


def _refuse_errors(findings: list[Finding], source: str) -> None:
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise RulesError(error_text(errors, source))


def _mentions(text: str, word: str) -> bool:
    assert word in REQUIRED
    return re.search(rf"(?<![\w-]){word}(?![\w-])", text, re.IGNORECASE) is not None

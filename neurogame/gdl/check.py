"""Everything GDL demands of a rulesheet beyond its syntax."""

from __future__ import annotations

from neurogame.errors import RulesError
from neurogame.gdl.dependencies import check_dependencies, used_relations
from neurogame.gdl.finding import Finding
from neurogame.gdl.parse import error_text
from neurogame.gdl.safety import check_safety
from neurogame.gdl.stratification import check_stratification
from neurogame.gdl.terms import Rules
from neurogame.gdl.usage import check_keywords, check_names, check_production, check_required


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


def require_valid(rules: Rules) -> None:
    """Raise if a rulesheet has errors.

    Raises:
        RulesError: the message lists every error as ``file:line:column: message``.
    """
    errors = [finding for finding in check_rules(rules) if finding.severity == "error"]
    if errors:
        raise RulesError(error_text(errors, rules.source))

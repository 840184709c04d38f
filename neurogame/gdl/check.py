"""Everything GDL demands of a rulesheet beyond its syntax."""

from __future__ import annotations

from neurogame.gdl.finding import Finding
from neurogame.gdl.terms import Rules


def check_rules(rules: Rules) -> list[Finding]:
    """Return all findings about a rulesheet."""
    return list(rules.remarks)


def require_valid(rules: Rules) -> None:
    """Raise on errors."""

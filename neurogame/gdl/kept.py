"""The names of a rulesheet that mean something by themselves and so are never renamed."""

from __future__ import annotations

from neurogame.gdl.goal_values import goal_values
from neurogame.gdl.keywords import UNRENAMED_WORDS
from neurogame.gdl.terms import Rules


def kept_names(rules: Rules) -> frozenset[str]:
    """Return the keywords, and the names that stand as goal values or may become one."""
    return UNRENAMED_WORDS | goal_values(rules)

"""A minimal valid rulesheet to which tests add the rules that they are about."""

from __future__ import annotations

from neurogame.gdl.check import check_rules
from neurogame.gdl.finding import Finding
from neurogame.gdl.parse import parse_rules

MINIMAL = """\
(role a) (role b) (base p) (init p)
(<= (legal ?r noop) (role ?r))
(<= (next p) (true p))
(<= (goal ?r 100) (role ?r) (true p))
(<= terminal (true p))
"""
MINIMAL_LINES = MINIMAL.count("\n")


def findings(text: str) -> list[Finding]:
    """Return the findings about rules that stand after the minimal game, from line 1 on.

    Warnings about relations that nothing uses or defines are left out: every fragment has some.
    """
    first = MINIMAL_LINES + 1
    found = [f for f in check_rules(parse_rules(MINIMAL + text)) if f.position.line >= first]
    return [f for f in found if f.code not in ("never-used", "never-defined")]


def codes(text: str) -> list[str]:
    """Return the codes of :func:`findings`."""
    return [finding.code for finding in findings(text)]


def places(text: str) -> list[tuple[str, int, int]]:
    """Return code, line and column of :func:`findings`, lines counted from the fragment's own."""
    return [(f.code, f.position.line - MINIMAL_LINES, f.position.column) for f in findings(text)]

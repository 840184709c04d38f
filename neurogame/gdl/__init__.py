"""Rulesheet text to :class:`Rules` and back: parsing, printing, checks, scrambling, the library.

>>> rules = parse_rules("(role robot) (<= terminal (true done))")
>>> len(rules)
2
"""

from neurogame.gdl.check import check_rules, require_valid
from neurogame.gdl.finding import NOWHERE, Finding, Position
from neurogame.gdl.infix_write import infix_rules_text
from neurogame.gdl.library import library_names, library_path, library_summary, load_rules
from neurogame.gdl.parse import parse_rules, parse_term
from neurogame.gdl.renaming import find_renaming, renamed_text
from neurogame.gdl.scramble import Scrambled, scramble
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.write import formula_text, rule_text, rules_text, term_text

__all__ = [
    "NOWHERE",
    "And",
    "Compound",
    "Distinct",
    "Finding",
    "Formula",
    "Not",
    "Or",
    "Position",
    "Rule",
    "Rules",
    "Scrambled",
    "Sentence",
    "Symbol",
    "Term",
    "Variable",
    "check_rules",
    "find_renaming",
    "formula_text",
    "infix_rules_text",
    "library_names",
    "library_path",
    "library_summary",
    "load_rules",
    "parse_rules",
    "parse_term",
    "renamed_text",
    "require_valid",
    "rule_text",
    "rules_text",
    "scramble",
    "structural_signature",
    "term_text",
]

"""Rules to infix ("HRF") text that reads back as the same rules, up to the names of variables.

Names that are not plain stand in single quotes (see :mod:`neurogame.gdl.infix_read`). A variable
gets a capital: ``?row`` becomes ``Row``. What cannot stand in a variable becomes ``_``, with a
number where two variables of a rule would become the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from neurogame.gdl.keywords import fresh_name
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import variables_in

_PLAIN_NAME = re.compile(r"[a-z][a-zA-Z0-9_]*|-?[0-9]+")
_PLAIN_VARIABLE = re.compile(r"[a-z][a-z0-9_]*|_[a-z0-9_]+")
_ODD = re.compile(r"[^a-z0-9_]")


def infix_rules_text(rules: Rules) -> str:
    """Return a rulesheet as infix text in the spelling of its source.

    Reading the text gives the same rules, up to a one-to-one renaming of the variables of each
    rule; writing those gives the same text.

    Args:
        rules: facts and rules.
    """
    texts = (infix_rule_text(rule, rules.spelling) for rule in rules)
    return "".join(text + "\n" for text in texts)


def infix_rule_text(rule: Rule, spelling: Mapping[str, str] | None = None) -> str:
    """Return a fact on one line, or a rule with one literal per line.

    Args:
        rule: the fact or rule.
        spelling: folded name -> spelling to print; None prints the folded names.

    Returns:
        The text without a final line end.
    """
    names = spelling or {}
    variables = _variable_names(rule, names)
    head = _term(rule.head, names, variables)
    if not rule.body:
        return head
    literals = (_operand(formula, names, variables) for formula in rule.body)
    return f"{head} :-\n    " + " &\n    ".join(literals)


def _operand(formula: Formula, names: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """Return a formula that may stand beside any operator."""
    if isinstance(formula, Symbol | Compound):
        return _term(formula, names, variables)
    if isinstance(formula, Distinct):
        left, right = (_term(t, names, variables) for t in (formula.left, formula.right))
        return f"distinct({left}, {right})"
    if isinstance(formula, Not):
        return f"~{_operand(formula.formula, names, variables)}"
    word, operator = ("or", " | ") if isinstance(formula, Or) else ("and", " & ")
    assert isinstance(formula, Or | And)
    operands = [_operand(inner, names, variables) for inner in formula.formulas]
    if len(operands) < 2:
        return f"{word}({''.join(operands)})"
    return f"({operator.join(operands)})"


def _term(term: Term, names: Mapping[str, str], variables: Mapping[str, str]) -> str:
    if isinstance(term, Variable):
        return variables[term.name]
    name = names.get(term.name, term.name)
    if isinstance(term, Symbol):
        # The constant that prefix notation writes as a name alone in parentheses.
        return f"{_quoted(name[1:-1])}()" if name[0] == "(" else _quoted(name)
    return f"{_quoted(name)}({', '.join(_term(a, names, variables) for a in term.arguments)})"


def _quoted(name: str) -> str:
    """Return a name, in quotes if it is not plain."""
    return name if _PLAIN_NAME.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def _variable_names(rule: Rule, spelling: Mapping[str, str]) -> dict[str, str]:
    """Return the infix spelling of each variable of a rule."""
    names = dict.fromkeys(variable.name for variable in variables_in(rule.head, *rule.body))
    # Plain names come first and keep their name, so that a text written once stays the same.
    chosen = {name: name for name in names if _PLAIN_VARIABLE.fullmatch(name)}
    taken = set(chosen)
    for name in names:
        if name not in chosen:
            chosen[name] = _plain_variable(name, taken)
            taken.add(chosen[name])
    return {
        name: _capitalised(spelling.get(f"?{plain}", f"?{plain}")[1:])
        for name, plain in chosen.items()
    }


def _plain_variable(name: str, taken: set[str]) -> str:
    """Return a plain name like another one that is not taken."""
    base = _ODD.sub("_", name)
    if not _PLAIN_VARIABLE.fullmatch(base):
        base = f"v{base}"
    return fresh_name(base, taken, "_")


def _capitalised(name: str) -> str:
    return name[0].upper() + name[1:]

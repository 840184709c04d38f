"""Terms, formulas and rules back to KIF text that parses to the same rules."""

from __future__ import annotations

from collections.abc import Mapping

from neurogame.gdl.terms import (
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


def term_text(term: Term, spelling: Mapping[str, str] | None = None) -> str:
    """Return a term or sentence as compact KIF, such as ``(cell 1 1 b)``.

    Args:
        term: the term.
        spelling: folded name -> spelling to print; None prints the folded names.

    Returns:
        The text, with one space between words.
    """
    names = spelling or {}
    if isinstance(term, Variable):
        folded = f"?{term.name}"
        return names.get(folded, folded)
    name = names.get(term.name, term.name)
    if isinstance(term, Symbol):
        return name
    inner = " ".join(term_text(argument, spelling) for argument in term.arguments)
    return f"({name} {inner})"


def formula_text(formula: Formula, spelling: Mapping[str, str] | None = None) -> str:
    """Return a literal or a connective of literals as compact KIF.

    Args:
        formula: the formula.
        spelling: folded name -> spelling to print; None prints the folded names.

    Returns:
        The text on one line.
    """
    if isinstance(formula, Symbol | Compound):
        return term_text(formula, spelling)
    if isinstance(formula, Distinct):
        left, right = term_text(formula.left, spelling), term_text(formula.right, spelling)
        return f"(distinct {left} {right})"
    if isinstance(formula, Not):
        return f"(not {formula_text(formula.formula, spelling)})"
    connective = "or" if isinstance(formula, Or) else "and"
    inner = "".join(" " + formula_text(child, spelling) for child in formula.formulas)
    return f"({connective}{inner})"


def rule_text(rule: Rule, spelling: Mapping[str, str] | None = None) -> str:
    """Return a fact on one line, or a rule with one literal per line.

    Args:
        rule: the fact or rule.
        spelling: folded name -> spelling to print; None prints the folded names.

    Returns:
        The text without a final line end.
    """
    head = term_text(rule.head, spelling)
    if not rule.body:
        return head
    lines = [f"(<= {head}", *(f"    {formula_text(f, spelling)}" for f in rule.body)]
    return "\n".join(lines) + ")"


def rules_text(rules: Rules) -> str:
    """Return a rulesheet as KIF text in the spelling of its source.

    ``parse_rules(rules_text(rules)) == rules`` holds for all rules.
    """
    return "".join(rule_text(rule, rules.spelling) + "\n" for rule in rules)

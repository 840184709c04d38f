"""Renamings by brute force: the slow twins of signatures and renamings."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import replace

from neurogame.gdl.kept import kept_names
from neurogame.gdl.renaming import renamed_rule
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
from neurogame.gdl.walk import body_sentences, subterms, variables_in


def shuffled(rules: Rules, seed: int) -> Rules:
    """Return a rulesheet with its rules, bodies, branches and distinct terms in another order."""
    choose = random.Random(seed)

    def turned(formula: Formula) -> Formula:
        if isinstance(formula, Or | And):
            inner = [turned(f) for f in formula.formulas]
            return replace(formula, formulas=tuple(choose.sample(inner, len(inner))))
        if isinstance(formula, Not):
            return replace(formula, formula=turned(formula.formula))
        if isinstance(formula, Distinct) and choose.random() < 0.5:
            return Distinct(formula.right, formula.left)
        return formula

    changed = [
        Rule(rule.head, tuple(turned(f) for f in choose.sample(rule.body, len(rule.body))))
        for rule in rules
    ]
    return Rules(tuple(choose.sample(changed, len(changed))))


def least_form(rules: Rules) -> tuple[str, ...]:
    """Return the least text of a rulesheet under all renamings of its names and variables."""
    kept = kept_names(rules)
    names = sorted(_names(rules) - kept)
    return min(
        tuple(sorted({_least_rule(rule, dict(zip(names, order, strict=True))) for rule in rules}))
        for order in itertools.permutations([f"~{i}" for i in range(len(names))])
    )


def same_rules(ours: Rules, theirs: Rules) -> bool:
    """Return whether each rule of one rulesheet is, but for variables and order, in the other."""
    one, other = ([(_outline(rule), rule) for rule in rules] for rules in (ours, theirs))
    return _covers(one, other) and _covers(other, one)


def _covers(ours: list[tuple[str, Rule]], theirs: list[tuple[str, Rule]]) -> bool:
    alike: dict[str, list[Rule]] = {}
    for outline, rule in theirs:
        alike.setdefault(outline, []).append(rule)
    return all(any(_same(r, other) for other in alike.get(outline, [])) for outline, r in ours)


def _outline(rule: Rule) -> str:
    """Return the text of a rule in which all variables look the same."""
    blank = dict.fromkeys(_variables(rule), "")
    return _text(renamed_rule(rule, {}, blank))


def _same(rule: Rule, other: Rule) -> bool:
    """Return whether some one-to-one renaming of variables turns a rule into another, by trial.

    Both have the same outline. Variables are assigned one by one; what is assigned so far must
    give the same outline, too.
    """
    ours, theirs = _variables(rule), _variables(other)
    if len(ours) != len(theirs):
        return False

    def extend(known: dict[str, str], back: dict[str, str]) -> bool:
        if known:
            blank, blank_back = dict.fromkeys(ours, ""), dict.fromkeys(theirs, "")
            left = _text(renamed_rule(rule, {}, {**blank, **known}))
            if left != _text(renamed_rule(other, {}, {**blank_back, **back})):
                return False
        if len(known) == len(ours):
            return True
        mark, first = str(len(known)), ours[len(known)]
        rest = [name for name in theirs if name not in back]
        return any(extend({**known, first: mark}, {**back, name: mark}) for name in rest)

    return extend({}, {})


def _least_rule(rule: Rule, names: Mapping[str, str]) -> str:
    variables = _variables(rule)
    orders = itertools.permutations([str(i) for i in range(len(variables))])
    return min(
        _text(renamed_rule(rule, names, dict(zip(variables, order, strict=True))))
        for order in orders
    )


def _text(item: Rule | Formula | Term) -> str:
    """Return a text that order and repetition have no part in."""
    if isinstance(item, Rule):
        return f"{_text(item.head)} <= {sorted({_text(formula) for formula in item.body})}"
    if isinstance(item, Variable):
        return f"?{item.name}"
    if isinstance(item, Symbol):
        return item.name
    if isinstance(item, Compound):
        return f"({' '.join([item.name, *map(_text, item.arguments)])})"
    if isinstance(item, Not):
        return f"not {_text(item.formula)}"
    if isinstance(item, Distinct):
        return f"distinct {sorted({_text(item.left), _text(item.right)})}"
    return f"{type(item).__name__} {sorted({_text(formula) for formula in item.formulas})}"


def _variables(rule: Rule) -> list[str]:
    parts = (rule.head, *rule.body)
    return list(dict.fromkeys(v.name for part in parts for v in variables_in(part)))


def _names(rules: Rules) -> set[str]:
    found = set()
    for rule in rules:
        for sentence in (rule.head, *(sentence for sentence, _ in body_sentences(rule.body))):
            found |= {term.name for term in subterms(sentence)}
    return found

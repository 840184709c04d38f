"""Renamings: of rules, of the texts of states and moves, and the one between two rulesheets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from neurogame.gdl.canonical import canonical_form
from neurogame.gdl.kept import kept_names
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
    Variable,
)

Node = TypeVar("Node", bound=Formula | Variable)


def find_renaming(source: Rules, target: Rules) -> dict[str, str] | None:
    """Return for every name of ``source`` the name in ``target`` that plays its part.

    Where several renamings lead from one rulesheet to the other, because some of their names are
    interchangeable, any of them may be returned; but where all names may stay, they do.

    Args:
        source: a rulesheet.
        target: the same rulesheet with other names, and in any order.

    Returns:
        The renaming, or None where the two rulesheets differ in more than
        :func:`~neurogame.gdl.signature.structural_signature` allows. Goal values and keywords
        keep their names; all other numbers are names like any other.

    Raises:
        LimitError: a rulesheet is too regular (:func:`~neurogame.gdl.canonical.canonical_form`).
    """
    ours, theirs = canonical_form(source, None), canonical_form(target, None)
    if not ours.same_structure(theirs):
        ours = canonical_form(source, kept_names(source))
        theirs = canonical_form(target, kept_names(target))
    if not ours.same_structure(theirs):
        return None
    return dict(zip(ours.names, theirs.names, strict=True))


def renamed_text(text: str, renaming: Mapping[str, str]) -> str:
    """Return a fluent, a move or a role, as compact KIF in lower case, under other names.

    Args:
        text: compact KIF without variables, such as ``(cell 1 1 b)``.
        renaming: folded name -> new name; other names stay.
    """
    return re.sub(r"[^\s()]+", lambda word: renaming.get(word[0], word[0]), text.lower())


def renamed_rule(rule: Rule, names: Mapping[str, str], variables: Mapping[str, str]) -> Rule:
    """Return a rule with its names changed.

    Args:
        rule: the rule.
        names: name -> new name; other names stay.
        variables: variable -> new variable, without the ``?``; other variables stay.
    """
    body = tuple(_renamed(formula, names, variables) for formula in rule.body)
    return Rule(_renamed(rule.head, names, variables), body, rule.position)


def _renamed(node: Node, names: Mapping[str, str], variables: Mapping[str, str]) -> Node:
    """Return a formula or term with its names changed."""
    if isinstance(node, Variable):
        return replace(node, name=variables.get(node.name, node.name))
    if isinstance(node, Symbol):
        return replace(node, name=names.get(node.name, node.name))
    if isinstance(node, Compound):
        arguments = tuple(_renamed(a, names, variables) for a in node.arguments)
        return replace(node, name=names.get(node.name, node.name), arguments=arguments)
    if isinstance(node, Not):
        return replace(node, formula=_renamed(node.formula, names, variables))
    if isinstance(node, Distinct):
        left = _renamed(node.left, names, variables)
        return replace(node, left=left, right=_renamed(node.right, names, variables))
    assert isinstance(node, Or | And)
    return replace(node, formulas=tuple(_renamed(f, names, variables) for f in node.formulas))

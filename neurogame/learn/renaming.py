"""Finds which names of one rulesheet stand for which names of another with the same structure.

Names are told apart by how they occur: each gets a colour from its occurrences, colours are
refined until nothing changes, and where names are still alike one is singled out by trial. A
renaming found is verified rule by rule, so that a wrong one is never returned.

*Reference:* colour refinement with individualisation, as in McKay & Piperno, Practical Graph
Isomorphism II, 2014.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

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
    Variable,
)

_TRIALS = 2000


def find_renaming(source: Rules, target: Rules) -> dict[str, str] | None:
    """Return for every name of ``source`` the name in ``target`` that plays its part.

    Args:
        source: a rulesheet.
        target: the same rulesheet with other names, and rules in any order.

    Returns:
        The renaming, or None where the two rulesheets differ in more than names and the order
        of rules. Goal values keep their names; all other numbers are names like any other.
    """
    ours, theirs = kept_names(source), kept_names(target)
    if len(source) != len(target) or ours != theirs:
        return None
    fixed = {word: _digest("kept", word) for word in ours}
    return _search(source, target, fixed, fixed, iter(range(_TRIALS)))


def _search(
    source: Rules,
    target: Rules,
    source_fixed: dict[str, str],
    target_fixed: dict[str, str],
    trials: Iterator[int],
) -> dict[str, str] | None:
    ours, theirs = _refine(source, source_fixed), _refine(target, target_fixed)
    ours_by, theirs_by = _classes(ours), _classes(theirs)
    if {c: len(n) for c, n in ours_by.items()} != {c: len(n) for c, n in theirs_by.items()}:
        return None
    alike = [colour for colour, names in ours_by.items() if len(names) > 1]
    if not alike:
        renaming = {names[0]: theirs_by[colour][0] for colour, names in ours_by.items()}
        return renaming if _agrees(source, target, renaming) else None
    smallest = min(alike, key=lambda colour: (len(ours_by[colour]), colour))
    first = ours_by[smallest][0]
    for other in theirs_by[smallest]:
        if next(trials, None) is None:
            return None
        mark = _digest("chosen", str(len(source_fixed)))
        found = _search(
            source, target, {**source_fixed, first: mark}, {**target_fixed, other: mark}, trials
        )
        if found is not None:
            return found
    return None


def _refine(rules: Rules, fixed: Mapping[str, str]) -> dict[str, str]:
    """Return the stable colour of each name."""
    names = sorted({name for rule in rules for name in _names(rule)} | set(fixed))
    colours = {name: fixed.get(name, "") for name in names}
    while True:
        seen: defaultdict[str, list[str]] = defaultdict(list)
        for rule in rules:
            places, text = _drawn(rule, colours)
            whole = _digest(text)
            for name, place in places:
                seen[name].append(f"{whole}@{place}")
        finer = {n: _digest(colours[n], *sorted(seen[n])) for n in names}
        if len(set(finer.values())) == len(set(colours.values())):
            return finer
        colours = finer


def _classes(colours: Mapping[str, str]) -> dict[str, list[str]]:
    classes: defaultdict[str, list[str]] = defaultdict(list)
    for name, colour in colours.items():
        classes[colour].append(name)
    return dict(classes)


def _agrees(source: Rules, target: Rules, renaming: Mapping[str, str]) -> bool:
    identity = {name: name for name in renaming.values()}
    ours = Counter(_drawn(rule, renaming)[1] for rule in source)
    return ours == Counter(_drawn(rule, identity)[1] for rule in target)


def _drawn(rule: Rule, colours: Mapping[str, str]) -> tuple[list[tuple[str, int]], str]:
    """Return where each name stands in a rule, and the rule with colours for names.

    Variables are numbered in the order of their first occurrence.
    """
    places: list[tuple[str, int]] = []
    parts: list[str] = []
    variables: dict[str, str] = {}

    def draw(item: Formula | Variable) -> None:
        if isinstance(item, Variable):
            parts.append(variables.setdefault(item.name, f"?{len(variables)}"))
            return
        if isinstance(item, (Not, Or, And, Distinct)):
            parts.append(f"({type(item).__name__}")
            for inner in _inside(item):
                draw(inner)
            parts.append(")")
            return
        places.append((item.name, len(parts)))
        parts.append(colours[item.name])
        if isinstance(item, Compound):
            parts.append("(")
            for argument in item.arguments:
                draw(argument)
            parts.append(")")

    for formula in (rule.head, *rule.body):
        draw(formula)
        parts.append("|")
    return places, " ".join(parts)


def _inside(item: Not | Or | And | Distinct) -> tuple[Formula | Variable, ...]:
    if isinstance(item, Not):
        return (item.formula,)
    if isinstance(item, Distinct):
        return (item.left, item.right)
    return item.formulas


def _names(rule: Rule) -> list[str]:
    return [name for name, _ in _drawn(rule, defaultdict(str))[0]]


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:20]

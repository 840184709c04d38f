"""In which order the values of a board's axis stand."""

from __future__ import annotations

import re
from collections.abc import Iterable

from neurogame.gdl.terms import Compound, Rules, Symbol

Successors = tuple[dict[str, str], ...]


def successor_facts(rules: Rules) -> Successors:
    """Collect the relations of two constants in which no constant has two successors.

    Returns:
        Per relation, in source order, a map from each constant to the next; folded names.
    """
    maps: dict[str, dict[str, str]] = {}
    ambiguous: set[str] = set()
    for rule in rules:
        if rule.body or not isinstance(rule.head, Compound) or len(rule.head.arguments) != 2:
            continue
        left, right = rule.head.arguments
        if not (isinstance(left, Symbol) and isinstance(right, Symbol)):
            continue
        own = maps.setdefault(rule.head.name, {})
        if own.setdefault(left.name, right.name) != right.name:
            ambiguous.add(rule.head.name)
    return tuple(own for name, own in maps.items() if name not in ambiguous)


def axis_order(values: Iterable[str], successors: Successors) -> tuple[str, ...]:
    """Sort the values of an axis.

    Integers stand in numeric order. Otherwise the first successor relation of the rules that
    leads through all values gives the order, which survives the renaming of constants; without
    one the order is alphabetical, with numbers inside names compared as numbers.

    Args:
        values: the different values, as text.
        successors: from :func:`successor_facts`.
    """
    values = sorted(set(values), key=_natural)
    if all(value.isdecimal() for value in values):
        return tuple(sorted(values, key=int))
    spelled = {value.lower(): value for value in values}
    for following in successors:
        chain = _chain(spelled, following)
        if chain is not None:
            return tuple(spelled[value] for value in chain)
    return tuple(values)


def _chain(values: Iterable[str], following: dict[str, str]) -> list[str] | None:
    """Return all values along a successor relation, or None if it does not join them all."""
    values = set(values)
    links = {a: b for a, b in following.items() if a in values and b in values}
    starts = values - set(links.values())
    if len(starts) != 1:
        return None
    chain = [starts.pop()]
    while chain[-1] in links and len(chain) < len(values):
        chain.append(links[chain[-1]])
    return chain if len(set(chain)) == len(values) else None


def _natural(text: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", text)
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p]

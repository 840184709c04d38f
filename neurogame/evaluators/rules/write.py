"""Weighted rules to text: the reverse of reading, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from neurogame.evaluators.rules.weighted_rules import (
    AT_LEAST,
    AT_MOST,
    EXACTLY,
    GAME,
    OPPOSED,
    SIGNATURE,
    WORTH,
    Count,
    RuleSet,
    WeightedRule,
)
from neurogame.gdl.terms import Compound, Symbol
from neurogame.gdl.write import term_text

_WIDTH = 100


def weighted_rules_text(
    rule_set: RuleSet, *, title: Sequence[str] = (), remarks: Sequence[str] = ()
) -> str:
    """Return the text of weighted rules, which reads as the same ones.

    Args:
        rule_set: the rules.
        title: lines of comment at the top.
        remarks: a line of comment for each rule, or none at all.
    """
    lines = [f"; {line}".rstrip() for line in title]
    lines += [f"({GAME} {rule_set.game})", f"({SIGNATURE} {rule_set.signature})"]
    if rule_set.opposed:
        lines.append(f"{OPPOSED}  ; what is worth to one role costs the other as much")
    for number, rule in enumerate(rule_set.rules):
        lines.append("")
        if remarks:
            lines.append(f"; {number + 1}. {remarks[number]}")
        lines.append(weighted_rule_text(rule))
    for name, rows in rule_set.facts.items():
        texts = [term_text(Compound(name, row) if row else Symbol(name)) for row in rows]
        lines += ["", *_filled(texts, _WIDTH)]
    return "\n".join(lines) + "\n"


def weighted_rule_text(rule: WeightedRule) -> str:
    """Return the text of one rule, a literal to a line."""
    head = f"({WORTH} {term_text(rule.role)} {rule.weight:g})"
    body = [*map(term_text, rule.conditions), *map(_count_text, rule.counts)]
    if not body:
        return head
    return "\n    ".join([f"(<= {head}", *body]) + ")"


def _count_text(count: Count) -> str:
    """Return a count as the shortest literals that say it."""
    facts = [f"(true {term_text(fluent)})" for fluent in count.fluents]
    low, high, size = count.low, count.high, len(facts)
    if size == 1 and low == high:
        return facts[0] if low else f"(not {facts[0]})"
    if low == high:
        return _counted(EXACTLY, low, facts)
    parts = [_counted(AT_LEAST, low, facts)] if low or high == size else []
    parts += [_counted(AT_MOST, high, facts)] if high < size else []
    return "\n    ".join(parts)


def _counted(word: str, number: int, facts: list[str]) -> str:
    """Return a count, over two lines or more where it is long."""
    whole = f"({word} {number} {' '.join(facts)})"
    if len(whole) <= _WIDTH - 6:
        return whole
    inner = "\n        ".join(_filled(facts, _WIDTH - 16))
    return f"({word} {number}\n        {inner})"


def _filled(texts: Sequence[str], width: int) -> list[str]:
    """Return texts as lines that are as full as can be; none is broken at a blank inside it."""
    solid = " ".join(text.replace(" ", "\0") for text in texts)
    lines = textwrap.wrap(solid, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]

"""What speaks for a value in at most ten lines: rules first, then squares, then the rest.

Everything that looks at the same places is one *topic*: a condition of the rules at all its
thresholds, and the table of its squares. Where a few topics do not say most of it, those of one
rule, and those that share squares, are told together if they speak for the same side: the more of
them, the less is left for the last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float64s1
from neurogame.evaluators.attribution import Attribution, Contribution
from neurogame.inspect.attribution.unit_labels import (
    PlaceNames,
    contribution_text,
    place_names,
)
from neurogame.inspect.table import Row
from neurogame.show.touched import squares_of_fluents
from neurogame.simulate.game import State

LINES = 10
"""Lines, at most."""
_LEFT = 0.1
"""Of all amounts what may be left for the last line, if coarser groups can help it."""
_SHARED = {1.0: "all", 0.75: "three quarters", 0.5: "half", 0.25: "a quarter", 0.01: "some"}
"""How much of what a topic looks at others look at, too, which are told with it."""
_OF_A_RULE = 0.25
"""Of a topic's amounts that rules say, for it to be called by the rule."""
_SUMMED = ("rule", "unit", "pattern")


@final
@dataclass(frozen=True, kw_only=True)
class _Topic:
    """What looks at the same places.

    Attributes:
        places: variables of the structure; none: what is no unit or table.
        members: the largest first, but the one that it is called by before all.
        amount: of all members.
    """

    places: frozenset[int]
    members: Sequence[Contribution]
    amount: float

    @property
    def rule(self) -> str:
        """The rule that it is about, if any."""
        first = self.members[0]
        return first.label.partition(": ")[0] if first.kind == "rule" else ""


def in_short(attribution: Attribution) -> list[Row]:
    """Return what adds to a rules network's value in few lines, which add up but for base and gap.

    Args:
        attribution: any.

    Returns:
        Each with ``amount``, ``text``, ``squares`` and ``share``: of the absolute amounts of all
        topics. The last one is ``other``, if anything is left. None where it is no rules network
        that is taken apart into units and tables, or the state is not known.
    """
    state = attribution.state
    if state is None or all(one.kind not in _SUMMED for one in attribution.contributions):
        return []
    names = place_names(state.game)
    topics = _topics(attribution.contributions, names)
    sizes = np.array([abs(topic.amount) for topic in topics])
    whole = float(sizes.sum()) or 1.0
    groups, word = _grouped(topics, sizes)
    rows = [_row([topics[n] for n in group], word, state, whole) for group in groups]
    rows.sort(key=lambda row: (row["order"], -abs(row["amount"])))
    told = {n for group in groups for n in group}
    rest = [topic.amount for n, topic in enumerate(topics) if n not in told]
    if rest:
        share = sum(map(abs, rest)) / whole
        text = f"other: {share:.0%} of all amounts"
        rows.append({"amount": sum(rest), "text": text, "share": share, "squares": []})
    return rows


def _topics(contributions: Sequence[Contribution], names: PlaceNames) -> list[_Topic]:
    """Return contributions by the places that they look at."""
    members: dict[frozenset[int] | str, list[Contribution]] = {}
    for one in contributions:
        places = frozenset(names.places(one.fluents)) if one.kind in _SUMMED else frozenset[int]()
        members.setdefault(places or one.label, []).append(one)
    topics = []
    for key, group in members.items():
        rules = [one for one in group if one.kind == "rule"]
        size = sum(abs(one.amount) for one in rules)
        if size >= _OF_A_RULE * sum(abs(one.amount) for one in group):
            group.sort(key=lambda one: one.kind != "rule")
        places = key if isinstance(key, frozenset) else frozenset[int]()
        amount = sum(one.amount for one in group)
        topics.append(_Topic(places=places, members=group, amount=amount))
    return topics


def _grouped(topics: Sequence[_Topic], sizes: Float64s1) -> tuple[list[list[int]], str]:
    """Return which topics are told together, and how much of the places these share."""
    groups: list[list[int]] = []
    places = max((place for topic in topics for place in topic.places), default=0) + 1
    reads = np.zeros((len(topics), places))
    for number, topic in enumerate(topics):
        reads[number, list(topic.places)] = 1
    overlap = reads @ reads.T / np.maximum(reads.sum(axis=1), 1)[:, None]
    rules = np.array([topic.rule for topic in topics])
    sign = np.array([topic.amount > 0 for topic in topics])
    of_rule = (rules[:, None] == rules) & (rules != "")
    of_place = (rules[:, None] == "") & (rules == "")
    for share in _SHARED:
        alike = of_place & (overlap >= share) | of_rule & (share < 1)
        alike = alike & (sign[:, None] == sign) | np.eye(len(topics), dtype=np.bool_)
        groups = _greedy(alike, sizes, LINES - 1)
        if sizes[[n for group in groups for n in group]].sum() >= (1 - _LEFT) * sizes.sum():
            break
    return groups, _SHARED[share]


def _greedy(alike: Bools, sizes: Float64s1, most: int) -> list[list[int]]:
    """Return groups of what is alike, those of the largest sizes; its first is like all others."""
    left, groups = sizes.copy(), list[list[int]]()
    while len(groups) < most and left.any():
        first = int(np.argmax(np.where(left > 0, alike @ left, -1.0)))
        others = np.flatnonzero(alike[first] & (left > 0))
        groups.append([first, *others[others != first].tolist()])
        left[groups[-1]] = 0
    return groups


def _row(group: Sequence[_Topic], word: str, state: State, whole: float) -> Row:
    """Return what a line says."""
    topic = max(group, key=lambda one: abs(one.amount)) if group[0].rule else group[0]
    first = topic.members[0]
    text = contribution_text(first, state)
    if len(group) > 1:
        alike = "of this rule" if topic.rule else f"that look at {word} of these places"
        text += f" (and {len(group) - 1} more {alike})"
    return {
        "amount": sum(one.amount for one in group),
        "text": text,
        "share": sum(abs(one.amount) for one in group) / whole,
        "squares": squares_of_fluents(state.game, first.fluents),
        "order": 0 if topic.rule else 1 if topic.places else 2,
    }

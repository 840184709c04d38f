"""An attribution as a view: the board with what each square adds, and the largest contributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurogame.evaluators.attribution import UNIT_TEXTS, Attribution
from neurogame.inspect.attribution.in_short import in_short
from neurogame.inspect.attribution.unit_labels import contribution_text
from neurogame.inspect.html.elements import Content, more, panel, picture, stack
from neurogame.inspect.table import Row, Table
from neurogame.show.paint import Paint, changed
from neurogame.show.touched import squares_of_fluents

_LISTED = 12
"""Contributions that are shown at once."""
_MORE = 24
"""Of the others those that are shown when they are asked for."""
_COLUMNS = "adds={amount:+z.4f} | what={text}"


def attribution_html(attribution: Attribution) -> str:
    """Return what a value is made of as HTML.

    Args:
        attribution: an attribution, or a difference of two.
    """
    state, against, of_move = attribution.state, attribution.against, attribution.move is not None
    named = f"role {attribution.role}" if state is None else state.game.roles[attribution.role]
    moved = (
        f" of {state.game.moves[attribution.role][attribution.move or 0]}"
        if state and of_move
        else ""
    )
    other = "move" if against == state and of_move else "state"
    less = "" if against is None else f", less that of another {other}"
    title = f"{'score' if of_move else 'value'}{moved} for {named}{less}: "
    parts: list[Content] = []
    if state is not None:
        frames = frozenset[int]() if against is None else changed(against, state)
        paint = Paint(by_fluent=attribution.by_fluent, framed=frames)
        parts.append(picture(state, paint, caption=f"what squares add, in {attribution.unit}"))
        if against is not None and against != state:
            parts.append(picture(against, caption="the other state"))
    rows = contribution_rows(attribution)
    table, rest = sums(vars(attribution), rows, _LISTED), rows[_LISTED : _LISTED + _MORE]
    others = more("the next of them", Table(rest, _COLUMNS).element()) if rest else ""
    return panel(
        f"{title}{attribution.value:{'+' if against else ''}.3f}",
        *parts,
        stack(table.element(), others),
        note=f"{attribution.method}, in {UNIT_TEXTS[attribution.unit]}",
    )


def contribution_rows(attribution: Attribution) -> list[Row]:
    """Return what adds to a value, the largest first: amount, text and squares of each.

    Of a rules network, which are many, what they add up to in few lines.
    """
    state, short = attribution.state, in_short(attribution)
    if short:
        return short
    if state is None:
        return [
            {"amount": contribution.amount, "text": contribution.label}
            for contribution in attribution.contributions
        ]
    # Of judges of moves a part may be a move, which lies behind the fluents and on no square.
    count = len(state.fluents)
    return [
        {
            "amount": contribution.amount,
            "text": contribution_text(contribution, state),
            "squares": squares_of_fluents(
                state.game, [f for f in contribution.fluents if f < count]
            ),
        }
        for contribution in attribution.contributions
    ]


def sums(
    attribution: Mapping[str, Any], rows: Sequence[Row], top: int, *, is_whole: bool = True
) -> Table:
    """Return base, contributions, what is left, and the sum.

    Args:
        attribution: the fields of an attribution.
        rows: what adds to it, each with an ``amount`` and a ``text``; the largest first.
        top: how many of them to list.
        is_whole: whether they are the contributions, which add up where the method is not toggling.
    """
    listed = [{**row, "bar": row["amount"]} for row in rows[:top]]
    if len(rows) > top:
        rest = sum(row["amount"] for row in rows[top:])
        listed.append({"amount": rest, "text": f"{len(rows) - top} more"})
    if is_whole and attribution["method"] != "toggling":
        listed.insert(0, {"amount": attribution["base"], "text": "base"})
        listed.append({"amount": attribution["gap"], "text": "left over"})
        listed.append({"amount": attribution["total"], "text": "in all"})
    return Table(listed, _COLUMNS, bars={"adds": ("bar", 0)})

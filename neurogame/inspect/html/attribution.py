"""An attribution as a view: the board with what each square adds, and the largest contributions."""

from __future__ import annotations

from neurogame.evaluators.attribution import Attribution, Contribution
from neurogame.inspect.html.elements import (
    Content,
    Html,
    bar,
    more,
    panel,
    signed,
    stack,
    strong,
    table,
)
from neurogame.inspect.html.picture import picture
from neurogame.show.paint import Paint, changed

_LISTED = 12
"""Contributions that are shown at once."""
_MORE = 24
"""Of the others those that are shown when they are asked for."""


def attribution_html(found: Attribution) -> str:
    """Return what a value is made of as HTML.

    Args:
        found: an attribution, or a difference of two.
    """
    state, against = found.state, found.against
    named = f"role {found.role}" if state is None else state.game.roles[found.role]
    moved = ""
    if state is not None and found.move is not None:
        moved = f" of {state.game.moves[found.role][found.move]}"
    what = "value" if found.move is None else "score"
    other = "move" if against == state and found.move is not None else "state"
    less = "" if against is None else f", less that of another {other}"
    title = f"{what}{moved} for {named}{less}: {found.value:{'+' if against else ''}.3f}"
    parts: list[Content] = []
    if state is not None:
        frames = frozenset[int]() if against is None else changed(against, state)
        paint = Paint(by_fluent=found.by_fluent, framed=frames)
        caption = f"what squares add, in {_unit(found)}"
        parts.append(picture(state, paint, caption=caption))
        if against is not None and against != state:
            parts.append(picture(against, caption="the other state"))
    parts.append(_table(found))
    return panel(title, *parts, note=f"{found.method}, in {_unit(found)}")


def _unit(found: Attribution) -> str:
    return {"value": "values", "score": "scores", "logit": "logits"}.get(found.unit, found.unit)


def _table(found: Attribution) -> Html:
    """Return base, contributions, what is left, and the sum."""
    shown, rest = found.contributions[:_LISTED], found.contributions[_LISTED:]
    largest = max((abs(own.amount) for own in found.contributions), default=0.0) or 1.0
    rows = [_row("base", found.base, largest), *(_line(found, own, largest) for own in shown)]
    if rest:
        rows.append(_row(f"{len(rest)} more", sum(own.amount for own in rest), largest))
    if found.method != "toggling":
        rows.append(_row("left over", found.gap, largest))
        rows.append((strong(signed(found.total)), "", strong("in all")))
    listed = table(("adds", "", "what"), rows, right=(0,))
    if not rest:
        return listed
    others = table(("", "", ""), [_line(found, own, largest) for own in rest[:_MORE]], right=(0,))
    return stack(listed, more("the next of them", others))


def _line(
    found: Attribution, own: Contribution, largest: float
) -> tuple[Content, Content, Content]:
    return _row(own.label if found.state is None else own.text(found.state), own.amount, largest)


def _row(text: str, amount: float, largest: float) -> tuple[Content, Content, Content]:
    return signed(amount), bar(amount / largest, signed=True), text

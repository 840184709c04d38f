"""What views for notebooks are made of: panels, tables and bars, each readable by itself.

All styles stand at the elements: no script, no style sheet, nothing from a network. A panel brings
its own light background, as pictures of states do, so it is readable on light and dark pages. What
is wider than the page scrolls within the panel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias, final

from neurogame.show.board_drawing import EDGE, FAINT, FONT, INK, PANEL
from neurogame.show.paint import NEGATIVE, POSITIVE


@final
@dataclass(frozen=True)
class Html:
    """Markup; whatever is no such thing is text, and is escaped.

    Attributes:
        source: well-formed elements.
    """

    source: str


Content: TypeAlias = str | Html
_GROOVE = "#e9e4d8"
_BAR = 84
"""Width of a bar in pixels."""
_WHOLE = 20
"""Texts in tables that are no longer than this are not broken into lines."""


def markup(content: Content) -> str:
    """Return content as markup: text is escaped, so that nothing in rules can be an element."""
    return content.source if isinstance(content, Html) else escape(content)


def element(name: str, style: str, *contents: Content) -> Html:
    """Return an element.

    Args:
        name: such as ``div``.
        style: its declarations.
        contents: what is in it.
    """
    return Html(f'<{name} style="{style}">{"".join(map(markup, contents))}</{name}>')


def panel(title: Content, *contents: Content, note: Content = "", below: Content = "") -> str:
    """Return the source of a whole view.

    Args:
        title: what is shown.
        contents: pictures, tables and the like; side by side where there is room.
        note: said behind the title.
        below: what needs the whole width.
    """
    head = element(
        "div",
        "margin:0 0 8px;font-size:15px",
        strong(title),
        element("span", f"color:{FAINT};margin-left:10px;font-size:13px", note) if note else "",
    )
    body = [element("div", "min-width:0;max-width:100%;overflow-x:auto", own) for own in contents]
    row = element("div", "display:flex;flex-wrap:wrap;gap:12px 20px;align-items:flex-start", *body)
    last = element("div", "max-width:100%;overflow-x:auto", below) if below else ""
    style = (
        f"box-sizing:border-box;width:fit-content;max-width:100%;padding:12px 14px;"
        f"border:1px solid {EDGE};border-radius:8px;background:{PANEL};color:{INK};"
        f"font:13px/1.45 {FONT};text-align:left;color-scheme:light"
    )
    return element("div", style, head, row, last).source


def strong(content: Content) -> Html:
    """Return what stands out in a text or table."""
    return element("strong", "font-weight:600", content)


def stack(*contents: Content) -> Html:
    """Return contents one below the other."""
    return element("div", "", *(element("div", "margin:0 0 10px", own) for own in contents if own))


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Content]], *, right: Collection[int] = ()
) -> Html:
    """Return a table.

    Args:
        columns: headings; all empty: no line for them.
        rows: cells, as many in each row.
        right: columns that hold numbers, which end at the right.
    """

    def cell(name: str, place: int, own: Content, style: str) -> Html:
        side = "right" if place in right else "left"
        breaks = ""
        if isinstance(own, str):
            whole = place in right or len(own) <= _WHOLE
            breaks = "white-space:nowrap;" if whole else _BROKEN
        return element(name, f"{_CELL}text-align:{side};{breaks}{style}", own)

    heads = [cell("th", n, own, f"color:{FAINT};font-weight:500") for n, own in enumerate(columns)]
    lines = [element("tr", _ROW, *heads)] if any(columns) else []
    for row in rows:
        lines.append(element("tr", _ROW, *(cell("td", n, own, "") for n, own in enumerate(row))))
    return element("table", _TABLE, element("tbody", "", *lines))


# Pages of notebooks style tables, often for a dark background; so every element says what it wants.
_TABLE = "border-collapse:collapse;margin:0;color:inherit;background:transparent;font-size:13px"
_ROW = "background:transparent"
_BROKEN = "overflow-wrap:anywhere;min-width:110px;"
_CELL = "padding:2px 12px 2px 0;border:0;vertical-align:top;"


def facts(rows: Iterable[tuple[Content, Content]]) -> Html:
    """Return names and what they are, one pair per line."""
    return table(("", ""), [(element("span", f"color:{FAINT}", n), own) for n, own in rows])


def more(summary: Content, content: Content) -> Html:
    """Return what is shown when it is asked for."""
    head = element("summary", "cursor:pointer", summary)
    return element("details", "margin:4px 0", head, element("div", "padding:6px 0", content))


def code(text: str) -> Html:
    """Return a command or a part of rules."""
    return element("code", _CODE, text)


_CODE = (
    "font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:12px;padding:0;"
    "background:transparent;color:inherit;overflow-wrap:anywhere;display:inline-block;"
    "min-width:110px"
)


def bar(share: float, *, signed: bool = False) -> Html:
    """Return a number as a bar.

    Args:
        share: of the whole length, 0..1; with a sign -1..1, from the middle to either side.
        signed: whether it can be negative.
    """
    long = min(abs(share), 1.0) * (50 if signed else 100)
    left = 0.0 if not signed else 50.0 - (long if share < 0 else 0.0)
    colour = NEGATIVE if share < 0 else POSITIVE
    filled = f"position:absolute;top:0;bottom:0;left:{left:.4g}%;width:{long:.4g}%;"
    middle = element("div", f"position:absolute;top:-2px;bottom:-2px;left:50%;{_TICK}", "")
    return element(
        "div",
        f"position:relative;width:{_BAR}px;height:9px;margin:5px 0;background:{_GROOVE}",
        element("div", f"{filled}background:{colour}", ""),
        middle if signed else "",
    )


_TICK = f"width:1px;background:{FAINT}"


def signed(amount: float) -> str:
    """Return an amount with its sign; what is 0 after rounding has a plus."""
    return f"{round(amount, 4) + 0.0:+.4f}"


def count(number: float) -> str:
    """Return a number of things with separators."""
    return f"{number:,.0f}"

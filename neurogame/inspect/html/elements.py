"""What views are made of: panels and bars, as one tree for notebooks and for the page.

A notebook gets the tree as markup, each element with its own style: no script, no style sheet,
nothing from a network. A panel brings its own light background, as pictures of states do, so it is
readable on light and dark pages. What is wider than the page scrolls within the panel. The page of
``neurogame view`` gets the tree as JSON, and makes the same elements in its own colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias, final

from neurogame.show.board_drawing import EDGE, FONT, INK, PANEL
from neurogame.show.board_drawing import FAINT as _FAINT
from neurogame.show.paint import NEGATIVE, POSITIVE, Paint

if TYPE_CHECKING:
    from neurogame.simulate.game import State


@final
@dataclass(frozen=True)
class Element:
    """A part of a view.

    Attributes:
        name: such as ``div``.
        style: its declarations.
        contents: what is in it; texts are texts, so that nothing in rules can be an element.
        squares: of the board that it is about, which the page marks when it is pointed at.
        picture: the source of a picture before the contents, for notebooks alone.
    """

    name: str
    style: str
    contents: tuple[Content, ...] = ()
    squares: tuple[str, ...] = ()
    picture: str = ""

    @property
    def source(self) -> str:
        """The element as markup."""
        inside = "".join(
            content.source if isinstance(content, Element) else escape(content)
            for content in self.contents
        )
        return f'<{self.name} style="{self.style}">{self.picture}{inside}</{self.name}>'

    def to_json(self) -> list[Any]:
        """Return the element for the page: name, style, squares, and what is in it."""
        inside = (
            content.to_json() if isinstance(content, Element) else content
            for content in self.contents
        )
        return [self.name, self.style, list(self.squares), *inside]


Content: TypeAlias = str | Element
FAINT = f"var(--ng-faint,{_FAINT})"
"""Colour of what is not the main thing; the page has one of its own, as of all that follow."""
_GROOVE = "var(--ng-track,#e9e4d8)"
_BAR = 84
"""Width of a bar in pixels."""


def element(name: str, style: str, *contents: Content) -> Element:
    """Return an element; see :class:`Element`."""
    return Element(name, style, contents)


def panel(title: str, *contents: Content, note: str = "", below: Content = "") -> str:
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
        element("strong", "font-weight:600", title),
        element("span", f"color:{FAINT};margin-left:10px;font-size:13px", note) if note else "",
    )
    body = [
        element("div", "min-width:0;max-width:100%;overflow-x:auto", content)
        for content in contents
    ]
    row = element("div", "display:flex;flex-wrap:wrap;gap:12px 20px;align-items:flex-start", *body)
    last = element("div", "max-width:100%;overflow-x:auto", below) if below else ""
    style = (
        f"box-sizing:border-box;width:fit-content;max-width:100%;padding:12px 14px;"
        f"border:1px solid {EDGE};border-radius:8px;background:{PANEL};color:{INK};"
        f"font:13px/1.45 {FONT};text-align:left;color-scheme:light"
    )
    return element("div", style, head, row, last).source


def stack(*contents: Content) -> Element:
    """Return contents one below the other."""
    return element(
        "div", "", *(element("div", "margin:0 0 10px", content) for content in contents if content)
    )


def more(summary: str, *contents: Content) -> Element:
    """Return what is shown when it is asked for."""
    head = element("summary", "cursor:pointer", summary)
    return element("details", "margin:4px 0", head, element("div", "padding:6px 0", *contents))


def picture(state: State, paint: Paint | None = None, *, caption: str) -> Element:
    """Return a state with what is painted on it, and a line below.

    Args:
        state: any state.
        paint: see :func:`~neurogame.show.state_svg.state_svg`.
        caption: what is seen.
    """
    below = element("div", f"color:{FAINT};font-size:12px", caption)
    # Imported here: tables need no torch.
    from neurogame.show.state_svg import state_svg

    return Element("div", "", (below,), picture=state_svg(state, paint))


def bar(share: float, *, signed: bool = False) -> Element:
    """Return a number as a bar.

    Args:
        share: of the whole length, 0..1; with a sign -1..1, from the middle to either side.
        signed: whether it can be negative.
    """
    long = min(abs(share), 1.0) * (50 if signed else 100)
    left = 0.0 if not signed else 50.0 - (long if share < 0 else 0.0)
    colour = f"var(--ng-less,{NEGATIVE})" if share < 0 else f"var(--ng-more,{POSITIVE})"
    filled = f"position:absolute;top:0;bottom:0;left:{left:.4g}%;width:{long:.4g}%;"
    middle = f"position:absolute;top:-2px;bottom:-2px;left:50%;width:1px;background:{FAINT}"
    return element(
        "div",
        f"position:relative;width:{_BAR}px;height:9px;margin:5px 0;background:{_GROOVE}",
        element("div", f"{filled}background:{colour}"),
        element("div", middle) if signed else "",
    )

"""Pictures of states within a view."""

from __future__ import annotations

from neurogame.inspect.html.elements import Content, Html, element
from neurogame.show.board_drawing import FAINT
from neurogame.show.paint import Paint
from neurogame.show.state_svg import state_svg
from neurogame.simulate.game import State


def picture(state: State, paint: Paint | None = None, *, caption: Content = "") -> Html:
    """Return a state with what is painted on it, and a line below.

    Args:
        state: any state.
        paint: see :func:`~neurogame.show.state_svg.state_svg`.
        caption: what is seen.
    """
    below = element("div", f"color:{FAINT};font-size:12px", caption) if caption else ""
    return element("div", "", Html(state_svg(state, paint)), below)

"""neurogame: neural-symbolic learning for General Game Playing."""

from __future__ import annotations

from neurogame.version import __version__
from neurogame.views import set_view

__all__ = ["__version__"]


def _state_text(state: object) -> str:
    from neurogame.show.state_text import state_text
    from neurogame.simulate.game import State

    assert isinstance(state, State)
    return state_text(state)


def _state_svg(state: object) -> str:
    from neurogame.show.state_svg import state_svg
    from neurogame.simulate.game import State

    assert isinstance(state, State)
    return state_svg(state)


set_view("text", _state_text)
set_view("svg", _state_svg)

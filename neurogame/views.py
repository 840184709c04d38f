"""How things are shown: who is shown asks here; who knows the views has said so.

The room of views lies behind that of states, which it reads. So a state does not know its views:
the public face of the package, which knows all rooms and is there before any of them, names them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["text", "svg", "html"]

_views: dict[Form, Callable[[object], str]] = {}


def set_view(form: Form, view: Callable[[object], str]) -> None:
    """Say how things are shown from now on.

    Args:
        form: as lines of text, as a picture, or as a part of a page.
        view: returns a thing in this form.
    """
    _views[form] = view


def show_as(form: Form, thing: object) -> str:
    """Return a thing as text, or as the source of a picture or of a part of a page.

    Args:
        form: as lines of text, as a picture, or as a part of a page.
        thing: what is shown.
    """
    return _views[form](thing)

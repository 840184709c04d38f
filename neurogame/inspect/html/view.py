"""What shows itself in a notebook, as HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neurogame.evaluators.attribution import Attribution
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.html.attribution import attribution_html
from neurogame.inspect.html.checkpoint import checkpoint_html
from neurogame.inspect.html.evaluator import evaluator_html
from neurogame.inspect.html.match import match_html
from neurogame.inspect.html.search import search_html
from neurogame.learn.checkpoints.checkpoint import Checkpoint
from neurogame.players.record import MatchRecord
from neurogame.search.result import SearchResult

_VIEWS: dict[type, Callable[[Any], str]] = {
    Evaluator: evaluator_html,
    Checkpoint: checkpoint_html,
    MatchRecord: match_html,
    SearchResult: search_html,
    Attribution: attribution_html,
}


def html_of(thing: object) -> str:
    """Return the HTML of an evaluator, a checkpoint, a match, a search result or an attribution.

    Args:
        thing: one of these.

    Raises:
        TypeError: it is none of these.
    """
    for kind, view in _VIEWS.items():
        if isinstance(thing, kind):
            return view(thing)
    raise TypeError(f"{type(thing).__name__} has no view as HTML")

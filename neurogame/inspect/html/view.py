"""What shows itself in a notebook, as HTML."""

from __future__ import annotations

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


def html_of(thing: object) -> str:
    """Return the HTML of an evaluator, a checkpoint, a match, a search result or an attribution.

    Args:
        thing: one of these.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(thing, Evaluator):
        return evaluator_html(thing)
    if isinstance(thing, Checkpoint):
        return checkpoint_html(thing)
    if isinstance(thing, MatchRecord):
        return match_html(thing)
    if isinstance(thing, SearchResult):
        return search_html(thing)
    if isinstance(thing, Attribution):
        return attribution_html(thing)
    raise TypeError(f"{type(thing).__name__} has no view as HTML")

"""Refinement of a player's evaluator before a match, as far as its clock allows."""

from __future__ import annotations

import time

from neurogame.evaluators.base import Evaluator
from neurogame.simulate.game import Game

_SHARE = 0.6
"""Share of the time left that refinement may take: a search is still to be compiled."""


def refine_in_time(
    game: Game, evaluator: Evaluator, seconds: float, seed: int, end: float | None
) -> str:
    """Refine an evaluator in place by self-play; return a line about it for people.

    Args:
        game: the game.
        evaluator: of the game.
        seconds: at most, 0 or more.
        seed: decides the matches.
        end: when the player must be ready, as ``time.monotonic`` tells it; None: at any time.
    """
    if end is not None:
        seconds = min(seconds, _SHARE * (end - time.monotonic()))
    if seconds <= 0:
        return ""
    # Imported here: who refines nothing needs nothing of the learning room.
    from neurogame.learn.refine import refine_evaluator

    found = refine_evaluator(game, evaluator, seconds, seed)
    return "not refined: no weights, or too little time" if found is None else str(found)

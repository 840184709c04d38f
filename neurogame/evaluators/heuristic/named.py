"""Heuristics by the texts that name them in player strings: ``max(TEXT)`` and ``min(TEXT)``."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from neurogame.errors import GameError
from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import FeatureHeuristic, for_all_roles
from neurogame.evaluators.heuristic.text import heuristic_text
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature
from neurogame.simulate.game import Game

_SHOWN = 5


def named_evaluator(game: Game, source: str) -> HeuristicEvaluator:
    """Return the evaluator of a heuristic.

    Args:
        game: the game.
        source: ``max(TEXT)`` or ``min(TEXT)``, where ``TEXT`` is a feature as the first role sees
            it; all other roles have what is the same for them. It is a text that ``neurogame
            features`` prints, or a part of it that no other one has, in any case.

    Raises:
        GameError: no feature has this text, or several have; or it has another form.
    """
    form = heuristic_text(source)
    if form is None:
        raise GameError(f"{source!r} is no heuristic; write max(TEXT) or min(TEXT)")
    maximise, text = form
    feature = _feature_named(game, find_candidates(game), text)
    return HeuristicEvaluator(game, for_all_roles(game, FeatureHeuristic(feature, maximise)))


def _feature_named(game: Game, features: Sequence[Feature], text: str) -> Feature:
    """Return the feature that a text names."""
    texts = {feature.text.lower(): feature for feature in features}
    wanted = text.lower()
    if wanted in texts:
        return texts[wanted]
    parts = [feature for lower, feature in texts.items() if wanted and wanted in lower]
    if len(parts) == 1:
        return parts[0]
    if parts:
        raise GameError(
            f"{len(parts)} features of {game.name} have {text!r} in their text, such as "
            f"{_quoted(sorted((feature.text for feature in parts), key=len))}; write more of one"
        )
    close = difflib.get_close_matches(wanted, texts, _SHOWN, 0.0)
    near = f"; the nearest are {_quoted([texts[lower].text for lower in close])}" if close else ""
    raise GameError(
        f"no feature of {game.name} has the text {text!r}{near}; `neurogame features --all` shows "
        "all"
    )


def _quoted(texts: Sequence[str]) -> str:
    return "; ".join(f"'{text}'" for text in texts[:_SHOWN])

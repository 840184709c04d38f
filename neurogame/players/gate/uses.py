"""Ways in which a tree search may use a heuristic: what gating puts to the test.

*Reference:* Lanctot et al., "Monte Carlo tree search with heuristic evaluations using implicit
minimax backups" (2014); Draper, "Sancho" (2014), "Integrating heuristics into MCTS"; Gelly and
Silver, "Combining online and offline knowledge in UCT" (2007), equivalent experience.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from neurogame.search.mcts.settings import GATED, GATED_JUDGE, MctsSettings

_TREE: dict[str, Any] = {"tree": GATED_JUDGE}
_PLAYOUT: dict[str, Any] = {"playout": GATED_JUDGE}
_BLENDED: dict[str, Any] = {**_PLAYOUT, "blend": 0.5, "tau": 5.0}
_ACTION_USES: dict[str, dict[str, Any]] = {
    "tree and playouts": {**_TREE, **_PLAYOUT},
    "tree": _TREE,
    "playouts": _PLAYOUT,
    "tree and playouts, blended with MAST": {**_TREE, **_BLENDED},
    "playouts, blended with MAST": _BLENDED,
}
LEARNED_USE = "cutoff=0,tree=values,exploration=0.3"
"""How a tree search uses values that self-play has taught: see docs/search.md."""
DECISIVE_USE = "playout=decisive"
"""How a tree search that has nothing else plays out where that pays: see docs/decisions.md."""
ALL_MOVES_USE = "tree=grave,urgency=parent,exploration=0.1"
"""How it searches where there are more moves than it can try: see docs/decisions.md."""
FEATURES_USE = "minimax=0.8,exploration=0.1"
"""How a tree search uses features: the use that helped in most games, see docs/features.md."""
_EVALUATOR_USES = (LEARNED_USE, FEATURES_USE, "minimax=0.5,exploration=0.2")
"""Values of evaluators lie closer together than results of games, so that they want less
exploration."""
_PLAIN: dict[str, Any] = {"playout": "uniform", "tree": "uct"}


def ungated(settings: MctsSettings) -> MctsSettings:
    """Return how to search if nothing that is gated is switched on."""
    open_ones = (name for name in _PLAIN if getattr(settings, name) == GATED)
    return replace(settings, **{name: _PLAIN[name] for name in open_ones})


def action_uses(settings: MctsSettings) -> dict[str, MctsSettings]:
    """Return the uses of the action heuristic that settings leave open, the best hopes first.

    Args:
        settings: ``playout``, ``tree`` or both are ``gated``.
    """
    left = {name for name in _PLAIN if getattr(settings, name) == GATED}
    plain = ungated(settings)
    return {
        name: replace(plain, **use)
        for name, use in _ACTION_USES.items()
        if left >= use.keys() & _PLAIN.keys()
    }


def evaluator_uses(settings: MctsSettings) -> dict[str, MctsSettings]:
    """Return the uses of an evaluator by a search that has none so far, the best hopes first.

    Args:
        settings: nothing in them asks for an evaluator; an exploration that they set stays, and
            so does a tree other than uct, which leaves out those that need another one. Playouts
            that decide leave out those without playouts.
    """
    kept = {} if settings.exploration is None else {"exploration": settings.exploration}
    uses = {name: settings_of(name) for name in _EVALUATOR_USES}
    return {
        name: replace(settings, playouts=1, **{**use, **kept})
        for name, use in uses.items()
        if (settings.tree == "uct" or "tree" not in use)
        and (settings.playout != "decisive" or "cutoff" not in use)
    }


def settings_of(use: str) -> dict[str, Any]:
    """Return what a use sets, or the options of a player string."""
    return MctsSettings.read(dict(piece.split("=") for piece in use.split(",") if piece))

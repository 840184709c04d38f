"""From the settings of Monte-Carlo tree search to the options of its compiled core."""

from __future__ import annotations

from neurogame.kernels.leaves.preference import SCALINGS
from neurogame.kernels.mcts.tree import (
    ALONE,
    FIRST,
    GRAVE,
    NEVER,
    NUMBER,
    PARENT,
    RAVE,
    UCT,
    WHOLE,
    Options,
)
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.opposition import opposition
from neurogame.simulate.game import Game

DEPTH = 512
"""Plies that no path in a tree exceeds."""

_KINDS = {"rave": RAVE, "grave": GRAVE}
"""All others are :data:`UCT`."""
_NARROW_MOVES = 1 << 16
"""Move numbers below this fit half a word."""


def make_options(game: Game, settings: MctsSettings, seed: int) -> Options:
    """Return the options of the core.

    Args:
        game: the game.
        settings: how to search.
        seed: of one tree; 0 to 2^63 - 1.
    """
    roles = len(game.roles)
    constant = settings.solver and roles > 1 and opposition(game).constant_sum
    hinted = settings.bias > 0 or settings.minimax > 0
    judged = settings.tree_judge is not None
    urgency, urgent = settings.urgency, 0.0
    if not isinstance(urgency, str):
        urgent = float(urgency)
    return Options(
        kind=_KINDS.get(settings.tree, UCT),
        exploration=float(settings.exploration_constant),
        k=settings.equivalence,
        ref=settings.ref,
        urgency={"first": FIRST, "parent": PARENT}.get(str(urgency), NUMBER),
        urgent=urgent,
        loss=int(settings.pending == "loss"),
        solver=int(settings.solver),
        early=ALONE if roles == 1 or (constant and roles == 2) else WHOLE if constant else NEVER,
        opposed=int(constant and roles == 2),
        graph=int(settings.graph),
        blend=int(settings.backup == "blend"),
        bias=float(settings.bias),
        minimax=float(settings.minimax),
        hinted=int(hinted),
        prior=4 + hinted if judged else 0,
        seeded=int(settings.mix == "seed"),
        virtual=float(settings.virtual),
        ripe=settings.ripe,
        scaling=SCALINGS[settings.tree_scaling],
        width=4 + hinted + judged + 2 * (settings.tree == "rave"),
        wide=int(game.circuit.move_count > _NARROW_MOVES),
        traced=int(is_recorded(settings)),
        seed=seed,
        plies=settings.plies,
        cutoff=-1 if settings.cutoff is None else settings.cutoff,
        depth=DEPTH,
    )


def is_recorded(settings: MctsSettings) -> bool:
    """Return whether the moves of playouts are wanted."""
    if settings.playout_judge is not None:
        return settings.tree in ("rave", "grave") or settings.blend < 1
    return settings.tree in ("rave", "grave") or settings.playout != "uniform"


def has_policy(settings: MctsSettings) -> bool:
    """Return whether playouts are anything else than uniform games to the end."""
    judged = settings.playout_judge is not None
    return is_recorded(settings) or judged or settings.cutoff is not None

"""Fluents that change at every ply, such as whose turn it is, found by what states do.

Goals say nothing of them, or the same for both of their values, and yet a learner may give them
weight: an evaluator that does values a state by who is to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.arena.positions import PlayedPositions
from neurogame.array_types import Int64s1
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.change.fluent_effects import FluentEffects
from neurogame.inspect.weights import weight_table
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True)
class OscillatingFluent:
    """A fluent that changes at every ply, and how much it matters.

    Attributes:
        fluent: its text.
        effect: on the log-odds of the first role; see
            :class:`~neurogame.inspect.change.fluent_effects.FluentEffects`.
        usual: mean absolute effect of the fluents that do not oscillate and were seen.
        weights: how many weights read it directly; 0 in evaluators without weights from rules.
        initial: their mean absolute size before learning.
        current: their mean absolute size now.
    """

    fluent: str
    effect: float
    usual: float
    weights: int
    initial: float
    current: float


def oscillating_fluents(game: Game, played: PlayedPositions) -> Int64s1:
    """Return the fluents that changed at every ply of every game; int64, ascending.

    The values of the variable that says who has a choice count as well: with three roles each of
    them holds at every third ply.

    Args:
        game: the game.
        played: positions of whole games, as
            :func:`~neurogame.arena.positions.played_positions` returns them.
    """
    held = played.states.to_bool().numpy()
    follows = (played.games[1:] == played.games[:-1]) & (np.diff(played.plies) == 1)
    changes = (held[1:] != held[:-1])[follows]
    toggles = changes.all(axis=0) if len(changes) else np.zeros(len(game.fluents), np.bool_)
    mode = game.structure.mode
    if mode is not None:
        toggles[game.structure.variables[mode.variable].fluents] = True
    return np.flatnonzero(toggles).astype(np.int64)


def oscillating_weights(
    game: Game,
    current: Evaluator,
    initial: Evaluator,
    effects: FluentEffects,
    fluents: Int64s1,
) -> list[OscillatingFluent]:
    """Return how much oscillating fluents matter to an evaluator.

    Args:
        game: the game.
        current: the evaluator now.
        initial: before learning.
        effects: of the evaluator now.
        fluents: the oscillating fluents.
    """
    from neurogame.evaluators.goal_networks import WeightedNetworks

    rows = weight_table(current, initial) if isinstance(current, WeightedNetworks) else []
    usual = np.setdiff1d(np.flatnonzero(effects.states > 0), fluents)
    size = float(np.abs(effects.amounts[usual, 0]).mean()) if len(usual) else 0.0
    found = []
    for fluent in fluents.tolist():
        atom = f"(true {game.fluents[fluent]})"
        own = [row for row in rows if row.child in (atom, f"(not {atom})")]
        count = max(len(own), 1)
        found.append(
            OscillatingFluent(
                fluent=game.fluents[fluent],
                effect=float(effects.amounts[fluent, 0]),
                usual=size,
                weights=len(own),
                initial=sum(abs(row.initial) for row in own) / count,
                current=sum(abs(row.current) for row in own) / count,
            )
        )
    return found

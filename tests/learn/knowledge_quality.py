"""How well knowledge of states foresees results: the log loss, and the order of states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from neurogame.array_types import Float64s
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.recorded_games import RecordedGames
from neurogame.kernels.words.rows import unpack_rows

_BLOCK = 65_536
_LEAST = 1e-7


@final
@dataclass(frozen=True, kw_only=True)
class StateQuality:
    """How well values of states foresee the results of games; means over the roles.

    Attributes:
        log_loss: mean of ``-(r ln V + (1 - r) ln(1 - V))``; ``ln 2`` for values of 0.5.
        ranking: chance that of two states, whose games had different results for a role, the one
            with the better result has the higher value, equal values counting a half (the area
            under the receiver operating characteristic where results are 0 and 1); NaN where all
            results are the same.
    """

    log_loss: float
    ranking: float


def state_quality(knowledge: Knowledge, games: RecordedGames) -> StateQuality:
    """Measure the values of all states of some games but their last ones.

    Args:
        knowledge: of the game.
        games: that it has not learned from.
    """
    game = np.repeat(np.arange(len(games)), np.diff(games.begins))
    last = np.zeros(len(game), np.bool_)
    last[games.begins[1:] - 1] = True
    states, results = games.states[~last], games.results[game[~last]]
    parts = []
    with torch.no_grad():
        for begin in range(0, len(states), _BLOCK):
            held = unpack_rows(states[begin : begin + _BLOCK], knowledge.psi.shape[1])
            parts.append(knowledge.state_values(held).double().numpy())
    values = np.concatenate(parts)
    inside = values.clip(_LEAST, 1 - _LEAST)
    losses = -(results * np.log(inside) + (1 - results) * np.log(1 - inside))
    rankings = [_ranking(values[:, role], results[:, role]) for role in range(values.shape[1])]
    return StateQuality(log_loss=float(losses.mean()), ranking=float(np.mean(rankings)))


def _ranking(values: Float64s, results: Float64s) -> float:
    """Return the chance that the better of two states has the higher value."""
    right, pairs = 0.0, 0
    levels = np.unique(results)
    for place, low in enumerate(levels):
        worse = np.sort(values[results == low])
        for high in levels[place + 1 :]:
            better = values[results == high]
            below = np.searchsorted(worse, better, side="left")
            upto = np.searchsorted(worse, better, side="right")
            right += float(below.sum() + upto.sum()) / 2
            pairs += len(worse) * len(better)
    return right / pairs if pairs else float("nan")

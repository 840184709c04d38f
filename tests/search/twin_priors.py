"""How the twin of the tree search turns the scores of a judge into priors."""

from __future__ import annotations

import numpy as np

from neurogame.judges.moves import LOGITS
from neurogame.kernels.leaves.preference import MAX, RAW
from neurogame.search.mcts.compiled.search import Options

Real = np.float32


def comparable(scores: dict[int, Real], scale: int, options: Options) -> dict[int, Real]:
    """Return the priors of the moves of a state.

    Args:
        scores: of each move.
        scale: of the judge that gave them.
        options: of the search.
    """
    if scale == LOGITS:
        high = max(scores.values())
        return {move: np.exp(score - high) for move, score in scores.items()}
    return _scaled(scores, options.scaling)


def _scaled(scores: dict[int, Real], scaling: int) -> dict[int, Real]:
    low, high = min(scores.values()), max(scores.values())
    known = {RAW: (Real(0), Real(1)), MAX: (Real(0), high)}
    shift, divisor = known.get(scaling, (low, high - low))
    if divisor <= 0:
        return dict.fromkeys(scores, Real(0.5))
    scaled = {move: (s - shift) * (Real(1) / divisor) for move, s in scores.items()}
    return {move: min(max(s, Real(0)), Real(1)) for move, s in scaled.items()}

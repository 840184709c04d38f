"""N-gram selection: means of moves after the moves that were chosen before them.

*Reference:* Tak, Winands and Bjornsson, "N-grams and the last-good-reply policy applied in general
game playing", 2012: up to three moves, of which a longer sequence counts from seven visits on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.bits import mixed
from neurogame.kernels.leaves.policy import score
from neurogame.kernels.native.compiled import uncounted_inlined
from neurogame.kernels.twin.random_words import G2

_G2 = np.uint64(G2)
_FEWEST = 7
_PROBES = 4


@uncounted_inlined
def gram_place(policy: Any, context: Any, move: int, add: bool) -> Any:
    """Return the place of a move after a context, -1 if there is none.

    Args:
        policy: of the playouts.
        context: of one or two plies.
        move: its number.
        add: whether to make one; where the places nearby are taken, the least visited is given up.
    """
    key = mixed(context + np.uint64(move + 1) * _G2) | np.uint64(1)
    mask = np.uint64(len(policy.keys) - 1)
    worst: Any = -1
    for probe in range(_PROBES):
        place = np.int64(((key >> np.uint64(1)) + np.uint64(probe)) & mask)
        if policy.keys[place] == key:
            return place
        if policy.keys[place] == 0:
            worst = place
            break
        if worst < 0 or policy.gram_visits[place] < policy.gram_visits[worst]:
            worst = place
    if not add:
        return -1
    policy.keys[worst] = key
    policy.gram_visits[worst] = policy.gram_sums[worst] = 0
    return worst


@uncounted_inlined
def gram_score(policy: Any, row: int, move: int) -> Any:
    """Return the score of a move: the mean of the means of all sequences that it ends."""
    total: Any = np.float32(0.0)
    known: Any = np.float32(0.0)
    if policy.visits[move] > np.float32(1e-3):
        total, known = policy.sums[move] / policy.visits[move], np.float32(1.0)
    for length in range(2):
        if policy.contexts[row, length] != 0:
            place = gram_place(policy, policy.contexts[row, length], move, False)
            if place >= 0 and policy.gram_visits[place] >= _FEWEST:
                total += policy.gram_sums[place] / policy.gram_visits[place]
                known += np.float32(1.0)
    return score(policy, known, total)


@uncounted_inlined
def learn_grams(policy: Any, row: int, move: int, value: float) -> None:
    """Add a result to the sequences that a move ends."""
    for length in range(2):
        if policy.contexts[row, length] != 0:
            place = gram_place(policy, policy.contexts[row, length], move, True)
            policy.gram_visits[place] += np.float32(1)
            policy.gram_sums[place] += np.float32(value)

"""First weights of hidden units: detectors of what the goals ask for.

A unit looks at one condition of the goals, such as a line of four cells with the same mark. Each
fluent of the condition that holds excites it, and each other value of the same variables (the
other mark) inhibits it by more. So it tells how nearly the condition holds, and that it cannot any
more. This is the knowledge that C-IL2P writes into a network, put where learning starts from.

*Reference:* Towell and Shavlik, "Knowledge-based artificial neural networks" (1994); Michulke and
Thielscher, section 3.1.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s
from neurogame.structure.structure import Structure

_EXCITED, _INHIBITED = 1.0, -2.0
_NOISE = 0.03
"""Standard deviation of all other weights of a detector."""


def first_embedding(
    structure: Structure | None, fluents: int, hidden: int, share: float, seed: int
) -> tuple[Float32s, Float32s]:
    """Return the first embeddings and biases of one set of weights.

    Args:
        structure: of the game; None: all units begin at random.
        fluents: of the game, ``F``.
        hidden: number of units, ``H``.
        share: of the units that begin as detectors, 0..1, as far as there are conditions.
        seed: decides which conditions are taken, and everything random.

    Returns:
        float32 ``[F, H]`` and ``[H]``.
    """
    random = np.random.default_rng(seed)
    # A state holds a few dozen fluents: so the inputs of hidden units are about 1 in size.
    embedding = 0.3 * random.standard_normal((fluents, hidden))
    bias = np.full(hidden, 0.1)
    if structure is None or not structure.conditions:
        return embedding.astype(np.float32), bias.astype(np.float32)
    order = random.permutation(len(structure.conditions))
    for unit in range(int(share * hidden)):
        condition = structure.conditions[int(order[unit % len(order)])]
        embedding[:, unit] = _NOISE * random.standard_normal(fluents)
        for fluent in condition:
            variable = structure.variables[int(structure.variable_of[fluent])]
            embedding[variable.fluents, unit] += _INHIBITED
            embedding[fluent, unit] += _EXCITED - _INHIBITED
        # It answers from one, two, ... fluents on, so that units for one condition differ.
        bias[unit] = 0.5 - random.integers(1, len(condition))
    return embedding.astype(np.float32), bias.astype(np.float32)

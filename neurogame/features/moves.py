"""Features of moves: how many a role has, of all kinds and of each.

*Reference:* Draper, "Sancho", the mobility and focus heuristics (focus is mobility with a minus).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.features.feature import Feature
from neurogame.features.maker import FeatureMaker

MOST_KINDS = 6
"""Kinds of moves of a role that are features of their own, at most."""


def move_features(maker: FeatureMaker) -> Iterator[Feature]:
    """Yield the number of legal moves of each role, and of each kind of them."""
    circuit = maker.circuit
    for role, name in enumerate(circuit.roles):
        first, last = (int(circuit.move_offsets[role + n]) for n in (0, 1))
        if last - first < 2:
            continue
        yield maker.of_moves(f"legal moves of {name}", np.arange(first, last), role)
        kinds: dict[str, list[int]] = {}
        for move, text in enumerate(circuit.moves[role]):
            kinds.setdefault(_kind(text), []).append(first + move)
        several = {kind: moves for kind, moves in kinds.items() if len(moves) > 1}
        if 1 < len(several) <= MOST_KINDS or (len(several) == 1 and len(kinds) > 2):
            for kind, moves in several.items():
                yield maker.of_moves(f"legal {kind} of {name}", np.array(moves), role)


def _kind(text: str) -> str:
    """Return a move with its arguments left out."""
    inner = text.strip("() ").split()
    return f"({inner[0]} *)" if len(inner) > 1 else inner[0]

"""How small the values of action heuristics may be."""

from __future__ import annotations

SMALL = 1e-32
"""Where smaller values may occur, 0 apart, all is computed in float64; and where all scores of a
state are smaller, they are enlarged before they become float32."""

MOST_DOUBLINGS = 1000
"""How often such scores are doubled at most."""

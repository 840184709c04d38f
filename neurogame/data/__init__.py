"""Positions with what their games came to, for learners of one's own."""

from __future__ import annotations

from neurogame.data.positions import DrawnPositions, positions
from neurogame.data.self_play import SelfPlay

__all__ = ["DrawnPositions", "SelfPlay", "positions"]

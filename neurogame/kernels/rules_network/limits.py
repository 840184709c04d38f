"""How far values are trusted: the same for torch and for compiled code."""

from __future__ import annotations

MOST = 30.0
"""What units and tables add is cut off here: beyond, a value is 0 or 1 in float32."""

LEAST = 1e-6
"""The least value, and the least distance to 1, whose logarithm is taken."""

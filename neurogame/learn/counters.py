"""How far a training run is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass
class Counters:
    """Totals since the start of a run, through all interruptions.

    Attributes:
        rounds: rounds of self-play and learning.
        matches: matches played for learning.
        plies: joint moves of those matches.
        updates: updates of the weights.
        seconds: time spent playing, learning and evaluating.
    """

    rounds: int = 0
    matches: int = 0
    plies: int = 0
    updates: int = 0
    seconds: float = 0.0

"""How far a training run is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, final


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

    def to_json(self) -> dict[str, Any]:
        """Return the counters as a JSON-able dictionary."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Counters:
        """Rebuild counters; the inverse of :meth:`to_json`."""
        return Counters(**data)

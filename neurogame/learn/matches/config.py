"""How a player learns from the matches that it plays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from neurogame.learn.lanes.config import LaneConfig


@final
@dataclass(frozen=True, kw_only=True)
class MatchLearning:
    """How a player learns from the matches that it plays.

    Attributes:
        steps: step sizes and the decay of TD(lambda); what it says of self-play is not looked at.
        replayed: earlier matches, drawn at random, that are learned again after each match.
        positions: of earlier matches that are remembered, at most; the oldest matches go first.
        patience: seconds to wait for another player that learns into the same file.
    """

    steps: LaneConfig = field(
        # Smaller steps than in self-play: there is little to learn from, and much that agrees.
        default_factory=lambda: LaneConfig(step_every=256, step_size=0.002, table_rate=0.005)
    )
    replayed: int = 32
    positions: int = 8192
    patience: float = 60.0

"""The configuration of a training run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.learn.lanes.config import LaneConfig
from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class TrainConfig(Settings):
    """How long to learn, and how to measure it."""

    SUBJECT = "training: "

    learner: LaneConfig | None = setting(
        None, "how to play and learn; none: what fits the game, see recipe.fitted"
    )
    seconds: float | None = setting(
        None,
        "processor seconds of learning after which the run ends; the command 'train' ends within "
        "ten seconds of its own clock beyond them, set-up and measurements included, and takes 180 "
        "where neither these nor games are given",
        least=0,
    )
    games: int | None = setting(None, "games of self-play after which the run ends", least=1)
    release_matches: int = setting(
        100,
        "matches against the last release that decide whether weights are released, at each mark; "
        "half of them are played from the other side",
        least=2,
        most=1_000_000,
    )
    opening_plies: int = setting(
        4,
        "random plies at the start of every match that measures, exactly as many",
        least=0,
        most=65_536,
    )

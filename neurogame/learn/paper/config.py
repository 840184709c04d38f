"""The configuration of a training run by the paper's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class PaperConfig(Settings):
    """How matches are played and what is learned from them; the defaults are the paper's numbers.

    Raises:
        ConfigurationError: a field is out of its range.
    """

    SUBJECT = "recipe paper: "

    evaluator: EvaluatorConfig = setting(
        EvaluatorConfig(kind="cilp-paper"), "goal networks that learn; the paper: cilp-paper"
    )
    games: int | None = setting(None, "stop after this many matches in total", least=1)
    seconds: float | None = setting(
        None, "stop after this many seconds in total, at least one match", least=0
    )
    seed: int = setting(0, "every random choice follows from this number", least=0)
    opponent: str = setting(
        "fluxplayer",
        "who plays the other roles: untrained (the learner before any learning), random, or a "
        "fresh evaluator such as fluxplayer or fuzzy",
    )
    opponent_outlook: Literal["margin", "own"] = setting(
        "own", "what an opponent that searches reads from values; margin: own less the other's"
    )
    move_seconds: float | None = setting(
        None,
        "seconds for each move of learner and opponent; none: both look one ply ahead",
        above=0,
    )
    opening_plies: int = setting(
        0, "random plies at the start of every match, exactly as many", least=0
    )
    max_plies: int = setting(
        1000, "a match is cut off, and has no outcome, after this many plies", least=1
    )
    lambda_: float = setting(
        0.8, "discount of a signal for each ply before the end", least=0, most=1
    )
    minimum_share: float = setting(
        0.1,
        "least share of the states of a match that is learned from, counted from the end; proved "
        "states are always used",
        least=0,
        most=1,
    )
    proofs: bool = setting(True, "replace targets by values that the search has proved")
    learning_rate: float = setting(0.001, "size of the gradient steps", least=0)

    def check(self) -> None:
        """Refuse to learn from nothing."""
        if self.minimum_share == 0 and not self.proofs:
            raise ConfigurationError(
                "minimum-share 0 without proofs leaves nothing to learn from; use a share above 0"
            )

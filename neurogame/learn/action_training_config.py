"""How an action circuit is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError


@final
@dataclass(frozen=True, kw_only=True)
class ActionTrainingConfig:
    """How an action circuit is trained.

    Attributes:
        rounds: of self-play and learning by turns; at least 1.
        matches: of self-play in each round; at least 1.
        simulations: of a search; at least 2.
        teacher: ``action``: the search has the circuit as its prior; ``plain``: it is UCT.
        random_plies: first plies in which moves are drawn by their share of visits instead of
            the most visited one; at least 0.
        epochs: passes over all choices seen so far, in each round; at least 1. The weights after
            the pass that fits the held-out choices best are kept, those before any included.
        batch: choices per step of the optimiser; at least 1.
        learning_rate: of Adam; above 0.
        held_out: share of the matches that are not learned from but measure what was learned;
            0 to below 1.
        plies: a match ends after this number; at least 1.
    """

    rounds: int = 4
    matches: int = 50
    simulations: int = 200
    teacher: Literal["action", "plain"] = "action"
    random_plies: int = 8
    epochs: int = 10
    batch: int = 64
    learning_rate: float = 0.003
    held_out: float = 0.2
    plies: int = 500

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        least = {"rounds": 1, "matches": 1, "simulations": 2, "random_plies": 0, "epochs": 1}
        for name, bound in {**least, "batch": 1, "plies": 1}.items():
            if getattr(self, name) < bound:
                raise ConfigurationError(f"{name}={getattr(self, name)}; at least {bound}")
        if self.teacher not in ("action", "plain"):
            raise ConfigurationError(f"teacher={self.teacher!r}; allowed are action, plain")
        if not 0 < self.learning_rate < float("inf"):
            raise ConfigurationError(f"learning_rate={self.learning_rate}; a number above 0")
        if not 0 <= self.held_out < 1:
            raise ConfigurationError(f"held_out={self.held_out}; 0 to below 1")

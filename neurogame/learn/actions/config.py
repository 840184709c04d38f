"""How an action circuit is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class ActionTrainingConfig(Settings):
    """How an action circuit is trained."""

    rounds: int = setting(4, "of self-play and learning by turns", least=1)
    matches: int = setting(50, "of self-play in each round", least=1)
    simulations: int = setting(200, "of a search", least=2)
    teacher: Literal["action", "plain"] = setting(
        "action", "action: the search has the circuit as its prior; plain: it is UCT"
    )
    random_plies: int = setting(
        8,
        "first plies in which moves are drawn by their share of visits instead of the most "
        "visited one",
        least=0,
    )
    epochs: int = setting(
        10,
        "passes over all choices seen so far, in each round. The weights after the pass that fits "
        "the held-out choices best are kept, those before any included.",
        least=1,
    )
    batch: int = setting(64, "choices per step of the optimiser", least=1)
    learning_rate: float = setting(0.003, "of Adam", above=0)
    held_out: float = setting(
        0.2,
        "share of the matches that are not learned from but measure what was learned",
        least=0,
        below=1,
    )
    plies: int = setting(500, "a match ends after this number", least=1)

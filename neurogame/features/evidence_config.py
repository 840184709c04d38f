"""How features are tried in random games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class EvidenceConfig(Settings):
    """How features are tried."""

    SUBJECT = "evidence: "

    games: int = setting(16_384, "random games", least=64)
    seconds: float = setting(5.0, "most seconds of play, after a first block of 512 games", least=0)
    looks: int = setting(16, "states of a game that are looked at, about", least=2, most=1000)
    doubt: float = setting(
        0.05, "chance, over all features and roles, that one is chosen by luck", least=1e-9, most=1
    )
    weakest: float = setting(
        0.03, "least correlation that a feature adds if it is chosen", least=0, most=1
    )
    alike: float = setting(
        0.95,
        "multiple correlation with those chosen from which on a feature says the same",
        least=0,
        most=1,
    )

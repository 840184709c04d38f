"""The configuration of a rules network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class RulesNetworkConfig(Settings):
    """Which hidden units and pattern tables a rules network has, and how large they are."""

    SUBJECT = "network: "

    hidden: int = setting(
        64, "hidden units above the embeddings of fluents, 0: none", least=0, most=1024
    )
    rules: float = setting(
        0.9,
        "share of the hidden units that begin as conditions of the rules, such as lines that are "
        "almost complete, at most; the others begin at random",
        least=0,
        most=1,
    )
    features: float = setting(
        0.0,
        "share of the hidden units that begin as features found in the rules, such as who has "
        "more pieces, at most: eight for each feature; they are the last ones, if need be in "
        "place of conditions",
        least=0,
        most=1,
    )
    lookups: int = setting(
        160, "look-ups in pattern tables per state, at most; 0: no patterns", least=0, most=4096
    )
    longest: int = setting(
        8, "most variables of a pattern that is drawn; 1: single variables only", least=1, most=12
    )
    line_share: float = setting(
        0.5,
        "most of the look-ups that the lines of the goals take; random walks take the rest",
        least=0,
        most=1,
    )
    most_values: int = setting(20_000, "most rows of a pattern's table", least=2, most=1_000_000)
    mode: bool = setting(True, "whether each mode has weights of its own")
    symmetries: bool = setting(True, "whether positions that the rules treat alike share weights")

"""The configuration of an action heuristic: what a checkpoint stores to build it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting

UNKNOWNS = ("neutral", "half", "legal")
GOALS = ("top", "all")
OTHERS = ("unknown", "least")


@final
@dataclass(frozen=True, kw_only=True)
class ActionConfig(Settings):
    """Everything that makes one action heuristic of a game different from another."""

    SUBJECT = "action heuristic: "

    p: float = setting(
        0.97,
        "truth of a fluent that holds; one that does not has 1 - p. The paper: 0.97.",
        above=0.5,
        below=1,
    )
    persistence: bool = setting(
        True,
        "whether a persistent true fluent that holds is wholly true, and a persistent false one "
        "that does not hold wholly false. The paper's matches: yes; its example: no.",
    )
    unknown: str = setting(
        "neutral",
        "what becomes of the moves of others that are made at the same time. neutral: "
        "conjunctions and disjunctions leave them out, and a move of whose formula nothing is "
        "left has 0.5; half: they have the truth 0.5; legal: one of n legal moves of a role has 1 "
        "/ n, others 0. The paper does not say.",
        choices=UNKNOWNS,
    )
    goals: str = setting(
        "top",
        "top: the formula of the highest goal value of each role (the paper); all: the "
        "disjunction of all goal values' formulas, that of value v times v / 100",
        choices=GOALS,
    )
    steps: int = setting(1, "plies that the formulas look ahead (the paper)", least=1)
    others: str = setting(
        "unknown",
        "what other roles are taken to do: unknown (the paper) or least, what is worst for the "
        "role",
        choices=OTHERS,
    )
    gates: int = setting(
        4_000_000,
        "gates of all roles together at most; where more are needed there is no heuristic",
        least=1,
        most=100_000_000,
    )
    trainable: bool = setting(
        False,
        "whether it has parameters: the truth of every leaf, a weight of every edge, a factor per "
        "role and a summand per move. If so its scores are logarithms of weights.",
    )
    least: float = setting(
        1e-4,
        "trainable: the truths of leaves begin between least and 1 - least, as their log-odds "
        "must be finite",
        above=0,
        below=0.5,
    )
    floor: float = setting(
        1e-30,
        "trainable: what is added to a formula's truth before the logarithm is taken",
        least=1e-30,
        most=1,
    )

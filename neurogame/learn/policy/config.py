"""How a policy is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class PolicyConfig(Settings):
    """How a policy learns to foresee what an evaluator would choose."""

    SUBJECT = "policy: "

    choices: int = setting(200_000, "of moves to learn from, each seen once", least=1)
    temper: float = setting(
        0.05, "temperature of the softmax that turns values, 0..1, into weights", above=0
    )
    epsilon: float = setting(
        0.25,
        "chance of a random move in the games that the choices are taken from; else the "
        "evaluator's best one is made",
        least=0,
        most=1,
    )
    rate: float = setting(0.01, "step size of Adam at the beginning, which falls to 0", above=0)
    batch: int = setting(256, "choices per step", least=1)
    passes: int = setting(1, "times that all choices are learned from", least=1)
    held_out: float = setting(
        0.05, "share of the choices that measure what was learned instead", above=0, below=1
    )
    plies: int = setting(1000, "games are cut off after this many", least=1)

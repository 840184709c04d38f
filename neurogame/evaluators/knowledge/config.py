"""The configuration of knowledge: how it is learned, and how scores are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError
from neurogame.settings import Settings, setting

HISTORIES = ("early", "late", "flat")


@final
@dataclass(frozen=True, kw_only=True)
class KnowledgeConfig(Settings):
    """Everything that makes one knowledge of a game different from another, the seed apart."""

    SUBJECT = "knowledge: "

    games: int = setting(
        5000, "games to learn from. The paper does not say how many it took.", least=1
    )
    plies: int = setting(
        1000, "games are cut after this many, with the goals of the state reached", least=1
    )
    policy: Literal["random", "knowledge"] = setting(
        "random",
        "who plays them. random: all legal moves alike, as in the paper; knowledge: after a first "
        "tenth the knowledge learned so far plays, epsilon-greedily, and learns from what it did "
        "every few thousand games.",
    )
    epsilon: float = setting(
        0.5, "chance of a random move in games of policy knowledge", least=0, most=1
    )
    history: Literal["early", "late", "flat"] = setting(
        "early",
        "which moves of a game weigh most. early: 2 ** ((l - p) / l) for the move at position p "
        "of l, as in the paper; late: 2 ** (p / l); flat: 1.",
    )
    first: int = setting(
        1,
        "position of the first move; the paper does not say. With 1 the last move of early weighs "
        "exactly 1.",
        least=0,
        most=1,
    )
    alpha: float = setting(0.1, "learning rate of equation (5) at the beginning", least=0)
    settle: float = setting(
        500.0,
        "games after which that rate has halved: it is alpha / (1 + games / settle). The paper "
        "says only that it decreases.",
        above=0,
    )
    trace: float = setting(
        1.0,
        "lambda of TD(lambda): what a state learns from the result of its game; the rest is the "
        "value of the state that follows. 1: the result alone, as in the paper; a network knows no "
        "other",
        least=0,
        most=1,
    )
    hidden: int = setting(
        0,
        "hidden units of a network on the tuples, beside their sum; 0: the sum alone, as in the "
        "paper. A network learns by Adam on the log loss instead of equation (5).",
        least=0,
    )
    rate: float = setting(
        0.005,
        "learning rate of that network at the beginning; it is halved after 10 settle games, and "
        "so on",
        above=0,
    )
    batch: int = setting(1024, "states per step of that network", least=1)
    epochs: int = setting(1, "times that all games are learned from; moves learn once", least=1)
    move_weight: float = setting(1.0, "what the value of a move counts for in its score", least=0)
    state_weight: float = setting(
        1.0, "what the value of the state that it leads to counts for", least=0
    )
    true_goals: bool = setting(
        True, "whether a move that ends the game has its true goal for that value; the paper: no"
    )
    replies: int = setting(
        1,
        "where other roles choose at the same time: number of their replies whose values are "
        "averaged. They are drawn at random, the same ones whenever the state is the same.",
        least=1,
        most=10_000,
    )

    def check(self) -> None:
        """Refuse scores that nothing counts for, and a network that should learn by TD."""
        both = self.move_weight + self.state_weight
        if both == 0:
            raise ConfigurationError(
                f"{self.SUBJECT}move_weight + state_weight={both!r}; allowed: above 0"
            )

        if self.hidden and self.trace < 1:
            raise ConfigurationError(
                f"{self.SUBJECT}trace={self.trace!r} with hidden={self.hidden}; allowed: 1"
            )

    @property
    def top(self) -> float:
        """The highest value of a move, 1 or 2: that of a state is 1."""
        return 1.0 if self.history == "flat" else 2.0

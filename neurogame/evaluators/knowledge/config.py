"""The configuration of knowledge: how it is learned, and how scores are made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, final

from neurogame.errors import ConfigurationError

HISTORIES = ("early", "late", "flat")
POLICIES = ("random", "knowledge")


@final
@dataclass(frozen=True, kw_only=True)
class KnowledgeConfig:
    """Everything that makes one knowledge of a game different from another, the seed apart.

    Attributes:
        games: games to learn from; at least 1. The paper does not say how many it took.
        plies: games are cut after this many, with the goals of the state reached; at least 1.
        policy: who plays them. ``random``: all legal moves alike, as in the paper; ``knowledge``:
            after a first tenth the knowledge learned so far plays, epsilon-greedily, and learns
            from what it did every few thousand games.
        epsilon: chance of a random move in games of policy ``knowledge``, 0..1.
        history: which moves of a game weigh most. ``early``: ``2 ** ((l - p) / l)`` for the move at
            position ``p`` of ``l``, as in the paper; ``late``: ``2 ** (p / l)``; ``flat``: 1.
        first: position of the first move, 0 or 1; the paper does not say. With 1 the last move of
            ``early`` weighs exactly 1.
        alpha: learning rate of equation (5) at the beginning; at least 0.
        settle: games after which that rate has halved: it is ``alpha / (1 + games / settle)``. The
            paper says only that it decreases. Above 0.
        hidden: hidden units of a network on the tuples, beside their sum; 0: the sum alone, as in
            the paper. A network learns by Adam on the log loss instead of equation (5).
        rate: learning rate of that network at the beginning; it is halved after ``10 settle``
            games, and so on; above 0.
        batch: states per step of that network, at least 1.
        epochs: times that all games are learned from, at least 1; moves learn once.
        move_weight: what the value of a move counts for in its score; at least 0.
        state_weight: what the value of the state that it leads to counts for; at least 0.
        true_goals: whether a move that ends the game has its true goal for that value; the paper:
            no.
        replies: where other roles choose at the same time: number of their replies whose values
            are averaged, at least 1. They are drawn at random, the same ones whenever the state is
            the same.
    """

    games: int = 5000
    plies: int = 1000
    policy: Literal["random", "knowledge"] = "random"
    epsilon: float = 0.5
    history: Literal["early", "late", "flat"] = "early"
    first: int = 1
    alpha: float = 0.1
    settle: float = 500.0
    hidden: int = 0
    rate: float = 0.005
    batch: int = 1024
    epochs: int = 1
    move_weight: float = 1.0
    state_weight: float = 1.0
    true_goals: bool = True
    replies: int = 1

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        for name, allowed in (("history", HISTORIES), ("policy", POLICIES)):
            _need(name, getattr(self, name) in allowed, getattr(self, name), ", ".join(allowed))
        for name in ("games", "plies", "batch", "epochs", "replies"):
            value = getattr(self, name)
            _need(name, value >= 1, value, "a whole number of at least 1")
        for name in ("alpha", "move_weight", "state_weight"):
            value = getattr(self, name)
            _need(name, 0 <= value < math.inf, value, "a finite number of at least 0")
        for name in ("settle", "rate"):
            value = getattr(self, name)
            _need(name, 0 < value < math.inf, value, "a finite number above 0")
        _need("first", self.first in (0, 1), self.first, "0 or 1")
        _need("hidden", self.hidden >= 0, self.hidden, "a whole number of at least 0")
        _need("epsilon", 0 <= self.epsilon <= 1, self.epsilon, "0..1")
        both = self.move_weight + self.state_weight
        _need("move_weight + state_weight", both > 0, both, "above 0")

    @property
    def top(self) -> float:
        """The highest value of a move, 1 or 2: that of a state is 1."""
        return 1.0 if self.history == "flat" else 2.0

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> KnowledgeConfig:
        """Return the configuration with the given fields; the reverse of :meth:`as_dict`.

        Raises:
            ConfigurationError: a name is unknown or a value out of range.
        """
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise ConfigurationError(
                f"unknown knowledge setting {', '.join(unknown)}; known are {', '.join(known)}"
            )
        return cls(**values)


def _need(name: str, fits: bool, found: object, allowed: str) -> None:
    if not fits:
        raise ConfigurationError(f"knowledge setting {name} is {found!r}; allowed: {allowed}")

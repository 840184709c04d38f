"""What is believed of a candidate before and after short matches, and which one that speaks for.

The belief is a normal distribution of the score, 0..1, that a candidate would have against plain
search at the time per move of the match to come. Trials are evidence on top: a round varies by
chance, and trials with less time than the match are all off by the same unknown amount, so that
ever more of them do not make sure. Half is what plain search scores against itself.

Measured for eleven games and two searches (docs/decisions.md, "Players over HTTP").
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, final

import numpy as np

SURE = 0.94
"""Probability with which it is decided whether a candidate is better: two rounds won by one of
which 0.78 was expected, five by one of which 0.5 was."""

_ROUND = 0.35
"""Standard deviation of a round, two matches from a common opening."""
_ALIKE = 0.8
"""Correlation of the scores of candidates in a game: they share what they have learned, or know."""
_SHIFT, _DRIFT = -0.011, 0.074
"""Scores change by so much, and vary by so much, where the time per move doubles; between 10 and
400 ms by 0.06 and 0.17."""

USUAL = 30.0
"""Processor seconds of learning after which scores were measured."""
_LEARNED, _SPREAD = 0.78, 0.35
"""Mean of these scores, and its spread."""
_GAIN, _WIDENING = 0.06, 0.02
"""What the score gains, and its spread loses, where these double."""
_BEST, _CHANGE = 0.9, 0.15
"""The most that is expected, and how much a game's gain differs from that of others."""


@final
@dataclass(frozen=True, kw_only=True)
class Belief:
    """A normal distribution of a score against plain search.

    Attributes:
        mean: 0..1.
        spread: its standard deviation, above 0.
    """

    mean: float
    spread: float

    @property
    def better(self) -> float:
        """Probability that the score is above half."""
        return 0.5 + 0.5 * math.erf((self.mean - 0.5) / self.spread / math.sqrt(2))

    @property
    def hope(self) -> float:
        """A score that may be hoped for: one spread above the mean."""
        return self.mean + self.spread

    @property
    def is_decided(self) -> bool:
        """Whether it is as good as sure who is better."""
        return not 1 - SURE < self.better < SURE

    def learned_on(self, doublings: float) -> Belief:
        """Return what is believed after more learning, whose time has doubled so many times."""
        return Belief(
            mean=min(self.mean + _GAIN * doublings, _BEST),
            spread=math.hypot(self.spread, _CHANGE * math.sqrt(doublings)),
        )

    def less(self, loss: float) -> Belief:
        """Return what is believed where the mean is less by so much, and at least 0."""
        return replace(self, mean=max(self.mean - loss, 0.0))

    def __str__(self) -> str:
        """Return the score in per cent with its spread."""
        return f"{100 * self.mean:.0f} ± {100 * self.spread:.0f} %"


NOTHING_LEARNED = Belief(mean=0.25, spread=0.3)
"""Of values that have learned nothing: untrained ones lost 21 of 24 matches."""
UNTRIED = Belief(mean=0.4, spread=0.25)
"""Of what is made from the rules without learning: it has to prove itself."""


def learned_belief(seconds: float, news: float = 1.0) -> Belief:
    """Return what is expected of values that self-play has taught.

    Args:
        seconds: of a processor, of learning.
        news: how far learning itself says that it was not in vain, 0..1; 0 is
            :data:`NOTHING_LEARNED`.
    """
    doublings = math.log2(max(seconds, 0.1) / USUAL)
    mean = min(max(_LEARNED + _GAIN * doublings, 0.5), _BEST)
    spread = _SPREAD + _WIDENING * max(-doublings, 0.0)
    none = NOTHING_LEARNED
    return Belief(
        mean=none.mean + news * (mean - none.mean),
        spread=none.spread + news * (spread - none.spread),
    )


def after_trials(
    priors: Sequence[Belief], rounds: Sequence[Sequence[float]], doublings: float = 0.0
) -> list[Belief]:
    """Return what is believed of candidates after trials, which also tell of each other.

    Args:
        priors: what was believed of each before.
        rounds: what each round came to, 0..1, of each.
        doublings: how often the time per move of the trials has to be doubled to be that of the
            match, at least 0.
    """
    tried = [number for number, own in enumerate(rounds) if own]
    if not tried:
        return list(priors)
    alike = np.where(np.eye(len(priors)) > 0, 1.0, _ALIKE)
    means, spreads = (np.array([getattr(p, name) for p in priors]) for name in ("mean", "spread"))
    before = np.outer(spreads, spreads) * alike
    chance = np.diag([_ROUND**2 / len(rounds[number]) for number in tried])
    drift = _DRIFT**2 * doublings * alike[np.ix_(tried, tried)]
    evidence = [sum(rounds[number]) / len(rounds[number]) + _SHIFT * doublings for number in tried]
    gain = before[:, tried] @ np.linalg.inv(before[np.ix_(tried, tried)] + chance + drift)
    means = means + gain @ (evidence - means[tried])
    variances = np.diag(before - gain @ before[tried])
    return [
        Belief(mean=float(mean), spread=math.sqrt(variance))
        for mean, variance in zip(means, variances, strict=True)
    ]


class Believed(Protocol):
    """Something of which a score is believed."""

    @property
    def belief(self) -> Belief:
        """What is believed of it now."""


T = TypeVar("T", bound=Believed)


def best_believed(candidates: Iterable[T]) -> T | None:
    """Return the candidate with the best expected score; None if plain search has a better one."""
    best = max(candidates, key=lambda one: one.belief.mean, default=None)
    return None if best is None or best.belief.mean <= 0.5 else best

"""Sequential stopping: a generalised sequential probability ratio test over blocks of matches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from neurogame.arena.strength import expected_score
from neurogame.errors import ConfigurationError
from neurogame.settings import Settings, setting

Decision: TypeAlias = Literal["H0", "H1", "undecided"]

_UNSEEN = 1e-3
_NAMES = ("elo0", "elo1", "alpha", "beta")


@final
@dataclass(frozen=True, kw_only=True)
class SprtSettings(Settings):
    """Two hypotheses about how much stronger the first player of a pairing is than the others."""

    SUBJECT = "sprt: "

    elo0: float = setting(0.0, "H0: the difference is this many Elo (or less)")
    elo1: float = setting(50.0, "H1: the difference is this many Elo (or more); above elo0")
    alpha: float = setting(
        0.05, "accepted probability of deciding for H1 though H0 is true", above=0, below=0.5
    )
    beta: float = setting(
        0.05, "accepted probability of deciding for H0 though H1 is true", above=0, below=0.5
    )

    def check(self) -> None:
        """Refuse hypotheses in the wrong order."""
        if self.elo0 >= self.elo1:
            raise ConfigurationError(
                f"sprt: elo0={self.elo0}, elo1={self.elo1}; finite numbers are needed, elo0 below "
                "elo1"
            )

    @classmethod
    def parse(cls, text: str) -> SprtSettings:
        """Read ``elo0,elo1[,alpha[,beta]]``; the reverse of ``str``.

        Args:
            text: two to four numbers; empty for the defaults.

        Raises:
            ConfigurationError: something else was found, or a number is out of its range.

        >>> SprtSettings.parse("0,50")
        SprtSettings(elo0=0.0, elo1=50.0, alpha=0.05, beta=0.05)
        """
        parts = text.split(",") if text.strip() else []
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            numbers = []
        if parts and not 2 <= len(numbers) <= len(_NAMES):
            raise ConfigurationError(
                f"sprt {text!r}: write elo0,elo1 or elo0,elo1,alpha,beta, such as 0,50,0.05,0.05"
            )
        return cls(**dict(zip(_NAMES, numbers, strict=False)))

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads."""
        return ",".join(f"{getattr(self, name):g}" for name in _NAMES)

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)


@final
@dataclass(frozen=True, kw_only=True)
class SprtState:
    """How a test stands.

    Attributes:
        decision: the accepted hypothesis, or ``undecided``.
        llr: log-likelihood ratio of H1 to H0.
        lower: at or below this H0 is accepted.
        upper: at or above this H1 is accepted.
        blocks: blocks of matches that were looked at.
        outcomes: how often each mean of a block occurred, as pairs (points per match, count) in
            rising order. For pairs with wins, draws and losses these are the five numbers
            (0, 1/4, 1/2, 3/4, 1) of the pentanomial model, as far as they occurred.
    """

    decision: Decision
    llr: float
    lower: float
    upper: float
    blocks: int
    outcomes: tuple[tuple[float, int], ...]

    def __str__(self) -> str:
        """Return one line for people."""
        accepted = self.decision if self.decision == "undecided" else f"accepted {self.decision}"
        return f"SPRT {accepted}, LLR {self.llr:.2f} ({self.lower:.2f} to {self.upper:.2f})"


@final
class Sprt:
    """A test in progress, fed with one block after the other."""

    def __init__(self, settings: SprtSettings) -> None:
        """Start a test.

        Args:
            settings: the hypotheses and error probabilities.
        """
        self._settings = settings
        self._counts: Counter[float] = Counter()
        self._llr = 0.0

    def add(self, points: Sequence[float]) -> Decision:
        """Add a complete block and return how the test stands.

        Args:
            points: the points of the block's matches, each in 0..1.
        """
        # Rounded, so that equal means of thirds are one outcome.
        self._counts[round(math.fsum(points) / len(points), 9)] += 1
        scores = (expected_score(self._settings.elo0), expected_score(self._settings.elo1))
        self._llr = log_likelihood_ratio(self._counts, *scores)
        return self.state.decision

    @property
    def state(self) -> SprtState:
        """How the test stands."""
        lower, upper = self._settings.lower, self._settings.upper
        decision: Decision = "undecided"
        if self._llr <= lower or self._llr >= upper:
            decision = "H1" if self._llr > 0 else "H0"
        return SprtState(
            decision=decision,
            llr=self._llr,
            lower=lower,
            upper=upper,
            blocks=self._counts.total(),
            outcomes=tuple(sorted(self._counts.items())),
        )


def log_likelihood_ratio(counts: Mapping[float, int], score0: float, score1: float) -> float:
    """Return the generalised log-likelihood ratio of two means of a discrete distribution.

    Under each hypothesis the probabilities of the outcomes are those that make the data most
    likely among all that have the wanted mean. The two extreme outcomes count a thousandth each
    where they have not occurred, or no distribution on the seen outcomes might have the mean.

    Args:
        counts: how often each outcome in 0..1 occurred.
        score0: mean under H0, above 0 and below 1.
        score1: mean under H1, above 0 and below 1.

    *References:* Li, Liu and Ying, Generalized sequential probability ratio test for separate
    families of hypotheses, Sequential Analysis 33 (2014); the constrained likelihood is the
    empirical one of Owen, Empirical Likelihood (2001), chapter 2; Van den Bergh applied both to
    pairs of matches between engines (pentanomial model).
    """
    if not sum(counts.values()):
        return 0.0
    weights = {0.0: _UNSEEN, 1.0: _UNSEEN}
    weights |= {outcome: float(count) for outcome, count in counts.items() if count}
    tilts = [_tilt(weights, score) for score in (score0, score1)]
    return math.fsum(
        weight
        * (math.log1p(tilts[0] * (outcome - score0)) - math.log1p(tilts[1] * (outcome - score1)))
        for outcome, weight in weights.items()
    )


def _tilt(weights: Mapping[float, float], score: float) -> float:
    """Return t such that the weights divided by ``1 + t (outcome - score)`` have the mean score.

    The sum of ``weight (outcome - score) / (1 + t (outcome - score))`` falls from plus to minus
    infinity between the poles that belong to the outcomes 0 and 1, so halving finds its zero.
    """
    low, high = -1 / (1 - score), 1 / score
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        value = math.fsum(
            weight * (outcome - score) / (1 + middle * (outcome - score))
            for outcome, weight in weights.items()
        )
        if value > 0:
            low = middle
        else:
            high = middle

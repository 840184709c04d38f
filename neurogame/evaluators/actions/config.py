"""The configuration of an action heuristic: what a checkpoint stores to build it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, final

from neurogame.errors import ConfigurationError

UNKNOWNS = ("neutral", "half", "legal")
GOALS = ("top", "all")
OTHERS = ("unknown", "least")


@final
@dataclass(frozen=True, kw_only=True)
class ActionConfig:
    """Everything that makes one action heuristic of a game different from another.

    Attributes:
        p: truth of a fluent that holds, in the open (0.5, 1); one that does not has ``1 - p``.
            The paper: 0.97.
        persistence: whether a persistent true fluent that holds is wholly true, and a persistent
            false one that does not hold wholly false. The paper's matches: yes; its example: no.
        unknown: what becomes of the moves of others that are made at the same time.
            ``"neutral"``: conjunctions and disjunctions leave them out, and a move of whose
            formula nothing is left has 0.5; ``"half"``: they have the truth 0.5; ``"legal"``:
            one of ``n`` legal moves of a role has ``1 / n``, others 0. The paper does not say.
        goals: ``"top"``: the formula of the highest goal value of each role (the paper);
            ``"all"``: the disjunction of all goal values' formulas, that of value ``v`` times
            ``v / 100``.
        steps: plies that the formulas look ahead, at least 1 (the paper).
        others: what other roles are taken to do: ``"unknown"`` (the paper) or ``"least"``, what
            is worst for the role.
        trim: whether parts of the formulas are left out that hardly change the ranking of moves in
            states of random games (:mod:`~neurogame.regress.trim`); not with the moves of others
            as probabilities. The same states each time. Formulas that all moves share stay.
        gates: gates of all roles together at most, at least 1; where more are needed there is no
            heuristic.
        trainable: whether it has parameters: the truth of every leaf, a weight of every edge, a
            factor per role and a summand per move. If so its scores are logarithms of weights.
        least: trainable: the truths of leaves begin between ``least`` and ``1 - least``, as
            their log-odds must be finite; in the open (0, 0.5).
        floor: trainable: what is added to a formula's truth before the logarithm is taken;
            in 1e-30..1.
    """

    p: float = 0.97
    persistence: bool = True
    unknown: str = "neutral"
    goals: str = "top"
    steps: int = 1
    others: str = "unknown"
    trim: bool = False
    gates: int = 4_000_000
    trainable: bool = False
    least: float = 1e-4
    floor: float = 1e-30

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        _need(0.5 < self.p < 1, "p", self.p, "between 0.5 and 1")
        _need(self.unknown in UNKNOWNS, "unknown", self.unknown, f"one of {', '.join(UNKNOWNS)}")
        _need(self.goals in GOALS, "goals", self.goals, f"one of {', '.join(GOALS)}")
        _need(self.steps >= 1, "steps", self.steps, "at least 1")
        _need(self.others in OTHERS, "others", self.others, f"one of {', '.join(OTHERS)}")
        _need(not (self.trim and self.unknown == "legal"), "trim", True, "off if unknown is legal")
        _need(self.gates >= 1, "gates", self.gates, "at least 1")
        _need(0 < self.least < 0.5, "least", self.least, "between 0 and 0.5")
        _need(1e-30 <= self.floor <= 1, "floor", self.floor, "1e-30 to 1")

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ActionConfig:
        """Return the configuration with the given fields.

        Args:
            values: field values by name, as from :meth:`as_dict`.

        Raises:
            ConfigurationError: a name is unknown or a value out of range.
        """
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ConfigurationError(
                f"unknown setting of action heuristics {', '.join(unknown)}; known are "
                f"{', '.join(sorted(known))}"
            )
        return cls(**dict(values))


def _need(condition: bool, name: str, found: object, allowed: str) -> None:
    if not condition:
        raise ConfigurationError(
            f"action heuristic setting {name} is {found!r}; it must be {allowed}"
        )

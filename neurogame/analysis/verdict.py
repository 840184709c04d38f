"""How a statement about a game is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final


@final
class Evidence(Enum):
    """Kinds of evidence; all but :attr:`SAMPLED` are certain."""

    PROVED = "proved"
    DECIDED = "decided"
    SEEN = "seen"
    SAMPLED = "sampled"


@final
@dataclass(frozen=True)
class Verdict:
    """A statement that holds or not, and why one may think so.

    Attributes:
        holds: whether the statement is true, as far as the evidence goes.
        evidence: ``PROVED`` by induction over the rules, ``DECIDED`` on all reachable states,
            ``SEEN`` in a state that play reached (which settles that something is possible), or
            ``SAMPLED``: not refuted in random play, or,
            if it does not hold, not seen there.
        count: reachable states if decided, games played if sampled, else 0.
    """

    holds: bool
    evidence: Evidence
    count: int = 0

    @property
    def certain(self) -> bool:
        """Whether the statement is settled."""
        return self.evidence is not Evidence.SAMPLED

    @property
    def reason(self) -> str:
        """The evidence in words."""
        if self.evidence is Evidence.SAMPLED and not self.holds:
            return f"not seen in {self.count:,} random games"
        return {
            Evidence.PROVED: "proved by induction",
            Evidence.DECIDED: f"decided on all {self.count:,} states",
            Evidence.SEEN: "seen in play",
            Evidence.SAMPLED: f"sampled in {self.count:,} random games",
        }[self.evidence]

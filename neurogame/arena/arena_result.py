"""What an arena found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, final

from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.rating import RatingList


@final
@dataclass(frozen=True, kw_only=True)
class ArenaResult:
    """The results of all pairings in all games under all limits.

    Attributes:
        games: names of the games.
        limits: texts of the common limits; empty where players have only their own.
        labels: names of all players in the results.
        seed: seed of the arena.
        opening_plies: random plies at the start of matches, per game.
        pairings: results, game by game and limit by limit.
        ratings: with three players or more a rating list per game and limit, and where there
            are several games one per limit over all of them.
        interrupted: whether matches are missing.
    """

    games: tuple[str, ...]
    limits: tuple[str, ...]
    labels: tuple[str, ...]
    seed: int
    opening_plies: tuple[int, ...]
    pairings: tuple[PairingResult, ...]
    ratings: tuple[RatingList, ...]
    interrupted: bool

    @property
    def matches(self) -> int:
        """Matches in all results together."""
        return sum(pairing.matches for pairing in self.pairings)

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able values.

        ``pairings`` and ``ratings`` hold everything. So that two players in one game need
        nothing else, the values of the first pairing, see
        :meth:`neurogame.arena.pairing_result.PairingResult.as_dict`, stand beside them.
        """
        pairings = [pairing.as_dict() for pairing in self.pairings]
        return {
            **pairings[0],
            "games": list(self.games),
            "limits": list(self.limits),
            "all_players": list(self.labels),
            "opening_plies": list(self.opening_plies),
            "interrupted": self.interrupted,
            "pairings": pairings,
            "ratings": [asdict(entry) for entry in self.ratings],
        }

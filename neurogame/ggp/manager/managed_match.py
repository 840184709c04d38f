"""What became of one managed match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.ggp.manager.tally import PlayerResult

Ending: TypeAlias = Literal["terminal", "step limit", "stuck", "interrupted"]


@final
@dataclass(frozen=True, kw_only=True)
class ManagedMatch:
    """A match that was run.

    Attributes:
        record: everything that happened, in GGP-Base's format.
        players: what was counted per role, in role order.
        ending: ``terminal``; ``step limit``; ``stuck`` (a role had no legal move in a state that
            is not terminal: the rules are at fault); ``interrupted`` by Ctrl-C. In all but the
            first the players were sent ABORT.
        interrupted: whether Ctrl-C came: the match is over, but no further one is wanted.
        seed: the seed of the match.
    """

    record: GgpRecord
    players: tuple[PlayerResult, ...]
    ending: Ending
    interrupted: bool
    seed: int

    @property
    def goals(self) -> tuple[int | None, ...]:
        """Goal of each role in 0..100; None where there is none."""
        return tuple(player.goal for player in self.players)

    @property
    def faults(self) -> int:
        """How often a player answered illegally, late or not at all."""
        return sum(player.faults for player in self.players)

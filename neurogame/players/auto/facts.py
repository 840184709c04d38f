"""What the choice of a player is founded on: properties of the game, measured in play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.players.probe import Probe
from neurogame.search.opposition import opposition
from neurogame.simulate.game import Game

SEARCHES = "alphabeta", "mcts"
"""Kinds of players that use values; the first one, which makes more of what 30 seconds have taught,
is for games that suit it."""


@final
@dataclass(frozen=True, kw_only=True)
class GameFacts:
    """Properties of a game.

    Attributes:
        roles: number of roles that somebody plays.
        chance: whether chance plays, too.
        opposed: two or more roles whose goals always summed to 100.
        simultaneous: share of the plies in which several roles had a choice, 0..1.
        plies: of a match.
        choices: of a match, all roles together.
        speed: simulations per second of a plain tree search.
    """

    roles: int
    chance: bool
    opposed: bool
    simultaneous: float
    plies: float
    choices: float
    speed: float

    @property
    def suits_alphabeta(self) -> bool:
        """Whether looking at all replies in turn is sound: one role, or two strict opponents."""
        return self.roles == 1 or (self.roles == 2 and self.opposed and self.simultaneous == 0)

    @property
    def searches(self) -> tuple[str, ...]:
        """Those of :data:`SEARCHES` that suit the game, the best first."""
        return SEARCHES if self.suits_alphabeta else SEARCHES[1:]

    def __str__(self) -> str:
        """Return one line for people."""
        roles = "1 role" if self.roles == 1 else f"{self.roles} roles"
        luck = ["with chance"] if self.chance else []
        interests = ["goals sum to 100"] if self.opposed else []
        turns = ["moves in turn"] if self.roles > 1 and self.simultaneous == 0 else []
        together = [f"several choose in {100 * self.simultaneous:.0f} % of the plies"]
        middle = turns if self.simultaneous == 0 else together
        return ", ".join(
            [
                roles,
                *luck,
                *interests,
                *middle,
                f"about {self.plies:.0f} plies with {self.choices:.0f} choices",
                f"{self.speed:,.0f} simulations per second",
            ]
        )


def game_facts(game: Game, probe: Probe) -> GameFacts:
    """Return the properties of a game.

    Args:
        game: the game.
        probe: a match of a plain tree search with itself.
    """
    return GameFacts(
        roles=len(game.players),
        chance=game.chance is not None,
        opposed=opposition(game).constant_sum,
        simultaneous=probe.simultaneous,
        plies=probe.plies,
        choices=probe.choices,
        speed=1 / probe.simulation if probe.simulation > 0 else 0.0,
    )

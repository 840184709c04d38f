"""The conditions of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.chance import playing_roles
from neurogame.errors import GameError
from neurogame.search.limit import Limit
from neurogame.settings import Settings, setting

CLOCK_SHARE = 0.9
"""Share of a clock that players are told to keep within."""


@final
@dataclass(frozen=True, kw_only=True)
class MatchSettings(Settings):
    """The conditions of a match."""

    limit: Limit = setting(
        Limit(), "how long players may think per move; a limit that they keep by themselves"
    )
    start_clock: float | None = setting(
        None,
        "seconds for a player's start; none: no clock. A player is told to get ready in nine "
        "tenths of it; a start that takes longer than all of it is counted.",
        above=0,
    )
    play_clock: float | None = setting(
        None,
        "seconds for a move; none: no clock. A player that is asked to keep within nine tenths of "
        "it and still answers later has its move replaced by a random legal one and a timeout "
        "counted. Players run in this process and are never interrupted.",
        above=0,
    )
    opening_plies: int = setting(
        0,
        "joint moves drawn at random at the start, exactly as many. The matches of a series have "
        "different ones, none decided as far as a short search can tell, and each is played in "
        "every order of roles. They are shorter only where no match lasts that long.",
        least=0,
    )
    max_plies: int = setting(
        1000,
        "step limit; a match that reaches it ends there with the goals that the rules derive for "
        "that state",
        least=1,
    )
    record_states: bool = setting(False, "whether to record every state")

    def check(self) -> None:
        """Refuse openings after which nobody would be asked."""
        if self.opening_plies >= self.max_plies:
            raise self.refused(
                "max_plies",
                f"more than the {self.opening_plies} random plies that a match begins with "
                "(opening_plies)",
            )

    @property
    def thinking(self) -> Limit:
        """The limit that players are given: their own one, and within the play clock."""
        if self.play_clock is None:
            return self.limit
        return self.limit.merged(Limit(seconds=self.play_clock * CLOCK_SHARE))


def check_players(game: str, roles: Sequence[str], players: Sequence[object]) -> None:
    """Refuse what are not players, one for each role that somebody plays.

    Args:
        game: its name, for the message.
        roles: role names; chance plays itself.
        players: what was given.

    Raises:
        GameError: there are more or fewer players than roles, a text, or one player twice.
    """
    if len(players) != len(playing_roles(roles)):
        raise GameError(
            f"{game} has {named_roles(roles)}, but {len(players)} players were given; name one per "
            "role (one may be named twice)"
        )
    for number, player in enumerate(players):
        again = any(player is other for other in players[:number])
        if again or isinstance(player, str):
            what = "the same object as one before" if again else repr(player)
            raise GameError(f"player {number} is {what}; each role has its own: make_player(text)")


def named_roles(roles: Sequence[str]) -> str:
    """Return how many roles somebody plays, and which, for messages.

    Args:
        roles: role names of a game.

    >>> named_roles(["white", "black", "random"])
    '2 roles (white, black) beside chance, which the match plays'
    """
    played = [roles[role] for role in playing_roles(roles)]
    beside = "" if len(played) == len(roles) else " beside chance, which the match plays"
    return f"{len(played)} role{'s' * (len(played) != 1)} ({', '.join(played)}){beside}"

"""What an arena measures: everything that decides its results."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import final

from neurogame.arena.sprt import SprtSettings
from neurogame.errors import ConfigurationError, PlayerError
from neurogame.players.match_settings import MatchSettings
from neurogame.players.spec import PlayerSpec
from neurogame.search.limit import Limit
from neurogame.settings import Settings, described, setting

DEFAULT_MATCHES = 100
"""Matches of each lineup: enough to tell a true win rate of 64 % from one half."""

DEFAULT_SPRT_MATCHES = 2000
"""The same where a sequential test ends a pairing, usually long before."""

DEFAULT_OPENING_PLIES = 4
"""Random joint moves at the start of a match in games with several roles."""


def usual_opening_plies(roles: int) -> int:
    """Return how many random plies matches start with unless somebody says so.

    Args:
        roles: number of roles of the game.
    """
    return DEFAULT_OPENING_PLIES if roles > 1 else 0


@final
@dataclass(frozen=True, kw_only=True)
class ArenaSettings(Settings):
    """The games, players and conditions of an arena."""

    games: tuple[str, ...] = field(
        metadata=described(
            "names of library games or paths of rulesheets, all different; at least one"
        )
    )
    players: tuple[str, ...] = field(
        metadata=described(
            "player strings; at least one, and at least as many as each game has roles. One may "
            "be named several times."
        )
    )
    matches: int = setting(
        DEFAULT_MATCHES,
        "matches of each lineup in each game under each limit; best a multiple of a block's size, "
        "2 in games with two roles. A lineup is a selection of as many players as there are "
        "roles.",
        least=1,
    )
    limits: tuple[Limit, ...] = setting(
        (Limit(),),
        "common limits per move, all different; each is measured by itself. The stricter of the "
        "common limit and a player's own one counts.",
    )
    seed: int = setting(0, "decides everything", least=0)
    opening_plies: int | None = setting(
        None,
        "joint moves drawn at random at the start of a match, exactly as many, the same in all "
        "matches of a block; other blocks have others, none decided as far as a short search can "
        "tell. None: 4 in games with several roles, 0 with one (a puzzle may have no solution "
        "after wrong moves)",
    )
    start_clock: float | None = setting(
        None,
        "seconds for a player's start, above 0; none: no clock. A player is told to get ready in "
        "nine tenths of it; a start that takes longer than all of it is counted.",
    )
    play_clock: float | None = setting(
        None,
        "seconds for a move, above 0; none: no clock. A player that is asked to keep within nine "
        "tenths of it and still answers later has its move replaced by a random legal one.",
    )
    max_plies: int = setting(
        1000, "plies after which a match ends, with the goals of the state reached; at least 1"
    )
    prover: bool = setting(
        False,
        "whether matches are played by proofs, without a circuit, which works where rules cannot "
        "be grounded; the players are random and mcts with limits alone",
    )
    sprt: SprtSettings | None = setting(
        None,
        "a sequential test that ends each pairing once it is decided, or None. Its Elo difference "
        "is that of the first player of the pairing over the others.",
    )

    def check(self) -> None:
        """Check what can be checked without the games.

        Raises:
            ConfigurationError: something is missing or named twice, or a condition of matches is
                out of its range.
            PlayerError: a player string is malformed, or names a person.
        """
        for name in ("games", "players", "limits"):
            if not getattr(self, name):
                raise ConfigurationError(f"{name}: none; name at least one")
        for name in ("games", "limits"):
            counts = Counter(str(entry) for entry in getattr(self, name))
            twice = [text for text, count in counts.items() if count > 1]
            if twice:
                raise ConfigurationError(f"{name}: {twice[0]!r} is named twice; name it once")
        for text in self.players:
            if PlayerSpec.parse(text).kind == "human":
                raise PlayerError(
                    "player 'human': arenas are for programs; play with 'neurogame play' or "
                    "'neurogame match'"
                )
        if self.sprt is not None and len(self.players) < 2:
            raise ConfigurationError("sprt compares players, and there is one; name another")
        for limit in self.limits:
            self.match_settings(limit, roles=2)

    def match_settings(self, limit: Limit, roles: int) -> MatchSettings:
        """Return the conditions of a match.

        Args:
            limit: the common limit.
            roles: number of roles of the game.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        plies = self.opening_plies
        if plies is None:
            plies = usual_opening_plies(roles)
        return MatchSettings(
            limit=limit,
            start_clock=self.start_clock,
            play_clock=self.play_clock,
            opening_plies=plies,
            max_plies=self.max_plies,
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The players' names in results: their strings, numbered where they occur again."""
        seen: Counter[str] = Counter()
        labels = []
        for text in self.players:
            name = str(PlayerSpec.parse(text))
            seen[name] += 1
            labels.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
        return tuple(labels)

"""Several managed matches in a row between the same players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np

from neurogame.chance import playing_roles
from neurogame.errors import ConfigurationError, PlayerError
from neurogame.ggp.manager.contestant import Contestant, contact, seats
from neurogame.ggp.manager.managed_match import ManagedMatch
from neurogame.ggp.manager.manager import play_http_match
from neurogame.ggp.manager.settings import ManagerSettings
from neurogame.simulate.game import Game
from neurogame.splitmix import seed_word


@final
@dataclass(frozen=True)
class ManagedSeries:
    """The matches of a series.

    Attributes:
        matches: in order; the last one may be aborted.
        interrupted: whether Ctrl-C ended the series early.
    """

    matches: tuple[ManagedMatch, ...]
    interrupted: bool

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able values: what was counted, without the records."""
        return {
            "interrupted": self.interrupted,
            "matches": [
                {
                    "match": match.record.match_id,
                    "ending": match.ending,
                    "plies": len(match.record.moves),
                    "seed": match.seed,
                    "players": [player.as_dict() for player in match.players],
                }
                for match in self.matches
            ],
        }


def play_http_series(
    game: Game,
    players: Sequence[str],
    settings: ManagerSettings,
    *,
    matches: int = 1,
    rotate: bool = False,
    seed: int = 0,
    progress: Callable[[int, str], None] | None = None,
    on_match: Callable[[int, ManagedMatch], None] | None = None,
) -> ManagedSeries:
    """Run several matches one after another.

    Players that cannot be reached before the first match end the series with an error; later
    their faults are only counted.

    Args:
        game: the game, of :func:`~neurogame.ggp.manager.referee.load_referee` or any other way.
        players: one per role, as for :func:`~neurogame.ggp.manager.manager.play_http_match`.
        settings: the conditions; where names are scrambled, every match has names of its own.
        matches: number of matches, at least 1.
        rotate: move every player on by one role from match to match.
        seed: decides the substitutes for failed moves and the moves of ``random``, at least 0.
        progress: called with the number of the match, from 0, and a few words.
        on_match: called with the number and the result of every match, aborted ones included.

    Raises:
        GameError: a wrong number of players, or one player twice.
        PlayerError: a player cannot be reached, is busy, or its address is malformed.
        ConfigurationError: fewer than one match, or a seed below 0.
    """
    for name, value, least in (("matches", matches, 1), ("seed", seed, 0)):
        if value < least:
            raise ConfigurationError(f"{name}={value}; at least {least} is needed")
    seated = seats(game.roles, [Contestant.parse(player) for player in players])
    seated = contact(seated, settings.patience)
    seeds = np.random.SeedSequence(seed_word(seed)).generate_state(matches).tolist()
    played: list[ManagedMatch] = []
    for number in range(matches):
        if number and not _free(seated, settings.patience):
            break
        match = play_http_match(
            game,
            _rotated(game.roles, seated, number) if rotate else seated,
            _own_names(settings, number),
            seeds[number],
            progress=None if progress is None else partial(progress, number),
        )
        played.append(match)
        if on_match is not None:
            on_match(number, match)
        if match.interrupted:
            return ManagedSeries(tuple(played), True)
    return ManagedSeries(tuple(played), len(played) < matches)


def _free(seated: Sequence[Contestant], patience: float) -> bool:
    """Give players the time to finish the last match; return False on Ctrl-C."""
    try:
        contact(seated, patience)
    except PlayerError:
        # What is wrong shows, and is counted, in the next match.
        return True
    except KeyboardInterrupt:
        return False
    return True


def _rotated(
    roles: Sequence[str], seated: Sequence[Contestant], number: int
) -> Sequence[Contestant]:
    """Return the players moved on by ``number`` roles; that of chance stays."""
    playing = [seated[role] for role in playing_roles(roles)]
    shift = number % len(playing)
    return seats(roles, playing[shift:] + playing[:shift])


def _own_names(settings: ManagerSettings, number: int) -> ManagerSettings:
    """Return the settings of one match, with a scrambling of its own."""
    if settings.scramble is None:
        return settings
    return replace(settings, scramble=settings.scramble + number)

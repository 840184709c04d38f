"""Many matches between the same players, with roles swapped and seeds shared."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import final

import numpy as np
from tqdm import tqdm

from neurogame.errors import ConfigurationError, GameError
from neurogame.play.match import MatchSettings, play_match
from neurogame.play.player import Player
from neurogame.play.record import MatchRecord
from neurogame.play.series_result import SeriesResult
from neurogame.simulate.game import Game

_ALL_PERMUTATIONS_UP_TO = 3


def seatings(count: int) -> list[tuple[int, ...]]:
    """Return who plays which role in the matches of one block.

    All permutations up to three players, otherwise all rotations: either way every player plays
    every role equally often.

    Args:
        count: number of players and roles.

    Returns:
        Per match, the player of each role.
    """
    if count <= _ALL_PERMUTATIONS_UP_TO:
        return list(itertools.permutations(range(count)))
    return [tuple((first + role) % count for role in range(count)) for first in range(count)]


def play_series(
    game: Game,
    players: Sequence[Player],
    matches: int,
    seed: int = 0,
    *,
    settings: MatchSettings | None = None,
    progress: bool = False,
    on_match: Callable[[int, MatchRecord], None] | None = None,
) -> SeriesResult:
    """Play many matches.

    Matches come in blocks (pairs, for two roles) with one common seed, in which every player
    plays every role once. Ctrl-C ends the series; what was played until then is returned.

    Args:
        game: the game.
        players: one per role.
        matches: number of matches; best a multiple of the block's size.
        seed: decides everything, players included.
        settings: the conditions of each match.
        progress: whether to show a progress bar on standard error.
        on_match: called with the number and the record of every finished match.

    Raises:
        GameError: there are more or fewer players than roles.
        ConfigurationError: fewer than one match.
    """
    _check(game, players, matches)
    schedule = list(itertools.islice(_schedule(len(players), seed), matches))
    tally = _Tally(len(players))
    interrupted = False
    bar = tqdm(schedule, unit="match", disable=not progress)
    try:
        for number, (seats, match_seed) in enumerate(bar):
            seated = [players[index] for index in seats]
            record = play_match(game, seated, seed=match_seed, settings=settings)
            if record.ending == "abandoned":
                interrupted = True
                break
            tally.add(seats, record)
            if on_match is not None:
                on_match(number, record)
            bar.set_postfix_str(f"mean goals {tally.means()}", refresh=False)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        bar.close()
    return SeriesResult.from_matches(
        game=game.name,
        players=tuple(player.name for player in players),
        seed=seed,
        seats=tally.seats,
        records=tally.records,
        block=len(seatings(len(players))),
        interrupted=interrupted,
    )


def _check(game: Game, players: Sequence[Player], matches: int) -> None:
    """Refuse a wrong number of players or matches."""
    if len(players) != len(game.roles):
        raise GameError(
            f"{game.name} has {len(game.roles)} roles ({', '.join(game.roles)}), but "
            f"{len(players)} players were given; name one per role (one may be named twice)"
        )
    if matches < 1:
        raise ConfigurationError(f"matches={matches}; at least 1 is needed")


def _schedule(count: int, seed: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the seats and the seed of one match after the other, without end."""
    for block in itertools.count():
        # A block's seed does not depend on how many matches are played.
        (match_seed,) = np.random.SeedSequence((seed, block)).generate_state(1).tolist()
        for seats in seatings(count):
            yield seats, int(match_seed)


@final
class _Tally:
    """The matches so far."""

    def __init__(self, players: int) -> None:
        self.seats: list[tuple[int, ...]] = []
        self.records: list[MatchRecord] = []
        self._sums = [0.0] * players

    def add(self, seats: tuple[int, ...], record: MatchRecord) -> None:
        """Add a match."""
        self.seats.append(seats)
        self.records.append(record)
        for role, player in enumerate(seats):
            self._sums[player] += record.goals[role]

    def means(self) -> str:
        """Mean goal of each player, as text."""
        return " ".join(f"{total / len(self.records):.1f}" for total in self._sums)

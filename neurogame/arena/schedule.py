"""Who meets whom, in which roles and with which seeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

_ALL_PERMUTATIONS_UP_TO = 3


@final
@dataclass(frozen=True, order=True)
class Slot:
    """The place of one match in a plan.

    Attributes:
        game: number of the game.
        limit: number of the common limit.
        block: number of the block. All matches of all lineups with the same block number have
            one seed.
        lineup: the players that meet, in rising order.
        number: number of the match within its block and lineup.
        seats: the player of each role.
        seed: decides the opening and the players' random choices; given each seat its own.
    """

    game: int
    limit: int
    block: int
    lineup: tuple[int, ...]
    number: int
    seats: tuple[int, ...]
    seed: int


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


def lineups(players: int, roles: int) -> list[tuple[int, ...]]:
    """Return which players meet: every selection of as many players as there are roles.

    Args:
        players: number of players.
        roles: number of roles.
    """
    return list(itertools.combinations(range(players), roles))


def pairings(players: int, roles: int) -> list[tuple[int, ...]]:
    """Return whose results are compared.

    These are the lineups, but in games with one role every two players (or the only player),
    whose matches with the same seed are compared.

    Args:
        players: number of players.
        roles: number of roles.
    """
    return lineups(players, min(2, players) if roles == 1 else roles)


def block_seed(seed: int, block: int) -> int:
    """Return the seed of a block, whatever the number of matches and players.

    Args:
        seed: seed of the plan, at least 0.
        block: number of the block.
    """
    return int(np.random.SeedSequence((seed, block)).generate_state(1)[0])


def slots(
    players: int, roles: int, matches: int, seed: int, *, game: int = 0, limit: int = 0
) -> Iterator[Slot]:
    """Yield the matches of one game under one limit, block by block.

    The first matches of each lineup in a longer plan are those of a shorter one, and further
    players change nothing in them.

    Args:
        players: number of players.
        roles: number of roles.
        matches: matches of each lineup; the last block is cut off where it has no more room.
        seed: decides all seeds.
        game: noted in the slots.
        limit: noted in the slots.
    """
    seated = seatings(roles)
    for block in range(-(-matches // len(seated))):
        common = block_seed(seed, block)
        wanted = min(len(seated), matches - block * len(seated))
        for lineup in lineups(players, roles):
            for number, order in enumerate(seated[:wanted]):
                seats = tuple(lineup[place] for place in order)
                yield Slot(game, limit, block, lineup, number, seats, common)

"""Random playouts as every backend does them: what goes in, what comes out.

In every step of a lane each role makes a legal move, all of a role's legal moves being equally
likely, drawn from random words that depend on the seed, the lane's word, the step of the lane and
the stream of the role alone (:mod:`~neurogame.kernels.words.random_words`). So all backends, batch
sizes and numbers of threads play the same games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.errors import GameError
from neurogame.settings import whole

MOST = (1 << 31) - 1
"""More steps, plies or lanes are no number to compiled code; games may be more."""


@final
@dataclass(frozen=True, kw_only=True)
class PlayoutRun:
    """Playouts with restart: a lane whose game is over begins its next game in the next step.

    Lane ``l`` is bit ``l % 64`` of lane word ``l // 64``, whatever the batch. With a number of
    games, lane ``l`` plays the games ``l, l + lanes, l + 2 lanes, ...`` below it and stops, so
    every game that was begun is counted; with a number of steps, the unfinished ones are not.

    Attributes:
        seed: any integer.
        lanes: games side by side, at least 1.
        games: number of games, at least 1, or None.
        steps: number of steps of every lane, at least 1, or None; exactly one of the two is given.
        max_plies: a game that reaches this many plies and is not over is cut; at least 1.
        lengths: whether to count games by length.
        moves: whether to count the moves made.
        threads: threads that share the lanes, at least 1.
    """

    seed: int
    lanes: int
    games: int | None = None
    steps: int | None = None
    max_plies: int = 1000
    lengths: bool = False
    moves: bool = False
    threads: int = 1

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("lanes", "games", "steps", "max_plies", "threads"):
            value = getattr(self, name)
            if value is None:
                continue
            # Numbers of other libraries, too.
            object.__setattr__(self, name, whole(value, name))
            if value < 1:
                raise GameError(f"{name} must be at least 1, not {value}")
            if value > MOST and name != "games":
                raise GameError(f"{name} must be at most {MOST}, not {value}")
        if (self.games is None) == (self.steps is None):
            raise GameError("playouts take either a number of games or a number of steps")


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """What the finished games of a run came to.

    ``M`` moves of all roles, ``V`` goal values of all roles in the order of ``Circuit.goals``.

    Attributes:
        games: finished games, those that were cut or stuck included.
        cut: games stopped by the limit of plies.
        stuck: games stopped where some role had no legal move.
        several: games that ended in a terminal state with several goals for a role.
        played: plies played, those of unfinished games included.
        goals: finished games by goal; of several goals of a role the highest; int64 ``[V]``.
        lengths: finished games by length, ``[longest + 1]``; None if not asked for.
        made: finished games in which each move was made at least once, ``[M]``; None if not asked
            for.
        made_goals: of these, the games with each goal, ``[M, V]``; None if not asked for.
    """

    games: int
    cut: int
    stuck: int
    several: int
    played: int
    goals: Int64s
    lengths: Int64s | None = None
    made: Int64s | None = None
    made_goals: Int64s | None = None

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of two disjoint sets of games together."""
        return Tally(
            games=self.games + other.games,
            cut=self.cut + other.cut,
            stuck=self.stuck + other.stuck,
            several=self.several + other.several,
            played=self.played + other.played,
            goals=self.goals + other.goals,
            lengths=_sum(self.lengths, other.lengths),
            made=_sum(self.made, other.made),
            made_goals=_sum(self.made_goals, other.made_goals),
        )


@final
@dataclass(frozen=True, eq=False)
class GivenLanes:
    """States to be played on without restart.

    Attributes:
        words: reachable states, not changed; int64 ``[F, W]``.
        word_numbers: which lane word each column is, for the random words; int64 ``[W]``.
        seed: any integer.
        step: number of the first step, for the random words.
        steps: most steps to make; None: until no lane plays.
        threads: threads that share the words, at least 1.
    """

    words: Tensor
    word_numbers: Tensor
    seed: int
    step: int = 0
    steps: int | None = None
    threads: int = 1


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class PlayedLanes:
    """Where lanes stand after a number of steps without restart.

    Attributes:
        words: states, those of finished lanes at their ends; int64 ``[F, W]``.
        plies: plies made by each lane in these steps; int32 ``[64 W]``.
        playing: lanes that are neither in a terminal state nor stuck; int64 ``[W]``.
        made: lanes in which each move was made; int64 ``[M, W]``; None of compiled backends.
    """

    words: Tensor
    plies: Tensor
    playing: Tensor
    made: Tensor | None = None


def joined(parts: Sequence[PlayedLanes]) -> PlayedLanes:
    """Return lanes, word after word, that were played in parts; at least one part."""
    made = [part.made for part in parts]
    return PlayedLanes(
        words=torch.cat([part.words for part in parts], dim=1),
        plies=torch.cat([part.plies for part in parts]),
        playing=torch.cat([part.playing for part in parts]),
        made=None if made[0] is None else torch.cat([part for part in made if part is not None], 1),
    )


class PlayoutKernel(Protocol):
    """One backend's playouts of one game."""

    @property
    def name(self) -> str:
        """The backend and its variant, for reports: ``llvm-straight``, ``torch``."""
        ...

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state, with restart."""
        ...

    def finish(self, given: GivenLanes) -> PlayedLanes:
        """Play given states on, without restart."""
        ...


def _sum(left: Int64s | None, right: Int64s | None) -> Int64s | None:
    """Add counts; the shorter array is padded by zeros at its end."""
    if left is None or right is None:
        return None
    if len(left) < len(right):
        left, right = right, left
    total: Int64s = left.copy()
    total[: len(right)] += right
    return total

"""The course of a match while it goes on, and the record that is made of it."""

from __future__ import annotations

import re
import secrets
import string
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.ggp.manager.contestant import Contestant
from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.ggp.manager.managed_match import Ending
from neurogame.ggp.manager.settings import ManagerSettings
from neurogame.ggp.manager.tally import PlayerResult
from neurogame.simulate.game import Game, State

_TOKEN_SIGNS = string.ascii_letters + string.digits
_TOKEN_LENGTH = 32


@final
@dataclass(frozen=True)
class _Step:
    """A joint move and where it led; per-role entries in role order."""

    joint: tuple[str, ...]
    errors: tuple[str, ...]
    fluents: tuple[str, ...]
    time: int


@final
class History:
    """Keeps what happened.

    Args:
        game: name of the game.
        first: the state in which the match begins.
        roles: number of roles.
    """

    def __init__(self, game: str, first: State, roles: int) -> None:
        self._began = _milliseconds()
        self._token = "".join(secrets.choice(_TOKEN_SIGNS) for _ in range(_TOKEN_LENGTH))
        self.match = match_name(game, self._began, self._token)
        """Name of the match."""
        self._first = first.fluent_texts
        self._start_errors = ("",) * roles
        self._steps: list[_Step] = []

    @property
    def plies(self) -> int:
        """How many joint moves were made."""
        return len(self._steps)

    @property
    def last_joint(self) -> tuple[str, ...] | None:
        """The last joint move; None before the first."""
        return self._steps[-1].joint if self._steps else None

    def started(self, errors: tuple[str, ...]) -> None:
        """Keep what went wrong with START, per role."""
        self._start_errors = errors

    def moved(self, joint: tuple[str, ...], errors: tuple[str, ...], to: State) -> None:
        """Keep a joint move.

        Args:
            joint: the moves that were made.
            errors: what went wrong with each, as in :class:`GgpRecord`.
            to: the state that they led to.
        """
        # One step at once: Ctrl-C must not leave a move without its state.
        self._steps.append(_Step(joint, errors, to.fluent_texts, _milliseconds()))

    def record(
        self,
        game: Game,
        settings: ManagerSettings,
        seated: Sequence[Contestant],
        results: Sequence[PlayerResult],
        ending: Ending,
        seed: int,
    ) -> GgpRecord:
        """Return the record of the match so far.

        Args:
            game: the game.
            settings: the conditions.
            seated: the players, in role order.
            results: what was counted, in role order.
            ending: how the match ended.
            seed: the seed of the match.
        """
        goals = tuple(result.goal for result in results if result.goal is not None)
        preview = settings.preview_clock
        return GgpRecord(
            match_id=self.match,
            random_token=self._token,
            start_time=self._began,
            game_url=settings.game_url,
            preview_clock=-1 if preview is None else preview,
            start_clock=settings.start_clock,
            play_clock=settings.play_clock,
            states=(self._first, *(step.fluents for step in self._steps)),
            moves=tuple(step.joint for step in self._steps),
            state_times=(self._began, *(step.time for step in self._steps)),
            errors=(self._start_errors, *(step.errors for step in self._steps)),
            goals=goals if len(goals) == len(results) else (),
            is_completed=ending == "terminal",
            is_aborted=ending != "terminal",
            player_names=tuple(contestant.name for contestant in seated),
            scrambled=settings.scramble is not None,
            tournament=settings.tournament,
            extra={
                "game": game.name,
                "roles": list(game.roles),
                "ending": ending,
                "seed": seed,
                "scramble": settings.scramble,
                "upperCase": settings.upper_case,
                "grace": settings.grace,
                "players": [result.as_dict() for result in results],
            },
        )


def match_name(game: str, milliseconds: int, token: str) -> str:
    """Return the name of a match: one word that no other match has.

    Args:
        game: name of the game.
        milliseconds: when the match began.
        token: letters and digits drawn for it.
    """
    word = re.sub(r"[^A-Za-z0-9_.-]+", "_", game)[:60]
    return f"{word}.{milliseconds}.{token[:6]}"


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000

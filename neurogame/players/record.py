"""The record of one match."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar, final

from neurogame.chance import playing_roles
from neurogame.simulate.game import Game
from neurogame.views import show_as

T = TypeVar("T")
Ending: TypeAlias = Literal["terminal", "step limit", "stuck", "abandoned"]


@final
@dataclass(frozen=True, kw_only=True)
class MatchRecord:
    """What happened in one match; everything is JSON-able.

    Per-role entries are in the role order of the game.

    Attributes:
        game: name of the game.
        roles: role names.
        players: player string of each role; of chance it is ``random``.
        seed: seed of the match.
        opening_plies: how many joint moves at the start were drawn at random.
        moves: joint moves in order; each a list of compact KIF texts, one per role.
        goals: goal of each role on 0..100; in an unfinished match what the rules derive for the
            last state, 0 where they derive nothing.
        ending: ``terminal``; ``step limit``; ``stuck`` (a role had no legal move in a
            non-terminal state: the rules are at fault); ``abandoned`` by a player.
        length: number of joint moves, the opening included.
        start_seconds: seconds each role's player took to start.
        decisions: moves that each role's player was asked for; the only legal move is made
            without asking.
        move_seconds: seconds each role's player thought, all moves together.
        slowest_seconds: the longest single move of each role.
        work: what each role's searches did, all moves together; see
            :attr:`neurogame.search.result.SearchResult.work`. Empty for who does not search.
        start_timeouts: per role 1 if the start took longer than the start clock.
        timeouts: moves of each role that took longer than the play clock and were replaced.
        illegal_moves: moves of each role that were illegal and were replaced.
        states: the fluents of every state, as compact KIF texts, or None if not recorded.
        played: the game itself, for pictures; it is not written, so that None is read.
    """

    game: str
    roles: tuple[str, ...]
    players: tuple[str, ...]
    seed: int
    opening_plies: int
    moves: tuple[tuple[str, ...], ...]
    goals: tuple[float, ...]
    ending: Ending
    length: int
    start_seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    move_seconds: tuple[float, ...]
    slowest_seconds: tuple[float, ...]
    start_timeouts: tuple[int, ...]
    timeouts: tuple[int, ...]
    illegal_moves: tuple[int, ...]
    work: tuple[dict[str, float], ...] = field(default=(), repr=False, compare=False)
    states: tuple[tuple[str, ...], ...] | None = None
    played: Game | None = field(default=None, repr=False, compare=False)

    def of_players(self, values: Sequence[T]) -> tuple[T, ...]:
        """Return per-role entries without that of chance, which is nobody's.

        Args:
            values: one entry per role.
        """
        return tuple(values[role] for role in playing_roles(self.roles))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values; ``states`` only if recorded."""
        left_out = {"played"} if self.states is not None else {"played", "states"}
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(self.as_dict())

    @classmethod
    def from_json(cls, text: str) -> MatchRecord:
        """Read what :meth:`to_json` wrote.

        Args:
            text: one JSON object.
        """
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MatchRecord:
        """Read what :meth:`as_dict` returned, lists in place of tuples or not.

        Args:
            values: field name -> value.
        """
        return cls(**{name: _tuples(value) for name, value in values.items()})

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], MatchRecord], tuple[dict[str, Any]]]:
        """Send between processes what would be written, without the game."""
        return MatchRecord.from_dict, (self.as_dict(),)

    def _repr_html_(self) -> str:
        return show_as("html", self)


def _tuples(value: Any) -> Any:
    """Turn JSON lists into tuples, all the way down."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value

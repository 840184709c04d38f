"""The record of a match in the JSON format of GGP-Base, which GGP tools read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from neurogame.errors import GameError
from neurogame.files import write_text
from neurogame.ggp.protocol.messages import compact, spaced, split_terms


@final
@dataclass(frozen=True, kw_only=True)
class GgpRecord:
    """One match, finished or not.

    All texts are compact KIF in the rulesheet's own names and spelling, whatever the players
    were sent. Per-role entries are in the order of the ``role`` facts.

    Attributes:
        match_id: name of the match: one word.
        random_token: 32 letters and digits that no other match has.
        start_time: when the match began, in milliseconds since 1970.
        game_url: where a games server describes the game, or None. Tools that do not bring the
            rules themselves look for them there.
        preview_clock: seconds to look at the rules before the match; -1 if none were given.
        start_clock: seconds.
        play_clock: seconds.
        states: the fluents of every state, the first one included.
        moves: the joint moves between the states.
        state_times: when each state was reached, in milliseconds since 1970.
        errors: what went wrong on the way to each state, per role: empty, ``TO`` (late), ``CE``
            (no connection, or no reply over it) or ``IL`` and the move (illegal).
        goals: goal of each role in 0..100; empty in an unfinished match, and where the rules
            derive none for some role.
        is_completed: whether the last state is terminal.
        is_aborted: whether the match ended before.
        player_names: name of each role's player.
        scrambled: whether the players were sent scrambled rules.
        tournament: name of the tournament, or None.
        extra: what else neurogame writes down, under the key ``neurogame``; other readers leave
            it alone.
    """

    match_id: str
    random_token: str
    start_time: int
    game_url: str | None = None
    preview_clock: int = -1
    start_clock: int
    play_clock: int
    states: tuple[tuple[str, ...], ...]
    moves: tuple[tuple[str, ...], ...]
    state_times: tuple[int, ...]
    errors: tuple[tuple[str, ...], ...]
    goals: tuple[int, ...] = ()
    is_completed: bool
    is_aborted: bool
    player_names: tuple[str, ...]
    scrambled: bool = False
    tournament: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON object, keys in GGP-Base's order."""
        values: dict[str, Any] = {
            "matchId": self.match_id,
            "randomToken": self.random_token,
            "startTime": self.start_time,
            "gameMetaURL": self.game_url,
            "isCompleted": self.is_completed,
            "isAborted": self.is_aborted,
            "states": [f"( {''.join(f'{spaced(fluent)} ' for fluent in s)})" for s in self.states],
            "moves": [[spaced(move) for move in joint] for joint in self.moves],
            "stateTimes": list(self.state_times),
            "errors": [list(errors) for errors in self.errors] or None,
            "goalValues": list(self.goals) or None,
            "previewClock": self.preview_clock,
            "startClock": self.start_clock,
            "playClock": self.play_clock,
            "playerNamesFromHost": list(self.player_names),
            "isPlayerHuman": [False] * len(self.player_names),
            "tournamentNameFromHost": self.tournament,
            "scrambled": self.scrambled,
            "neurogame": dict(self.extra) or None,
        }
        # A key with null makes GGP-Base's reader fail where a missing one does not.
        return {key: value for key, value in values.items() if value is not None}

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(self.as_dict())

    def save(self, path: Path) -> None:
        """Write the record to a file, whole or not at all."""
        write_text(path, f"{self.to_json()}\n")

    @classmethod
    def from_json(cls, text: str) -> GgpRecord:
        """Read a record, ours or one of GGP-Base.

        Args:
            text: one JSON object.

        Raises:
            GameError: the text is no such record.
        """
        try:
            values = json.loads(text)
            return cls(
                match_id=values["matchId"],
                random_token=values["randomToken"],
                start_time=values["startTime"],
                game_url=values.get("gameMetaURL"),
                preview_clock=values.get("previewClock", -1),
                start_clock=values["startClock"],
                play_clock=values["playClock"],
                states=tuple(_state(state) for state in values["states"]),
                moves=tuple(tuple(map(compact, joint)) for joint in values["moves"]),
                state_times=tuple(values["stateTimes"]),
                errors=tuple(map(tuple, values.get("errors", ()))),
                goals=tuple(values.get("goalValues", ())),
                is_completed=values["isCompleted"],
                is_aborted=values.get("isAborted", False),
                player_names=tuple(values.get("playerNamesFromHost", ())),
                scrambled=values.get("scrambled", False),
                tournament=values.get("tournamentNameFromHost"),
                extra=values.get("neurogame", {}),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise GameError(
                f"no match record of GGP-Base: {type(error).__name__}: {error}; "
                "'neurogame manage --record DIR' writes such records"
            ) from None


def _state(text: str) -> tuple[str, ...]:
    """Return the fluents of a state, sorted by code point."""
    inner = text.strip()
    if not (inner.startswith("(") and inner.endswith(")")):
        raise ValueError(f"a state in parentheses is needed, not {inner[:40]!r}")
    return tuple(sorted(map(compact, split_terms(inner[1:-1]))))

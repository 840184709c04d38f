"""Matches that were recorded, in whatever form: its moves, and what was noted beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, final

from neurogame.errors import GameError
from neurogame.files import read_rows
from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.ggp.protocol.messages import compact
from neurogame.players.record import MatchRecord

Line: TypeAlias = tuple[tuple[str, ...], ...]
"""The joint moves of a match so far, each one text per role."""
Remarks: TypeAlias = dict[int, list[str]]

_STATISTICS = ("value", "proved", "simulations", "nodes", "depth", "seconds")
"""What players note of a search, in the order in which it is shown."""


@final
@dataclass(frozen=True, kw_only=True)
class RecordedMatch:
    """A match as it was written down.

    Attributes:
        game: name of the game; empty where the record has its rules.
        rules: the rules; empty where the record only names them.
        moves: the joint moves.
        players: who played, one text per role; empty where that is not known.
        remarks: number of plies before -> lines about the moves made then.
        ending: how it ended, in a line.
    """

    game: str = ""
    rules: str = ""
    moves: Line
    players: tuple[str, ...] = ()
    remarks: Remarks = field(default_factory=dict)
    ending: str = ""


def read_match(path: Path, number: int = 0) -> RecordedMatch:
    """Read a match that ``match --record``, ``manage --record``, ``serve`` or an arena wrote.

    Args:
        path: a ``.json`` file with one match, the log of a served match, or the ``matches.jsonl``
            of an arena.
        number: which match of an arena, from 0.

    Raises:
        GameError: the file cannot be read, or holds nothing of the kind.
    """
    try:
        text = path.read_text(encoding="utf-8")
        lines = list(filter(str.strip, text.split("\n"))) or [text]
        # A line may be a match, or one of many; else a match is spread over lines.
        first = json.loads(lines[0] if lines[0].rstrip().endswith("}") else text)
        count = len(lines) if "match" in first else 1
        if not 0 <= number < count:
            raise IndexError(f"there are {count}, from 0")
        if "event" in first:
            return _served(read_rows(path))
        if "match" in first:
            first = json.loads(lines[number])["match"]
        if "matchId" in first:
            return _managed(GgpRecord.from_json(text))
        return _played(MatchRecord.from_dict(first))
    except OSError as error:
        raise GameError(f"{path}: {error.strerror}; give the record of a match") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise GameError(
            f"{path} holds no match number {number} that can be read ({error}); records are "
            "written by 'match --record', 'manage --record', 'serve' and arenas"
        ) from None


def _played(record: MatchRecord) -> RecordedMatch:
    """Return a match of this package's players, in one process."""
    remarks: Remarks = {}
    for ply in range(record.opening_plies):
        remarks[ply] = ["opening: drawn at random"]
    remarks[len(record.moves)] = [_pace(record, role) for role in range(len(record.roles))]
    return RecordedMatch(
        game=record.game,
        moves=record.moves,
        players=record.players,
        remarks=remarks,
        ending=record.ending,
    )


def _pace(record: MatchRecord, role: int) -> str:
    """Return a line for how a player used its time."""
    decisions = record.decisions[role]
    mean = record.move_seconds[role] / max(decisions, 1)
    faults = f", {record.timeouts[role]} late" if record.timeouts[role] else ""
    faults += f", {record.illegal_moves[role]} illegal" if record.illegal_moves[role] else ""
    return (
        f"{record.roles[role]}, {record.players[role]}: {decisions} decisions, {mean:.3f} s each, "
        f"{record.slowest_seconds[role]:.3f} s the longest{faults}"
    )


def _managed(record: GgpRecord) -> RecordedMatch:
    """Return a match in the format of GGP-Base."""
    remarks: Remarks = {}
    # What went wrong on the way to state n belongs to the moves made n - 1 plies into the match.
    for state, errors in enumerate(record.errors):
        faults = [
            f"{_player(record.player_names, role)}: {_FAULTS.get(error[:2], error)} {error[3:]}"
            for role, error in enumerate(errors)
            if error
        ]
        if faults:
            remarks.setdefault(max(state - 1, 0), []).extend(faults)
    ending = "terminal" if record.is_completed else "not finished"
    return RecordedMatch(
        game=str(record.extra.get("game", record.match_id.partition(".")[0])),
        moves=record.moves,
        players=record.player_names,
        remarks=remarks,
        ending=str(record.extra.get("ending", ending)),
    )


_FAULTS = {"TO": "late", "CE": "no connection", "IL": "illegal move"}


def _player(names: tuple[str, ...], role: int) -> str:
    return names[role] if role < len(names) else f"player {role + 1}"


def _served(events: list[dict[str, Any]]) -> RecordedMatch:
    """Return what a player over HTTP noted: the moves that it was told, and its own searches."""
    start = [event for event in events if event["event"] == "start"][0]  # noqa: RUF015
    moves: list[tuple[str, ...]] = []
    remarks: Remarks = {}
    for event in events:
        kind = event["event"]
        if kind in ("answer", "over") and event.get("joint"):
            moves.append(tuple(compact(move) for move in event["joint"]))
        elif kind == "move" and event.get("value") is not None:
            # Questions are counted from 1; the first one is asked before any move.
            remarks.setdefault(int(event["ask"]) - 1, []).append(_search(start["role"], event))
        elif kind == "failure":
            remarks.setdefault(len(moves), []).append(f"failure: {event.get('what')}")
    return RecordedMatch(
        rules=start["rules"],
        moves=tuple(moves),
        remarks=remarks,
        ending=str(next((e.get("how") for e in events if e["event"] == "over"), "not finished")),
    )


def _search(role: str, event: Mapping[str, Any]) -> str:
    """Return a line for what a player found."""
    statistics = ", ".join(
        f"{name} {event[name]:.4g}" if not isinstance(event[name], bool) else name
        for name in _STATISTICS
        if event.get(name)
    )
    return f"{role} searched, {event.get('move')}: {statistics}"

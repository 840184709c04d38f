"""Reading reference traces: JSON lines, plain or gzipped, one state per line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from neurogame.errors import GameError
from neurogame.gdl.keywords import is_goal_value

_LINE_TYPES = ("game", "state", "end")


@final
@dataclass(frozen=True, kw_only=True)
class TraceHeader:
    """The first line of a trace.

    Attributes:
        source: the file's name, for messages.
        key: the game's name.
        roles: role names in role order, folded to lower case.
    """

    source: str
    key: str
    roles: tuple[str, ...]


@final
@dataclass(frozen=True, kw_only=True)
class TraceState:
    """One recorded state; all texts are compact KIF folded to lower case.

    Attributes:
        game: number of the game in the trace.
        ply: joint moves made before this state.
        line: 1-based line number in the file.
        state: the fluents that hold.
        terminal: whether the state is terminal.
        legal: per role its legal moves, in terminal states too; ``[R]``.
        goals: per role all goal values derived, in 0..100, possibly none or several; ``[R]``.
        move: the joint move made, ``[R]``, or None on the last state of a game.
        following: the state after the move, or None with ``move``.
    """

    game: int
    ply: int
    line: int
    state: frozenset[str]
    terminal: bool
    legal: tuple[frozenset[str], ...]
    goals: tuple[frozenset[int], ...]
    move: tuple[str, ...] | None
    following: frozenset[str] | None


LONGEST_LINE = 64 * 2**20
"""Most characters of a line that are read: beyond that the file is no trace."""


@final
class TraceFile:
    """A trace on disk: its header now, its states one after the other on iteration.

    Args:
        path: a JSONL file, gzipped or not; the first bytes decide, not the name.

    Raises:
        GameError: the file cannot be read, or breaks the format; the text names file and line.
            Iterating raises it too, for the lines that it reaches.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._records = self._read_records()
        line, record = next(self._records, (1, {}))
        if record.get("type") != "game":
            raise self._error(line, 'the first line must be a record of type "game"')
        roles = self._texts(line, record, "roles")
        self.header = TraceHeader(
            source=self.path.name, key=str(record.get("key", "?")), roles=roles
        )

    def __iter__(self) -> Iterator[TraceState]:
        """Yield the states that are left, each with its successor; only once per object."""
        waiting: TraceState | None = None
        for line, record in self._records:
            state = self._state(line, record) if record["type"] == "state" else None
            if waiting is not None:
                yield self._with_successor(waiting, state, line)
            elif state is not None and state.ply != 0:
                raise self._error(line, f"a game starts at ply 0, not at ply {state.ply}")
            waiting = state
        if waiting is not None:
            yield self._with_successor(waiting, None, waiting.line)

    def _with_successor(self, state: TraceState, after: TraceState | None, line: int) -> TraceState:
        """Join a state with the line that follows it, if that is of the same game."""
        if after is not None and after.game != state.game:
            if after.ply != 0:
                raise self._error(line, f"a game starts at ply 0, not at ply {after.ply}")
            after = None
        if after is None:
            if state.move is not None:
                raise self._error(state.line, "a move is recorded, but no state follows it")
            return state
        if state.move is None or after.ply != state.ply + 1:
            raise self._error(
                line,
                f"ply {after.ply} of game {state.game} cannot follow ply {state.ply} "
                f"with the move {'null' if state.move is None else state.move}",
            )
        return replace(state, following=after.state)

    def _read_records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        line = 0
        try:
            if self.path.exists() and not self.path.is_file():
                raise self._error(1, "no regular file; save the trace in one and give its path")
            with self.path.open("rb") as start:
                zipped = start.read(2) == b"\x1f\x8b"
            opener = gzip.open if zipped else open
            with opener(self.path, "rt", encoding="utf-8") as file:
                while text := file.readline(LONGEST_LINE + 1):
                    line += 1
                    if len(text) > LONGEST_LINE:
                        raise self._error(
                            line, f"longer than {LONGEST_LINE:,} characters: is this a trace?"
                        )
                    if text.strip():
                        yield line, self._record(line, text)
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise self._error(line + 1, f"cannot be read: {error}") from error

    def _record(self, line: int, text: str) -> dict[str, Any]:
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._error(line, f"not a JSON object: {error}") from error
        if not isinstance(record, dict) or record.get("type") not in _LINE_TYPES:
            raise self._error(line, f"a record has one of the types {', '.join(_LINE_TYPES)}")
        return record

    def _state(self, line: int, record: dict[str, Any]) -> TraceState:
        game, ply, terminal = (record.get(name) for name in ("game", "ply", "terminal"))
        if not (isinstance(game, int) and isinstance(ply, int) and isinstance(terminal, bool)):
            raise self._error(line, '"game" and "ply" are integers, "terminal" is a boolean')
        legal, goals, move = record.get("legal"), record.get("goals"), record.get("move")
        for name, value in (("legal", legal), ("goals", goals), ("move", move or legal)):
            if not isinstance(value, list) or len(value) != len(self.header.roles):
                raise self._error(line, f'"{name}" needs one entry for each of the roles')
        assert isinstance(legal, list)
        assert isinstance(goals, list)
        return TraceState(
            game=game,
            ply=ply,
            line=line,
            state=frozenset(self._texts(line, record, "state")),
            terminal=terminal,
            legal=tuple(frozenset(self._texts(line, {"legal": moves}, "legal")) for moves in legal),
            goals=tuple(self._goals(line, entry) for entry in goals),
            move=None if move is None else self._texts(line, record, "move"),
            following=None,
        )

    def _texts(self, line: int, record: dict[str, Any], name: str) -> tuple[str, ...]:
        texts = record.get(name)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise self._error(line, f'"{name}" must be a list of KIF terms')
        return tuple(text.lower() for text in texts)

    def _goals(self, line: int, entry: object) -> frozenset[int]:
        """Read a goal: an integer, null for none, or a list of numerals for several."""
        values = [] if entry is None else entry if isinstance(entry, list) else [entry]
        texts = [str(value) for value in values]
        if not all(map(is_goal_value, texts)):
            raise self._error(line, f"{entry!r} is no goal: an integer 0..100, a list or null")
        return frozenset(int(text) for text in texts)

    def _error(self, line: int, message: str) -> GameError:
        return GameError(f"{self.path}:{line}: {message}")

"""Verifying reference traces: does a game do in every recorded state what the trace says?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol, final

from neurogame.simulate.trace import TraceFile, TraceHeader, TraceState

_DETAILED = 100
"""Mismatches kept with their details; all are counted."""


@final
@dataclass(frozen=True, kw_only=True)
class StateReport:
    """What a game says of one state; all texts are compact KIF folded to lower case.

    Attributes:
        terminal: whether the state is terminal.
        legal: per role the moves derived as legal, in terminal states too; ``[R]``.
        goals: per role all goal values derived, in 0..100; ``[R]``.
        following: the state after the recorded move; None where none is recorded or where
            the game has no such move.
    """

    terminal: bool
    legal: tuple[frozenset[str], ...]
    goals: tuple[frozenset[int], ...]
    following: frozenset[str] | None


class Backend(Protocol):
    """Anything that a trace can be replayed on."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in role order, folded to lower case."""

    def initial(self) -> frozenset[str]:
        """Return the fluents of the initial state."""

    def answer(self, states: Sequence[TraceState]) -> Sequence[StateReport]:
        """Return one answer for each recorded state.

        A fluent that the game cannot have is left out: the trace is then refuted by the state
        before, or as the initial state.
        """


@final
@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One point where game and trace differ.

    Attributes:
        source: the trace's file name.
        line: 1-based line in that file.
        game: number of the game in the trace.
        ply: joint moves made before the state.
        what: ``roles``, ``initial``, ``terminal``, ``legal``, ``goals``, ``move`` (the recorded
            one is not legal) or ``next`` (compared where the recorded move is legal).
        role: the role that a ``legal``, ``goals`` or ``move`` mismatch is about.
        expected: what the trace says; of two sets of terms only what the game lacks.
        found: what the game says; of two sets of terms only what the trace lacks.
    """

    source: str
    line: int
    game: int
    ply: int
    what: str
    role: str | None
    expected: tuple[str, ...]
    found: tuple[str, ...]

    def __str__(self) -> str:
        """Return one line for people."""
        about = self.what if self.role is None else f"{self.what} of {self.role}"
        return (
            f"{self.source}:{self.line}: game {self.game}, ply {self.ply}, {about}: "
            f"expected {_shown(self.expected)}, found {_shown(self.found)}"
        )


@final
@dataclass(frozen=True, kw_only=True)
class Report:
    """The outcome of replaying one trace.

    Attributes:
        source: the trace's file name.
        games: games seen.
        states: states compared.
        mismatches: number of differences.
        details: the first differences, at most as many as were asked for.
    """

    source: str
    games: int
    states: int
    mismatches: int
    details: tuple[Mismatch, ...]

    def as_json(self) -> dict[str, object]:
        """Return the report as plain JSON-able values."""
        return asdict(self)


def replay(trace: str | Path, backend: Backend, *, batch: int = 1024) -> Report:
    """Compare every state of a trace with what a game derives.

    Args:
        trace: a trace file; it is read as a stream.
        backend: the game.
        batch: states answered at once.

    Raises:
        GameError: the file breaks the trace format.
    """
    file = TraceFile(trace)
    kept: list[Mismatch] = []
    games, states, mismatches = set(), 0, 0
    wrong_roles = _compare_roles(file.header, backend)
    if wrong_roles is not None:
        return Report(
            source=file.header.source, games=0, states=0, mismatches=1, details=(wrong_roles,)
        )
    initial = backend.initial()
    stream = iter(file)
    while chunk := list(islice(stream, batch)):
        for recorded, answer in zip(chunk, backend.answer(chunk), strict=True):
            games.add(recorded.game)
            states += 1
            for mismatch in _compare(file.header, recorded, answer, initial):
                mismatches += 1
                if len(kept) < _DETAILED:
                    kept.append(mismatch)
    return Report(
        source=file.header.source,
        games=len(games),
        states=states,
        mismatches=mismatches,
        details=tuple(kept),
    )


def _compare_roles(header: TraceHeader, backend: Backend) -> Mismatch | None:
    if header.roles == backend.roles:
        return None
    return Mismatch(
        source=header.source,
        line=1,
        game=0,
        ply=0,
        what="roles",
        role=None,
        expected=header.roles,
        found=backend.roles,
    )


def _compare(
    header: TraceHeader, recorded: TraceState, answer: StateReport, initial: frozenset[str]
) -> Iterator[Mismatch]:
    """Yield the differences between a recorded state and a game's answer."""

    def mismatch(
        what: str, role: str | None, expected: Sequence[str], actual: Sequence[str]
    ) -> Mismatch:
        return Mismatch(
            source=header.source,
            line=recorded.line,
            game=recorded.game,
            ply=recorded.ply,
            what=what,
            role=role,
            expected=tuple(expected),
            found=tuple(actual),
        )

    def sets(
        what: str, role: str | None, expected: frozenset[str], actual: frozenset[str]
    ) -> Iterator[Mismatch]:
        if expected != actual:
            yield mismatch(what, role, sorted(expected - actual), sorted(actual - expected))

    if recorded.ply == 0:
        yield from sets("initial", None, recorded.state, initial)
    if recorded.terminal != answer.terminal:
        yield mismatch("terminal", None, [str(recorded.terminal)], [str(answer.terminal)])
    possible = True
    for index, role in enumerate(header.roles):
        yield from sets("legal", role, recorded.legal[index], answer.legal[index])
        goals, derived = recorded.goals[index], answer.goals[index]
        if goals != derived:
            yield mismatch("goals", role, _numerals(goals), _numerals(derived))
        if recorded.move is not None and recorded.move[index] not in answer.legal[index]:
            possible = False
            yield mismatch("move", role, [recorded.move[index]], ["not legal"])
    if possible and recorded.following is not None and answer.following is not None:
        yield from sets("next", None, recorded.following, answer.following)


def _numerals(goals: frozenset[int]) -> list[str]:
    return [str(goal) for goal in sorted(goals)]


def _shown(texts: tuple[str, ...], limit: int = 5) -> str:
    if not texts:
        return "nothing"
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return " ".join(texts[:limit]) + more

"""Players that do as they are told, faults included."""

from __future__ import annotations

from collections.abc import Callable

from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import State


class Scripted:
    """Chooses by a function of (state, role); notes what it was told."""

    def __init__(self, choose: Callable[[State, int], int], name: str = "scripted") -> None:
        self._choose = choose
        self._name = name
        self.role = 0
        self.seeds: list[int] = []
        self.limits: list[Limit] = []
        self.start_clocks: list[float | None] = []
        self.stops = 0

    @property
    def name(self) -> str:
        return self._name

    def start(self, match: MatchStart) -> None:
        self.role = match.role
        self.start_clocks.append(match.seconds)
        self.seeds.append(match.seed)

    def choose(self, state: State, limit: Limit) -> int:
        self.limits.append(limit)
        return self._choose(state, self.role)

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        pass

    def stop(self) -> None:
        self.stops += 1


def first_legal(state: State, role: int) -> int:
    """The lowest legal move."""
    return state.legal_moves[role][0]


def last_legal(state: State, role: int) -> int:
    """The highest legal move."""
    return state.legal_moves[role][-1]

"""What all searches of a game are, and one that plays it under other names than it has learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, final

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.search.limit import Limit
from neurogame.search.result import SearchResult
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import GameMapping


class GameSearch(Protocol):
    """A search of one game, which remembers its tree from move to move."""

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        """Search from a state."""

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        """Search on until told to stop."""

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment, and remember nothing but how long things take."""

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched."""


@final
class HomeSearch:
    """Searches at home, and says what it finds by the numbers of the game that is played."""

    def __init__(self, search: GameSearch, mapping: GameMapping) -> None:
        """Take a search.

        Args:
            search: of the home.
            mapping: from there to the game that is played.
        """
        self._search, self._mapping = search, mapping

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        """Search from a state of the played game; proved states are not told."""
        mapping = self._mapping
        report = self._search.search(mapping.home_state(state), mapping.home_role(role), limit)
        places = mapping.moves[report.role]
        return replace(
            report,
            role=role,
            move=places[report.move],
            value=mapping.values(report.value),
            line=tuple(map(mapping.joint, report.line)),
            scores={places[move]: value for move, value in report.scores.items()},
            plies={places[move]: count for move, count in report.plies.items()},
            tries={places[move]: count for move, count in report.tries.items()},
            proved_states={},
            state=state,
        )

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        """Search on until told to stop."""
        self._search.ponder(self._mapping.home_state(state), self._mapping.home_role(role), stop)

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment, and remember nothing but how long things take."""
        mapping = self._mapping
        self._search.rehearse(mapping.home_state(state), mapping.home_role(role), seconds)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched."""
        self._search.forget(proofs=proofs)


def check_evaluator(game: Game, evaluator: Evaluator) -> None:
    """Refuse an evaluator of another game.

    Raises:
        ConfigurationError: it is none.
        GameError: it has other numbers of fluents or roles.
    """
    check_kind(evaluator, Evaluator, "evaluator", "checkpoint.evaluator(game)")
    sizes = (evaluator.fluent_count, evaluator.role_count)
    needed = (len(game.fluents), len(game.roles))
    if sizes != needed:
        raise GameError(
            f"the evaluator takes {sizes[0]} fluents and {sizes[1]} roles, {game.name} has "
            f"{needed[0]} and {needed[1]}: is it another game's?"
        )


def from_home(search: GameSearch, mapping: GameMapping | None) -> GameSearch:
    """Return a search of a home for the game that is played; the same if that is the home.

    Args:
        search: of the home.
        mapping: from there to the game that is played; None: that is the home.
    """
    return search if mapping is None else HomeSearch(search, mapping)

"""A player whose checkpoint is looked up in a folder by the structure of the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import final

from neurogame.errors import LimitError, PlayerError
from neurogame.players.player import Observer, Player, last_search
from neurogame.players.spec import PlayerSpec
from neurogame.players.started import started
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.settings import GATED_JUDGE, MctsSettings
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State


@final
class FolderPlayer:
    """Plays each game with the newest checkpoint of it that a folder holds."""

    def __init__(self, spec: PlayerSpec, make: Callable[[PlayerSpec], Player]) -> None:
        """Make a player.

        Args:
            spec: its source is a folder.
            make: makes the player of a string whose source is a checkpoint.
        """
        self._spec, self._make = spec, make
        self._holdings = _holdings(spec)
        self._game: Game | None = None
        self._player: Player | None = None

    @property
    def name(self) -> str:
        """The player string."""
        return str(self._spec)

    @property
    def last(self) -> SearchResult | None:
        """The result of the last search of this match, or None."""
        return last_search(self._player)

    @property
    def report(self) -> str:
        """What was done before the match, as text for people; empty if that was nothing."""
        return str(getattr(self._player, "report", ""))

    def start(self, match: MatchStart) -> None:
        """Look the game up, once per game, and prepare a match.

        Args:
            match: the match.

        Raises:
            PlayerError: the folder holds no checkpoint of the game.
            CheckpointError: the checkpoint is damaged, or lacks what the search asks for.
        """
        if self._player is None or match.game is not self._game:
            self._player = self._make(replace(self._spec, source=str(self._found(match.game))))
            self._game = match.game
        self._player.start(match)

    def choose(self, state: State, limit: Limit) -> int:
        """Search and return the best move found; see :class:`~neurogame.players.player.Player`.

        Raises:
            PlayerError: ``start`` was not called.
        """
        return started(self._player, self.name, "choose").choose(state, limit)

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Search until told to stop; see :class:`~neurogame.players.player.Player`.

        Raises:
            PlayerError: ``start`` was not called.
        """
        started(self._player, self.name, "ponder").ponder(state, stop)

    def stop(self) -> None:
        """End the match; what was loaded stays for the next one of the same game."""
        if self._player is not None:
            self._player.stop()

    @property
    def is_learning(self) -> bool:
        """Whether the player learns from its matches."""
        return isinstance(self._player, Observer) and self._player.is_learning

    def observe(self, states: Sequence[State]) -> None:
        """Look back on a match; see :class:`~neurogame.players.player.Observer`."""
        if isinstance(self._player, Observer):
            self._player.observe(states)

    def _found(self, game: Game) -> Path:
        """Return the checkpoint to play a game with."""
        # Imported here: players without a checkpoint need nothing of the learning room.
        from neurogame.learn.checkpoints.folder import CheckpointFolder

        folder = CheckpointFolder(self._spec.source)
        folder.refresh()
        try:
            paths = [folder.find(game, holding=held) for held in self._holdings]
        except LimitError as error:
            raise PlayerError(
                f"player {self.name}: {game.name} cannot be looked up: {error}"
            ) from None
        for path in paths:
            if path is not None:
                return path
        raise PlayerError(
            f"player {self.name}: no checkpoint of {game.name} with {' or '.join(self._holdings)}; "
            f"{folder.describe()}"
        )


def _holdings(spec: PlayerSpec) -> tuple[str, ...]:
    """Return what a checkpoint may be wanted for; what comes first is looked up first."""
    if spec.kind == "alphabeta":
        return ("evaluator",)
    settings = MctsSettings.from_texts(spec.settings)
    if settings.needs_evaluator:
        return ("evaluator",)
    return settings.judges or ((GATED_JUDGE,) if settings.is_gated else ("evaluator",))

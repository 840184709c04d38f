"""A player that looks at a game first and then decides how to play it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import final

from neurogame.errors import PlayerError
from neurogame.players.auto.choice import PlayerChoice, choose_player
from neurogame.players.own_options import OwnOptions
from neurogame.players.player import Player
from neurogame.search.limit import Limit
from neurogame.search.mcts import Mcts
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from neurogame.waiting import say

_SHARE = 0.9
"""Share of the given time for the choice; the rest is for making what was chosen."""


@final
class AutoPlayer:
    """Chooses a player for each game, once, and plays as that one.

    Attributes:
        last: the result of the last search of this match, or None.
        report: what was chosen and why, as text for people; empty before the first match.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        name: str = "auto",
        limit: Limit | None = None,
        prepare: float = OwnOptions.prepare,
        threads: int = 1,
    ) -> None:
        """Make a player.

        Args:
            folder: of checkpoints, where trained ones are looked up by the structure of the
                rules; None: there are none.
            name: its player string.
            limit: its own limit; the stricter of this and the match's counts.
            prepare: seconds for the choice where nobody says how long a start may take, above 0.
            threads: trees that a tree search grows side by side in the match, at least 1.
        """
        self.report = ""
        self._folder, self._name, self._limit = folder, name, limit or Limit()
        self._prepare, self._threads = prepare, threads
        self._game: Game | None = None
        self._choice: PlayerChoice | None = None

    @property
    def name(self) -> str:
        """The player string."""
        return self._name

    @property
    def last(self) -> SearchResult | None:
        """The result of the last search of this match, or None."""
        found = None if self._choice is None else getattr(self._choice.player, "last", None)
        return found if isinstance(found, SearchResult) else None

    def start(self, game: Game, role: int, seed: int, seconds: float | None = None) -> None:
        """Choose, if the game is a new one; see :class:`~neurogame.players.player.Player`."""
        if self._choice is None or game is not self._game:
            time = self._prepare if seconds is None else _SHARE * seconds
            if seconds is None:
                # Compiling for the first time is not what these seconds are for.
                Mcts(game, settings=MctsSettings(capacity=2))
            say(f"{self.name}: looks for the player that suits {game.name}, {time:.0f} s")
            self._choice = choose_player(
                game,
                seconds=time,
                seed=seed,
                checkpoints=self._checkpoints(game),
                threads=self._threads,
            )
            self._game, self.report = game, str(self._choice)
            say(f"{self.name}: {self._choice.headline}")
        self._choice.player.start(game, role, seed)

    def _checkpoints(self, game: Game) -> list[Path]:
        """Return the checkpoints of a game, one for each kind of what they hold."""
        if self._folder is None:
            return []
        # Imported here: who plays without checkpoints needs nothing of the learning room.
        from neurogame.learn.checkpoint_folder import HOLDINGS, CheckpointFolder

        folder = CheckpointFolder(self._folder)
        folder.refresh()
        found = (folder.find(game, holding=holding) for holding in HOLDINGS)
        return list(dict.fromkeys(filter(None, found)))

    def choose(self, state: State, limit: Limit) -> int:
        """Return the move of the player that was chosen.

        Args:
            state: the present, non-terminal state.
            limit: the match's limit.

        Raises:
            PlayerError: ``start`` was not called.
        """
        return self._player().choose(state, self._limit.merged(limit))

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Let the player that was chosen think on.

        Args:
            state: a non-terminal state.
            stop: whether to return.

        Raises:
            PlayerError: ``start`` was not called.
        """
        self._player().ponder(state, stop)

    def _player(self) -> Player:
        if self._choice is None:
            raise PlayerError(f"player {self._name}: there is no match; start one first")
        return self._choice.player

    def stop(self) -> None:
        """End the match; what was chosen stays for the next one of the same game."""
        if self._choice is not None:
            self._choice.player.stop()

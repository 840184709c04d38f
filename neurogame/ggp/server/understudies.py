"""The player of a match, and those who take over, one after the other, where one fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import final

from neurogame.ggp.server.child import release_reserve
from neurogame.ggp.server.failures import failure
from neurogame.ggp.server.orders import Event
from neurogame.players.player import Observer, Player, last_search
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State

STANDING_BY = ("mcts", "random")
"""Who takes over from the given player: the last one computes nothing that could fail."""

LEAST_SECONDS = 0.1
"""What a player gets to prepare itself in if the time is over already."""

_LEAST_SEARCH = 0.01


@final
class Understudies:
    """Plays one role of a match with the best player that works.

    A player that raises an error is out for the rest of the match.
    """

    def __init__(
        self,
        player: str,
        game: Game,
        role: int,
        seed: int,
        tell: Callable[[Event], None],
        steps_down: int = 0,
        play_clock: float | None = None,
    ) -> None:
        """Line the players up; none is made yet.

        Args:
            player: the player string of the one that shall play.
            game: the game.
            role: index of the role.
            seed: decides every random choice in this match.
            tell: gets an event ``failure`` for each error, and ``chosen`` whenever a player says
                something new about its choices.
            steps_down: how many players to leave out, from the given one on.
            play_clock: seconds for a move; None: nobody knows.
        """
        self._limit = Limit(seconds=play_clock) if play_clock else None
        line = (player, *(name for name in STANDING_BY if name != player))
        self._line: Iterator[str] = iter(line[min(steps_down, len(line) - 1) :])
        self._game, self._role, self._seed, self._tell = game, role, seed, tell
        self._player: Player | None = None
        self._report = ""

    @property
    def name(self) -> str:
        """The player string of the one who plays; ``none`` if all have failed."""
        return self._player.name if self._player else "none"

    def start(self, until: float) -> None:
        """Have the first player that can prepare itself do so.

        Args:
            until: when to be ready, by ``time.monotonic()``.
        """
        for text in self._line:
            try:
                player = make_player(text)
                seconds = max(until - time.monotonic(), LEAST_SECONDS)
                player.start(MatchStart(self._game, self._role, self._seed, seconds, self._limit))
            except Exception as error:
                release_reserve()
                self._failed(f"{text} could not start", error)
                continue
            self._player = player
            self._tell_of(player)
            return

    def choose(self, state: State, until: float) -> tuple[int, Event] | None:
        """Choose a move.

        Args:
            state: a non-terminal state in which every role has a legal move, this one several.
            until: when to have chosen, by ``time.monotonic()``.

        Returns:
            A legal move and what is known about the search for it; None if nobody can tell, or
            there is no time to ask.
        """
        while self._player is not None:
            began = time.monotonic()
            if until - began < _LEAST_SEARCH:
                return None
            try:
                move = self._player.choose(state, Limit(seconds=until - began))
                if move not in state.legal_moves[self._role]:
                    raise ValueError(f"move {move} is not legal")
            except Exception as error:
                release_reserve()
                self._next(f"{self.name} could not choose", error)
            else:
                facts: Event = {"player": self.name, "seconds": round(time.monotonic() - began, 4)}
                return move, facts | search_facts(self._player, self._role)
        return None

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Think while others do.

        Args:
            state: a non-terminal state in which every role has a legal move.
            stop: says when to stop.
        """
        if self._player is None:
            return
        try:
            self._player.ponder(state, stop)
        except Exception as error:
            release_reserve()
            self._next(f"{self.name} could not ponder", error)
        else:
            self._tell_of(self._player)

    def stop(self) -> None:
        """The match is over."""
        if self._player is None:
            return
        try:
            self._player.stop()
        except Exception as error:
            release_reserve()
            self._failed(f"{self.name} could not stop", error)

    @property
    def is_learning(self) -> bool:
        """Whether the player learns from the match once it is over."""
        return isinstance(self._player, Observer) and self._player.is_learning

    def observe(self, states: Sequence[State]) -> None:
        """Let the player look back on the match that is over, if it wants to.

        Args:
            states: of the match in order.
        """
        if not isinstance(self._player, Observer):
            return
        try:
            self._player.observe(states)
        except Exception as error:
            release_reserve()
            self._failed(f"{self.name} could not learn from the match", error)

    def _next(self, what: str, error: Exception) -> None:
        """Send the present player away; the next one prepares itself at once."""
        self._failed(what, error)
        self._player = None
        self.start(0.0)

    def _failed(self, what: str, error: Exception) -> None:
        self._tell(failure(what, error))

    def _tell_of(self, player: Player) -> None:
        """Pass on what a player says anew about its choices; not every player does."""
        before, self._report = self._report, str(getattr(player, "report", ""))
        if text := self._report.removeprefix(before).strip():
            self._tell({"event": "chosen", "player": player.name, "text": text})


def search_facts(player: Player, role: int) -> Event:
    """Return what a player tells about its last search; nothing of players that do not search.

    Args:
        player: it may have ``last``, a :class:`~neurogame.search.result.SearchResult`.
        role: index of the role whose value is told.
    """
    result = last_search(player)
    if result is None:
        return {}
    return {
        "value": round(float(result.value[role]), 4),
        "proved": bool(result.proved),
        "depth": int(result.depth),
        "nodes": int(result.nodes),
        "simulations": int(result.simulations),
    }

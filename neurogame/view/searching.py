"""The process that plays for the page: it makes players, lets them choose, and tells what it does.

A process of its own, so that stepping stays quick meanwhile, and a search can be ended at once.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, final

from neurogame.errors import NeurogameError
from neurogame.first_use import ask_with
from neurogame.inspect.html.search import search_panel
from neurogame.players.player import Player, last_search
from neurogame.players.players import make_player
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game
from neurogame.view.opponent import bounded_limit, checked_player
from neurogame.view.positions import Positions
from neurogame.view.recorded import Line
from neurogame.waiting import listen

_PLAYERS = 4
"""Players that are kept for their next move; what they remember takes memory."""


@final
@dataclass(frozen=True, kw_only=True)
class Order:
    """What a player is asked.

    Attributes:
        player: its player string.
        role: whose move is wanted; its index.
        line: the moves that lead to the position.
        seed: decides every random choice.
    """

    player: str
    role: int
    line: Line
    seed: int


@final
@dataclass(frozen=True, kw_only=True)
class Rulesheet:
    """The game that is played, as texts."""

    name: str
    text: str


def answer_orders(connection: Connection, given: Rulesheet) -> None:
    """Answer orders until nobody sends any more.

    Args:
        connection: brings an :class:`Order` at a time; takes dictionaries: ``{"said": TEXT}`` any
            number of times, then ``{"found": ...}`` or ``{"error": TEXT}``.
        given: the game.
    """
    # Imported here: the process that others are copied from has it already.
    import torch

    torch.set_num_threads(1)
    told = _Told(connection)
    listen(told)
    ask_with(told.compiling)
    desk = _Desk(Game.from_text(given.text, name=given.name))
    while True:
        order: Order = connection.recv()
        try:
            connection.send({"found": desk.answer(order)})
        except NeurogameError as error:
            connection.send({"error": str(error)})
        except Exception as error:
            connection.send({"error": f"the player failed: {type(error).__name__}: {error}"})
            raise


@final
class _Told:
    """Sends on what players say about what takes long; see :mod:`neurogame.waiting`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def say(self, line: str) -> None:
        """Send a line."""
        self._connection.send({"said": line})

    def compiling(self, module: str | None) -> None:
        """Say why the first search takes longer; see :func:`~neurogame.first_use.ask_with`."""
        kept = f"{'' if module else 'not '}kept for the next time"
        self.say(f"code is compiled for the first time, which may take a minute; {kept}")

    @contextmanager
    def during(self, what: str, seconds: float) -> Iterator[None]:
        """Say what is done, and for how long at most."""
        self.say(f"{what}, {seconds:.0f} s")
        yield


@final
class _Desk:
    """Keeps players between their moves."""

    def __init__(self, game: Game) -> None:
        self._positions = Positions(game)
        self._players: OrderedDict[tuple[str, int, int], tuple[Player, Line]] = OrderedDict()

    def answer(self, order: Order) -> dict[str, Any]:
        """Return what a player found, JSON-able."""
        game, state = self._positions.game, self._positions.state(order.line)
        began = time.perf_counter()
        player = self._player(order)
        ready = time.perf_counter()
        move = player.choose(state, bounded_limit(checked_player(order.player)))
        seconds = time.perf_counter() - ready
        reply: dict[str, Any] = {
            "move": game.moves[order.role][move],
            "player": player.name,
            "seconds": seconds,
            "start_seconds": ready - began,
            "report": str(getattr(player, "report", "")),
        }
        result = last_search(player)
        if result is not None:
            line = [
                [texts[move] for texts, move in zip(game.moves, joint, strict=True)]
                for joint in result.line
            ]
            panel = search_panel(replace(result, state=state)).to_json()
            reply["search"] = {"line": line, "panel": panel}
        return reply

    def _player(self, order: Order) -> Player:
        """Return the player of an order, in a match that the line belongs to."""
        game, key = self._positions.game, (order.player, order.role, order.seed)
        player, line = self._players.pop(key, (None, ()))
        if player is None:
            player = make_player(checked_player(order.player), seed=order.seed)
            player.start(MatchStart(game, order.role, order.seed))
        elif order.line[: len(line)] != line:
            player.stop()
            player.start(MatchStart(game, order.role, order.seed))
        self._players[key] = player, order.line
        while len(self._players) > _PLAYERS:
            self._players.popitem(last=False)[1][0].stop()
        return player

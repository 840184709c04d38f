"""The process that plays a match: it grounds the rules, makes the player, searches and ponders.

It answers a question for a move twice: at once with any legal move (``fallback``), and with the
one that it plays (``move``) when it has thought; that is None where it found nothing better.
"""

from __future__ import annotations

import threading
import time
import warnings
from multiprocessing.connection import Connection
from typing import final

import torch

from neurogame.ggp.server.child import release_reserve
from neurogame.ggp.server.failures import failure
from neurogame.ggp.server.follower import Follower, role_number
from neurogame.ggp.server.orders import Ask, Event, Finish, Order, Task
from neurogame.ggp.server.positions import CircuitPosition
from neurogame.ggp.server.rulesheet import game_of
from neurogame.ggp.server.understudies import Understudies
from neurogame.simulate.game import Game, State


def think(connection: Connection, task: Task) -> None:
    """Play one match; a child's function.

    Args:
        connection: to the server.
        task: the match.
    """
    torch.set_num_threads(1)
    thinker = _Thinker(connection, task)
    warnings.showwarning = lambda message, *_, **__: thinker.tell(
        {"event": "warning", "text": str(message)}
    )
    if thinker.prepare():
        thinker.play()


def preview(connection: Connection, task: Task) -> None:
    """Ground and compile rules into the caches on disk, for a match to come; a child's function.

    Args:
        connection: to the server.
        task: its rules count, and its memory.
    """
    began = time.monotonic()
    try:
        game = game_of(task.rules, task.match, task.memory)
        Understudies("mcts", game, game.players[0], 0, connection.send).start(task.ready_at)
    except Exception as error:
        release_reserve()
        connection.send(failure("the rules cannot be prepared", error))
        return
    connection.send({"event": "previewed", "seconds": round(time.monotonic() - began, 3)})


@final
class _Thinker:
    """One match, from the process's point of view."""

    def __init__(self, connection: Connection, task: Task) -> None:
        self._connection = connection
        self._task = task
        self._role = 0
        self._asked: Ask | None = None
        self._over = False
        self._follower: Follower[CircuitPosition]
        self._players: Understudies
        self._states: list[State] = []
        self._telling = threading.Lock()

    def tell(self, event: Event) -> None:
        """Send an event to the server; any thread may, warnings come from all."""
        with self._telling:
            self._connection.send(event)

    def prepare(self) -> bool:
        """Get ready to play; return whether there is anything to play."""
        try:
            game = self._ground()
        except Exception as error:
            release_reserve()
            self.tell(failure("the rules cannot be grounded", error) | {"final": True})
            return False
        role = role_number(game.roles, self._task.role)
        if role is None:
            unknown = f"there is no role {self._task.role}; roles are {', '.join(game.roles)}"
            self.tell({"event": "failure", "what": unknown, "final": True})
            return False
        self._role = role
        self._follower = Follower(CircuitPosition(game.initial_state()))
        self._states = [self._follower.position.state]
        task = self._task
        self._players = Understudies(
            task.player, game, role, task.seed, self.tell, task.steps_down, task.play_clock
        )
        self._players.start(task.ready_at)
        self.tell({"event": "ready", "player": self._players.name})
        return True

    def play(self) -> None:
        """Follow orders until the match is over."""
        self._think_on(self._follower.position.state)
        while not self._over:
            self._read()
            while self._asked is not None:
                ask, self._asked = self._asked, None
                move = self._answer(ask)
                self._read_waiting()
                if move is not None and self._asked is None and not self._over:
                    self._ponder(move)
        self._end()

    def _ground(self) -> Game:
        began = time.monotonic()
        game = game_of(self._task.rules, self._task.match, self._task.memory)
        self.tell(
            {
                "event": "grounded",
                "seconds": round(time.monotonic() - began, 3),
                "roles": len(game.roles),
                "fluents": len(game.fluents),
                "moves": game.circuit.move_count,
                "gates": game.circuit.gate_count,
            }
        )
        return game

    def _read(self) -> None:
        """Wait for an order, and read all that have come."""
        self._obey(self._connection.recv())
        self._read_waiting()

    def _read_waiting(self) -> None:
        while self._connection.poll():
            self._obey(self._connection.recv())

    def _obey(self, order: Order) -> None:
        """Make the moves of an order; remember the last question."""
        for joint in order.moves:
            for remark in self._follower.follow(joint):
                self.tell({"event": "remark", "text": remark})
            state = self._follower.position.state
            # A move that makes no sense leaves everything as it was.
            if state is not self._states[-1]:
                self._states.append(state)
        match order:
            case Ask():
                self._asked = order
            case Finish():
                self._over = True

    def _answer(self, ask: Ask) -> int | None:
        """Answer a question; return the move, None if there is none."""
        state = self._follower.position.state
        legal = state.legal_moves[self._role]
        if not legal:
            self.tell({"event": "move", "ask": ask.number, "move": None})
            return None
        if len(legal) == 1:
            return self._say("move", ask, legal[0])
        self._say("fallback", ask, legal[0])
        # Searches refuse states in which somebody has no move; no match goes on from there anyway.
        choice = self._players.choose(state, ask.until) if all(state.legal_moves) else None
        if choice is None:
            self.tell({"event": "move", "ask": ask.number, "move": None})
            return legal[0]
        return self._say("move", ask, *choice)

    def _say(self, event: str, ask: Ask, move: int, facts: Event | None = None) -> int:
        text = self._follower.position.state.game.moves[self._role][move]
        self.tell({"event": event, "ask": ask.number, "move": text} | (facts or {}))
        return move

    def _ponder(self, move: int) -> None:
        """Think on until something is received, about the state that the match is likely in."""
        state = self._follower.position.state
        if not all(state.legal_moves):
            return
        others = [moves for role, moves in enumerate(state.legal_moves) if role != self._role]
        if all(len(moves) == 1 for moves in others):
            joint = [moves[0] for moves in state.legal_moves]
            joint[self._role] = move
            state = state.next(joint)
        self._think_on(state)

    def _think_on(self, state: State) -> None:
        """Ponder a state until something is received."""
        if all(state.legal_moves):
            self._players.ponder(state, self._connection.poll)

    def _end(self) -> None:
        state = self._follower.position.state
        over = state.is_terminal
        is_learning = self._players.is_learning
        if is_learning:
            self.tell({"event": "learning"})
        self.tell({"event": "end", "terminal": over, "goals": list(state.goals) if over else None})
        self._players.stop()
        if is_learning:
            self._players.observe(self._states)
            self.tell({"event": "learned"})

"""The process that always knows a legal move: it proves it from the rules, and is ready at once.

It is there for all the time in which the thinker is not: while it grounds, when it thinks too
long, after it has died, and for the whole match where the rules cannot be grounded. Then it
searches, too, by proofs: first it answers with any legal move, and in time with a better one.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from typing import final

from neurogame.errors import LimitError, NeurogameError
from neurogame.gdl.check import readable_rules
from neurogame.ggp.server.child import release_reserve
from neurogame.ggp.server.failures import failure
from neurogame.ggp.server.follower import Follower, role_number
from neurogame.ggp.server.orders import Ask, Event, Finish, Task
from neurogame.ggp.server.positions import InterpretedPosition
from neurogame.prover.game import ProverGame
from neurogame.prover.search import ProofSearch

LONGEST = 60.0
"""Seconds that reading the rules, or one step, may take before the guard gives up."""

_NICENESS = 5


def guard(connection: Connection, task: Task) -> None:
    """Follow one match; a child's function.

    Args:
        connection: to the server.
        task: the match.
    """
    # Its steps are short and seldom needed; the search needs the processor.
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    watch = _Guard(connection, task)
    try:
        watch.play()
    except (EOFError, OSError):
        raise
    except Exception as error:
        release_reserve()
        connection.send(failure("the rules cannot be interpreted", error) | {"final": True})


@final
class _Guard:
    """One match, from the process's point of view."""

    def __init__(self, connection: Connection, task: Task) -> None:
        self._connection = connection
        self._task = task
        self._searcher: ProofSearch | None = None
        self._is_late: Callable[[], bool] = lambda: False

    def play(self) -> None:
        """Answer every question with the first legal move that is proved."""
        began = time.monotonic()
        with at_most(LONGEST):
            rules = readable_rules(self._task.rules, f"{self._task.match}.kif")
            game = ProverGame(rules, lambda: self._is_late())
            position = InterpretedPosition(game)
            role = role_number(position.roles, self._task.role)
            if role is not None:
                position.any_legal(role)
        seconds = round(time.monotonic() - began, 3)
        self._connection.send({"event": "guard ready", "seconds": seconds})
        follower = Follower(position)
        while True:
            order = self._connection.recv()
            for joint in order.moves:
                with at_most(LONGEST):
                    # Remarks are the thinker's: it sees the same.
                    follower.follow(joint)
            match order:
                case Ask():
                    with at_most(LONGEST):
                        move = None if role is None else follower.position.any_legal(role)
                    self._connection.send({"event": "guard", "ask": order.number, "move": move})
                    if order.is_alone:
                        self._search(order, follower.position, game, role)
                case Finish():
                    self._end(follower.position)
                    return

    def _search(
        self, ask: Ask, position: InterpretedPosition, game: ProverGame, role: int | None
    ) -> None:
        """Answer once more, with what a search finds in time; with None if it finds nothing."""
        answer: Event = {"event": "proved move", "ask": ask.number, "move": None}
        self._is_late = lambda: time.monotonic() >= ask.until or self._connection.poll()
        try:
            if role is not None and _is_choice(position, game, role):
                if self._searcher is None:
                    self._searcher = ProofSearch(game.rules, self._task.seed)
                result = self._searcher.search(
                    position.state, role, until=ask.until, stop=self._connection.poll
                )
                if result is not None:
                    answer |= {
                        "move": game.text(result.move),
                        "value": round(result.value, 4),
                        "simulations": result.simulations,
                        "nodes": result.nodes,
                    }
        except (NeurogameError, MemoryError, RecursionError) as error:
            release_reserve()
            self._searcher = None
            if not self._is_late():
                self._connection.send(failure("no search by proofs", error))
        finally:
            self._is_late = lambda: False
        self._connection.send(answer)

    def _end(self, position: InterpretedPosition) -> None:
        over = position.is_terminal
        goals = position.goals() if over else None
        self._connection.send({"event": "guard end", "terminal": over, "goals": goals})


def _is_choice(position: InterpretedPosition, game: ProverGame, role: int) -> bool:
    """Return whether a role has several moves in a state from which the game goes on."""
    if position.is_terminal or any(
        position.any_legal(other) is None for other in range(len(position.roles))
    ):
        return False
    return len(list(islice(game.legal_moves(position.state, role), 2))) > 1


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, where the system has timers; only in a process's main thread.

    Args:
        seconds: above 0.

    Raises:
        LimitError: the time was used up.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise LimitError(
            f"interpreting the rules took more than {seconds:g} s; the match goes on without it"
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

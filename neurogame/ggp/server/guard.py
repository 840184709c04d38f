"""The process that always knows a legal move: it proves it from the rules, and is ready at once.

It is there for all the time in which the thinker is not: while it grounds, when it thinks too
long, after it has died, and for the whole match where the rules cannot be grounded. Then it
searches, too, by proofs: first it answers with any legal move, and in time with a better one.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import final

from neurogame.errors import LimitError, NeurogameError
from neurogame.gdl.check import readable_rules
from neurogame.ggp.server.child import release_reserve
from neurogame.ggp.server.follower import Follower, role_number
from neurogame.ggp.server.orders import Ask, Event, Finish, Task
from neurogame.ggp.server.positions import InterpretedPosition
from neurogame.ggp.server.understudies import failure
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

    def play(self) -> None:
        """Answer every question with the first legal move in code point order."""
        began = time.monotonic()
        with at_most(LONGEST):
            rules = readable_rules(self._task.rules, f"{self._task.match}.kif")
            game = ProverGame(rules)
            position = InterpretedPosition(game)
            role = role_number(position.roles, self._task.role)
            if role is not None:
                position.legal(role)
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
                        legal = follower.position.legal(role) if role is not None else ()
                    move = legal[0] if legal else None
                    self._connection.send(
                        {"event": "guard", "ask": order.number, "move": move, "choices": len(legal)}
                    )
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
        try:
            choices = len(position.legal(role)) if role is not None else 0
            is_choice = choices > 1 and not position.is_terminal
            if (
                role is not None
                and is_choice
                and all(map(position.legal, range(len(position.roles))))
            ):
                if self._searcher is None:
                    self._searcher = ProofSearch(game.rules, self._task.seed)
                found = self._searcher.search(
                    position.state, role, until=ask.until, stop=self._connection.poll
                )
                if found is not None:
                    answer |= {
                        "move": game.text(found.move),
                        "value": round(found.value, 4),
                        "simulations": found.simulations,
                        "nodes": found.nodes,
                    }
        except (NeurogameError, MemoryError, RecursionError) as error:
            release_reserve()
            self._searcher = None
            self._connection.send(failure("no search by proofs", error))
        self._connection.send(answer)

    def _end(self, position: InterpretedPosition) -> None:
        over = position.is_terminal
        goals = position.goals() if over else None
        self._connection.send({"event": "guard end", "terminal": over, "goals": goals})


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

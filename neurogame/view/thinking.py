"""One search at a time, by a process that ends at once where nobody wants its answer any more."""

from __future__ import annotations

import threading
import time
from typing import Any, Literal, TypeAlias, final

from neurogame.errors import PlayerError
from neurogame.gdl.write import rules_text
from neurogame.ggp.server.processes import ChildProcess, Processes
from neurogame.simulate.game import Game
from neurogame.view.searching import Order, Rulesheet

_TARGET = "neurogame.view.searching:answer_orders"

Stage: TypeAlias = Literal["thinking", "done", "failed", "cancelled"]


@final
class Thinking:
    """Lets players of a game think for the page; may be used by several threads.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self._rules = Rulesheet(name=game.name, text=rules_text(game.rules))
        self._processes = Processes("random", copied=False)
        self._child: ChildProcess | None = None
        self._lock = threading.Lock()
        self._number = 0
        self._job: dict[str, Any] = {"job": 0, "stage": "done"}
        self._began = 0.0

    def begin(self, order: Order) -> int:
        """Let a player think, and return the number of this job.

        Args:
            order: what it is asked.

        Raises:
            PlayerError: another search is under way, or no process can be started.
        """
        with self._lock:
            if self._job["stage"] == "thinking":
                raise PlayerError("a search is under way; wait for it, or cancel it first")
            self._number += 1
            self._began = time.monotonic()
            self._job = {"job": self._number, "stage": "thinking", "said": ""}
            threading.Thread(
                target=self._follow, args=(self._number, order), daemon=True, name="thinking"
            ).start()
            return self._number

    def job(self) -> dict[str, Any]:
        """Return where the last search stands, JSON-able."""
        with self._lock:
            job = dict(self._job)
            if job["stage"] == "thinking":
                job["seconds"] = time.monotonic() - self._began
            return job

    def cancel(self) -> None:
        """End a search that is under way; its player forgets the match."""
        with self._lock:
            if self._job["stage"] != "thinking":
                return
            self._job = {"job": self._number, "stage": "cancelled"}
            child, self._child = self._child, None
        if child is not None:
            child.kill()

    def close(self) -> None:
        """End the process, if there is one."""
        self.cancel()
        with self._lock:
            self._child = None
        self._processes.close()

    def _follow(self, number: int, order: Order) -> None:
        """Send an order, and note what comes back until there is an answer."""
        try:
            child = self._ready(number)
            if child is None:
                return
            child.post(order)
            while True:
                message: dict[str, Any] = child.connection.recv()
                if "said" in message:
                    self._note(number, "thinking", said=message["said"])
                elif "found" in message:
                    self._note(number, "done", found=message["found"])
                    return
                else:
                    self._note(number, "failed", error=message["error"])
                    return
        except (EOFError, OSError) as error:
            self._note(number, "failed", error=f"the process that plays has died ({error!r})")

    def _ready(self, number: int) -> ChildProcess | None:
        """Return the process, started if there is none; None where the job was cancelled."""
        with self._lock:
            if number != self._number or self._job["stage"] != "thinking":
                return None
            if self._child is not None and not self._child.is_alive():
                self._child.kill()
                self._child = None
            if self._child is None:
                self._child = self._processes.launch(_TARGET, self._rules)
            return self._child

    def _note(self, number: int, stage: Stage, **facts: object) -> None:
        """Note where a job stands, unless it was cancelled meanwhile."""
        with self._lock:
            if number == self._number and self._job["stage"] == "thinking":
                self._job = {"job": number, "stage": stage, **facts}

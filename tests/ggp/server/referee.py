"""An independent referee: drives a served match on the reference interpreter."""

from __future__ import annotations

import os
import random
import threading
import time
from typing import Any

from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Term
from neurogame.ggp.protocol.messages import Start
from neurogame.ggp.server.match_log import MatchLog
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.served_match import MoveAnswer, ServedMatch
from neurogame.ggp.server.settings import ServeSettings
from tests.processes import PATIENCE
from tests.reference.interpreter import ReferenceGame


class Events:
    """A log that remembers, and can be waited for."""

    def __init__(self) -> None:
        self.all: list[tuple[str, dict[str, Any]]] = []
        self._condition = threading.Condition()
        self.log = MatchLog(None, "match", self._add)

    def _add(self, event: str, fields: dict[str, Any]) -> None:
        with self._condition:
            self.all.append((event, fields))
            self._condition.notify_all()

    def named(self, name: str) -> list[dict[str, Any]]:
        return [fields for event, fields in self.all if event == name]

    def wait_for(self, name: str, count: int = 1, who: str = "thinker") -> dict[str, Any]:
        """Return the facts of the ``count``-th event of this name."""

        def there() -> list[dict[str, Any]]:
            return [fields for fields in self.named(name) if fields.get("who") == who]

        with self._condition:
            assert self._condition.wait_for(lambda: len(there()) >= count, PATIENCE), self.all
        return there()[count - 1]


class Referee:
    """Knows the rules by interpreting them; draws the moves of all other roles."""

    def __init__(self, text: str, role: int = 0, seed: int = 0) -> None:
        self.text = text
        self.game = ReferenceGame(parse_rules(text))
        self.state = self.game.initial()
        self.role = role
        self.last: tuple[str, ...] | None = None
        self._random = random.Random(seed)

    def legal(self, role: int) -> dict[str, Term]:
        moves = self.game.legal(self.state, role)
        return dict(sorted((self.game.text(move), move) for move in moves))

    @property
    def is_over(self) -> bool:
        return self.game.terminal(self.state)

    @property
    def goals(self) -> list[int]:
        return [self.game.goals(self.state, role)[0] for role in range(len(self.game.roles))]

    def step(self, move: str) -> None:
        """Make a joint move: this one, which must be spelled as in the rules, and random ones."""
        joint = []
        for role in range(len(self.game.roles)):
            legal = self.legal(role)
            joint.append(move if role == self.role else self._random.choice(list(legal)))
            assert joint[-1] in legal, f"{joint[-1]} is not among {list(legal)}"
        moves = [self.legal(role)[name] for role, name in enumerate(joint)]
        self.last = tuple(joint)
        self.state = self.game.next(self.state, moves)

    def served(
        self, processes: Processes, events: Events, player: str = "mcts:sims=50", **settings: Any
    ) -> ServedMatch:
        role = self.game.roles[self.role]
        start = Start("match.1", role, self.text, 10, 1)
        return ServedMatch(start, ServeSettings(player=player, **settings), events.log, processes)


def ask(
    match: ServedMatch, moves: tuple[str, ...] | None, thinking: float = PATIENCE / 2
) -> MoveAnswer:
    """Ask for a move with all the patience in the world; the player limits itself."""
    now = time.monotonic()
    return match.play(moves, thinking_until=now + thinking, latest=now + PATIENCE)


def set_up(match: ServedMatch) -> None:
    """Start a match and wait until it is ready."""
    match.start(time.monotonic() + PATIENCE)


def are_gone(events: Events) -> bool:
    """Return whether no process that the log tells of is left."""
    return not any(_runs(fields["pid"]) for fields in events.named("launched"))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

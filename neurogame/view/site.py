"""What the page may ask: its questions, and the answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, final

from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.kinds import fresh_names
from neurogame.inspect.subject import file_subject
from neurogame.learn.run_files import LATEST
from neurogame.version import __version__
from neurogame.view.curves import curves
from neurogame.view.deferred import Deferred
from neurogame.view.judgement import explained, judged_position
from neurogame.view.opinion import PageOpinion
from neurogame.view.opponent import checked_player
from neurogame.view.page import page
from neurogame.view.positions import Positions
from neurogame.view.role_colours import role_colours
from neurogame.view.searching import Order
from neurogame.view.story import story
from neurogame.view.subject import PageSubject, newest_of_run
from neurogame.view.thinking import Thinking

Answer: TypeAlias = dict[str, Any]

_PATIENCE = 0.4
"""Seconds for which a question waits for an opinion that is being made."""
_LARGEST_SEED = 2**31


@final
class Site:
    """Answers the questions of the page about one subject; may be used by several threads.

    Args:
        subject: what is looked at.
        seed: of players.
    """

    def __init__(self, subject: PageSubject, seed: int = 0) -> None:
        self.subject = subject
        self.positions = Positions(subject.game)
        self.thinking = Thinking(subject.game)
        self._seed = seed
        self._lock = threading.Lock()
        self._told: tuple[int, Deferred[Answer]] | None = None
        self.posted: Mapping[str, Callable[[Answer], Answer]] = {
            "/api/position": self._position,
            "/api/values": self._values,
            "/api/choices": self._choices,
            "/api/curve": self._curve,
            "/api/explain": self._explain,
            "/api/think": self._think,
            "/api/cancel": self._cancel,
        }
        self.asked: Mapping[str, Callable[[], Answer]] = {
            "/api/job": self.thinking.job,
            "/api/run": self._run,
            "/api/story": self._story,
        }

    def html(self) -> str:
        """Return the page, with the last position of a recorded match or the first of a game."""
        return page(boot(self.subject) | {"position": self.positions.describe(())})

    def close(self) -> None:
        """End what still runs."""
        self.thinking.close()

    def _position(self, given: Answer) -> Answer:
        return self.positions.describe(self.positions.line(given.get("line")))

    def _values(self, given: Answer) -> Answer:
        state = self.positions.state(self.positions.line(given.get("line")))
        opinion = self._opinion(given)
        return self._pending(given) if opinion is None else judged_position(opinion, state)

    def _choices(self, given: Answer) -> Answer:
        return {"choices": self.positions.choices(self.positions.line(given.get("line")))}

    def _curve(self, given: Answer) -> Answer:
        """Return the values of all positions of a line."""
        states = self.positions.states(self.positions.line(given.get("line")))
        opinion = self._opinion(given)
        if opinion is None:
            return self._pending(given)
        return {"values": opinion.of_states(states) if opinion.measure == "value" else None}

    def _explain(self, given: Answer) -> Answer:
        """Return contributions, with the board painted by them."""
        line = self.positions.line(given.get("line"))
        state, game = self.positions.state(line), self.subject.game
        role, method, listing = self._role(given), given.get("method"), given.get("listing")
        if not (isinstance(method, str | None) and isinstance(listing, str | None)):
            raise GameError("method and listing are texts, or null for the usual")
        if role == game.chance:
            raise GameError("this role is chance, to which nothing is worth anything")
        moves = [given.get(name) for name in ("move", "rather")]
        if not all(isinstance(move, str | None) for move in moves):
            raise GameError("move and rather are texts of moves, or null")
        numbers = [None if m is None else game.move_index(game.roles[role], m) for m in moves]
        opinion = self._opinion(given)
        if opinion is None:
            return self._pending(given)
        move, rather = numbers
        explanation, attribution = explained(
            opinion, state, role, method=method, listing=listing, move=move, rather=rather
        )
        # Of a move's value the state after it is taken apart, of its score the one before.
        shown = attribution.state or state
        picture = self.positions.painted(line, shown, attribution.by_fluent)
        return explanation | {"svg": picture}

    def _think(self, given: Answer) -> Answer:
        line = self.positions.line(given.get("line"))
        state, role, player = self.positions.state(line), self._role(given), given.get("player")
        if not isinstance(player, str):
            raise GameError("player is a player string")
        if not all(state.legal_moves):
            raise GameError("the game is over here; there is nothing to think about")
        seed = given.get("seed", self._seed)
        if not isinstance(seed, int) or not 0 <= seed < _LARGEST_SEED:
            raise ConfigurationError(f"seed is a whole number below {_LARGEST_SEED}, at least 0")
        text = str(checked_player(player))
        order = Order(player=text, role=role, line=line, seed=seed)
        return {"job": self.thinking.begin(order)}

    def _cancel(self, given: Answer) -> Answer:
        self.thinking.cancel()
        return self.thinking.job()

    def _run(self) -> Answer:
        """Return the curves of the run, and take its newest checkpoint if there is one."""
        with self._lock:
            run = self.subject.run
            if run is None:
                raise GameError("what is looked at is no training run")
            newest = newest_of_run(self.subject)
            if newest is not None:
                self.subject = replace(
                    self.subject,
                    opinions=newest.opinions,
                    judged_by=newest.judged_by,
                    stamp=newest.stamp,
                )
            return curves(run) | {
                "stamp": str(self.subject.stamp),
                "judges": list(self.subject.opinions),
                "judgedBy": self.subject.judged_by,
            }

    def _story(self) -> Answer:
        """Return what the newest checkpoint of the run has learned, by examples."""
        with self._lock:
            run, stamp = self.subject.run, self.subject.stamp
            if run is None or not stamp:
                return {"pending": "the run has no checkpoint yet"}
            if self._told is None or self._told[0] != stamp:
                make = partial(lambda path: story(file_subject(path)), str(run / LATEST))
                self._told = stamp, Deferred(make)
        _, deferred = self._told
        pending = {"pending": f"positions and a match are looked for, {deferred.seconds:.0f} s"}
        return deferred.get(_PATIENCE) or pending

    def _role(self, given: Answer) -> int:
        """Return the index of the role that a question names."""
        role, count = given.get("role"), len(self.subject.game.roles)
        # To Python True is a number, to torch it is no index.
        if not isinstance(role, int) or isinstance(role, bool) or not 0 <= role < count:
            raise GameError(f"role is a whole number below {count}, at least 0, not {role!r}")
        return role

    def _opinion(self, given: Answer) -> PageOpinion | None:
        """Return the opinion that a question names, or None while it is made."""
        opinions = self.subject.opinions
        name = given.get("judge")
        if not isinstance(name, str) or name not in opinions:
            raise GameError(f"judge {name!r}; there are {', '.join(opinions)}")
        return opinions[name].get(_PATIENCE)

    def _pending(self, given: Answer) -> Answer:
        seconds = self.subject.opinions[given["judge"]].seconds
        return {"pending": f"{self.subject.judged_by} is being made, {seconds:.0f} s"}


def boot(subject: PageSubject) -> Answer:
    """Return what the page begins with, JSON-able.

    Args:
        subject: what is looked at.
    """
    return {
        "version": __version__,
        "kind": subject.kind,
        "title": subject.title,
        "game": subject.game.name,
        "roles": list(subject.game.roles),
        "chance": subject.game.chance,
        "colours": role_colours(subject.game),
        "judges": list(subject.opinions),
        "judgedBy": subject.judged_by,
        "line": [list(joint) for joint in subject.match.moves],
        "players": list(subject.match.players),
        "remarks": {str(ply): lines for ply, lines in subject.match.remarks.items()},
        "ending": subject.match.ending,
        "run": subject.run is not None,
        "opponent": subject.opponent,
        "fresh": list(fresh_names()),
    }

"""Positions of a game by the moves that lead to them; those that were asked for last are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, final

import torch

from neurogame.errors import GameError
from neurogame.show.board_drawing import FLUID
from neurogame.show.paint import Paint, changed
from neurogame.show.state_svg import state_svg
from neurogame.show.touched import squares_of_moves
from neurogame.simulate.game import Game, State
from neurogame.simulate.states import StateBatch
from neurogame.view.recorded import Line

MOST_PLIES = 2000
_KEPT = 2500


@final
class Positions:
    """The positions of a game; may be used by several threads.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._first = game.initial_state()
        self._states: OrderedDict[Line, State] = OrderedDict()
        self._lock = threading.RLock()

    def line(self, given: object) -> Line:
        """Return a line that came from outside, checked for its form.

        Args:
            given: a list of joint moves, each a list of one text per role.

        Raises:
            GameError: it is none, or too long.
        """
        roles = len(self.game.roles)
        if (
            not isinstance(given, list)
            or len(given) > MOST_PLIES
            or not all(isinstance(joint, list) and len(joint) == roles for joint in given)
            or not all(isinstance(move, str) for joint in given for move in joint)
        ):
            raise GameError(
                f"a line is a list of at most {MOST_PLIES} joint moves, each a list of {roles} "
                f"texts, one per role of {self.game.name}"
            )
        return tuple(tuple(joint) for joint in given)

    def states(self, line: Line) -> list[State]:
        """Return the states of a line, from the first one on; one more than it has plies.

        Args:
            line: joint moves, one text per role each.

        Raises:
            GameError: a move is unknown or illegal, or goes on after the end.
        """
        with self._lock:
            states = [self._first]
            for ply, joint in enumerate(line, 1):
                key = line[:ply]
                state = self._states.pop(key, None) or self._next(states[-1], joint, ply)
                self._states[key] = state
                states.append(state)
            while len(self._states) > _KEPT:
                self._states.popitem(last=False)
            return states

    def state(self, line: Line) -> State:
        """Return the last state of a line; see :meth:`states`."""
        with self._lock:
            return self._states.get(line) or self.states(line)[-1]

    def _next(self, before: State, joint: Sequence[str], ply: int) -> State:
        """Return the state after a joint move, the one of number ``ply``, from 1."""
        if before.is_terminal:
            raise GameError(f"the game is over after {ply - 1} plies; no move goes on")
        for role, move, legal in zip(self.game.roles, joint, before.legal_moves, strict=True):
            if self.game.move_index(role, move) not in legal:
                raise GameError(f"ply {ply}: {move} is not legal for {role}")
        return before.next(list(joint))

    def picture(self, line: Line) -> str:
        """Return a position as SVG; what the last move changed on its boards is framed.

        Args:
            line: the moves that lead to it.
        """
        return self.painted(line, self.state(line), ())

    def painted(self, line: Line, state: State, by_fluent: Sequence[float]) -> str:
        """Return the position of a line, or one that follows it, as painted SVG.

        Args:
            line: joint moves.
            state: that which they lead to, or a state one ply later.
            by_fluent: what is painted on its squares; see :class:`~neurogame.show.paint.Paint`.
        """
        with self._lock:
            last = self.state(line)
            before = last if state != last else self.state(line[:-1])
            picture = state_svg(state, Paint(by_fluent=by_fluent, framed=changed(before, state)))
            # The page's own style says how large it is; its policy lets nothing else have one.
            return picture.replace(FLUID, "", 1)

    def describe(self, line: Line) -> dict[str, Any]:
        """Return what the page shows of a position at once, JSON-able.

        Args:
            line: the moves that lead to it.
        """
        with self._lock:
            state = self.state(line)
            return {
                "ply": len(line),
                "svg": self.picture(line),
                "terminal": state.is_terminal,
                "stuck": not state.is_terminal and not all(state.legal_moves),
                "goals": list(state.goals) if state.is_terminal else None,
                "legal": self._legal(state),
            }

    def choices(self, line: Line) -> list[list[int]]:
        """Return how many legal moves each role has before each move of a line.

        Args:
            line: joint moves.
        """
        if not line:
            return []
        states = self.states(line)[:-1]
        batch = StateBatch.from_bool(torch.stack([state.fluents for state in states]))
        legal = self.game.simulator().look(batch).legal
        counts = [legal[:, a:b].sum(dim=1) for a, b in pairwise(self.game.move_offsets)]
        return [list(row) for row in zip(*(count.tolist() for count in counts), strict=True)]

    def _legal(self, state: State) -> list[list[dict[str, Any]]]:
        """Return per role its moves, and the squares that each of them touches."""
        squares = (
            squares_of_moves(state) if all(state.legal_moves) else [{} for _ in self.game.roles]
        )
        return [
            [{"text": texts[move], "squares": touched.get(move, [])} for move in moves]
            for texts, moves, touched in zip(
                self.game.moves, state.legal_moves, squares, strict=True
            )
        ]

"""Plays without a circuit: what it asks about a state is proved from the rules."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import final

from neurogame.errors import PlayerError
from neurogame.players.search_player import DEFAULT_LIMIT
from neurogame.players.spec import PlayerSpec
from neurogame.players.started import started
from neurogame.prover.search import ProofSearch
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import State


@final
class ProofPlayer:
    """``mcts`` with limits alone, in a game without a circuit: plain UCT over proofs."""

    def __init__(self, spec: PlayerSpec) -> None:
        """Make a player.

        Args:
            spec: its player string, taken apart.

        Raises:
            PlayerError: the player needs the circuit.
        """
        if spec.kind != "mcts" or spec.source or spec.options:
            raise PlayerError(
                f"player '{spec}' needs the circuit of the game; without one there are random, "
                "human, and mcts with the limits seconds and sims alone, as in mcts:sims=200"
            )
        self._name, self._limit = str(spec), spec.limit
        self._search: ProofSearch | None = None
        self._role = 0

    @property
    def name(self) -> str:
        """The player string."""
        return self._name

    def start(self, match: MatchStart) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`."""
        self._role = match.role
        self._search = ProofSearch(match.game.rules, match.seed)

    def choose(self, state: State, limit: Limit) -> int:
        """Choose a move; of the limit, seconds and simulations are looked at.

        Args:
            state: the present, non-terminal state of a game without a circuit.
            limit: how long to think.
        """
        budget = self._limit.merged(limit)
        if budget.seconds is None and budget.simulations is None:
            budget = DEFAULT_LIMIT
        until = math.inf if budget.seconds is None else time.monotonic() + budget.seconds
        report = started(self._search, self._name, "choose").search(
            state.terms, self._role, until=until, simulations=budget.simulations
        )
        if report is None or state.game.proved is None:
            return state.legal_moves[self._role][0]
        return state.game.proved.number(self._role, report.move)

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Search until it is told to return; see :class:`neurogame.players.player.Player`."""
        search = started(self._search, self._name, "ponder")
        search.search(state.terms, self._role, stop=stop)

    def stop(self) -> None:
        """Drop the tree."""
        self._search = None

"""Players that need no circuit: what they ask about a state is proved from the rules."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import final

from neurogame.errors import PlayerError
from neurogame.gdl.terms import Rules, Sentence
from neurogame.players.search_player import DEFAULT_LIMIT
from neurogame.players.spec import PlayerSpec
from neurogame.prover.game import ProverState
from neurogame.prover.search import ProofSearch
from neurogame.search.limit import Limit


@final
class ProofPlayer:
    """``random``, or ``mcts`` with limits alone: plain UCT over proofs.

    Attributes:
        name: its player string.
    """

    def __init__(self, text: str) -> None:
        """Read a player string.

        Args:
            text: see :mod:`neurogame.players.spec`.

        Raises:
            PlayerError: the string is malformed, or the player needs the circuit.
        """
        spec = PlayerSpec.parse(text)
        if spec.kind not in ("random", "mcts") or spec.source or spec.options:
            raise PlayerError(
                f"player {text!r} needs the circuit of the game; without one there are random and "
                "mcts, with the limits seconds and sims alone, as in mcts:sims=200"
            )
        self.name = str(spec)
        self._is_random = spec.kind == "random"
        self._limit = spec.limit
        self._chance = random.Random()
        self._search: ProofSearch | None = None
        self._role = 0

    def start(self, rules: Rules, role: int, seed: int) -> None:
        """Prepare a match.

        Args:
            rules: of the game.
            role: index of the role to play.
            seed: decides every random choice in this match.
        """
        self._role, self._chance = role, random.Random(seed)
        self._search = None if self._is_random else ProofSearch(rules, seed)

    def choose(self, state: ProverState, moves: Sequence[Sentence], limit: Limit) -> Sentence:
        """Choose a move.

        Args:
            state: a state that is not over, in which every role has a legal move.
            moves: the role's legal moves, in code point order.
            limit: how long to think; seconds and simulations are looked at.
        """
        if self._search is None:
            return self._chance.choice(moves)
        own = self._limit.merged(limit)
        if own.seconds is None and own.simulations is None:
            own = DEFAULT_LIMIT
        until = float("inf") if own.seconds is None else time.monotonic() + own.seconds
        found = self._search.search(state, self._role, until=until, simulations=own.simulations)
        return moves[0] if found is None else found.move

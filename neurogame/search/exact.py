"""Exact values: what search alone proves about positions, without an evaluator's opinion."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game, State

_DEPTH = 10_000
"""Plies beyond the end of any match."""


@final
class _Ignorant(Evaluator):
    """Values every state at one half, so that whatever a search finds, it found by itself."""

    def __init__(self, game: Game) -> None:
        super().__init__(len(game.fluents), len(game.roles), {"kind": "ignorant"})

    def forward(self, fluents: Tensor) -> Tensor:
        """Return one half for every state and role."""
        return torch.full((len(self._checked(fluents)), self.role_count), 0.5)


@final
class Prover:
    """Alpha-beta that knows the rules alone. What it has proved it remembers."""

    def __init__(
        self, game: Game, nodes: int | None = None, *, evaluator: Evaluator | None = None
    ) -> None:
        """Make one.

        Args:
            game: the game.
            nodes: states that a proof may generate, at least 1; None: as many as it takes.
            evaluator: of the game; it decides in which order moves are tried, and nothing that
                is proved. None: there is none to make.
        """
        self.game = game
        settings = SearchSettings(opponents="paranoid", think_when_forced=True)
        self._search = AlphaBeta(game, evaluator or _Ignorant(game), settings=settings)
        self._limit = Limit(nodes=nodes, depth=_DEPTH)
        self._is_shared = opposed(game)
        self._worst, self._best = game.circuit.worst, game.circuit.best

    def value(self, state: State, role: int) -> float | None:
        """Return what a state is worth to a role under best play.

        Args:
            state: any state in which all roles have a move, or a terminal one.
            role: index of the role.

        Returns:
            The goal that it gets, 0..1; None where that is not proved. Two roles that share 100
            and take turns have a value in every state; elsewhere a search may end once it knows
            the move, or can only prove the highest goal.
        """
        if state.is_terminal:
            return (state.goals[role] or 0.0) / 100
        asked = role
        if self._is_shared and len(state.legal_moves[role]) > 1 == len(state.legal_moves[1 - role]):
            # A search for a move ends once the move is decided, its value known or not. Where a
            # role has no choice there is no such end.
            asked = 1 - role
        report = self._search.search(state, asked, self._limit)
        return report.value[role] if report.proved else None

    def is_decided(self, state: State) -> bool:
        """Return whether some role has proved to get its highest goal whatever others do.

        With two roles that share 100 also whether one is held to its lowest: a proved draw is
        still to be played out. What is not found within the nodes counts as undecided.

        Args:
            state: a state that is not terminal, in which all roles have a move.
        """
        players = self.game.players
        choosing = [role for role in players if len(state.legal_moves[role]) > 1]
        # Of opponents who take turns one search says it for both.
        is_one_enough = self._is_shared and len(choosing) < 2
        for role in choosing or players[:1] if is_one_enough else players:
            value = self.value(state, role)
            if value is None:
                continue
            if value >= self._best[role] or (self._is_shared and value <= self._worst[role]):
                return True
        return False

"""A game with an evaluator, as a tree to search."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.search.packing import pack_states, unpack_states
from neurogame.search.run import Root
from neurogame.search.tree import Bytes, Flags, Frontier, Integers, Reals
from neurogame.simulate.game import Game
from neurogame.simulate.simulator import Look
from neurogame.simulate.states import State, StateBatch


@final
class GameTree:
    """Expands states with the game's simulator and values them in one forward pass.

    The evaluator is not asked about terminal states: those have their true goals.
    """

    def __init__(self, game: Game, evaluator: Evaluator, device: str | torch.device) -> None:
        """Join a game and an evaluator.

        Args:
            game: the rules.
            evaluator: estimates non-terminal states; put into evaluation mode by the caller.
            device: where both compute.
        """
        self._game = game
        self._evaluator = evaluator
        self._device = torch.device(device)
        self._simulator = game.simulator(self._device)
        self._fluents = len(game.fluents)
        self._offsets = np.array(game.move_offsets, dtype=np.int64)

    @property
    def role_count(self) -> int:
        """Number of roles, ``R``."""
        return len(self._game.roles)

    def root(self, state: State, role: int) -> Root:
        """Return a state as the root of a search.

        Args:
            state: a non-terminal state of the game.
            role: the searching role.

        Raises:
            GameError: the state is terminal or of another game, or there is no such role.
        """
        if state.game.circuit.key != self._game.circuit.key:
            raise GameError(
                f"search: a state of {state.game.name} was given to a search of {self._game.name}"
            )
        if not 0 <= role < self.role_count:
            raise GameError(f"search: role {role}; {self._game.name} has 0..{self.role_count - 1}")
        if state.is_terminal:
            raise GameError("search: the state is terminal, there is no move to find")
        legal = np.zeros((1, int(self._offsets[-1])), dtype=np.bool_)
        for index, moves in enumerate(state.legal_moves):
            legal[0, self._offsets[index] + np.array(moves, dtype=np.int64)] = True
        return Root(
            state=pack_states(state.fluents.cpu().numpy()[None]),
            legal=np.packbits(legal, axis=1),
            counts=self._counts(legal)[0],
            own_moves=np.array(state.legal_moves[role], dtype=np.int64),
        )

    def expand(self, states: Bytes, legal: Bytes) -> Frontier:
        """Generate and evaluate all children of non-terminal states, as one batch.

        Args:
            states: packed states; uint8 ``[N, P]``.
            legal: their packed legal moves; uint8 ``[N, Q]``.
        """
        parents = StateBatch.from_bool(self._tensor(unpack_states(states, self._fluents)))
        moves = self._tensor(unpack_states(legal, int(self._offsets[-1])))
        expansion = self._simulator.expand(parents, moves)
        parent = expansion.parent.cpu().numpy()
        fluents = expansion.states.to_bool()
        child_legal = expansion.look.legal.cpu().numpy()
        start = np.searchsorted(parent, np.arange(len(states) + 1))
        return Frontier(
            start=start.astype(np.int64),
            joint=expansion.joint.cpu().numpy(),
            states=pack_states(fluents.cpu().numpy()),
            legal=np.packbits(child_legal, axis=1),
            counts=self._counts(child_legal),
            terminal=expansion.look.terminal.cpu().numpy(),
            values=self._values(fluents, expansion.look),
        )

    def _values(self, fluents: Tensor, look: Look) -> Reals:
        """Goals of terminal states, estimates of the others; float64 ``[K, R]``."""
        # Goals are whole hundredths: rounding undoes the loss of single precision.
        goals: Reals = np.rint(look.goals.cpu().numpy().astype(np.float64) * 100) / 100
        inner = torch.logical_not(look.terminal).nonzero().view(-1)
        if len(inner):
            with torch.inference_mode():
                chosen = fluents if len(inner) == len(fluents) else fluents.index_select(0, inner)
                estimates = self._evaluator(chosen)
            goals[inner.cpu().numpy()] = estimates.to(torch.float64).cpu().numpy()
        return goals

    def _counts(self, legal: Flags) -> Integers:
        """Number of legal moves per role; int64 ``[K, R]``."""
        counts = np.empty((len(legal), self.role_count), dtype=np.int64)
        for role, (begin, end) in enumerate(zip(self._offsets, self._offsets[1:], strict=False)):
            counts[:, role] = np.count_nonzero(legal[:, begin:end], axis=1)
        return counts

    def _tensor(self, flags: Flags) -> Tensor:
        return torch.from_numpy(flags).to(self._device)

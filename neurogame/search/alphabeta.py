"""Alpha-beta with an evaluator: the search that players use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
import torch

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.values import CALLBACK, make_values
from neurogame.search.limit import Limit
from neurogame.search.opposition import opposition
from neurogame.search.packing import state_words
from neurogame.search.result import SearchResult
from neurogame.search.settings import SearchSettings
from neurogame.search.tree_search import TreeSearch
from neurogame.simulate.game import Game
from neurogame.simulate.states import State

_COMPILED, _CALLED = 64, 256
"""States generated together: by compiled code, and where Python is called for every block."""


@final
class AlphaBeta:
    """Iterative-deepening alpha-beta on a game, for any number of roles.

    Transposition table, history heuristic, killer moves, proof bounds and principal variation, in
    compiled code; all children of a node are generated and evaluated as lanes of one block. The
    tree and all proved states are kept from one search to the next, in bounded memory, so a match
    hardly searches anything twice.

    Which algorithm runs is decided by ``SearchSettings.opponents``: plain maximisation for one
    role; exact minimax for two roles whose goals sum to 100; paranoid alpha-beta wherever roles
    have nothing to gain together; max^n otherwise. For simultaneous moves see
    :mod:`~neurogame.kernels.alphabeta.paranoid` and :mod:`~neurogame.kernels.alphabeta.maxn`.

    A proved win ends the search with the shortest one found; among lost moves the one that
    looked best before the loss was seen is kept, as the opponent may not see it.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        *,
        settings: SearchSettings | None = None,
        seed: int = 0,
        device: str | torch.device = "cpu",
    ) -> None:
        """Make a searcher for one game.

        Args:
            game: the game.
            evaluator: values non-terminal states; is set to evaluation mode and moved to the
                device.
            settings: how to search.
            seed: decides between equal moves.
            device: where the evaluator computes, if it has no compiled form.

        Raises:
            GameError: the evaluator belongs to another game.
        """
        found = (evaluator.fluent_count, evaluator.role_count)
        needed = (len(game.fluents), len(game.roles))
        if found != needed:
            raise GameError(
                f"the evaluator takes {found[0]} fluents and {found[1]} roles, {game.name} has "
                f"{needed[0]} and {needed[1]}: is it another game's?"
            )
        self.game = game
        self.evaluator = evaluator.to(device).eval()
        self._values = make_values(self.evaluator, game.circuit)
        rules = resolve_backend(None, "cpu", game.circuit)
        called = rules == "torch" or self._values.kind == CALLBACK
        batch = _CALLED if called else _COMPILED
        self._search = TreeSearch(
            Leaves(game.circuit, batch, depth=1),
            self._values,
            offsets=game.move_offsets,
            fluents=len(game.fluents),
            opposition=opposition(game),
            settings=settings,
            batch=batch,
            seed=seed,
        )

    @property
    def opponents(self) -> str:
        """What the other roles are assumed to do: ``paranoid`` or ``maxn``."""
        return self._search.opponents

    @property
    def proved_states(self) -> Mapping[bytes, tuple[float, ...]]:
        """All states proved so far; see :class:`SearchResult`."""
        return self._search.proved_states

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        """Search for the best move of a role.

        Args:
            state: a non-terminal state in which the role has a legal move.
            role: index of the searching role.
            limit: when to stop; at least one of seconds, nodes and depth.

        Raises:
            ConfigurationError: the limit sets none of those.
            GameError: the state is terminal, of another game, or has no legal move.
        """
        if state.game.circuit.key != self.game.circuit.key:
            raise GameError(
                f"search: a state of {state.game.name} was given to a search of {self.game.name}"
            )
        roles = len(self.game.roles)
        if not 0 <= role < roles:
            raise GameError(f"search: role {role}; {self.game.name} has 0..{roles - 1}")
        if state.is_terminal:
            raise GameError("search: the state is terminal, there is no move to find")
        words = state_words(np.asarray(state.fluents.cpu().numpy()))
        return self._search.search(words, role, limit)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched; call it after the evaluator's weights have changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        self._values.refresh()
        self._search.forget(proofs=proofs)

"""Alpha-beta with an evaluator: the search that players use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import torch

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.search.deepening import TreeSearch
from neurogame.search.game_tree import GameTree
from neurogame.search.limit import Limit
from neurogame.search.opposition import opposition
from neurogame.search.result import SearchResult
from neurogame.search.settings import SearchSettings
from neurogame.simulate.game import Game
from neurogame.simulate.states import State


@final
class AlphaBeta:
    """Iterative-deepening alpha-beta on a game, for any number of roles.

    Transposition table, history heuristic, proof bounds and principal variation; children are
    generated and evaluated in batches. The tree and all proved states are kept from one search
    to the next, so a match does not search anything twice.

    Which algorithm runs is decided by ``SearchSettings.opponents``: plain maximisation for one
    role; exact minimax for two roles whose goals sum to 100; paranoid alpha-beta wherever roles
    have nothing to gain together; max^n otherwise. For simultaneous moves see
    :class:`~neurogame.search.paranoid.Paranoid` and :class:`~neurogame.search.maxn.MaxN`.

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
            device: where the simulator and the evaluator compute.

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
        self._tree = GameTree(game, self.evaluator, device)
        self._search = TreeSearch(
            self._tree, opposition=opposition(game), settings=settings, seed=seed
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
        return self._search.search(self._tree.root(state, role), role, limit)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched; call it after the evaluator's weights have changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        self._search.forget(proofs=proofs)

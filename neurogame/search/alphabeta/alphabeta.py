"""Alpha-beta with an evaluator: the search that players use."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import final

import torch

from neurogame.array_types import UInt64s
from neurogame.evaluators.base import Evaluator
from neurogame.judges.states import CALLBACK
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.alphabeta.tree_search import TreeSearch
from neurogame.search.decided import decided_result, is_decided
from neurogame.search.home_search import check_evaluator
from neurogame.search.limit import Limit
from neurogame.search.opposition import opposition
from neurogame.search.packing import root_words
from neurogame.search.result import SearchResult
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, State, game_of

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
    :mod:`.compiled.paranoid` and :mod:`.compiled.maxn`.

    A proved win ends the search with the shortest one found; among lost moves the one that
    looked best before the loss was seen is kept, as the opponent may not see it. That all others
    together could hold a role to something is no fact: what is left of the limits then goes into
    a max^n search, which says what they will do of their own accord, and decides between moves
    that guarantee the same (:mod:`~neurogame.search.cooperation`).

    In games with chance the outcomes are averaged (expectimax), which is done by max^n.

    Not for several threads at once.
    """

    def __init__(
        self,
        game: Game | str | Path,
        evaluator: Evaluator,
        *,
        settings: SearchSettings | None = None,
        seed: int = 0,
        device: str | torch.device = "cpu",
    ) -> None:
        """Make a searcher for one game.

        Args:
            game: the game, or its name or path.
            evaluator: values non-terminal states; is set to evaluation mode and moved to the
                device.
            settings: how to search.
            seed: decides between equal moves.
            device: where the evaluator computes, if it has no compiled form.

        Raises:
            GameError: the evaluator belongs to another game.
        """
        self.game = game = game_of(game)
        check_evaluator(game, evaluator)
        self.evaluator = evaluator.to(device).eval()
        self._values = SearchEvaluator(self.evaluator, game.circuit)
        settings = settings or SearchSettings()
        check_kind(settings, SearchSettings, "alpha-beta: settings", "SearchSettings(scout=False)")
        circuit = game.foreseen if settings.foresight else game.circuit
        rules = resolve_backend(None, "cpu", circuit)
        called = not rules.startswith("llvm") or self._values.kind == CALLBACK
        batch = _CALLED if called else _COMPILED
        self._leaves = Leaves(circuit, batch, depth=1, playouts=0)
        self._foresees = circuit is not game.circuit
        self._search = TreeSearch(
            self._leaves,
            self._values,
            offsets=game.move_offsets,
            fluents=len(game.fluents),
            opposition=opposition(game),
            goals=list(zip(game.circuit.worst, game.circuit.best, strict=True)),
            settings=settings,
            batch=batch,
            seed=seed,
            chance=game.chance,
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
        words = root_words(self.game, state, role)
        if self._is_decided(words):
            return decided_result(state, role, self._leaves.block, self.proved_states)
        return replace(self._search.search(words, role, limit), state=state)

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        """Search on from a state until told to stop, or until nothing is left to find.

        The next search of that role profits from all that is remembered; a role with one legal
        move is no reason to stop.

        Args:
            state: a non-terminal state in which the role has a legal move.
            role: index of the searching role.
            stop: whether to return; called from this thread about every 10 ms, or after every
                block of states where one takes longer.

        Raises:
            GameError: the state is terminal, of another game, or has no legal move.
        """
        words = root_words(self.game, state, role)
        if not stop() and not self._is_decided(words):
            self._search.ponder(words, role, stop)

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment, and remember nothing but how long blocks of states take.

        Otherwise the first search in seconds has to find that out, and may end late. What searches
        answer afterwards depends on the seed as if nothing had been done.

        Args:
            state: a non-terminal state in which the role has a legal move.
            role: index of the searching role.
            seconds: how long that takes, and a block of states more; at least 0.

        Raises:
            GameError: the state is terminal, of another game, or has no legal move.
        """
        end, words = time.monotonic() + seconds, root_words(self.game, state, role)
        if not self._is_decided(words):
            self._search.rehearse(words, role, lambda: time.monotonic() >= end)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched; call it after the evaluator's weights have changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        self._values.refresh()
        self._search.forget(proofs=proofs)

    def _is_decided(self, words: UInt64s) -> bool:
        """Return whether a role can win with its next move, so that there is nothing to search."""
        return self._foresees and is_decided(self._leaves, words)

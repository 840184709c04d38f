"""The player of Kuhlmann and Stone: several heuristics of one feature each, tried side by side.

*Reference:* Kuhlmann and Stone, "Automatic heuristic construction for general game playing" (2006).
"""

from __future__ import annotations

import os
import time
from typing import final

import numpy as np

from neurogame.errors import GameError
from neurogame.evaluators.heuristic.heuristic import blind, value_range
from neurogame.features.evidence import FeatureEvidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.play import PHASES
from neurogame.features.store import known_evidence
from neurogame.players.heuristic.ranking import RankedHeuristic, rank
from neurogame.players.heuristic.search import HeuristicSearch
from neurogame.players.search_player import SearchPlayer
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

_SECONDS, _SHARE = 1.5, 0.3
"""Seconds of random games that rank the heuristics, and the most as a share of a start clock."""
_PREPARING = 0.8
"""Share of a start clock after which no more searches are made."""
_SHOWN = 5


@final
class HeuristicPlayer(SearchPlayer):
    """Ranks all heuristics of a game in random games, and searches with the best of them.

    Attributes:
        report: which heuristics come first, and which others were tried, as text for people.
    """

    HEEDED = ("seconds", "nodes", "depth")

    def __init__(
        self,
        *,
        name: str = "heuristic",
        limit: Limit | None = None,
        settings: SearchSettings | None = None,
        workers: int = 0,
        heuristics: int = 0,
        reselect: bool = True,
    ) -> None:
        """Make a player.

        Args:
            name: see :class:`~neurogame.players.search_player.SearchPlayer`.
            limit: its own limit.
            settings: of all searches.
            workers: threads that search; 0: one for each core.
            heuristics: searched with for each move; 0: one for each worker.
            reselect: whether they are chosen anew for each move.
        """
        super().__init__(None, name=name, limit=limit, fresh=False, refine=0.0)
        self._settings = settings
        self._workers = workers or available_cores()
        self._heuristics = heuristics or self._workers
        self._reselect = reselect
        self._evidence: FeatureEvidence | None = None

    def start(
        self,
        game: Game,
        role: int,
        seed: int,
        seconds: float | None = None,
        limit: Limit | None = None,
    ) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`."""
        end = None if seconds is None else time.monotonic() + _PREPARING * seconds
        super().start(game, role, seed, seconds, limit)
        state = game.initial_state()
        if isinstance(self._search, HeuristicSearch) and not state.is_terminal:
            self._search.prepare(state, role, end)

    def _make_search(
        self, game: Game, seed: int, seconds: float | None, end: float | None
    ) -> HeuristicSearch:
        if game is not self._game:
            most = _SECONDS if seconds is None else min(_SECONDS, _SHARE * seconds)

            what = "random games rank heuristics"
            try:
                config = EvidenceConfig(seconds=most)
                self._evidence = known_evidence(game, config, seed=0, what=what)
            except GameError as error:
                self._evidence = None
                self.report = f"no heuristic: {error}; blind search"
            else:
                self.report = _report(game, self._evidence)

        def ranking(role: int) -> tuple[RankedHeuristic, ...]:
            return ranked_heuristics(game, self._evidence, role)

        return HeuristicSearch(
            game,
            ranking,
            workers=self._workers,
            heuristics=self._heuristics,
            reselect=self._reselect,
            settings=self._settings,
            seed=seed,
        )


def ranked_heuristics(
    game: Game, evidence: FeatureEvidence | None, role: int
) -> tuple[RankedHeuristic, ...]:
    """Return the heuristics of a role, the strongest first.

    Args:
        game: the game.
        evidence: on its features; None: there are none, and all states are worth the same.
        role: the role.
    """
    goals = game.circuit.goal_values[role] or (0, 100)
    if evidence is not None:
        return rank(evidence, role, goals)
    return (
        RankedHeuristic(
            heuristic=blind(game)[role],
            strength=0.0,
            quarters=np.zeros(PHASES),
            offset=0.0,
            slope=1.0,
            spread=0.0,
            range=value_range(goals),
        ),
    )


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _report(game: Game, evidence: FeatureEvidence) -> str:
    """Return which heuristics come first, role by role."""
    lines = [f"{2 * len(evidence.features)} heuristics, ranked by {evidence.games:,} random games"]
    for role in game.players:
        first = ranked_heuristics(game, evidence, role)[:_SHOWN]
        lines.append(f"{game.roles[role]}: " + "; ".join(str(one) for one in first))
    return "\n".join(lines)

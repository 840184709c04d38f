"""A player that searches with the heuristic of one feature which random games rank first.

*Reference:* Kuhlmann and Stone, "Automatic heuristic construction for general game playing" (2006).
"""

from __future__ import annotations

from typing import final

from neurogame.errors import GameError
from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import blind, for_one_role
from neurogame.features.evidence import FeatureEvidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.store import known_evidence
from neurogame.players.heuristic.ranking import RankedHeuristic, rank
from neurogame.players.search_player import Outfit, SearchPlayer
from neurogame.players.spec import PlayerSpec
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game

_SECONDS, _SHARE = 1.5, 0.3
"""Seconds of random games that rank the heuristics, and the most as a share of a start clock."""
_SHOWN = 5


@final
class HeuristicPlayer(SearchPlayer):
    """Ranks all heuristics of a game in random games, and searches with the first of its role.

    Attributes:
        report: which heuristics come first, as text for people.
    """

    HEEDED = ("seconds", "nodes", "depth")

    def __init__(self, spec: PlayerSpec) -> None:
        """Make the player of a player string."""
        super().__init__(Outfit(name=str(spec), limit=spec.limit))
        self._settings = SearchSettings.from_texts(spec.settings)
        self._evidence: FeatureEvidence | None = None

    def _make_search(self, game: Game, match: MatchStart, end: float | None) -> AlphaBeta:
        if game is not self._game:
            self._evidence, self.report = heuristic_evidence(game, match.seconds)
        first = ranked_heuristics(game, self._evidence, match.role)[0].heuristic
        evaluator = HeuristicEvaluator(game, for_one_role(game, first, match.role))
        return AlphaBeta(game, evaluator, settings=self._settings, seed=match.seed)


def heuristic_evidence(game: Game, seconds: float | None) -> tuple[FeatureEvidence | None, str]:
    """Return what random games say of a game's features, and which heuristics come first.

    Args:
        game: the game.
        seconds: of a start clock, of which a part is taken; None: there is none.

    Returns:
        None where the rules suggest no features, with the reason.
    """
    most = _SECONDS if seconds is None else min(_SECONDS, _SHARE * seconds)
    what = "random games rank heuristics"
    try:
        evidence = known_evidence(game, EvidenceConfig(seconds=most), seed=0, what=what)
    except GameError as error:
        return None, f"no heuristic: {error}; blind search"
    lines = [f"{2 * len(evidence.features)} heuristics, ranked by {evidence.games:,} random games"]
    for role in game.players:
        first = ranked_heuristics(game, evidence, role)[:_SHOWN]
        lines.append(f"{game.roles[role]}: " + "; ".join(str(one) for one in first))
    return evidence, "\n".join(lines)


def ranked_heuristics(
    game: Game, evidence: FeatureEvidence | None, role: int
) -> tuple[RankedHeuristic, ...]:
    """Return the heuristics of a role, the strongest first.

    Args:
        game: the game.
        evidence: on its features; None: there are none, and all states are worth the same.
        role: the role.
    """
    if evidence is not None:
        return rank(evidence, role)
    return (RankedHeuristic(heuristic=blind(game)[role], strength=0.0),)

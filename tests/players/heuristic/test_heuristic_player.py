"""The player of Kuhlmann and Stone: which heuristics come first."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from neurogame.errors import GameError, PlayerError
from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import for_one_role
from neurogame.features.evidence import FeatureEvidence, find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.players.heuristic import player as player_module
from neurogame.players.heuristic.player import HeuristicPlayer, ranked_heuristics
from neurogame.players.heuristic.ranking import RankedHeuristic
from neurogame.players.players import make_player
from neurogame.players.spec import PlayerSpec
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from tests.library import load as game

NAME = "breakthrough6"
FEW = EvidenceConfig(games=4096, seconds=60)


@cache
def evidence() -> FeatureEvidence:
    return find_evidence(game(NAME), FEW)


@cache
def ranked(role: int = 0) -> tuple[RankedHeuristic, ...]:
    return ranked_heuristics(game(NAME), evidence(), role)


def test_both_directions_of_every_feature_are_ranked() -> None:
    features, found = evidence().features, ranked()
    assert len(found) == 2 * len(features)
    for feature in features:
        own = [one for one in found if one.heuristic.feature is feature]
        assert {one.heuristic.maximise for one in own} == {True, False}
        assert own[0].strength == -own[1].strength
    assert found[0].strength == max(one.strength for one in found)


def test_those_that_say_the_same_come_later() -> None:
    found = ranked()
    number = {id(feature): k for k, feature in enumerate(evidence().features)}
    covariance = evidence().covariance
    seen: list[int] = []
    for one in found:
        k = number[id(one.heuristic.feature)]
        size = np.sqrt(np.diagonal(covariance)[seen] * covariance[k, k])
        if one.strength <= 0 or (np.abs(covariance[k, seen]) > 0.96 * size).any():
            break
        seen.append(k)
    strengths = [one.strength for one in found]
    begin = len(seen)
    assert strengths[:begin] == sorted(strengths[:begin], reverse=True)
    # Something stronger was put behind them, as they say the same.
    assert max(strengths[begin:]) > strengths[begin - 1]


def test_without_features_it_searches_blindly(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> FeatureEvidence:
        raise GameError("the rules of tictactoe suggest no features")

    monkeypatch.setattr(player_module, "known_evidence", none)
    own = game("tictactoe")
    player = make_player("heuristic")
    assert isinstance(player, HeuristicPlayer)
    player.start(MatchStart(own, 0, 1))
    assert "suggest no features" in player.report
    state = own.initial_state()
    assert player.choose(state, Limit(depth=9)) in state.legal_moves[0]
    assert player.last is not None
    assert player.last.value == (0.5, 0.5)


def test_player_strings() -> None:
    player = make_player("heuristic,depth=2")
    assert isinstance(player, HeuristicPlayer)
    with pytest.raises(PlayerError, match="start"):
        player.choose(game(NAME).initial_state(), Limit())
    with pytest.raises(PlayerError, match="alphabeta:max"):
        make_player("heuristic:max(pieces)")
    with pytest.raises(PlayerError, match="'workers'"):
        make_player("heuristic,workers=2")


def test_it_searches_with_the_first_one() -> None:
    own = game(NAME)
    player = HeuristicPlayer(PlayerSpec.parse("heuristic:depth=2"))
    player._evidence, player._game = evidence(), own
    state = own.initial_state()
    for role in (0, 1):
        player.start(MatchStart(own, role, 3))
        move = player.choose(state, Limit())
        evaluator = HeuristicEvaluator(own, for_one_role(own, ranked(role)[0].heuristic, role))
        other = AlphaBeta(own, evaluator, seed=3)
        assert move == other.search(state, role, Limit(depth=2)).move
        state = state.next([state.legal_moves[0][-1], state.legal_moves[1][0]])

"""The player of Kuhlmann and Stone: which heuristics come first, who is kept, what is played."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from heuristic_search import Announced, HeuristicSearch, best_announced
from heuristic_standing import Contender, Standing, contenders, quarter_of

from neurogame.errors import GameError, PlayerError
from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import for_one_role
from neurogame.features.evidence import FeatureEvidence, find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.players.heuristic import player as player_module
from neurogame.players.heuristic.player import HeuristicPlayer, ranked_heuristics
from neurogame.players.heuristic.ranking import RankedHeuristic
from neurogame.players.players import make_player
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game
from tests.features.twin import value, walked

NAME = "breakthrough6"
FEW = EvidenceConfig(games=4096, seconds=60)
game = cache(Game.load)


@cache
def evidence() -> FeatureEvidence:
    return find_evidence(game(NAME), FEW)


@cache
def ranked(role: int = 0) -> tuple[RankedHeuristic, ...]:
    return ranked_heuristics(game(NAME), evidence(), role)


@cache
def rivals(role: int = 0) -> tuple[Contender, ...]:
    return contenders(game(NAME), evidence(), role)


def search(**options: Any) -> HeuristicSearch:
    chosen = {"workers": 1, "heuristics": 2, "seed": 1} | options
    return HeuristicSearch(game(NAME), rivals, **chosen)


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


def test_expectations_are_those_of_random_games() -> None:
    """The expected goal is the regression of the goal on the feature."""
    own, found = game(NAME), evidence()
    one = rivals(0)[0]
    heuristic = one.ranked.heuristic
    k = next(k for k, f in enumerate(found.features) if f is heuristic.feature)
    base, slope = heuristic.line((0, 100))
    rise = found.covariance[k, len(found.features)] / found.covariance[k, k]
    for state in walked(own, 5, 1)[0][:12]:
        held = value(heuristic.feature, own, state)
        goal = found.mean[len(found.features)] + rise * (held - found.mean[k])
        assert one.expected(base + slope * held) == pytest.approx(goal, abs=1e-6)
    # What no heuristic says is a goal.
    assert one.expected(1.0) == 1.0
    assert one.expected(0.0) == 0.0


def test_quarters() -> None:
    assert [quarter_of(left, 40) for left in (40, 31, 29, 19, 9, 0, 60)] == [0, 0, 1, 2, 3, 3, 0]
    assert quarter_of(0, 0) == 0


def test_who_foretells_is_kept_and_who_does_not_is_replaced() -> None:
    some = rivals(0)[:6]
    standing = Standing(some, 1)
    assert standing.choose(3, None)[:2] == [0, 1]
    for _ in range(20):
        # The first one says that it rises, and it falls; the fourth one is right.
        standing.announce(0, 0.5, 0.1)
        standing.see(0, 0.4)
        standing.announce(3, 0.5, 0.1)
        standing.see(3, 0.6)
    worth = standing.worth(None)
    before = np.array([one.strength for one in some])
    assert worth[0] < 0.95 * before[0]
    assert worth[3] > before[3]
    assert (worth[[1, 2, 4, 5]] == before[[1, 2, 4, 5]]).all()
    assert 0 not in standing.choose(2, None)[:1]


def test_what_foretells_nothing_stays_what_it_was() -> None:
    some = rivals(0)[:2]
    standing = Standing(some, 1)
    standing.announce(0, 0.5, 0.0)
    assert standing.announced == (0,)
    standing.see(0, 0.5)
    assert len(standing.announced) == 0
    assert standing.worth(None)[0] == some[0].strength


def test_the_quarter_decides_who_comes_first() -> None:
    one, other = rivals(0)[:2]
    early = replace(one, quarters=np.array([0.9, 0.1, 0.0, 0.0]))
    late = replace(other, quarters=np.array([0.0, 0.0, 0.2, 0.3]))
    standing = Standing([early, late], 1)
    assert [standing.choose(1, quarter)[0] for quarter in range(4)] == [0, 1, 1, 1]


def test_others_are_tried_at_random_and_few_are_named_again() -> None:
    some = rivals(0)
    drawn = {tuple(Standing(some, seed).choose(3, None)) for seed in range(40)}
    assert {own[:2] for own in drawn} == {(0, 1)}
    assert len({own[2] for own in drawn}) > 3
    assert Standing(some, 4).choose(3, None) == Standing(some, 4).choose(3, None)
    assert Standing(some[:2], 1).choose(5, None) == [0, 1, 0, 1, 0]


def announced(value: float, *, proved: bool = False, depth: int = 3, move: int = 0) -> Announced:
    result = SearchResult(
        role=0,
        move=move,
        value=(value, 1 - value),
        proved=proved,
        depth=depth,
        nodes=0,
        visits=0,
        seconds=0.0,
        line=(),
        scores={},
        proved_states={},
    )
    return Announced(ranked=rivals(0)[0], result=result, role=0)


def test_what_is_played() -> None:
    first, other = announced(0.4), announced(0.6)
    won, lost = announced(1.0, proved=True), announced(0.0, proved=True)
    nothing = announced(0.5, depth=0)
    assert best_announced([first, other], 0.0, 1.0) is first
    assert best_announced([first, won], 0.0, 1.0) is won
    assert best_announced([lost, other], 0.0, 1.0) is other
    assert best_announced([nothing, other], 0.0, 1.0) is other
    assert best_announced([lost, nothing], 0.0, 1.0) is lost


def test_workers_change_nothing_but_the_time() -> None:
    own = game(NAME)
    found = []
    for workers in (1, 3):
        made = search(workers=workers, heuristics=4)
        state, moves = own.initial_state(), []
        for _ in range(3):
            moves.append(made.search(state, 0, Limit(depth=2)).move)
            assert len(made.announced) == 4
            state = state.next([moves[-1], state.legal_moves[1][0]])
            state = state.next([state.legal_moves[0][0], state.legal_moves[1][-1]])
        names = [str(one.ranked.ranked.heuristic) for one in made.announced]
        found.append((moves, names))
    assert found[0] == found[1]


def test_nodes_are_shared_out() -> None:
    made = search(heuristics=3, workers=3)
    result = made.search(game(NAME).initial_state(), 0, Limit(nodes=6000))
    assert result.nodes == sum(one.result.nodes for one in made.announced)
    assert 3000 < result.nodes <= 6000 + 3 * 64


def test_the_strongest_stay_where_nothing_is_chosen_anew() -> None:
    made_of = rivals(0)[:2]
    made = HeuristicSearch(
        game(NAME), lambda _: made_of, workers=1, heuristics=2, reselect=False, seed=1
    )
    own = game(NAME)
    for state in walked(own, 3, 1)[0][:9:2]:
        made.search(state, 0, Limit(depth=2))
        assert [one.ranked for one in made.announced] == list(made_of)


def test_only_the_strongest_are_tried() -> None:
    made, tried = search(heuristics=2), set()
    own = game(NAME)
    for state in [state for match in walked(own, 3, 2) for state in match[:-1:2]]:
        made.search(state, 0, Limit(depth=1))
        tried |= {id(one.ranked) for one in made.announced}
    assert tried <= {id(one) for one in rivals(0)[:8]}
    assert len(tried) > 3


def test_it_thinks_ahead_until_told_to_stop() -> None:
    made, state = search(workers=2), game(NAME).initial_state()
    end = time.monotonic() + 0.1
    made.ponder(state, 0, lambda: time.monotonic() >= end)
    assert made.search(state, 0, Limit(depth=2)).depth >= 1


def test_without_features_it_searches_blindly(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> FeatureEvidence:
        raise GameError("the rules of tictactoe suggest no features")

    monkeypatch.setattr(player_module, "known_evidence", none)
    own = game("tictactoe")
    player = make_player("heuristic")
    assert isinstance(player, HeuristicPlayer)
    player.start(own, 0, 1)
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
    player = HeuristicPlayer(limit=Limit(depth=2))
    player._evidence, player._game = evidence(), own
    state = own.initial_state()
    for role in (0, 1):
        player.start(own, role, 3)
        move = player.choose(state, Limit())
        evaluator = HeuristicEvaluator(own, for_one_role(own, ranked(role)[0].heuristic, role))
        other = AlphaBeta(own, evaluator, seed=3)
        assert move == other.search(state, role, Limit(depth=2)).move
        state = state.next([state.legal_moves[0][-1], state.legal_moves[1][0]])

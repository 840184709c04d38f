"""Players whose search asks judges of moves: where these come from, and what gating decides."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from neurogame.errors import CheckpointError, ConfigurationError, GameError, LimitError, PlayerError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import for_one_role
from neurogame.evaluators.kind import Wish
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.features.evidence import FeatureEvidence, find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.kinds import action, knowledge
from neurogame.learn.checkpoints.checkpoint import empty_checkpoint, save_checkpoint
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.players.gate.trials import TrialTerms
from neurogame.players.heuristic import player as player_module
from neurogame.players.heuristic.player import HeuristicPlayer, ranked_heuristics
from neurogame.players.heuristic.ranking import RankedHeuristic
from neurogame.players.judges import make_judges
from neurogame.players.mcts_player import MctsPlayer
from neurogame.players.players import make_player
from neurogame.players.search_player import DEFAULT_LIMIT, Outfit
from neurogame.players.spec import PlayerSpec
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from tests.kernels.leaves.judges import Guess, Marks
from tests.library import checkpoint_of
from tests.library import load as game

LIMIT = Limit(simulations=40)


def made(text: str, of: Game, seed: int = 0) -> MctsPlayer:
    player = make_player(text)
    assert isinstance(player, MctsPlayer)
    player.start(MatchStart(of, 0, seed))
    return player


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """Put small judges in the place of the real ones; return what was asked for."""
    asked: dict[str, list[Any]] = {"action": [], "formulas": [], "knowledge": [], "gate": []}

    def regressed(self: object, wish: Wish) -> Marks:
        asked["action"].append(wish.game)
        asked["formulas"].append(wish.options)
        return Guess(wish.game)

    def learned(self: object, wish: Wish) -> Marks:
        asked["knowledge"].append((wish.game, wish.options, wish.seed))
        return Guess(wish.game, seed=9)

    def gate(of: Game, settings: MctsSettings, terms: TrialTerms) -> Any:
        asked["gate"].append((settings, sorted(terms.judges), replace(terms, judges={})))
        decided = MctsSettings(tree="action", playout="mast")
        return SimpleNamespace(settings=decided, headline="heuristic: tree")

    monkeypatch.setattr(type(action.KIND), "make", regressed)
    monkeypatch.setattr(type(action.KIND), "make_in_time", regressed)
    monkeypatch.setattr(type(knowledge.KIND), "make", learned)
    monkeypatch.setattr("neurogame.players.gate.gate.open_gate", gate)
    return asked


def test_judges_are_made_once_per_game(small: dict[str, list[Any]]) -> None:
    player = make_player("mcts:playout=knowledge,tree=action,games=77,lanes=8")
    for seed in (1, 2):
        player.start(MatchStart(game("tictactoe"), 0, seed))
        state = game("tictactoe").initial_state()
        assert player.choose(state, LIMIT) in state.legal_moves[0]
    assert small == {
        "action": [game("tictactoe")],
        "formulas": [{}],
        "knowledge": [(game("tictactoe"), {"games": "77"}, 0)],
        "gate": [],
    }
    player.start(MatchStart(game("connectfour5"), 0, 1))
    assert small["action"] == [game("tictactoe"), game("connectfour5")]
    assert isinstance(player, MctsPlayer)
    assert player.last is None
    player.choose(game("connectfour5").initial_state(), LIMIT)
    assert player.last is not None
    assert player.last.split["tree scores"] > 0
    assert player.last.split["playout scores"] > 0


def test_formulas_are_the_players_own(small: dict[str, list[Any]]) -> None:
    made("mcts:tree=action,steps=2,goals=all,unknown=half,others=least", game("tictactoe"))
    own = {"steps": "2", "goals": "all", "unknown": "half", "others": "least"}
    assert small["formulas"] == [own]


def test_the_heuristic_is_made_of_these_formulas() -> None:
    own = {"steps": "2", "others": "least"}
    judges = make_judges(game("tictactoe"), MctsSettings(tree="action"), options=own)
    judge = judges["action"]
    assert isinstance(judge, ActionCircuit)
    assert judge.config == ActionConfig(steps=2, others="least")


@pytest.mark.parametrize(
    ("option", "allowed"),
    [
        ("steps=0", "at least 1"),
        ("goals=best", "allowed: one of top, all"),
        ("unknown=0.5", "allowed: one of neutral, half, legal"),
        ("others=most", "allowed: one of unknown, least"),
    ],
)
def test_formulas_that_cannot_be_are_refused(option: str, allowed: str) -> None:
    with pytest.raises(PlayerError, match=f"{option}.*{allowed}"):
        make_player(f"mcts:tree=action,{option}")


def test_only_what_is_asked_for_is_made(small: dict[str, list[Any]]) -> None:
    made("mcts:sims=10,playout=mast", game("tictactoe"))
    made("mcts:sims=10,tree=knowledge", game("tictactoe"))
    assert not small["action"]
    assert small["knowledge"] == [(game("tictactoe"), {}, 0)]


@pytest.mark.parametrize(
    ("text", "match", "limit", "seconds"),
    [
        # Nobody knows how long it will think: as long as it does where nobody says so.
        ("playout=gated,gate=0.25", None, DEFAULT_LIMIT, 0.25),
        ("playout=gated,gate=0.25", Limit(seconds=4.0), Limit(seconds=4.0), 0.25),
        ("playout=gated,tree=gated,seconds=2", Limit(seconds=4.0), Limit(seconds=2.0), 60.0),
        ("playout=gated,tree=gated,sims=70", Limit(), Limit(simulations=70), 60.0),
    ],
)
def test_gating_decides_before_the_first_match_of_a_game(
    small: dict[str, list[Any]], text: str, match: Limit | None, limit: Limit, seconds: float
) -> None:
    player = make_player(f"mcts:{text}")
    assert isinstance(player, MctsPlayer)
    player.start(MatchStart(game("tictactoe"), 0, 3, limit=match))
    player.start(MatchStart(game("tictactoe"), 1, 4))
    ((settings, judges, terms),) = small["gate"]
    assert settings.is_gated
    assert judges == ["action"]
    assert vars(terms) == vars(TrialTerms(seed=3, seconds=seconds, limit=limit))
    player.choose(game("tictactoe").initial_state(), LIMIT)
    assert player.last is not None
    assert player.last.split["tree scores"] > 0
    assert player.last.split["playout scores"] == 0
    assert player.report


def test_a_heuristic_and_an_evaluator_are_decided_on_one_after_the_other(
    small: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def gate(of: Game, settings: MctsSettings, terms: TrialTerms, *, trained: bool) -> Any:
        asked.append((settings, terms.evaluator is not None, trained))
        return SimpleNamespace(settings=replace(settings, minimax=0.5), headline="evaluator: on")

    monkeypatch.setattr("neurogame.players.gate.gate.open_evaluator_gate", gate)
    player = make_player("mcts:cilp,tree=gated")
    player.start(MatchStart(game("tictactoe"), 0, 3))
    assert len(small["gate"]) == 1
    assert asked == [(MctsSettings(tree="action", playout="mast"), True, False)]
    assert player.choose(game("tictactoe").initial_state(), LIMIT) in range(9)
    # All is decided anew for another game, and told of that one alone.
    player.start(MatchStart(game("connectfour5"), 0, 3))
    assert small["gate"][1][0].is_gated
    assert len(asked) == 2
    assert isinstance(player, MctsPlayer)
    assert player.report.count("evaluator: on") == 1


@pytest.mark.parametrize(("gate", "clock"), [(60.0, 20.0), (0.25, 20.0)])
def test_a_start_clock_bounds_gating(
    small: dict[str, list[Any]], gate: float, clock: float
) -> None:
    begun = time.monotonic()
    player = make_player(f"mcts:playout=gated,tree=gated,gate={gate}")
    player.start(MatchStart(game("tictactoe"), 0, 3, clock))
    ((_, _, terms),) = small["gate"]
    assert terms.latest <= begun + clock
    assert 0 <= terms.seconds <= min(gate, 0.5 * clock)
    assert player.choose(game("tictactoe").initial_state(), LIMIT) in range(9)


def test_a_start_clock_bounds_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[float | None]()

    def learned(self: object, wish: Wish) -> Marks:
        asked.append(wish.deadline)
        return Guess(wish.game)

    monkeypatch.setattr(type(knowledge.KIND), "make", learned)
    player = make_player("mcts:tree=knowledge")
    begun = time.monotonic()
    player.start(MatchStart(game("tictactoe"), 0, 3, 20.0))
    player.start(MatchStart(game("connectfour5"), 0, 3))
    assert asked[0] is not None
    # Half of the clock is left for what comes after.
    assert begun + 10 <= asked[0] <= time.monotonic() + 10
    assert asked[1:] == [None]


def test_gating_gets_no_heuristic_that_would_be_late() -> None:
    settings = MctsSettings(tree="gated")
    late = time.monotonic() - 1
    assert make_judges(game("tictactoe"), settings, deadline=late) == {}
    assert list(make_judges(game("tictactoe"), settings, deadline=late + 1000)) == ["action"]
    # Who asks for it by name gets it.
    asked = MctsSettings(tree="action")
    assert list(make_judges(game("tictactoe"), asked, deadline=late)) == ["action"]


def test_gating_does_without_a_heuristic_and_others_do_not(
    small: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: Any, **rest: Any) -> Marks:
        raise LimitError("too large")

    monkeypatch.setattr(type(action.KIND), "make", none)
    monkeypatch.setattr(type(action.KIND), "make_in_time", none)
    assert make_judges(game("tictactoe"), MctsSettings(tree="gated")) == {}
    for settings in (MctsSettings(tree="action"), MctsSettings(tree="gated", playout="action")):
        with pytest.raises(LimitError, match="too large"):
            make_judges(game("tictactoe"), settings)


def checkpoint(of: Game, path: Path, *, evaluator: bool) -> Path:
    """Write a checkpoint with knowledge, and an evaluator if that is wanted too."""
    knowledge = learn_knowledge(of, KnowledgeConfig(games=200), 3)
    held = make_evaluator(of, "cilp", seed=3)
    judges = {"knowledge": plain_judge(knowledge)}
    whole = checkpoint_of(of, held, judges=judges)
    alone = replace(empty_checkpoint(of), judges=judges)
    save_checkpoint(path, whole if evaluator else alone)
    return path


def test_knowledge_of_a_checkpoint_is_used(tmp_path: Path, small: dict[str, list[Any]]) -> None:
    rules = game("tictactoe")
    path = checkpoint(rules, tmp_path / "known.pt", evaluator=False)
    player = made(f"mcts:{path},playout=knowledge,tree=knowledge", rules)
    assert not small["knowledge"]
    judges = player._judges
    assert judges is not None
    state = rules.initial_state()
    flags = np.zeros((1, len(rules.moves[0])), np.bool_)
    flags[0, state.legal_moves[0]] = True
    fluents = state.fluents[None].numpy()
    learned = learn_knowledge(rules, KnowledgeConfig(games=200), 3)
    expected = learned.move_scores(fluents, flags, 0)
    assert judges["knowledge"].move_scores(fluents, flags, 0) == pytest.approx(expected)
    player.choose(state, LIMIT)
    assert player.last is not None
    assert player.last.split["playout scores"] > 0
    # It has none of these.
    with pytest.raises(CheckpointError, match="action"):
        made(f"mcts:{path},tree=action", rules)
    with pytest.raises(CheckpointError, match="evaluator"):
        made(f"mcts:{path},tree=knowledge,cutoff=2", rules)
    with pytest.raises(CheckpointError, match="tictactoe"):
        made(f"mcts:{path},tree=knowledge", game("nim"))


def test_a_checkpoint_has_an_evaluator_and_knowledge(
    tmp_path: Path, small: dict[str, list[Any]]
) -> None:
    rules = game("tictactoe")
    path = checkpoint(rules, tmp_path / "both.pt", evaluator=True)
    player = made(f"mcts:{path},playout=knowledge,tree=action,cutoff=3", rules)
    assert small["action"]
    assert not small["knowledge"]
    player.choose(rules.initial_state(), LIMIT)
    assert player.last is not None
    assert player.last.evaluations > 0
    # Where nothing says what the evaluator is for, matches decide; here there is no time for any.
    undecided = made(f"mcts:{path},playout=mast,gate=0", rules)
    assert undecided.report.startswith("evaluator: off")


def test_a_player_without_what_its_settings_need_is_refused() -> None:
    with pytest.raises(PlayerError, match="judges of moves"):
        MctsPlayer(Outfit(name="mcts"), settings=MctsSettings(tree="action"))
    with pytest.raises((ConfigurationError, PlayerError), match="judges of moves"):
        MctsPlayer(Outfit(name="mcts"), settings=MctsSettings(playout="gated"))


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

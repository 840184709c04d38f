"""The automatic choice of a player: what wins trials is taken, and a choice there always is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from neurogame.errors import LimitError, PlayerError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.gdl.scramble import scramble
from neurogame.learn.checkpoints.checkpoint import empty_checkpoint, save_checkpoint
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.learn.self_teaching import SelfTeaching
from neurogame.players.auto.auto_player import AutoPlayer
from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.choice import choose_player
from neurogame.players.auto.facts import GameFacts
from neurogame.players.auto.offers import Offer, Offers
from neurogame.players.auto.pace import LONGEST, TrialPace
from neurogame.players.auto.school import School
from neurogame.players.auto.trial_memory import TrialMemory
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.players.probe import Probe
from neurogame.players.race import Race, Racer
from neurogame.players.random_player import RandomPlayer
from neurogame.players.solve_player import SolvePlayer
from neurogame.players.spec import PlayerSpec
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game
from tests.library import checkpoint_of
from tests.library import load as game
from tests.players.searching import Searching


def blunderer(of: Game, name: str) -> Candidate:
    return Candidate(name=name, player=RandomPlayer(), searcher=Searching(of))


def offering(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let nothing be offered but what stands here: ``bad`` or ``impossible``."""

    def impossible(name: str) -> Candidate:
        raise LimitError("too large")

    def fresh(self: Offers, facts: GameFacts) -> Iterator[Offer]:
        makers = {"bad": lambda name: blunderer(game("tictactoe"), name), "impossible": impossible}
        yield from (Offer(name=name, make=makers[name]) for name in names)

    monkeypatch.setattr(Offers, "fresh", fresh)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let trials depend on their outcomes, not on how busy the machine is."""
    run = Race.run

    def eight_rounds(self: Race, limit: Limit, deadline: float) -> None:
        run(self, limit, deadline, rounds=8)

    monkeypatch.setattr(Race, "run", eight_rounds)
    monkeypatch.setattr("neurogame.players.auto.choice._SLOW_TO_MAKE", 0.0)
    monkeypatch.setattr("neurogame.players.auto.choice.LONGEST", 0.02)


@pytest.mark.usefixtures("unhurried")
def test_what_loses_in_trials_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, "impossible", "bad")
    found = choose_player(game("tictactoe"), seconds=100, seed=1)
    assert found.name == found.first == "mcts"
    (racer,) = found.racers
    assert racer.name == "bad"
    assert racer.mean < 0.5
    assert found.notes == ("impossible: not possible: too large",)
    assert "mcts" in str(found)
    assert "bad against mcts" in str(found)


@pytest.mark.usefixtures("unhurried")
def test_what_wins_trials_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch)
    bad = blunderer(game("tictactoe"), "bad")
    monkeypatch.setattr(Offers, "trained", lambda *_: [Offer(name="bad", make=lambda name: bad)])
    found = choose_player(game("tictactoe"), seconds=100, seed=1, checkpoints=[Path("bad.pt")])
    assert found.first == "bad"
    assert found.name == "mcts"
    assert "beat bad in trials" in str(found)


def test_without_time_the_plain_search_plays() -> None:
    found = choose_player(game("connectfour"), seconds=0.01, seed=1)
    assert found.name == "mcts"
    assert found.racers == ()
    assert "no time for trials" in str(found)


@pytest.mark.parametrize(
    ("name", "suits"),
    [
        ("connectfour", True),
        ("eightpuzzle", True),
        ("rockpaperscissors", False),
        ("pursuit", False),
    ],
)
def test_alphabeta_suits_puzzles_and_opponents_in_turn(name: str, suits: bool) -> None:
    of = game(name)
    assert choose_player(of, seconds=0.01, seed=1).facts.suits_alphabeta == suits


def test_an_auto_player_plays_whole_matches_and_says_why() -> None:
    player = make_player("auto:prepare=0.01,threads=2")
    assert isinstance(player, AutoPlayer)
    record = play_match(game("tictactoe"), [player, RandomPlayer()], Limit(seconds=0.02), seed=1)
    assert record.ending == "terminal"
    assert record.goals[0] >= 50
    assert record.players[0] == "auto:prepare=0.01,threads=2"
    assert "plays mcts" in player.report
    assert player.last is not None


def test_a_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match="no folder"):
        make_player(f"auto:{tmp_path / 'nothing'}")
    with pytest.raises(PlayerError, match="start a match first"):
        AutoPlayer(PlayerSpec.parse("auto")).choose(game("tictactoe").initial_state(), Limit())


def test_checkpoints_in_a_folder_come_first(tmp_path: Path) -> None:
    of = game("tictactoe")
    learned = plain_judge(learn_knowledge(of, KnowledgeConfig(games=64)))
    save_checkpoint(tmp_path / "values.pt", checkpoint_of(of, make_evaluator(of)))
    moves = replace(empty_checkpoint(of), judges={"knowledge": learned})
    save_checkpoint(tmp_path / "moves.pt", moves)
    (tmp_path / "damaged.pt").write_bytes(b"no checkpoint")
    copy = Game.from_rules(scramble(of.rules, 5).rules, "copy")
    player = make_player(f"auto:{tmp_path},prepare=1")
    player.start(MatchStart(copy, 0, 1))
    assert isinstance(player, AutoPlayer)
    assert f"alphabeta:{tmp_path}/values.pt" in player.report
    # Nothing is learned in seconds where there is a run of training.
    assert "learned from" not in player.report
    assert player.choose(copy.initial_state(), Limit(seconds=0.1)) in range(9)


def test_what_self_play_teaches_is_offered_where_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of, asked = game("tictactoe"), []

    def learn(self: SelfTeaching, until: float) -> None:
        asked.append(until - time.monotonic())
        for _ in range(30):
            self.learn_a_little()

    monkeypatch.setattr(SelfTeaching, "learn", learn)
    facts = choose_player(of, seconds=0.01, seed=1).facts
    offers = Offers(of, seed=1, deadline=time.monotonic() + 600, threads=2)
    found = list(offers.fresh(facts))
    assert found[0].name.startswith("mcts:cilp,refine=300,cutoff=0,tree=values")
    assert found[1].name == "alphabeta:cilp,refine=300"
    assert offers.taught == {found[0].name, found[1].name}
    for offer in found[:2]:
        assert offers.make(offer) is not None
    # Both searches play with the same evaluator.
    assert asked == [pytest.approx(300, abs=1)]
    assert offers.teaching is not None
    assert offers.notes == [str(offers.teaching)]
    assert offers.teaching.games > 0
    hurried = Offers(of, seed=1, deadline=time.monotonic() + 1)
    assert not any("refine" in offer.name for offer in hurried.fresh(facts))
    assert hurried.teaching is None
    unwilling = Offers(of, seed=1, deadline=time.monotonic() + 600, self_play=False)
    assert not any("refine" in offer.name for offer in unwilling.fresh(facts))


def test_a_game_that_is_too_large_to_learn_is_played_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("neurogame.learn.timed_learning.is_too_slow", lambda *_: True)
    of = game("tictactoe")
    facts = choose_player(of, seconds=0.01, seed=1).facts
    offers = Offers(of, seed=1, deadline=time.monotonic() + 600)
    found = list(offers.fresh(facts))
    assert found
    assert not any("refine" in offer.name for offer in found)
    assert offers.teaching is None


def test_it_learns_on_while_others_think_and_changes_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    of = game("tictactoe")
    player = AutoPlayer(PlayerSpec.parse("auto:prepare=0.01"))
    player.start(MatchStart(of, 0, 1))
    choice = choose_player(of, seconds=0.01, seed=1)
    assert choice.school is None
    teaching = SelfTeaching(of, seed=1)
    better = Candidate(name="learned", player=RandomPlayer(), searcher=Searching(of))
    school = School(
        of, teaching, lambda: better, playing=blunderer(of, "bad"), is_learned=True, plies=0, seed=1
    )
    monkeypatch.setattr("neurogame.players.auto.school._LEAST", 0.01)
    player._choice = replace(choice, school=school)
    player.ponder(of.initial_state(), lambda: school.playing is better)
    assert teaching.games > 0
    assert player._playing is better.player
    # The one that has taken over knows its match.
    assert player.choose(of.initial_state(), Limit()) in range(9)
    player.stop()
    assert list(tmp_path.glob("self-taught-*.pt"))


def test_trials_are_kept_and_what_has_lost_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    offering(monkeypatch, "bad")
    of = game("tictactoe")
    rounds = [0.0, 0.25, 0.0, 0.0, 0.5, 0.0]
    TrialMemory(of).keep([Racer(name="bad", rounds=rounds)])
    copy = Game.from_rules(scramble(of.rules, 5).rules, "copy")
    assert TrialMemory(copy).rounds == {"bad": rounds}
    assert TrialMemory(game("connectfour5")).rounds == {}
    found = choose_player(of, seconds=30, seed=1)
    assert found.notes == ("bad: lost the trials of earlier matches",)
    assert found.racers == ()
    (path,) = tmp_path.glob("trials-*.json")
    for damaged in ('{"bad": [0.0', "[1]", '{"bad": ["x"]}'):
        path.write_text(damaged)
        assert TrialMemory(of).rounds == {}


@pytest.mark.usefixtures("unhurried")
def test_rounds_of_earlier_matches_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    offering(monkeypatch, "bad")
    first = choose_player(game("tictactoe"), seconds=100, seed=1)
    (racer,) = first.racers
    known = TrialMemory(game("tictactoe")).rounds
    assert known == {"bad": racer.rounds}
    assert len(racer.rounds) >= 3


def test_what_is_expected_counts_like_two_rounds() -> None:
    plain = Racer(name="plain", rounds=[0.75, 0.75, 0.5])
    hopeful = Racer(name="hopeful", rounds=[0.75, 0.75, 0.5], expected=0.9)
    doubtful = Racer(name="doubtful", rounds=[0.75, 0.75, 0.5], expected=0.1)
    assert hopeful.mean == plain.mean == pytest.approx(2 / 3)
    assert sum(hopeful.bounds(1.0)) / 2 == pytest.approx((0.9 * 2 + 2) / 5)
    assert hopeful.is_ahead(1.28, 3)
    assert not plain.is_ahead(1.28, 3)
    assert not doubtful.is_ahead(0.0, 3)
    # What is expected takes the place of no trial.
    assert not Racer(name="untried", expected=0.9).is_ahead(1.28, 3)


def test_offers_tell_what_is_expected_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def better(self: Offers, facts: GameFacts) -> Iterator[Offer]:
        good = Candidate(name="good", player=RandomPlayer(), searcher=Searching(game("tictactoe")))
        yield Offer(name="good", make=lambda name: good, expected=0.65)

    seen: list[float | None] = []

    def run(self: Race, limit: Limit, deadline: float) -> None:
        seen.extend(racer.expected for racer in self.racers)

    monkeypatch.setattr(Offers, "fresh", better)
    monkeypatch.setattr(Race, "run", run)
    choose_player(game("tictactoe"), seconds=100, seed=1)
    assert seen == [pytest.approx(0.65)]


def test_long_matches_get_fewer_rounds_and_not_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    costs = Probe(plies=60, choices=60, simultaneous=0, overhead=0, simulation=1e-6)
    ample, little, none = (
        TrialPace(costs=costs, deadline=seconds, longest=LONGEST)
        for seconds in (60 * 10 * 0.02, 60 * 6 * 0.0045, 60 * 6 * 0.003)
    )
    assert ample.move_time(1) == pytest.approx(0.02)
    assert little.move_time(1) == pytest.approx(0.004)
    assert little.fits(1)
    assert not little.fits(2)
    assert not none.fits(1)


def test_it_solves_while_its_start_lasts_and_remembers_the_line() -> None:
    game = Game.load("eightpuzzle")
    player = SolvePlayer()
    # It ends as soon as the puzzle is solved.
    settings = MatchSettings(start_clock=600.0, limit=Limit(nodes=1))
    record = play_match(game, [player], settings=settings)
    assert record.goals == (100.0,)
    assert player.report == "a line of 12 moves to 100 is known, the best that there is"
    assert play_match(game, [player], Limit(nodes=1)).moves == record.moves


def test_without_a_start_it_looks_for_a_line_before_each_move() -> None:
    game = Game.load("lightsout")
    record = play_match(game, [make_player("solve,nodes=20000", game)])
    assert record.players == ("solve:nodes=20000",)
    assert record.goals == (100.0,)


def test_auto_takes_it_for_one_role() -> None:
    game = Game.load("eightpuzzle")
    player = make_player("auto:prepare=600")
    assert isinstance(player, AutoPlayer)
    record = play_match(game, [player], Limit(nodes=1))
    assert record.goals == (100.0,)
    assert player.report.startswith("plays solve (one role)")
    assert player.last is not None
    assert player.last.proved


def test_a_game_that_cannot_be_won_ends_all_the_same() -> None:
    game = Game.from_text(
        "(role robot) (init (on 0)) (succ 0 1) (succ 1 2) (legal robot a) (legal robot b)"
        "(<= (next (on ?m)) (true (on ?n)) (succ ?n ?m))"
        "(<= terminal (true (on 2))) (goal robot 0)"
    )
    settings = MatchSettings(start_clock=600.0)
    assert play_match(game, [SolvePlayer()], settings=settings).goals == (0.0,)


def test_several_roles_and_sources_are_refused() -> None:
    with pytest.raises(PlayerError, match="tictactoe has 2 roles; solve is for games of one role"):
        make_player("solve", Game.load("tictactoe"))
    with pytest.raises(PlayerError, match="solve takes no source"):
        make_player("solve:cilp")
    with pytest.raises(PlayerError, match="unknown option 'depth'; allowed are seconds, nodes"):
        make_player("solve:depth=3")


def test_auto_has_trials_in_large_games_of_one_role(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.players.auto.auto_player.LARGE", 10)
    player = make_player("auto:prepare=0.01")
    record = play_match(Game.load("lightsout"), [player], Limit(nodes=200))
    assert record.ending == "terminal"
    assert isinstance(player, AutoPlayer)
    assert player.report.startswith("plays mcts")

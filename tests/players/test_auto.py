"""The automatic choice of a player: what wins trials is taken, and a choice there always is."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from neurogame.errors import GameError, PlayerError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.gdl.scramble import scramble
from neurogame.learn.checkpoints.checkpoint import empty_checkpoint, save_checkpoint
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.learn.self_teaching import SelfTeaching
from neurogame.players.auto.auto_player import AutoPlayer
from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.choice import _trials, choose_player
from neurogame.players.auto.offers import Offers
from neurogame.players.auto.school import School
from neurogame.players.belief import NOTHING_LEARNED, UNTRIED, Belief, learned_belief
from neurogame.players.gate.uses import ALL_MOVES_USE, DECISIVE_USE
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

PLAIN = "mcts:playout=decisive"
"""What plays small games where nothing that was learned is better."""


def candidate(name: str, belief: Belief, *, is_good: bool = False) -> Candidate:
    searcher = Searching(game("tictactoe"), is_good=is_good)
    return Candidate(name=name, player=RandomPlayer(), searcher=searcher, belief=belief)


def offering(monkeypatch: pytest.MonkeyPatch, *candidates: Candidate) -> None:
    """Let nothing have been learned but what stands here."""
    monkeypatch.setattr(Offers, "learn", lambda *_: None)
    monkeypatch.setattr(Offers, "taught", lambda *_: list(candidates))


def costing(monkeypatch: pytest.MonkeyPatch, *, branching: float, simulation: float) -> Probe:
    """Let a match of sixty choices have so many moves at each, and a simulation take so long."""
    costs = Probe(
        plies=60,
        choices=60,
        branching=branching,
        simultaneous=0,
        overhead=0,
        simulation=simulation,
        visit=branching * simulation,
    )
    monkeypatch.setattr("neurogame.players.auto.choice.probe", lambda *_: costs)
    return costs


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no match before this test have taught anything; what was compiled stays."""
    monkeypatch.setattr("neurogame.simulate.game_file.cache_folder", lambda: tmp_path / "cache")


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let trials depend on their outcomes, not on how busy the machine is."""
    run = Race.run

    def eight_rounds(self: Race, limit: Limit, deadline: float, rounds: int) -> None:
        run(self, limit, math.inf, min(rounds, 8))

    monkeypatch.setattr(Race, "run", eight_rounds)
    monkeypatch.setattr("neurogame.players.auto.choice._LONGEST", 0.02)


@pytest.mark.usefixtures("unhurried")
def test_what_loses_in_trials_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, candidate("bad", learned_belief(30)))
    chosen = choose_player(game("tictactoe"), seconds=100, seed=1)
    assert chosen.name == PLAIN
    (racer,) = chosen.racers
    assert racer.rounds
    assert racer.belief.mean < 0.5 < racer.prior.mean
    assert chosen.headline.startswith(f"plays {PLAIN} ({racer}; ")


@pytest.mark.usefixtures("unhurried")
def test_what_wins_trials_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(
        monkeypatch,
        candidate("bad", learned_belief(30)),
        candidate("good", learned_belief(30), is_good=True),
    )
    monkeypatch.setattr(Offers, "plain", lambda *_: candidate("mcts", UNTRIED))
    chosen = choose_player(game("tictactoe"), seconds=100, seed=1)
    assert chosen.name == "good"
    assert len(chosen.racers) == 2
    assert "trials at 20 ms per move" in str(chosen)


def test_without_trials_what_is_expected_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for belief, name in ((learned_belief(30), "learned"), (NOTHING_LEARNED, "mcts")):
        offering(monkeypatch, candidate("learned", belief))
        chosen = choose_player(game("connectfour"), seconds=0.01, seed=1)
        assert chosen.name == name
        assert chosen.move_time == 0
        assert "trials none" in chosen.headline


def test_without_time_the_plain_search_plays() -> None:
    chosen = choose_player(game("connectfour"), seconds=0.01, seed=1)
    assert chosen.name == "mcts"
    assert chosen.racers == ()
    assert chosen.notes == ("nothing learned: too little time for this game",)


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
    # Nothing is learned in seconds where there is a run of training, or here none.
    assert player.learned == 0
    assert "expected 40 ± 25 %" in player.report
    assert player.choose(copy.initial_state(), Limit(seconds=0.1)) in range(9)


@pytest.mark.parametrize(
    ("losses", "belief"),
    [
        ((0.69, 0.6, 0.55), learned_belief(7)),
        # Between what a blind guess has and what is learned where values win.
        ((0.69, 0.67, 0.95 * math.log(2)), learned_belief(7, 0.5)),
        # As a blind guess has it.
        ((0.69, 0.69, 0.685), NOTHING_LEARNED),
        # Games get harder to foresee as play gets better.
        ((0.5, 0.6, 0.6), learned_belief(7)),
        ((math.nan, math.nan, math.nan), NOTHING_LEARNED),
    ],
)
def test_both_searches_have_what_self_play_teaches(
    monkeypatch: pytest.MonkeyPatch, losses: tuple[float, ...], belief: Belief
) -> None:
    asked: list[float] = []

    def learn(self: SelfTeaching, until: float) -> None:
        asked.append(until - 1000)
        for _ in range(10):
            self.learn_a_little()

    left = iter(losses)
    # However long it takes on this machine to begin.
    still = SimpleNamespace(monotonic=lambda: 1000.0)
    monkeypatch.setattr("neurogame.players.auto.offers.time", still)
    monkeypatch.setattr(SelfTeaching, "learn", learn)
    monkeypatch.setattr(SelfTeaching, "take_loss", lambda _: next(left))
    monkeypatch.setattr(SelfTeaching, "seconds", 7.0)
    offers = Offers(game("tictactoe"), seed=1, threads=2)
    assert offers.taught(["alphabeta", "mcts"]) == []
    offers.learn(300)
    assert asked == pytest.approx([30, 210, 300])
    assert offers.teaching is not None
    assert offers.teaching.games > 0
    search, tree = offers.taught(["alphabeta", "mcts"])
    assert tree.name.startswith("mcts:cilp,refine=7,cutoff=0,tree=values")
    assert search.name == "alphabeta:cilp,refine=7"
    assert tree.belief == search.belief
    assert tree.belief.mean == pytest.approx(belief.mean)
    assert tree.belief.spread == pytest.approx(belief.spread)
    assert [one.name for one in offers.taught(["alphabeta"])] == [search.name]


def test_what_earlier_matches_have_learned_counts_without_time_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin, earlier, games = SelfTeaching.__init__, [100, 0, 0], [0, 5, 0]

    def begun(self: SelfTeaching, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        self.earlier = earlier.pop(0)
        monkeypatch.setattr(SelfTeaching, "games", games.pop(0))

    monkeypatch.setattr(SelfTeaching, "__init__", begun)
    monkeypatch.setattr(SelfTeaching, "learn", lambda *_: None)
    monkeypatch.setattr(SelfTeaching, "seconds", 7.0)
    for beliefs in ([learned_belief(7)], [NOTHING_LEARNED], []):
        offers = Offers(game("tictactoe"), seed=1)
        offers.learn(300)
        assert [one.belief for one in offers.taught(["mcts"])] == beliefs


def test_where_nothing_was_learned_in_time_it_is_learned_while_others_think(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SelfTeaching, "learn", lambda *_: None)
    chosen = choose_player(game("tictactoe"), seconds=100, seed=1)
    assert (chosen.name, chosen.racers) == (PLAIN, ())
    school = chosen.school
    assert school is not None
    school.release()
    assert school.playing.player is chosen.player


def test_who_is_not_ready_to_learn_in_time_plays_and_learns_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin, ready = SelfTeaching.__init__, Event()

    def late(self: SelfTeaching, *given: Any, **named: Any) -> None:
        ready.wait()
        begin(self, *given, **named)

    monkeypatch.setattr(SelfTeaching, "__init__", late)
    monkeypatch.setattr("neurogame.players.auto.offers._LEAST", -math.inf)
    monkeypatch.setattr("neurogame.learn.timed_learning.is_too_slow", lambda *_: False)
    player, state = (
        AutoPlayer(PlayerSpec.parse("auto:prepare=0.1")),
        game("tictactoe").initial_state(),
    )
    player.start(MatchStart(game("tictactoe"), 0, 1))
    # The start is over, and what it takes to learn is still under way.
    assert player.choice is not None
    assert player.choice.notes == ("nothing learned yet: it is still got ready, beside the match",)
    assert player.report.endswith("until the match: plays mcts, still gets ready to learn")
    assert player.choose(state, Limit(simulations=10)) in range(9)
    searches = iter((False, False, True))
    player.ponder(state, lambda: next(searches))
    assert player.learned == 0
    ready.set()
    school = player.choice.school
    assert school is not None
    while school._teaching() is None:
        player.ponder(state, lambda: school._teaching() is not None)
    player.ponder(state, lambda: player.learned > 0)
    assert player.learned > 0
    player.stop()


def test_who_must_not_learn_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Offers, "learn", lambda *_: pytest.fail("it learns"))
    assert choose_player(game("tictactoe"), seconds=1, seed=1, self_play=False).name == PLAIN


def test_a_game_that_is_too_large_to_learn_is_played_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("neurogame.learn.timed_learning.is_too_slow", lambda *_: True)
    chosen = choose_player(game("tictactoe"), seconds=3, seed=1)
    assert (chosen.name, chosen.racers) == (PLAIN, ())
    assert "nothing was learned" in chosen.headline


def test_what_cannot_be_learned_is_played_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(self: SelfTeaching, until: float) -> None:
        raise GameError("no legal move")

    monkeypatch.setattr(SelfTeaching, "learn", stuck)
    chosen = choose_player(game("tictactoe"), seconds=12, seed=1)
    assert chosen.name == PLAIN
    assert chosen.notes == ("nothing learned: no legal move",)


@pytest.mark.parametrize(
    ("name", "seconds", "expected"),
    [
        ("connectfour", 10, "mcts:playout=decisive"),
        # Compiling it would take too long.
        ("connectfour", 1, "mcts"),
        # Telling which moves lose takes too many gates.
        ("dotsandboxes", 30, "mcts"),
        # Several roles choose at the same time.
        ("rockpaperscissors", 10, "mcts"),
    ],
)
def test_playouts_of_plain_search_decide_where_that_can_be_had(
    monkeypatch: pytest.MonkeyPatch, name: str, seconds: float, expected: str
) -> None:
    # The search is not made.
    monkeypatch.setattr(Offers, "_mcts", lambda _, name, belief, use: candidate(name, belief))
    offers = Offers(game(name), seed=1)
    assert offers.plain(offers.affordable(seconds, DECISIVE_USE)).name == expected
    # What has learned has more to beat then.
    assert offers._expected(30).mean == pytest.approx(0.78 if expected == "mcts" else 0.63)


def test_plain_search_is_another_where_moves_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch)
    monkeypatch.setattr(Offers, "_mcts", lambda _, name, belief, use: candidate(name, belief))
    # There are 64 first moves.
    for move_time, simulation, name in (
        *((1, 1.5e-5, PLAIN), (2, 1.6e-5, PLAIN)),
        *((1, 1.6e-5, f"mcts:{ALL_MOVES_USE}"), (None, 1.6e-5, f"mcts:{ALL_MOVES_USE}")),
    ):
        costing(monkeypatch, branching=5, simulation=simulation)
        assert choose_player(game("qubic"), seconds=20, seed=1, move_time=move_time).name == name
    # Compiling it would take too long, and there are nine.
    assert choose_player(game("qubic"), seconds=0.02, seed=1).name == "mcts"
    for branching, simulation, name in ((38, 1e-2, PLAIN), (48, 1e-6, "mcts")):
        costing(monkeypatch, branching=branching, simulation=simulation)
        assert choose_player(game("tictactoe"), seconds=20, seed=1).name == name


def test_it_learns_on_while_others_think_and_changes_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    of = game("tictactoe")
    player = AutoPlayer(PlayerSpec.parse("auto:prepare=0.01"))
    player.start(MatchStart(of, 0, 1))
    choice = choose_player(of, seconds=0.01, seed=1)
    assert choice.school is None
    teaching = SelfTeaching(of, seed=1)
    better = candidate("learned", UNTRIED)
    school = School(
        of,
        lambda: teaching,
        lambda: better,
        playing=candidate("bad", UNTRIED),
        learned=None,
        making=0.0,
        plies=0,
        move_time=1.0,
        seed=1,
    )
    monkeypatch.setattr("neurogame.players.auto.school._LEAST", 0.01)
    player.choice = replace(choice, school=school)
    player.ponder(of.initial_state(), lambda: school.playing is better)
    assert teaching.games > 0
    assert player._playing is better.player
    # The one that has taken over knows its match.
    assert player.choose(of.initial_state(), Limit()) in range(9)
    player.stop()
    assert list((tmp_path / "cache").glob("self-taught-*.pt"))


def test_the_start_ends_with_the_newest_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(School, "spend", lambda self, stop: self._teaching().learn_a_little())
    monkeypatch.setattr(School, "_trials", lambda *_: iter(()))
    monkeypatch.setattr("neurogame.players.auto.choice._trials", won)
    player = AutoPlayer(PlayerSpec.parse("auto:prepare=4"))
    player.start(MatchStart(game("tictactoe"), 0, 1))
    first, *_, last = player.report.splitlines()
    assert first.startswith("plays alphabeta:cilp,refine=")
    assert last.startswith("until the match: plays alphabeta:cilp,refine=")
    assert player.learned > 0
    assert player.choose(game("tictactoe").initial_state(), Limit(seconds=0.05)) in range(9)


def won(
    game: Game, plain: Candidate, candidates: list[Candidate], *_: Any, **__: Any
) -> tuple[list[Racer], float]:
    """Return that every trial was won."""
    racers = [Racer(name=one.name, prior=one.belief, rounds=[1.0] * 5) for one in candidates]
    return racers, 0.02


def test_trials_need_time_for_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    of, held = game("tictactoe"), []
    candidates = [candidate(name, learned_belief(30)) for name in "ab"]
    plain = candidate("mcts", UNTRIED)
    # Where the least time per move is long, plain search is not tried with less.
    for matches, least in ((12, 0.004), (7, 0.004), (3, 0.004), (1, 0.004), (12, 0.1)):
        costs = costing(monkeypatch, branching=9, simulation=1e-6)
        until = time.monotonic() + matches * 60 * 0.0041
        racers, seconds = _trials(
            of, plain, candidates, costs, until=until, least=least, seed=1, move_time=1.0
        )
        assert [racer.name for racer in racers] == ["a", "b"]
        # One that has not won leaves the next round to the other.
        assert bool(racers[0].rounds) == bool(racers[1].rounds) == (seconds > 0)
        held.append(seconds > 0)
    assert held == [True, True, True, False, False]


@pytest.mark.usefixtures("unhurried")
def test_where_moves_are_many_there_is_time_for_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = []
    for simulation in (1e-6, 6e-5, 1e-2):
        offering(monkeypatch, candidate("bad", learned_belief(30)))
        costing(monkeypatch, branching=9, simulation=simulation)
        chosen = choose_player(game("tictactoe"), seconds=20, seed=1, move_time=0.5)
        shares.append((chosen.name, chosen.move_time > 0))
    assert shares == [(PLAIN, True), (PLAIN, True), ("bad", False)]


def test_it_solves_while_its_start_lasts() -> None:
    game = Game.load("eightpuzzle")
    player = SolvePlayer()
    # It ends as soon as the puzzle is solved.
    settings = MatchSettings(start_clock=600.0, limit=Limit(nodes=1))
    record = play_match(game, [player], settings=settings)
    assert record.goals == (100.0,)
    assert player.report == "a line of 12 moves to 100 is known, the best that there is"


def test_without_a_start_it_looks_for_a_line_before_each_move() -> None:
    game = Game.load("lightsout")
    record = play_match(game, [make_player("solve,nodes=20000", game)])
    assert record.players == ("solve:nodes=20000",)
    assert record.goals == (100.0,)


def test_each_match_is_solved_anew() -> None:
    game, player = Game.load("lightsout"), make_player("solve,nodes=100")
    second = [play_match(game, [player], seed=seed) for seed in (0, 3)][1]
    assert second.moves == play_match(game, [make_player("solve,nodes=100")], seed=3).moves


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

"""What happens where a rulesheet leaves a gap: the policies, each on a tiny game, everywhere."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import GameError, NeurogameWarning
from neurogame.gdl.check import check_rules
from neurogame.gdl.parse import parse_rules
from neurogame.kernels.backends import available_backends
from neurogame.kernels.playout import GivenLanes
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import Player
from neurogame.players.random_player import RandomPlayer
from neurogame.simulate import play_out as module
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import Ending, GameResults, play_out
from neurogame.simulate.playouts import playouts
from neurogame.simulate.samples import sample_states
from tests.reference.interpreter import ReferenceGame

# After 'go' role b has no move; after 'wait' the game ends properly. Goals differ by state.
STUCK = """
(role a) (role b) (init start)
(<= (legal a go) (true start)) (<= (legal a wait) (true start)) (<= (legal b noop) (true start))
(<= (legal a on) (true lost))
(<= (next lost) (does a go)) (<= (next won) (does a wait))
(<= terminal (true won))
(<= (goal ?r 100) (role ?r) (true won))
(<= (goal ?r 30) (role ?r) (true lost))
"""
# Role b never has any move at all, from the first state on.
MOVELESS = """
(role a) (role b) (init start) (legal a go) (<= (next won) (does a go))
(<= terminal (true won)) (goal a 40) (goal b 60)
"""
ENDLESS = "(role r) (legal r go) (init (n 0)) (<= (next ?x) (true ?x)) (<= terminal (true never))"


def game(text: str) -> Game:
    return Game.from_text(text, cache=False)


def codes(text: str) -> list[str]:
    return [finding.code for finding in check_rules(parse_rules(text))]


def players(count: int) -> list[Player]:
    return [RandomPlayer() for _ in range(count)]


def reference(text: str) -> ReferenceGame:
    return ReferenceGame(parse_rules(text))


def test_a_stuck_state_has_no_successor_for_simulator_state_and_reference() -> None:
    stuck = game(STUCK)
    lost = stuck.initial_state().next(["go", "noop"])
    assert lost.fluent_texts == ("lost",)
    assert not lost.is_terminal
    assert lost.legal_moves == ((stuck.move_index("a", "on"),), ())
    assert lost.goals == (30.0, 30.0)
    message = r"role b has no legal move .* not terminal"
    with pytest.raises(GameError, match=message):
        lost.next(["on", "noop"])
    batch = torch.tensor([[stuck.move_index("a", "on"), 0]])
    with pytest.raises(GameError, match=message):
        stuck.simulator().step(lost.batch, batch)
    assert len(stuck.simulator().children(lost.batch).parent) == 0
    slow = reference(STUCK)
    state = slow.next(slow.initial(), [slow.term("go"), slow.term("noop")])
    assert slow.legal(state, 1) == frozenset()
    assert slow.goals(state, 1) == [30]
    with pytest.raises(GameError, match=message):
        slow.next(state, [slow.term("on"), slow.term("noop")])


def test_playouts_stop_where_they_are_stuck_with_one_warning() -> None:
    simulator = game(STUCK).simulator()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = playouts(simulator, 200, seed=1, lengths=True)
    assert [str(w.message) for w in said if issubclass(w.category, NeurogameWarning)] == [
        "some role has no legal move in a state that is not terminal; the game stops there with "
        "the goals of that state (said once)"
    ]
    assert result.lengths == (0, 200)
    assert result.cut == 0
    assert 0 < result.stuck < 200
    for goals in result.goals:
        assert goals == {30: result.stuck, 100: 200 - result.stuck}


def test_streams_restart_stuck_games_and_samples_leave_them_out() -> None:
    simulator = game(STUCK).simulator()
    with pytest.warns(NeurogameWarning, match="role has no legal move"):
        result = playouts(simulator, None, lanes=10, steps=20, seed=1)
    assert result.games == 100
    assert 0 < result.stuck < 100
    with pytest.warns(NeurogameWarning, match="role has no legal move"):
        states = sample_states(simulator, 20, seed=1)
    assert bool((states.to_bool() == simulator.initial(20).to_bool()).all())


def test_a_match_that_is_stuck_ends_with_the_goals_reached() -> None:
    endings = {}
    for seed in range(8):
        record = play_match(game(STUCK), players(2), seed=seed)
        endings[record.ending] = record.goals
    assert endings == {"stuck": (30.0, 30.0), "terminal": (100.0, 100.0)}


def test_a_role_without_any_move_is_stuck_at_once() -> None:
    moveless = game(MOVELESS)
    assert moveless.moves == (("go",), ())
    state = moveless.initial_state()
    for joint in ([0, 0], [0, -1]):
        with pytest.raises(GameError, match="role b has no legal move"):
            state.next(joint)
        with pytest.raises(GameError, match="role b has no legal move"):
            moveless.simulator().step(state.batch, torch.tensor([joint]))
    with pytest.warns(NeurogameWarning, match="role has no legal move"):
        result = playouts(moveless.simulator(), 70, seed=0, lengths=True)
    assert (result.stuck, result.lengths, result.goals) == (70, (70,), ({40: 70}, {60: 70}))
    with pytest.warns(NeurogameWarning, match="role has no legal move"):
        assert playouts(moveless.simulator(), None, lanes=3, steps=5, seed=0).stuck == 15
    with (
        pytest.warns(NeurogameWarning, match="role has no legal move"),
        pytest.raises(GameError, match="a role has no move in it"),
    ):
        sample_states(moveless.simulator(), 5, seed=0)
    assert play_match(moveless, players(2)).ending == "stuck"


def test_a_role_whose_moves_are_not_derivable_does_not_disturb_the_others() -> None:
    """A terminal state may be stepped with any move, of a role without moves too."""
    ended = game(MOVELESS + "terminal")
    after = ended.simulator().step(ended.initial_state().batch, torch.tensor([[0, 0]]))
    assert after.to_bool().tolist() == ended.initial_state().batch.to_bool().tolist()


def test_the_command_reports_stuck_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stuck.kif"
    path.write_text(STUCK, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("always", NeurogameWarning)
        assert main(["simulate", str(path), "--games", "100"]) == 0
    shown = capsys.readouterr()
    assert "games stopped where a role had no legal move" in shown.out
    (line,) = shown.err.splitlines()
    assert line.startswith("warning: ")
    assert "no legal move" in line


@pytest.mark.parametrize(
    ("rules", "goal", "words"),
    [
        ("(<= (goal r 50) (true never))", 0.0, "no goal"),
        ("(goal r 20) (goal r 80)", 0.8, "2 goals"),
        ("(goal r 20)", 0.2, None),
    ],
)
def test_no_goal_is_0_and_of_several_the_highest_counts_with_one_warning(
    rules: str, goal: float, words: str | None
) -> None:
    over = game(f"(role r) (legal r go) (init p) terminal {rules}")
    simulator = over.simulator()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            look = simulator.look(simulator.initial(3))
            assert torch.allclose(look.goals, torch.full((3, 1), goal))
    assert len(said) == (words is not None)
    assert words is None or words in str(said[0].message)


def test_goals_of_states_that_are_not_terminal_give_no_warning() -> None:
    simulator = game("(role r) (legal r go) (init p) (<= terminal q) (goal r 1) (goal r 2)")
    values = simulator.simulator().look(simulator.simulator().initial(1)).goals
    assert torch.allclose(values, torch.tensor([[0.02]]))
    assert simulator.initial_state().goals == (2.0,)


def test_an_empty_state_is_a_state() -> None:
    text = "(role r) (legal r go) (<= (next done) (true never)) (<= terminal (not (true x)))"
    empty = game(text + "(goal r 7) (<= (next x) (true x))")
    assert empty.fluents == ()
    assert empty.initial_state().is_terminal
    assert empty.initial_state().fluent_texts == ()
    assert playouts(empty.simulator(), 70, seed=0).goals == ({7: 70},)


def test_a_state_may_become_empty_and_fill_again() -> None:
    text = """(role r) (legal r go) (init p) (<= (next p) (not (true p)))
    (<= terminal (true never)) (goal r 0)"""
    state = game(text).initial_state()
    states = [state, state.next(["go"]), state.next(["go"]).next(["go"])]
    assert [s.fluent_texts for s in states] == [("p",), (), ("p",)]


def test_a_game_without_fluents_goes_on_to_the_step_limit() -> None:
    text = "(role r) (legal r go) (<= terminal (true p)) (goal r 9)"
    none = game(text)
    assert none.fluents == ()
    result = playouts(none.simulator(), 100, seed=0, max_plies=4, lengths=True)
    assert (result.cut, result.lengths, result.goals) == (100, (0, 0, 0, 0, 100), ({9: 100},))
    assert none.initial_state().next(["go"]) == none.initial_state()
    assert len(none.simulator().children(none.initial_state().batch).states) == 1


def test_an_initial_state_that_is_terminal_is_played_in_no_plies() -> None:
    over = game("(role r) (legal r go) (init p) (<= terminal (true p)) (goal r 3)")
    state = over.initial_state()
    assert state.legal_moves == ((),)
    assert state.next([0]) == state
    assert playouts(over.simulator(), 5, seed=0, lengths=True).lengths == (5,)
    record = play_match(over, players(1))
    assert (record.ending, record.length, record.goals) == ("terminal", 0, (3.0,))
    with pytest.raises(GameError, match="initial state is terminal"):
        sample_states(over.simulator(), 5, seed=0)


def test_the_step_limit_stops_with_the_goals_of_the_state_reached() -> None:
    text = ENDLESS + "(<= (goal r 42) (true (n 0)))"
    result = playouts(game(text).simulator(), 64, seed=0, max_plies=7)
    assert (result.cut, result.stuck, result.goals) == (64, 0, ({42: 64},))
    record = play_match(game(text), players(1), settings=MatchSettings(max_plies=7))
    assert (record.ending, record.length, record.goals) == ("step limit", 7, (42.0,))


COUNTER = """
(role r) (init (step 0)) (succ 0 1) (succ 1 2)
(legal r go) (<= (legal r jump) (true (step 1)))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= terminal (true (step 2))) (goal r 100)
"""


@pytest.mark.parametrize(
    "declared",
    [
        "",
        "(base (step 0)) (base (step 1)) (base (step 2)) (input r go) (input r jump)",
        "(base (step 0)) (input r go)",
        "(base (step 9)) (base other) (input r fly) (input q go)",
    ],
)
def test_base_and_input_decide_nothing(declared: str) -> None:
    """Fluents and moves are what can be reached: fewer or more may be declared."""
    plain = game(COUNTER + declared)
    assert plain.fluents == ("(step 0)", "(step 1)", "(step 2)")
    assert plain.moves == (("go", "jump"),)
    assert playouts(plain.simulator(), 10, seed=0, lengths=True).lengths == (0, 0, 10)


def test_constants_that_differ_in_case_are_one_and_keep_their_first_spelling() -> None:
    text = COUNTER.replace("(init (step 0))", "(init (Step 0))").replace("jump", "JUMP")
    folded = game(text)
    assert folded.fluents[0] == "(Step 0)"
    assert folded.moves == (("JUMP", "go"),)
    assert folded.initial_state().next(["GO"]).fluent_texts == ("(Step 1)",)
    assert codes(text) == ["name-case"]


def test_a_repeated_role_fact_is_one_role_with_a_warning() -> None:
    text = COUNTER + "(role r) (role R)"
    assert game(text).roles == ("r",)
    assert reference(text).roles == ("r",)
    assert codes(text) == ["repeated-role", "repeated-role", "name-case"]


def test_a_name_in_parentheses_is_another_name() -> None:
    head, body = "(<= {} (role r))", "(<= (next seen) {})"
    pairs = [("open", "open"), ("(open)", "open"), ("(open)", "(open)")]
    for defined, asked in pairs:
        text = COUNTER + head.format(defined) + body.format(asked)
        same = defined == asked
        assert len(game(text).fluents) == 3 + same
        slow = reference(text)
        assert len(slow.next(slow.initial(), [slow.term("go")])) == 1 + same
        assert ("empty-parentheses" in codes(text)) == ("(" in defined)


def equal(one: GameResults, other: GameResults) -> bool:
    return (
        torch.equal(one.goals, other.goals)
        and torch.equal(one.lengths, other.lengths)
        and torch.equal(one.endings, other.endings)
    )


@pytest.mark.parametrize("name", ["connectfour", "rockpaperscissors", "tictactoe3p"])
def test_games_from_the_initial_state_are_those_of_playouts(name: str) -> None:
    simulator = Game.load(name).simulator()
    results = play_out(simulator, 256, seed=3)
    statistics = playouts(simulator, 256, seed=3, lengths=True)
    assert torch.bincount(results.lengths).tolist() == list(statistics.lengths or ())
    torch.testing.assert_close(100 * results.goals.mean(dim=0), torch.tensor(statistics.mean_goals))
    assert results.endings.tolist() == [Ending.TERMINAL] * 256
    assert results.goals.dtype == torch.float32
    assert results.lengths.dtype == torch.int32
    again = play_out(simulator, simulator.initial(256), seed=3)
    assert equal(again, results)


@pytest.mark.parametrize("name", ["connectfour", "bidding_tictactoe"])
def test_neither_number_nor_blocks_nor_threads_nor_backend_change_a_game(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator = Game.load(name).simulator()
    states = sample_states(simulator, 200, seed=1)
    whole = play_out(simulator, states, seed=2, backend="torch")
    few = play_out(simulator, states.select(torch.arange(70)), seed=2)
    assert equal(few, GameResults(whole.goals[:70], whole.lengths[:70], whole.endings[:70]))
    for backend in available_backends():
        assert equal(play_out(simulator, states, 2, backend=backend, threads=2), whole)
    monkeypatch.setattr(module, "BLOCK_WORDS", 2)
    assert equal(play_out(simulator, states, seed=2), whole)
    assert not equal(play_out(simulator, states, seed=3), whole)


def test_a_state_one_ply_from_its_end_is_decided() -> None:
    """The last cell of a board: the result is that of the only move."""
    tictactoe = Game.load("tictactoe")
    simulator = tictactoe.simulator()
    states = sample_states(simulator, 3000, seed=5)
    legal, _ = simulator.status(states)
    last = (legal.sum(dim=1) == 2).nonzero().view(-1)
    assert len(last) > 50
    chosen = states.select(last)
    found = simulator.expand(chosen)
    assert found.parent.tolist() == list(range(len(last)))
    results = play_out(simulator, chosen, seed=1)
    torch.testing.assert_close(results.goals, found.look.goals)
    assert results.lengths.tolist() == [1] * len(last)


def test_states_that_are_over_stay_so() -> None:
    simulator = Game.load("tictactoe").simulator()
    end = simulator.playout_kernel().finish(
        GivenLanes(simulator.initial(64).words, torch.arange(1), 1)
    )
    over = type(simulator.initial(64))(end.words, 64)
    results = play_out(simulator, over, seed=9, max_plies=1)
    torch.testing.assert_close(results.goals, simulator.look(over).goals)
    assert not bool(results.lengths.any())
    assert results.endings.tolist() == [Ending.TERMINAL] * 64


def test_the_limit_counts_from_the_state_given() -> None:
    simulator = Game.load("connectfour").simulator()
    states = sample_states(simulator, 100, seed=1, max_plies=10)
    results = play_out(simulator, states, seed=1, max_plies=2)
    cut = results.endings == int(Ending.CUT)
    assert results.lengths[cut].tolist() == [2] * int(cut.sum())
    assert 50 < int(cut.sum()) <= 100
    assert int(results.lengths.max()) == 2


def test_stuck_games_say_so() -> None:
    simulator = Game.from_text(STUCK, cache=False).simulator()
    with pytest.warns(NeurogameWarning, match="some role has no legal move"):
        results = play_out(simulator, 200, seed=1)
    stuck = results.endings == int(Ending.STUCK)
    assert 0 < int(stuck.sum()) < 200
    torch.testing.assert_close(results.goals[stuck], torch.full((int(stuck.sum()), 2), 0.3))
    assert bool((results.goals[~stuck] == 1).all())
    assert len(results) == 200


@pytest.mark.parametrize("wrong", [{"states": 0}, {"max_plies": 0}, {"threads": 0}])
def test_bad_arguments_are_refused(wrong: dict[str, Any]) -> None:
    simulator = Game.load("tictactoe").simulator()
    with pytest.raises(GameError, match=f"{next(iter(wrong))} of playouts must be at least 1"):
        play_out(simulator, **{"states": 5, "seed": 1, **wrong})
    with pytest.raises(GameError, match="states of another game"):
        play_out(simulator, Game.load("connectfour").simulator().initial(3), 1)

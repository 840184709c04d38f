"""Random playouts: reproducible, unbiased, and what users get of them."""

from __future__ import annotations

import dataclasses
import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, GameError, LimitError, NeurogameWarning
from neurogame.kernels.backends import available_backends
from neurogame.kernels.codegen import playouts as compiled
from neurogame.kernels.playout import GivenLanes, PlayoutRun
from neurogame.simulate import play_out as play_out_module
from neurogame.simulate import samples as module
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.playouts import MoveStatistics, PlayoutStatistics, playouts
from neurogame.simulate.samples import sample_games, sample_states
from tests.library import load as game


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "tictactoe3p", "eightpuzzle"])
def test_backends_and_threads_play_the_same_games(name: str) -> None:
    simulator = game(name).simulator()
    expected = playouts(simulator, 300, seed=5, lanes=130, moves=True, backend="torch")
    for backend in available_backends():
        for threads in (1, 3):
            found = playouts(
                simulator, 300, seed=5, lanes=130, moves=True, threads=threads, backend=backend
            )
            assert found == expected
    assert playouts(simulator, 300, seed=6, lanes=130, moves=True) != expected


def test_a_larger_number_continues_the_same_games() -> None:
    simulator = game("connectfour").simulator()
    small, large = (playouts(simulator, n, seed=1, lengths=True).lengths for n in (100, 200))
    assert small is not None
    assert large is not None
    assert all(a <= b for a, b in zip(small, large, strict=False))


def test_every_game_that_is_begun_is_counted() -> None:
    """Fewer lanes play the games one after another: other games, of the same distribution."""
    simulator = game("tictactoe").simulator()
    for lanes in (20, 64, 1000, None):
        result = playouts(simulator, 300, seed=1, lanes=lanes, lengths=True)
        assert result.games == sum(result.lengths or ()) == 300
        assert [sum(own.values()) for own in result.goals] == [300, 300]


def test_tic_tac_toe_statistics_are_the_exact_ones() -> None:
    """Exact values of uniformly random play: 737/1260, 121/420 and 8/63 (x, o, draw)."""
    games = 60_000
    result = playouts(game("tictactoe").simulator(), games, seed=2, lengths=True)
    wins = [result.goals[0].get(v, 0) for v in (100, 0, 50)]
    for found, share in zip(wins, (737 / 1260, 121 / 420, 8 / 63), strict=True):
        assert abs(found - games * share) < 4.5 * math.sqrt(games * share * (1 - share))
    assert result.lengths is not None
    assert sum(result.lengths) == games
    assert result.plies == sum(n * count for n, count in enumerate(result.lengths))
    assert result.mean_length == result.plies / games
    assert result.cut == 0
    assert math.isclose(sum(result.mean_goals), 100)


def test_move_statistics_of_a_game_that_can_be_enumerated() -> None:
    """Rules that pay for the move itself: the mean goal of each move is known."""
    text = """(role a) (role b) (init start) (legal a (take 10)) (legal a (take 90)) (legal a rest)
    (legal b wait) (<= (legal b fly) (true (got 1))) (<= (next (got ?n)) (does a (take ?n)))
    (<= terminal (not (true start))) (<= (goal a ?n) (true (got ?n))) (goal b 100)"""
    small = Game.from_text(text, cache=False)
    with pytest.warns(NeurogameWarning, match="role a has no goal"):
        result = playouts(small.simulator(), 900, seed=1, moves=True)
    assert result.moves is not None
    by_name = dict(zip((m for own in small.moves for m in own), range(5), strict=False))
    games, means = result.moves.games.tolist(), result.moves.mean_goals
    assert sum(games[by_name[m]] for m in small.moves[0]) == 900
    assert games[by_name["wait"]] == 900
    assert [means[by_name[m]].tolist() for m in small.moves[0]] == [[10, 100], [90, 100], [0, 100]]
    assert math.isclose(means[by_name["wait"], 0], result.mean_goals[0])


def test_move_statistics_are_compared_by_their_numbers() -> None:
    one = MoveStatistics(np.array([1, 0]), np.array([[50.0], [math.nan]]))
    same = MoveStatistics(np.array([1, 0]), np.array([[50.0], [math.nan]]))
    other = MoveStatistics(np.array([1, 0]), np.array([[51.0], [math.nan]]))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other


def test_a_game_that_is_never_drawn_twice_counts_each_move_once() -> None:
    """In ticTacToe a cell is marked once: the marks of all games are the plies of all games."""
    tictactoe = game("tictactoe")
    result = playouts(tictactoe.simulator(), 1000, seed=1, moves=True)
    assert result.moves is not None
    marks = 0
    for own, (begin, end) in zip(tictactoe.moves, pairwise(tictactoe.move_offsets), strict=True):
        games = result.moves.games[begin:end].tolist()
        marks += sum(n for move, n in zip(own, games, strict=True) if move != "noop")
    assert marks == result.plies


def test_the_step_limit_stops_games() -> None:
    simulator = game("connectfour").simulator()
    result = playouts(simulator, 100, seed=3, max_plies=5, lengths=True)
    assert result.cut == 100
    assert result.lengths == (0, 0, 0, 0, 0, 100)
    exact = playouts(simulator, 100, seed=3, lengths=True)
    assert exact.lengths is not None
    longest = len(exact.lengths) - 1
    assert playouts(simulator, 100, seed=3, max_plies=longest, lengths=True) == exact


def test_streaming_restarts_and_limits_games() -> None:
    simulator = game("tictactoe").simulator()
    result = playouts(simulator, None, lanes=100, steps=200, seed=4, lengths=True)
    assert result.plies + result.games == 100 * 200, "a restart takes one step"
    assert result.lengths is not None
    assert {n for n, c in enumerate(result.lengths) if c} <= {5, 6, 7, 8, 9}
    assert sum(result.lengths) == result.games
    limited = playouts(simulator, None, lanes=10, steps=40, seed=4, max_plies=3, lengths=True)
    assert limited.cut == limited.games == 100
    assert limited.lengths == (0, 0, 0, 100)


def test_lengths_are_counted_on_request_only() -> None:
    simulator = game("tictactoe").simulator()
    counted = playouts(simulator, 200, seed=4, lengths=True)
    without = playouts(simulator, 200, seed=4)
    assert without.lengths is None
    assert dataclasses.replace(counted, lengths=None) == without
    assert counted.mean_length == without.mean_length


def test_the_mean_length_of_a_stream_has_the_unfinished_games_unless_lengths_are_counted() -> None:
    simulator = game("tictactoe").simulator()
    counted = playouts(simulator, None, lanes=100, steps=30, seed=4, lengths=True)
    without = playouts(simulator, None, lanes=100, steps=30, seed=4)
    assert without.lengths is None
    assert without.plies == counted.plies
    assert without.mean_length == counted.plies / counted.games > counted.mean_length


@pytest.mark.parametrize(
    ("rule", "words", "goals"),
    [
        ("(goal r 30) (<= (goal r 70) (true (n 1)))", "several goals", {70: 10}),
        ("(<= (goal r 30) (true (n 0)))", "no goal", {0: 10}),
    ],
)
def test_missing_and_several_goals_are_counted_by_policy(
    rule: str, words: str, goals: dict[int, int]
) -> None:
    text = "(role r) (init (n 0)) (legal r go) (<= (next (n 1)) (does r go))"
    simulator = Game.from_text(f"{text} (<= terminal (true (n 1))) {rule}").simulator()
    with pytest.warns(NeurogameWarning, match=words):
        assert playouts(simulator, 10, seed=0).goals == (goals,)


@pytest.mark.parametrize(
    "arguments", [{"games": 0}, {"lanes": 0}, {"max_plies": 0}, {"threads": 0}]
)
def test_bad_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(GameError, match="at least 1"):
        playouts(game("tictactoe").simulator(), seed=0, **{"games": 1, **arguments})
    with pytest.raises(ConfigurationError, match="'fast' does not exist"):
        playouts(game("tictactoe").simulator(), 1, seed=0, backend="fast")


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "tictactoe", "--games", "500", "--seed", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    result: PlayoutStatistics = playouts(game("tictactoe").simulator(), 500, seed=3)
    assert found["mean_length"] == result.mean_length
    assert tuple(found["mean_goals"].values()) == result.mean_goals
    assert found["games"] == 500
    assert found["backend"] == game("tictactoe").simulator().playout_kernel().name
    assert "lengths" not in found
    assert main(["simulate", "tictactoe", "--steps", "30", "--lanes", "100"]) == 0
    assert "plies\n" in capsys.readouterr().out.split("mean length")[1]


def test_command_line_counts_lengths(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["simulate", "tictactoe", "--games", "500", "--seed", "3", "--lengths"]
    result = playouts(game("tictactoe").simulator(), 500, seed=3, lengths=True)
    assert result.lengths is not None
    lengths = [n for n, games in enumerate(result.lengths) for _ in range(games)]
    assert main(line) == 0
    assert (
        f"mean length {np.mean(lengths):.2f} plies, from {lengths[0]} to {lengths[-1]}, "
        f"half of the games at most {lengths[249]}\n"
    ) in capsys.readouterr().out
    assert main([*line, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["lengths"]
    assert found == {str(n): lengths.count(n) for n in set(lengths)}
    line = ["simulate", "tictactoe", "--lengths", "--max-plies", "1", "--steps", "1"]
    assert main(line) == 0
    assert "no game ended" in capsys.readouterr().out


def test_command_line_on_a_backend_with_threads_and_moves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ["simulate", "tictactoe", "--games", "2000", "--backend", "torch", "--threads", "2"]
    assert main([*line, "--moves", "2"]) == 0
    out = capsys.readouterr().out
    assert "backend torch on cpu" in out
    best = out.split("moves of xplayer")[1].split("moves of oplayer")[0].splitlines()[1:-1]
    assert len(best) == 2
    assert best[0].endswith("(mark 2 2)"), "the centre is best"
    assert main([*line, "--moves", "1", "--json"]) == 0
    moves = json.loads(capsys.readouterr().out)["moves"]
    assert len(moves) == 20
    assert {row["role"] for row in moves} == {"xplayer", "oplayer"}
    centre = next(row for row in moves if row["move"] == "(mark 2 2)")
    assert 70 < centre["mean_goals"]["xplayer"] < 85
    assert main(["simulate", "tictactoe", "--backend", "fast"]) == 1
    assert "must be one of" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["connectfour", "rockpaperscissors", "tictactoe3p"])
def test_a_sample_is_that_ply_of_that_game(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay every game alone from the start, and compare state, outcome and length."""
    simulator = Game.load(name).simulator()
    for owner in (module, play_out_module):
        monkeypatch.setattr(owner, "BLOCK_WORDS", 2)
    found = sample_games(simulator, 400, seed=6, games=300)
    results = play_out(simulator, 300, seed=6)
    assert torch.equal(found.results.lengths, results.lengths)
    assert torch.equal(found.outcomes, results.goals[found.games])
    assert torch.equal(found.lengths, results.lengths[found.games])
    assert bool((found.plies < found.lengths).all())
    assert len(found.states) == 400
    flags = found.states.to_bool()
    kernel = simulator.playout_kernel("torch")
    initial = simulator.initial(64 * 5).words
    for ply in sorted(set(found.plies.tolist())):
        words = kernel.finish(GivenLanes(initial, torch.arange(5), 6, steps=ply)).words
        then = type(found.states)(words, 320).to_bool()
        own = (found.plies == ply).nonzero().view(-1)
        assert torch.equal(flags[own], then[found.games[own]])


def test_backends_and_threads_draw_the_same_states() -> None:
    simulator = Game.load("connectfour").simulator()
    expected = sample_games(simulator, 300, seed=2, backend="torch")
    for backend in available_backends():
        found = sample_games(simulator, 300, seed=2, backend=backend, threads=2)
        assert torch.equal(found.states.words, expected.states.words)
        assert torch.equal(found.outcomes, expected.outcomes)
        assert torch.equal(found.plies, expected.plies)
    assert not torch.equal(sample_games(simulator, 300, seed=3).plies, expected.plies)


def test_all_states_of_all_games_are_equally_likely() -> None:
    """The share of each ply is the share of games that are longer."""
    simulator = Game.load("tictactoe").simulator()
    count = 40_000
    found = sample_games(simulator, count, seed=1, games=4096)
    lengths = found.results.lengths
    seen = torch.bincount(found.plies, minlength=9)
    for ply in range(9):
        share = float((lengths > ply).sum()) / float(lengths.sum())
        assert abs(int(seen[ply]) - count * share) < 5.5 * math.sqrt(count * share)
    assert int((found.plies.diff() >= 0).sum()) < 0.7 * count, "in random order"


def test_sampled_states_are_reachable_and_not_over() -> None:
    connect = Game.load("connectfour")
    simulator = connect.simulator()
    states = sample_states(simulator, 500, seed=1)
    assert len(states) == 500
    assert not bool(simulator.look(states).terminal.any())
    assert torch.equal(states.words, sample_states(simulator, 500, seed=1).words)
    discs = [i for i, f in enumerate(connect.fluents) if f.startswith("(cell") and " b)" not in f]
    stones = states.to_bool()[:, discs].sum(dim=1)
    assert int(stones.min()) == 0
    assert int(stones.max()) > 15


def test_no_state_lies_beyond_the_limit() -> None:
    simulator = Game.load("connectfour").simulator()
    found = sample_games(simulator, 300, seed=1, max_plies=4)
    assert set(found.plies.tolist()) == {0, 1, 2, 3}
    assert set(found.lengths.tolist()) == {4}


def test_a_negative_seed_and_one_state_of_one_game() -> None:
    simulator = Game.load("tictactoe").simulator()
    found = sample_games(simulator, 1, seed=-5, games=1)
    assert len(found.states) == len(found.games) == len(found.results) == 1
    assert found.outcomes.shape == (1, 2)


@pytest.mark.parametrize("wrong", [{"count": 0}, {"games": 0}, {"max_plies": 0}])
def test_bad_arguments_of_samples_are_refused(wrong: dict[str, Any]) -> None:
    simulator = Game.load("tictactoe").simulator()
    with pytest.raises(GameError, match="at least 1"):
        sample_games(simulator, **{"count": 5, "seed": 0, **wrong})


def test_numbers_of_numpy_are_numbers() -> None:
    simulator = game("tictactoe").simulator()
    seed: Any = np.int64(-3)
    assert playouts(simulator, np.int64(100), seed) == playouts(simulator, 100, -3)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"seed=1\.5; a whole number is needed"):
        playouts(simulator, 100, 1.5)  # type: ignore[arg-type]
    with pytest.raises(GameError, match="max_plies must be at most 2147483647, not 1"):
        playouts(simulator, 100, 1, max_plies=10**20)
    with pytest.raises(GameError, match="max_plies must be at most 2147483647, not 1"):
        play_out(simulator, 5, 0, 10**20)
    assert PlayoutRun(seed=1, lanes=64, games=1 << 40).games == 1 << 40
    plies: Any = np.int64(3)
    assert play_out(simulator, 5, 0, plies).lengths.tolist() == [3] * 5
    for name in ("max_plies", "threads"):
        with pytest.raises(ConfigurationError, match=rf"{name}=2\.5; a whole number is needed"):
            play_out(simulator, 5, 0, **{name: 2.5})  # type: ignore[arg-type]


def test_games_that_need_more_steps_than_there_are_are_not_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "UNLIMITED", 100)
    simulator = Game.load("tictactoe").simulator()
    assert playouts(simulator, 100, seed=1, lanes=64, backend="llvm").games == 100
    with pytest.raises(LimitError, match=r"only \d+ of 100 games ended.*take more lanes"):
        playouts(simulator, 100, seed=1, lanes=1, backend="llvm")


@pytest.mark.parametrize("backend", ["torch", "llvm"])
def test_moves_are_counted_where_there_are_none(backend: str) -> None:
    rules = "(role a) (init p) (<= (legal a go) (true q)) (<= (next p) (true p)) "
    still = Game.from_text(rules + "(<= terminal (true q)) (goal a 70)", name="no moves")
    with pytest.warns(NeurogameWarning, match="no legal move"):
        counted = playouts(still.simulator(), 5, 0, moves=True, backend=backend).moves
    assert counted is not None
    assert len(counted.games) == 0

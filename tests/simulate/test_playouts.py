"""Random playouts: reproducible, unbiased, and equal to games played state by state."""

from __future__ import annotations

import json
import math

import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import GameError, NeurogameWarning
from neurogame.kernels.choose import choose_uniform
from neurogame.kernels.popcount import popcount
from neurogame.simulate import playouts as module
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import PlayoutStatistics, playouts, sample_states, stream


def game(name: str) -> Game:
    return Game.load(name)


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "tictactoe3p", "eightpuzzle"])
def test_the_batch_size_does_not_change_the_games(name: str) -> None:
    simulator = game(name).simulator()
    results = [playouts(simulator, 300, seed=5, batch=batch) for batch in (64, 128, 256, None)]
    assert all(result == results[0] for result in results)
    assert playouts(simulator, 300, seed=6) != results[0]


def test_a_larger_number_continues_the_same_games() -> None:
    simulator = game("connectfour").simulator()
    small, large = playouts(simulator, 100, seed=1), playouts(simulator, 200, seed=1)
    assert all(a <= b for a, b in zip(small.lengths, large.lengths, strict=False))


def test_tic_tac_toe_statistics_are_the_exact_ones() -> None:
    """Exact values of uniformly random play: 737/1260, 121/420 and 8/63 (x, o, draw)."""
    games = 60_000
    result = playouts(game("tictactoe").simulator(), games, seed=2)
    wins = [result.goals[0].get(v, 0) for v in (100, 0, 50)]
    for found, share in zip(wins, (737 / 1260, 121 / 420, 8 / 63), strict=True):
        assert abs(found - games * share) < 4.5 * math.sqrt(games * share * (1 - share))
    assert sum(result.lengths) == games
    assert result.plies == sum(n * count for n, count in enumerate(result.lengths))
    assert result.cut == 0
    assert math.isclose(sum(result.mean_goals), 100)


def test_games_are_those_of_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaying the chosen moves state by state gives the same lengths and goals."""
    connect = game("tictactoe")
    chosen: list[torch.Tensor] = []
    original = choose_uniform

    def record(legal: torch.Tensor, *rest: object) -> torch.Tensor:
        result: torch.Tensor = original(legal, *rest)  # type: ignore[arg-type]
        chosen.append(result.clone())
        return result

    monkeypatch.setattr(module, "choose_uniform", record)
    monkeypatch.setattr(module, "_DROP_EVERY", 10**6)
    result = playouts(connect.simulator(), 64, seed=9)
    lengths: dict[int, int] = {}
    for lane in range(64):
        state, ply = connect.initial_state(), 0
        while not state.is_terminal:
            joint = []
            for role in range(2):
                row = chosen[2 * ply + role][:, 0] >> lane & 1
                assert int(row.sum()) == 1
                joint.append(int(row.nonzero()[0]))
            state, ply = state.next(joint), ply + 1
        lengths[ply] = lengths.get(ply, 0) + 1
    assert lengths == {n: c for n, c in enumerate(result.lengths) if c}


def test_the_step_limit_stops_games() -> None:
    simulator = game("connectfour").simulator()
    result = playouts(simulator, 100, seed=3, max_plies=5)
    assert result.cut == 100
    assert result.lengths == (0, 0, 0, 0, 0, 100)
    exact = playouts(simulator, 100, seed=3)
    longest = len(exact.lengths) - 1
    assert playouts(simulator, 100, seed=3, max_plies=longest) == exact


def test_streaming_restarts_and_limits_games() -> None:
    simulator = game("tictactoe").simulator()
    result = stream(simulator, lanes=100, steps=200, seed=4)
    # Each game takes its plies and one step to restart.
    spent = result.plies + result.games
    assert 100 * 200 - 100 * 10 <= spent <= 100 * 200
    assert {n for n, c in enumerate(result.lengths) if c} <= {5, 6, 7, 8, 9}
    assert sum(result.lengths) == result.games
    limited = stream(simulator, lanes=10, steps=40, seed=4, max_plies=3)
    assert limited.cut == limited.games == 100
    assert limited.lengths == (0, 0, 0, 100)


def test_sampled_states_are_reachable_and_not_over() -> None:
    connect = game("connectfour")
    simulator = connect.simulator()
    states = sample_states(simulator, 500, seed=1)
    assert len(states) == 500
    assert not bool(simulator.look(states).terminal.any())
    assert torch.equal(states.words, sample_states(simulator, 500, seed=1).words)
    discs = [i for i, f in enumerate(connect.fluents) if f.startswith("(cell") and " b)" not in f]
    stones = states.to_bool()[:, discs].sum(dim=1)
    assert int(stones.min()) == 0
    assert int(stones.max()) > 15


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
    "arguments", [{"games": 0}, {"games": 1, "batch": 65}, {"games": 1, "max_plies": 0}]
)
def test_bad_arguments_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(GameError):
        playouts(game("tictactoe").simulator(), seed=0, **arguments)


def test_popcount() -> None:
    words = torch.randint(-(2**63), 2**63 - 1, (200,), generator=torch.Generator().manual_seed(1))
    words = torch.cat([words, torch.tensor([0, -1, -(2**63), 2**63 - 1])])
    assert popcount(words).tolist() == [(w & (2**64 - 1)).bit_count() for w in words.tolist()]


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "tictactoe", "--games", "500", "--seed", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    result: PlayoutStatistics = playouts(game("tictactoe").simulator(), 500, seed=3)
    assert found["mean_length"] == result.mean_length
    assert tuple(found["mean_goals"].values()) == result.mean_goals
    assert found["games"] == 500
    assert main(["simulate", "tictactoe", "--steps", "30"]) == 0
    assert "mean length" in capsys.readouterr().out

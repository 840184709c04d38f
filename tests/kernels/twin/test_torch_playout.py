"""Playouts in plain torch against lanes played one by one, and what must not change them."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import pytest
import torch

from neurogame.errors import GameError
from neurogame.gdl.check import valid_rules
from neurogame.gdl.library import load_rules
from neurogame.kernels.playout import GivenLanes, PlayoutRun, Tally
from neurogame.kernels.step import NEXT
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.kernels.twin.slow_playout import SlowPlayouts, assert_equal

# Two roles choose at once; a state in which role b has no move, one without goals for a, one with
# several, one that only the limit of plies ends.
ODD = """
(role a) (role b) (init start) (init (n 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 0)
(way stop) (way lose) (way both) (way on) (way over)
(<= (legal a ?w) (way ?w) (true start)) (<= (legal a on) (not (true start)))
(<= (legal b wait) (not (true lost)))
(<= (legal b skip) (true (n 0))) (<= (legal b hop) (true (n 2)))
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) (not (does b hop)))
(<= (next (n 0)) (does b hop))
(<= (next start) (true start) (does b skip) (does a on))
(<= (next stopped) (does a stop)) (<= (next lost) (does a lose)) (<= (next mixed) (does a both))
(<= (next (by skip)) (does b skip))
(<= terminal (true stopped)) (<= terminal (true mixed))
(<= (goal a 80) (true mixed)) (<= (goal a 30) (true mixed)) (<= (goal a 55) (true lost))
(<= (goal b 100) (true (by skip))) (<= (goal b 10) (not (true (by skip))))
"""
SOLITARY = (
    "(role r) (init p) (legal r go) (<= (next q) (does r go)) (<= terminal (true q)) (goal r 5)"
)
TEXTS = {"odd": ODD, "solitary": SOLITARY, "over": SOLITARY + "terminal"}
GAMES = ["odd", "solitary", "over", "tictactoe", "rockpaperscissors", "tictactoe3p"]
PLANS = {
    "one game": {"lanes": 1, "games": 1},
    "fewer games than lanes": {"lanes": 70, "games": 66},
    "a multiple of the lanes": {"lanes": 33, "games": 99},
    "not a multiple": {"lanes": 65, "games": 150},
    "a lane more": {"lanes": 64, "games": 129},
    "steps": {"lanes": 67, "steps": 21},
    "one step": {"lanes": 64, "steps": 1},
    "a low limit": {"lanes": 50, "games": 120, "max_plies": 3},
    "the least limit": {"lanes": 10, "steps": 9, "max_plies": 1},
}


@cache
def slow(name: str) -> SlowPlayouts:
    rules = valid_rules(TEXTS[name], source=name) if name in TEXTS else load_rules(name)
    game = Game.from_rules(rules, name, cache=False)
    return SlowPlayouts(rules, TorchPlayouts(game.circuit).streams)


@cache
def fast(name: str) -> TorchPlayouts:
    return TorchPlayouts(slow(name).game.circuit)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plan", PLANS)
def test_a_run_is_that_of_the_lanes_one_by_one(name: str, plan: str) -> None:
    limited = {"max_plies": 10, **PLANS[plan]}
    run = PlayoutRun(seed=7, lengths=True, moves=True, **limited)
    found = fast(name).run(run)
    assert_equal(found, slow(name).run(run))
    if run.games is not None:
        assert found.games == run.games


def test_the_odd_game_has_every_ending() -> None:
    """Otherwise the comparison above would prove less than it seems to."""
    found = fast("odd").run(PlayoutRun(seed=1, lanes=64, games=600, max_plies=6, moves=True))
    assert min(found.cut, found.stuck, found.several) > 0
    assert (found.goals > 0).tolist() == [True, True, False, True, True], "80 hides 30"
    assert found.games - found.goals[:3].sum() > found.cut
    assert found.lengths is None


@pytest.mark.parametrize("name", ["odd", "tictactoe", "connectfour"])
@pytest.mark.parametrize("how", [{"games": 300}, {"steps": 30}])
def test_neither_blocks_nor_threads_change_a_run(
    name: str, how: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    circuit = slow(name).game.circuit if name in TEXTS else Game.load(name).circuit
    player = TorchPlayouts(circuit)
    run = PlayoutRun(seed=3, lanes=140, max_plies=20, lengths=True, moves=True, **how)
    expected = player.run(run)
    assert_equal(player.run(dataclasses.replace(run, threads=3)), expected)
    for words in (1, 2):
        monkeypatch.setattr(player.ply.gates((NEXT,)), "block_words", words)
        assert_equal(player.run(run), expected)


def test_lanes_without_a_game_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    player = fast("odd")
    run = PlayoutRun(seed=5, lanes=128, games=100, max_plies=10)
    expected = player.run(run)

    def blocks(width: int) -> list[tuple[int, int]]:
        assert width == 2
        return [(0, width)]

    monkeypatch.setattr(player.ply, "blocks", blocks)
    assert_equal(player.run(dataclasses.replace(run, lanes=(1 << 31) - 1)), expected)


def test_a_run_is_the_sum_of_its_lanes() -> None:
    """With a number of steps, the games of the first lanes are those of fewer lanes."""
    player = fast("odd")
    many = player.run(PlayoutRun(seed=5, lanes=192, steps=30, lengths=True))
    few = player.run(PlayoutRun(seed=5, lanes=128, steps=30, lengths=True))
    assert few.games < many.games
    assert few.lengths is not None
    assert many.lengths is not None
    assert (few.lengths <= many.lengths[: len(few.lengths)]).all()


def test_counts_that_nobody_asked_for_are_not_there() -> None:
    found = fast("tictactoe").run(PlayoutRun(seed=5, lanes=64, games=64))
    assert found.lengths is found.made is found.made_goals is None


def test_ten_million_lanes() -> None:
    """Memory for a block of them is enough; every game is one ply long."""
    lanes = 10_000_001
    found = fast("solitary").run(PlayoutRun(seed=1, lanes=lanes, games=lanes, lengths=True))
    assert (found.games, found.played) == (lanes, lanes)
    assert found.lengths is not None
    assert found.lengths.tolist() == [0, lanes]


@pytest.mark.parametrize("name", ["odd", "tictactoe", "rockpaperscissors"])
def test_finishing_is_that_of_the_lanes_one_by_one(name: str) -> None:
    """From the initial state, from a number of steps on, as the words of any numbers."""
    twin, player = slow(name), fast(name)
    numbers, seed, first, steps = [5, 2], -3, 4, 6
    words = player.ply.initial.repeat(1, 2)
    found = player.finish(GivenLanes(words, torch.tensor(numbers), seed, step=first, steps=steps))
    flags = StateBatch(found.words, 128).to_bool()
    playing = StateBatch(found.playing[None], 128).to_bool()[:, 0].tolist()
    for lane in range(128):
        state, plies = twin.reference.initial(), 0
        for step in range(first, first + steps):
            look = twin.look(state)
            if look.terminal or look.stuck:
                break
            global_lane = 64 * numbers[lane // 64] + lane % 64
            state = twin.next(state, twin.joint(look, seed, global_lane, step))
            plies += 1
        texts = sorted(twin.reference.text(term) for term in state)
        held = [twin.game.fluents[i] for i in flags[lane].nonzero().view(-1).tolist()]
        look = twin.look(state)
        assert held == texts
        assert int(found.plies[lane]) == plies
        assert playing[lane] == (not look.terminal and not look.stuck)


def test_finishing_in_pieces_is_finishing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    player = TorchPlayouts(Game.load("connectfour").circuit)
    numbers = torch.arange(5)
    monkeypatch.setattr(player.ply.gates((NEXT,)), "block_words", 3)
    words = player.ply.initial.repeat(1, 5)
    kept = words.clone()
    whole = player.finish(GivenLanes(words, numbers, 9))
    assert torch.equal(words, kept), "the states given are not changed"
    assert not bool(whole.playing.any())
    for pieces in ([1] * 42, [0, 7, 40], [13, 13, 13, 13]):
        state, plies, step = words, torch.zeros(320, dtype=torch.int32), 0
        for steps in pieces:
            part = player.finish(GivenLanes(state, numbers, 9, step=step, steps=steps))
            assert int(part.plies.max()) <= steps
            state, plies, step = part.words, plies + part.plies, step + steps
        assert torch.equal(state, whole.words)
        assert torch.equal(plies, whole.plies)
        assert torch.equal(part.playing, whole.playing)


def test_the_games_of_a_run_are_those_of_finish() -> None:
    player = TorchPlayouts(Game.load("connectfour").circuit)
    found = player.run(PlayoutRun(seed=2, lanes=256, games=256, lengths=True))
    end = player.finish(GivenLanes(player.ply.initial.repeat(1, 4), torch.arange(4), 2))
    assert found.lengths is not None
    assert found.lengths.tolist() == torch.bincount(end.plies).tolist()
    assert found.played == int(end.plies.sum())


def test_no_words_are_finished_at_once() -> None:
    player = fast("tictactoe")
    end = player.finish(GivenLanes(player.ply.initial[:, :0], torch.zeros(0, dtype=torch.int64), 1))
    assert (end.words.shape[1], len(end.plies), len(end.playing)) == (0, 0, 0)


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"games": 1, "steps": 1},
        {"games": 0},
        {"steps": 0},
        {"games": 1, "lanes": 0},
        {"games": 1, "max_plies": 0},
        {"games": 1, "threads": 0},
    ],
)
def test_impossible_runs_are_refused(plan: dict[str, Any]) -> None:
    with pytest.raises(GameError, match=r"at least 1|either a number of games or"):
        PlayoutRun(seed=0, **{"lanes": 64, **plan})


def test_tallies_add_up() -> None:
    player = fast("odd")
    parts = [
        player.run(PlayoutRun(seed=s, lanes=64, games=64, max_plies=m, lengths=True, moves=True))
        for s, m in ((1, 5), (2, 9))
    ]
    total: Tally = parts[0] + parts[1]
    assert total.games == 128
    assert total.lengths is not None
    assert int(total.lengths.sum()) == 128
    assert total.made_goals is not None
    assert parts[0].made_goals is not None
    assert ((total.made_goals - parts[0].made_goals) == parts[1].made_goals).all()

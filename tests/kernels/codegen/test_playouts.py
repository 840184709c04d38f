"""Compiled playouts: the games of plain torch, in both variants."""

from __future__ import annotations

import dataclasses
import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.gdl.check import valid_rules
from neurogame.kernels.codegen import limits
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.playout import GivenLanes, PlayoutRun, Tally
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.simulate.game import Game
from tests.kernels.twin.slow_playout import assert_equal
from tests.kernels.twin.test_torch_playout import GAMES, PLANS, TEXTS

VARIANTS = ("straight", "table")
LIBRARY = ("tictactoe", "connectfour", "eightpuzzle", "tictactoe3p", "connectfour_simultaneous")
# No game of it ends by itself.
ENDLESS = """
(role r) (init (n 0)) (legal r on) (legal r back)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 0)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) (does r on)) (<= (next (n 0)) (does r back))
(<= terminal (true (n 2)) (true (n 3)))
(<= (goal r 40) (true (n 1))) (<= (goal r 90) (not (true (n 1))))
"""


@cache
def game(name: str) -> Game:
    if name in TEXTS or name == "endless":
        text = TEXTS.get(name, ENDLESS)
        return Game.from_rules(valid_rules(text, source=name), name, cache=False)
    return Game.load(name)


@cache
def plain(name: str) -> TorchPlayouts:
    return TorchPlayouts(game(name).circuit)


@cache
def expected_tally(name: str, run: PlayoutRun) -> Tally:
    """Return the definition's counts, once for both variants."""
    return plain(name).run(run)


@cache
def fast(name: str, variant: str) -> LlvmPlayouts:
    return LlvmPlayouts(game(name).circuit, variant)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", GAMES[:-1])
@pytest.mark.parametrize("plan", PLANS)
def test_a_run_is_that_of_the_definition(name: str, plan: str, variant: str) -> None:
    """Every ending, every kind of quota, and limits that are and are not reached.

    The definition plays these as lanes one by one do: ``tests/kernels/twin/test_torch_playout.py``.
    """
    limited = {"max_plies": 10, **PLANS[plan]}
    run = PlayoutRun(seed=7, lengths=True, moves=True, **limited)
    assert_equal(fast(name, variant).run(run), expected_tally(name, run))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize(
    "how",
    [
        {"lanes": 1, "games": 5},
        {"lanes": 65, "steps": 60, "moves": True},
        {"lanes": 700, "games": 900, "lengths": True, "moves": True},
        {"lanes": 700, "steps": 40, "max_plies": 6},
    ],
    ids=str,
)
def test_games_are_those_of_plain_torch(name: str, how: dict[str, Any], variant: str) -> None:
    run = PlayoutRun(seed=11, **{"max_plies": 200, **how})
    expected = expected_tally(name, run)
    for threads in (1, 2):
        found = fast(name, variant).run(dataclasses.replace(run, threads=threads))
        assert_equal(found, expected)
        assert (found.lengths is None, found.made is None) == (not run.lengths, not run.moves)
    assert expected.played > 0


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("games", [15, 16, 17, 29, 65 * 4, 65 * 38 + 30])
def test_no_lane_plays_a_game_more_or_less_than_its_quota(games: int, variant: str) -> None:
    """Ends are taken off what a lane may begin now and then, and at every end near the last."""
    for lanes in (1, 65):
        run = PlayoutRun(seed=2, lanes=lanes, games=games if lanes > 1 else min(games, 40))
        found = fast("tictactoe", variant).run(run)
        assert_equal(found, expected_tally("tictactoe", run))
        assert found.games == run.games


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_several_chunks_are_shared_by_threads(variant: str, threads: int) -> None:
    run = PlayoutRun(seed=3, lanes=64 * 300 + 5, games=64 * 500, threads=threads, lengths=True)
    assert_equal(fast("tictactoe", variant).run(run), expected_tally("tictactoe", run))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("name", "limit"),
    # Games of tictactoe take 5 to 9 plies: the epochs of these limits are 4 to 10 looks.
    [("tictactoe", 8), ("tictactoe", 9), ("tictactoe", 13), ("tictactoe", 20), ("connectfour", 50)],
)
@pytest.mark.parametrize("how", [{"games": 700}, {"steps": 55}])
def test_games_longer_than_half_the_limit(
    name: str, limit: int, how: dict[str, Any], variant: str
) -> None:
    """Code without ages must give up, or be right; either way the games are the definition's."""
    run = PlayoutRun(seed=5, lanes=130, max_plies=limit, lengths=True, **how)
    expected = expected_tally(name, run)
    for threads in (1, 2):
        player = LlvmPlayouts(game(name).circuit, variant)
        assert_equal(player.run(dataclasses.replace(run, threads=threads)), expected)
        assert_equal(player.run(run), expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_code_without_ages_gives_up_only_where_it_must(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = LlvmPlayouts(game("tictactoe").circuit, variant)
    asked: list[int] = []
    kernel = player.kernel

    def watch(age_bits: int = 0, *, moves: bool = False) -> object:
        asked.append(age_bits)
        return kernel(age_bits, moves=moves)

    monkeypatch.setattr(player, "kernel", watch)

    def bits(limit: int) -> list[int]:
        asked.clear()
        run = PlayoutRun(seed=5, lanes=64, games=300, max_plies=limit)
        assert_equal(player.run(run), expected_tally("tictactoe", run))
        return asked

    assert bits(40) == [0], "every lane ends a game within 20 looks"
    assert bits(4) == [10], "the epoch would be too short"
    assert bits(9) == [0, 10], "it gives up"
    assert bits(8) == [10], "and is not tried again"
    assert bits(40) == [0], "but where the limit is higher"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("limit", [3, 9, 1023, 1024])
def test_games_that_only_the_limit_ends(limit: int, variant: str) -> None:
    name = "endless"
    run = PlayoutRun(seed=1, lanes=65, steps=limit + 2, max_plies=limit, lengths=True)
    found = fast(name, variant).run(run)
    assert_equal(found, expected_tally(name, run))
    assert found.cut == found.games == 65


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["odd", "over", *LIBRARY])
@pytest.mark.parametrize("steps", [0, 1, 7, None])
def test_states_are_played_on_as_in_plain_torch(name: str, steps: int | None, variant: str) -> None:
    """As the words of any numbers; as many words as no block has."""
    numbers = torch.tensor([4, 0, 2**40, 17, 3, 1, 1000, 6, 8, 5, 11])
    start = plain(name).ply.initial.repeat(1, len(numbers))
    words = plain(name).finish(GivenLanes(start, numbers + 1, 9, steps=3)).words
    kept = words.clone()
    most = 60 if steps is None and name in ("odd", "eightpuzzle") else steps
    expected = plain(name).finish(GivenLanes(words, numbers, 5, step=17, steps=most))
    for threads in (1, 2):
        found = fast(name, variant).finish(
            GivenLanes(words, numbers, 5, step=17, steps=most, threads=threads)
        )
        assert torch.equal(found.words, expected.words)
        assert torch.equal(found.plies, expected.plies)
        assert found.plies.dtype == expected.plies.dtype
        assert torch.equal(found.playing, expected.playing)
    assert torch.equal(words, kept), "the states given are not changed"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("pieces", [[1] * 42, [0, 7, 40], [13, 13, 13, 13]], ids=len)
def test_finishing_in_pieces_is_finishing_at_once(pieces: list[int], variant: str) -> None:
    player = fast("connectfour", variant)
    numbers = torch.arange(5)
    state = plain("connectfour").ply.initial.repeat(1, 5)
    whole = player.finish(GivenLanes(state, numbers, 9))
    assert not bool(whole.playing.any())
    plies, step = torch.zeros(320, dtype=torch.int32), 0
    for steps in pieces:
        part = player.finish(GivenLanes(state, numbers, 9, step=step, steps=steps))
        state, plies, step = part.words, plies + part.plies, step + steps
    assert torch.equal(state, whole.words)
    assert torch.equal(plies, whole.plies)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_words_are_finished_at_once(variant: str) -> None:
    start = plain("tictactoe").ply.initial
    end = fast("tictactoe", variant).finish(
        GivenLanes(start[:, :0], torch.zeros(0, dtype=torch.int64), 1)
    )
    assert (end.words.shape[1], len(end.plies), len(end.playing)) == (0, 0, 0)


def test_the_variant_is_chosen_by_size_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = game("tictactoe").circuit
    assert LlvmPlayouts(circuit).name == "llvm-straight"
    assert LlvmPlayouts(circuit, "table").name == "llvm-table"
    for most in ("STRAIGHT_GATES", "ENCODED_GATES"):
        monkeypatch.setattr(f"neurogame.kernels.codegen.kernel.{most}", 10)
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    assert LlvmPlayouts(circuit).name == "llvm-table"


@pytest.mark.parametrize("name", ["odd", "connectfour"])
def test_code_in_many_functions_plays_the_same_games(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neurogame.kernels.codegen.straight._WHOLE", 20)
    monkeypatch.setattr("neurogame.kernels.codegen.straight._PIECE", 20)
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    player = LlvmPlayouts(game(name).circuit, "straight")
    run = PlayoutRun(seed=6, lanes=700, games=800, max_plies=100, lengths=True)
    assert_equal(player.run(run), expected_tally(name, run))


def test_a_thread_without_work_takes_nothing_away() -> None:
    kernel = LlvmPlayouts(Game.load("connectfour").circuit)
    alone, shared_out = (
        kernel.run(PlayoutRun(seed=3, lanes=16384, games=20_000, lengths=True, threads=threads))
        for threads in (1, 5)
    )
    assert alone.lengths is not None
    assert shared_out.lengths is not None
    assert int(alone.lengths.sum()) == 20_000
    assert np.array_equal(alone.lengths, shared_out.lengths)


def test_lengths_of_no_finished_game_are_empty_not_missing() -> None:
    kernel = LlvmPlayouts(Game.load("connectfour").circuit)
    lengths = kernel.run(PlayoutRun(seed=3, lanes=64, steps=2, lengths=True)).lengths
    assert lengths is not None
    assert len(lengths) == 0


def test_lengths_take_no_memory_for_games_that_are_not_played() -> None:
    run = PlayoutRun(seed=1, lanes=64, games=90, lengths=True, max_plies=(1 << 31) - 1)
    tracemalloc.start()
    counted = fast("tictactoe", "straight").run(run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 26
    assert_equal(counted, expected_tally("tictactoe", run))


@pytest.mark.parametrize("name", ["tictactoe", "endless"])
def test_lengths_of_long_games_are_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_LENGTHS", 4)
    run = PlayoutRun(seed=1, lanes=64, games=90, lengths=True, max_plies=100)
    assert_equal(fast(name, "straight").run(run), expected_tally(name, run))


def test_more_roles_than_a_byte_counts_choose_on_their_own() -> None:
    """Role 256 chose in every step as role 0 did in the next one."""
    rules = """
        (<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r)) (init (n 0)) (succ 0 1) (succ 1 2)
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 2))) (goal 0 0)
        (<= (next (p r0)) (true (n 1)) (does 0 a)) (<= (next (p r256)) (true (n 0)) (does 256 a))
        (<= (next (p r256)) (true (p r256)))
    """
    roles = " ".join(f"(role {number})" for number in range(257))
    simulator = Game.from_text(roles + rules, "roles", cache=False).simulator()
    given = GivenLanes(simulator.initial(640).words, torch.arange(10), seed=1)
    expected = simulator.playout_kernel("torch").finish(given).words
    assert torch.equal(simulator.playout_kernel("llvm").finish(given).words, expected)
    apart = expected[-2] ^ expected[-1]
    assert 250 < sum((word & (1 << 64) - 1).bit_count() for word in apart.tolist()) < 390

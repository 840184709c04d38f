"""Threads of a GPU play the games of plain torch: their code, run on this processor."""

from __future__ import annotations

import ctypes
import dataclasses
from functools import cache
from itertools import count, pairwise
from typing import Any
from unittest.mock import Mock

import pytest
import torch

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, LimitError
from neurogame.kernels.codegen.frame import Argument
from neurogame.kernels.cuda import code, playouts
from neurogame.kernels.cuda.code import load_thread_code
from neurogame.kernels.cuda.driver import BLOCK_THREADS, CudaDriver, open_driver
from neurogame.kernels.cuda.playouts import FIRST_LOOKS, CudaPlayouts
from neurogame.kernels.playout import GivenLanes, PlayoutRun
from neurogame.simulate.game import Game
from tests.kernels.codegen.test_playouts import game, plain
from tests.kernels.cuda.fake_gpu import FakeCuda, fake_driver
from tests.kernels.twin.slow_playout import assert_equal

HOW: list[dict[str, Any]] = [
    {"lanes": 1, "games": 5},
    {"lanes": 63, "games": 200, "lengths": True},
    {"lanes": 330, "games": 900},
    {"lanes": 330, "games": 300, "max_plies": 6, "lengths": True},
    {"lanes": 65, "steps": 60},
    {"lanes": 130, "steps": 40, "max_plies": 8, "lengths": True},
]


@cache
def player(name: str, *, ptx: bool = False) -> CudaPlayouts:
    return CudaPlayouts(game(name).circuit, fake_driver(ptx=ptx)[0])


def on_fake(name: str) -> tuple[CudaPlayouts, FakeCuda]:
    driver, library = fake_driver()
    return CudaPlayouts(game(name).circuit, driver), library


@pytest.mark.parametrize("name", ["odd", "over", "endless", "tictactoe", "connectfour"])
@pytest.mark.parametrize("how", HOW, ids=str)
def test_threads_play_the_games_of_plain_torch(name: str, how: dict[str, Any]) -> None:
    """Every ending, every kind of quota, limits that are and are not reached."""
    limit = 20 if name in ("odd", "endless") else 200
    run = PlayoutRun(seed=11, **{"max_plies": limit, **how})
    found = player(name).run(run)
    assert_equal(found, plain(name).run(run))
    assert (found.lengths is None) == (not run.lengths)
    assert found.made is None


def test_simultaneous_moves() -> None:
    run = PlayoutRun(seed=2, lanes=130, games=300, max_plies=200)
    name = "connectfour_simultaneous"
    assert_equal(player(name).run(run), plain(name).run(run))


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("tictactoe", {"lanes": 100, "games": 250}),
        ("tictactoe", {"lanes": 70, "steps": 20, "max_plies": 7, "lengths": True}),
        ("odd", {"lanes": 65, "games": 200, "max_plies": 6, "lengths": True}),
        ("connectfour", {"lanes": 65, "steps": 30}),
        # Threads of a second block.
        ("tictactoe", {"lanes": 32 * (BLOCK_THREADS + 3), "steps": 7}),
    ],
)
def test_the_code_of_the_gpu_plays_them_too(name: str, how: dict[str, Any]) -> None:
    """PTX for compute capability 9.0, instruction by instruction."""
    run = PlayoutRun(seed=5, **how)
    found = player(name, ptx=True).run(run)
    assert_equal(found, plain(name).run(run))
    assert found.games > 0


@pytest.mark.parametrize("registers", [30, 80])
@pytest.mark.parametrize("ptx", [False, True])
def test_gates_in_pieces_are_the_same_gates(
    ptx: bool, registers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of many gates become functions, which find a thread's cells in its memory."""
    monkeypatch.setattr(code, "_PIECE", 50)
    monkeypatch.setattr(code, "_CELLS", 0)
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    monkeypatch.setattr(code, "_REGISTERS", registers)
    pieces = CudaPlayouts(game("tictactoe").circuit, fake_driver(ptx=ptx)[0])
    assert pieces.loaded()[0].text.functions.count("define") >= 4
    run = PlayoutRun(seed=5, lanes=70, games=150)
    assert_equal(pieces.run(run), plain("tictactoe").run(run))


@pytest.mark.parametrize("name", ["odd", "over", "tictactoe"])
@pytest.mark.parametrize("steps", [0, 1, 7, None])
def test_states_are_played_on_as_in_plain_torch(name: str, steps: int | None) -> None:
    numbers = torch.tensor([4, 0, 2**40, 17, 3])
    start = plain(name).ply.initial.repeat(1, len(numbers))
    words = plain(name).finish(GivenLanes(start, numbers + 1, 9, steps=3)).words
    kept = words.clone()
    most = 60 if steps is None and name == "odd" else steps
    expected = plain(name).finish(GivenLanes(words, numbers, 5, step=17, steps=most))
    found = player(name).finish(GivenLanes(words, numbers, 5, step=17, steps=most))
    assert torch.equal(found.words, expected.words)
    assert torch.equal(found.plies, expected.plies)
    assert found.plies.dtype == expected.plies.dtype
    assert torch.equal(found.playing, expected.playing)
    assert torch.equal(words, kept), "the states given are not changed"


def test_no_states_are_played_on() -> None:
    none = plain("tictactoe").ply.initial[:, :0]
    found = player("tictactoe").finish(GivenLanes(none, torch.zeros(0, dtype=torch.int64), 1))
    assert (found.words.shape, found.plies.shape) == (none.shape, (0,))


@pytest.mark.parametrize("seconds", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("how", [{"games": 400}, {"steps": 50}, {"games": 400, "max_plies": 7}])
def test_launches_of_any_length_play_the_same_games(
    how: dict[str, Any], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that says how long each launch takes; where one ends, the next goes on."""
    ticks = count(0, seconds)
    monkeypatch.setattr(playouts, "perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr(playouts, "FIRST_LOOKS", 4)
    cuda, library = on_fake("tictactoe")
    run = PlayoutRun(seed=5, lanes=130, **how)
    assert_equal(cuda.run(run), plain("tictactoe").run(run))
    bounds = [(int(a[Argument.LOOKED]), int(a[Argument.PAUSE])) for _, _, a in library.launches]
    looks = [end - begin for begin, end in bounds]
    assert bounds[0] == (0, 4)
    if "games" in how and "max_plies" not in how:
        assert all(end == begin for (_, end), (begin, _) in pairwise(bounds))
        growth = {0.0: [4, 8, 16], 0.2: [4, 4, 4], 1.0: [4, 2, 1, 1]}[seconds]
        assert looks[: len(growth)] == growth
    if "steps" in how:
        assert bounds[-1][1] == 50, "no look beyond the last one"


def test_the_table_of_arguments_and_the_grid() -> None:
    cuda, library = on_fake("tictactoe")
    run = PlayoutRun(seed=5, lanes=64 * 65, steps=FIRST_LOOKS)
    assert_equal(cuda.run(run), plain("tictactoe").run(run))
    [(blocks, threads, arguments)] = library.launches
    assert (blocks, threads) == (3, BLOCK_THREADS), "one word more than two blocks have"
    assert library.depth == 0, "the context is left as it was"
    given = {argument: int(arguments[argument]) for argument in Argument}
    assert given[Argument.BLOCK_END] == 2 * 65, "two threads a word; the others do nothing"
    assert given[Argument.STRIDE] == 8 * 65
    assert given[Argument.LEFT_BITS] == 0, "lanes never stop"
    assert given[Argument.FINAL] == given[Argument.START] == given[Argument.LENGTHS] == 0
    assert (given[Argument.LOOKS], given[Argument.PAUSE]) == (FIRST_LOOKS, FIRST_LOOKS)


def test_many_words_are_played_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "CHUNK_WORDS", 3)
    cuda, library = on_fake("tictactoe")
    run = PlayoutRun(seed=5, lanes=64 * 7 - 9, games=900, lengths=True)
    assert_equal(cuda.run(run), plain("tictactoe").run(run))
    assert {int(a[Argument.BLOCK_END]) for _, _, a in library.launches} == {6, 2}
    numbers = torch.arange(7)
    start = plain("tictactoe").ply.initial.repeat(1, 7)
    expected = plain("tictactoe").finish(GivenLanes(start, numbers, 5, steps=6))
    found = cuda.finish(GivenLanes(start, numbers, 5, steps=6))
    assert torch.equal(found.words, expected.words)
    assert torch.equal(found.plies, expected.plies)
    assert torch.equal(found.playing, expected.playing)


def test_what_it_cannot_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run = PlayoutRun(seed=5, lanes=64, games=64)
    with pytest.raises(ConfigurationError, match="does not count the moves made: take 'torch'"):
        player("tictactoe").run(dataclasses.replace(run, moves=True))
    monkeypatch.setattr(code, "MOST_GATES", 100)
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    with pytest.raises(ConfigurationError, match=r"up to 100 gates, and this one has 169: take"):
        on_fake("tictactoe")[0].run(run)


def test_errors_of_the_driver_say_what_failed_and_what_else_plays() -> None:
    run = PlayoutRun(seed=5, lanes=64, games=64)
    cuda, library = on_fake("tictactoe")
    library.fail["cuLaunchKernel"] = 2
    with pytest.raises(LimitError, match=r"cuLaunchKernel .* error 2 \(out of memory\).*'torch'"):
        cuda.run(run)
    assert library.depth == 0
    refused = CudaDriver(torch.device("cpu"), FakeCuda(), lambda text: b"nonsense")
    with pytest.raises(LimitError, match=r"\(PTX JIT compilation failed: ptxas fatal: what is"):
        CudaPlayouts(tictactoe(), refused).run(run)
    library.fail = {"cuInit": 2}
    with pytest.raises(LimitError, match="cuInit"):
        CudaDriver(torch.device("cpu"), library, lambda text: b"0")


def test_the_driver_of_a_gpu_gets_code_for_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    library, asked = FakeCuda(), []
    load = library.__getattr__("cuModuleLoadDataEx")

    def watch(module: Any, image: Any, *others: Any) -> int:
        asked.append(image.value.decode())
        return load(module, image, *others)

    monkeypatch.setattr(library, "cuModuleLoadDataEx", watch, raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library if "cuda" in name else None)
    monkeypatch.setattr(torch, "empty", lambda size, device: Mock(device=torch.device("cuda", 0)))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 7))
    driver = open_driver("cuda")
    assert driver.device == torch.device("cuda", 0)
    driver.load(load_thread_code(tictactoe(), 0).text)
    assert ".target sm_86\n" in asked[0]


def test_what_the_driver_has_made_of_the_code() -> None:
    cuda, _ = on_fake("tictactoe")
    assert cuda._driver.usage(cuda.loaded()[1]) == (96, 16)


def tictactoe() -> Circuit:
    return Game.load("tictactoe").circuit

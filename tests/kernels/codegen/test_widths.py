"""Vectors of other processors: the same games at every width, without three-input instructions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from neurogame.kernels.codegen import kernel
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.playout import GivenLanes, PlayoutRun
from tests.kernels.codegen.compiling import pretend
from tests.kernels.codegen.test_playouts import VARIANTS, expected_tally, game, plain
from tests.kernels.twin.slow_playout import assert_equal


@pytest.fixture(autouse=True)
def _routine_of_this_processor() -> Iterator[None]:
    """Forget the routine that was compiled for another processor."""
    yield
    kernel.load_routine.cache_clear()


@pytest.mark.parametrize("words", [4, 2])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["odd", "connectfour"])
def test_narrow_vectors_play_the_same_games(
    name: str, variant: str, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, words)
    player = LlvmPlayouts(game(name).circuit, variant)
    assert player.kernel().vector_words == words
    for plan in (
        PlayoutRun(seed=3, lanes=700, games=1000, max_plies=100, lengths=True, moves=True),
        PlayoutRun(seed=4, lanes=65, steps=50, max_plies=7, lengths=True),
    ):
        assert_equal(player.run(plan), expected_tally(name, plan))
    numbers = torch.arange(5)
    start = plain(name).ply.initial.repeat(1, 5)
    found = player.finish(GivenLanes(start, numbers, 8, steps=30))
    expected = plain(name).finish(GivenLanes(start, numbers, 8, steps=30))
    assert torch.equal(found.words, expected.words)
    assert torch.equal(found.plies, expected.plies)
    assert torch.equal(found.playing, expected.playing)

"""Knowledge from as many games as the time allows."""

from __future__ import annotations

import itertools
import time

import pytest
import torch

from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.simulate.game import Game


def test_with_time_enough_it_is_what_all_games_teach() -> None:
    game, config = Game.load("breakthrough6"), KnowledgeConfig(games=300)
    whole = learn_knowledge(game, config, 5)
    found = learn_knowledge(game, config, 5, deadline=time.monotonic() + 1000)
    assert int(found.games) == 300
    for name, own in whole.state_dict().items():
        torch.testing.assert_close(found.state_dict()[name], own, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("seconds", "games"), [(-1, 64), (0.5, 64), (1.0, 64), (4.5, 1024)])
def test_no_chunk_is_begun_that_would_be_late(
    monkeypatch: pytest.MonkeyPatch, seconds: float, games: int
) -> None:
    # Every chunk, whatever its size, takes a second of this clock.
    ticks = itertools.count()
    monkeypatch.setattr(
        "neurogame.learn.knowledge.learning.time.monotonic", lambda: (next(ticks) + 1) // 2
    )
    config = KnowledgeConfig(games=5000)
    found = learn_knowledge(Game.load("tictactoe"), config, 5, deadline=seconds)
    assert int(found.games) == games


def test_a_few_games_fit_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(
        "neurogame.learn.knowledge.learning.time.monotonic", lambda: (next(ticks) + 1) // 2
    )
    found = learn_knowledge(Game.load("tictactoe"), KnowledgeConfig(games=5000), 5, deadline=1.25)
    assert int(found.games) == 64 + 16
    assert found.returns.abs().sum() > 0

"""Positions for learners of one's own, and a plain torch module in both searches."""

from __future__ import annotations

import pickle
import re
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader

import neurogame as ng
from neurogame.data.self_play import SelfPlay
from neurogame.errors import ConfigurationError, GameError
from neurogame.gdl.library import library_path
from tests.conftest import REPOSITORY
from tests.library import load as library


class Counting(ng.Evaluator):
    """Values states by their first fluents, and remembers how many it was asked for at once."""

    def __init__(self, game: ng.Game) -> None:
        super().__init__(len(game.fluents), len(game.roles), {"kind": "counting"})
        self.asked: list[int] = []

    def forward(self, fluents: Tensor) -> Tensor:
        """Return values ``[B, R]`` in 0..1."""
        self.asked.append(len(fluents))
        share = fluents[:, ::2].float().mean(dim=1)
        return torch.stack([share, 1 - share], dim=1)


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe", "pig"])
def test_positions_are_of_the_phase_and_lead_to_their_targets(name: str) -> None:
    """Played on from by the plain rules, none is over, and its goals can be reached."""
    game = library(name)
    found = ng.data.positions(game, 300, seed=3, phase=(0.5, 1.0))
    share = found.plies / (found.plies + found.to_end)
    assert len(found) == 300
    assert (share >= 0.5).all()
    look = game.simulator().look(found.states)
    assert not look.terminal.any()
    goals = {value / 100 for value, _ in game.circuit.goals[0]}
    assert {round(target, 2) for target in found.targets[:, 0].tolist()} <= goals
    # One ply before the end some move leads to what the game came to.
    for row in (found.to_end == 1).nonzero()[:20, 0]:
        children = game.simulator().children(found.states.select(row[None]))
        ended = children.look.goals[children.look.terminal]
        assert (ended - found.targets[row]).abs().sum(dim=1).min() < 1e-6
    whole = ng.data.positions(game, 300, seed=3)
    assert whole.plies.float().mean() < found.plies.float().mean()
    again = ng.data.positions(game, 300, seed=3, phase=(0.5, 1.0))
    assert torch.equal(again.states.words, found.states.words)
    below, same = (ng.data.positions(game, 300, seed=seed) for seed in (-3, 2**64 - 3))
    assert torch.equal(below.states.words, same.states.words)


def test_games_that_were_cut_give_no_positions() -> None:
    """What they came to is not known: here nobody has won who has not ended the game."""
    text = (
        "(role a) (init on) (<= (legal a ?m) (either ?m)) (either go) (either stay) (either wait) "
        "(<= (next on) (does a stay)) (<= (next lost) (does a {lost})) (<= (next lost) (true lost))"
        "(<= terminal (not (true on)) (not (true lost))) (<= (goal a 100) (not (true on))) "
        "(<= (goal a 0) (true on))"
    )
    found = ng.data.positions(ng.Game.from_text(text.format(lost="wait")), 400, seed=1)
    assert (found.targets == 1).all()
    assert found.to_end.max() < 100
    with pytest.raises(GameError, match="none of 1 random games ended within 1000 plies"):
        ng.data.positions(ng.Game.from_text(text.format(lost="?r")), 5)


def test_an_evaluator_plays_better_games_than_chance() -> None:
    """Against itself, tic-tac-toe is drawn once it is known."""
    game = library("tictactoe")
    trained = REPOSITORY / "checkpoints" / "tictactoe.pt"
    evaluator = ng.load_checkpoint(trained).evaluator(game)
    drawn = [
        (ng.data.positions(game, 2000, 1, evaluator=judge, epsilon=0.0).targets[:, 0] == 0.5)
        for judge in (None, evaluator)
    ]
    assert drawn[1].float().mean() > drawn[0].float().mean() + 0.5
    late = ng.data.positions(game, 50, 1, evaluator=evaluator, phase=(0.75, 1))
    assert (late.plies / (late.plies + late.to_end)).min() >= 0.75


def test_a_loader_gets_the_same_batches_from_any_number_of_workers() -> None:
    dataset = SelfPlay(library("connectfour"), 40_000, seed=2, planes=True)
    alone = list(islice(dataset, 4))
    boards, targets = alone[0]
    assert boards.shape[2:] == (6, 7)
    assert (boards.dtype, tuple(targets.shape)) == (torch.float32, (40_000, 2))
    travelled = pickle.loads(pickle.dumps(dataset))
    shared = DataLoader(
        travelled, batch_size=None, num_workers=2, multiprocessing_context="fork", timeout=60
    )
    sums = [sorted(float(b.sum()) for b, _ in part) for part in (alone, islice(shared, 4))]
    assert sums[0] == sums[1]


def test_what_cannot_be_drawn_is_refused() -> None:
    game = library("tictactoe")
    with pytest.raises(GameError, match="n=0"):
        ng.data.positions(game, 0)
    with pytest.raises(GameError, match=r"phase must be two rising shares .* not \(0.5, 0.5\)"):
        ng.data.positions(game, 5, phase=(0.5, 0.5))
    mine = ng.make_evaluator(game)
    for wrong, told in (({"phase": (0, 2)}, "phase must be"), ({"epsilon": 2}, "epsilon=2")):
        drawn: dict[str, Any] = {**wrong, "evaluator": mine}
        with pytest.raises(GameError, match=told):
            ng.data.positions(game, 5, **drawn)
        with pytest.raises(GameError, match=told):
            SelfPlay(game, 5, **drawn)
    assert len(ng.data.positions(library_path("tictactoe"), 5)) == 5
    with pytest.raises(GameError, match="batch=0"):
        SelfPlay(game, 0)
    fraction: Any = 2.5
    for name, draw in (
        ("n", lambda: ng.data.positions(game, fraction)),
        ("batch", lambda: SelfPlay(game, fraction)),
        ("seed", lambda: ng.data.positions(game, 5, fraction, evaluator=mine)),
    ):
        with pytest.raises(ConfigurationError, match=f"{name}=2.5; a whole number"):
            draw()
    # Any whole number is a seed, of games of an evaluator as well.
    wide, same = (ng.data.positions(game, 9, s, evaluator=mine) for s in (2**64 + 7, 7))
    assert torch.equal(wide.states.words, same.states.words)


def test_a_module_of_ones_own_is_asked_for_many_leaves_at_once() -> None:
    game = library("connectfour")
    evaluator = Counting(game)
    result = ng.AlphaBeta(game, evaluator, seed=1).search(
        game.initial_state(), 0, ng.Limit(depth=2)
    )
    assert result.move in game.initial_state().legal_moves[0]
    assert np.mean(evaluator.asked) > 4
    evaluator.asked.clear()
    settings = ng.MctsSettings(cutoff=0, lanes=64)
    tree = ng.Mcts(game, settings=settings, evaluator=evaluator, seed=1)
    assert 0 < tree.search(game.initial_state(), 0, ng.Limit(simulations=1000)).value[0] < 1
    assert np.mean(evaluator.asked) > 20


def test_the_page_runs_as_printed() -> None:
    page = (REPOSITORY / "docs" / "data.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    exec(compile(block, "data.md", "exec"), {"__name__": "page"})

"""The checkpoints that come with the repository load, are what they say, and play."""

from __future__ import annotations

import pytest
import torch

from neurogame.arena.series import play_series
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.players.players import make_player
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_games
from tests.conftest import REPOSITORY

NAMES = sorted(path.stem for path in (REPOSITORY / "checkpoints").glob("*.pt"))


def test_there_are_a_dozen_and_each_is_in_the_table() -> None:
    assert len(NAMES) >= 12
    table = (REPOSITORY / "checkpoints" / "README.md").read_text()
    assert [name for name in NAMES if f"| `{name}.pt` |" not in table] == []
    assert max((REPOSITORY / "checkpoints" / f"{n}.pt").stat().st_size for n in NAMES) < 2_000_000


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_the_library_game_and_has_learned(name: str) -> None:
    checkpoint = load_checkpoint(REPOSITORY / "checkpoints" / f"{name}.pt")
    game = Game.load(name)
    evaluator = checkpoint.evaluator(game)
    states = sample_games(game.simulator(), 50, seed=1, backend="torch").states.to_bool()
    with torch.no_grad():
        values = evaluator(states)
    assert values.shape == (50, len(game.roles))
    assert bool(((values >= 0) & (values <= 1)).all())
    assert len(torch.unique(values)) > 40
    changed = [
        not torch.equal(checkpoint.weights[key], initial)
        for key, initial in checkpoint.initial_weights.items()
    ]
    assert any(changed)


@pytest.mark.parametrize("name", ["pentago", "qubic"])
def test_it_beats_random_play(name: str) -> None:
    game = Game.load(name)
    # Without a limit it would think for a second about every move.
    specs = [f"alphabeta:{REPOSITORY}/checkpoints/{name}.pt,depth=2", "random"]
    players = [make_player(spec, game) for spec in specs]
    result = play_series(game, players, 20, seed=3)
    assert result.scores[0] >= 80
    assert result.illegal_moves == (0, 0)

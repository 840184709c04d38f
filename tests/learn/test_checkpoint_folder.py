"""Checkpoints in a folder: found by structure alone, whatever else lies there."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.arena.series import play_series
from neurogame.errors import CheckpointError, PlayerError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.gdl.scramble import scramble
from neurogame.judges.states import PROGRAM
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.learn.checkpoints import folder as checkpoint_folder
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neurogame.learn.checkpoints.folder import CheckpointFolder
from neurogame.learn.checkpoints.index import INDEX, IndexEntry, read_index
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.run_folder import RunFolder
from neurogame.players.folder_player import FolderPlayer
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import map_game
from neurogame.simulate.samples import sample_games, sample_states
from neurogame.simulate.states import StateBatch
from tests.conftest import REPOSITORY
from tests.gdl.slow_renaming import shuffled
from tests.kernels.leaves.test_values import valued
from tests.library import load as game


@cache
def scrambled(name: str) -> Game:
    """Return a game with other names, and its rules in another order."""
    other = scramble(game(name).rules, 11, numbers=True)
    return Game.from_rules(shuffled(other.rules, 12), "other", cache=False)


@cache
def trained(name: str) -> Checkpoint:
    """Return what little training makes of an evaluator, with knowledge beside it."""
    config = PaperConfig(
        evaluator=EvaluatorConfig(kind="cilp"), games=12, learning_rate=0.05, seed=3
    )
    with tempfile.TemporaryDirectory() as path:
        folder = RunFolder(Path(path) / "run")
        folder.create(config.to_json())
        PaperTrainer(game(name), config, folder).run()
        found = load_checkpoint(folder.latest)
    knowledge = learn_knowledge(game(name), KnowledgeConfig(games=100, replies=2), 5)
    return replace(found, judges={"knowledge": plain_judge(knowledge)})


def put(path: Path, checkpoint: Checkpoint, written: int) -> Path:
    """Write a checkpoint, as if at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_checkpoint(path, checkpoint)
    os.utime(path, ns=(written, written))
    return path


def only(checkpoint: Checkpoint, *held: str) -> Checkpoint:
    """Return a checkpoint that holds no more than what is named."""
    parts = {n: j for n, j in checkpoint.judges.items() if n in held}
    if "evaluator" in held:
        return replace(checkpoint, judges=parts)
    return replace(checkpoint, description={}, weights={}, initial_weights={}, judges=parts)


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_a_scrambled_game_is_valued_alike_to_the_last_bit(name: str, tmp_path: Path) -> None:
    own, other = game(name), scrambled(name)
    put(tmp_path / "deep" / "run" / "best.pt", trained(name), 1)
    folder = CheckpointFolder(tmp_path)
    folder.refresh()
    path = folder.find(other, holding="knowledge")
    assert path == folder.find(own.rules) == tmp_path / "deep" / "run" / "best.pt"
    found = load_checkpoint(path)
    there = map_game(own, other)
    states = sample_states(own.simulator(), 150, seed=5).to_bool()
    twins = torch.zeros_like(states)
    twins[:, list(there.fluents)] = states
    mapping = found.mapping(other)
    assert (mapping.fluents, mapping.moves) == (there.fluents, there.moves)
    at_home = torch.stack([mapping.home_state(State(other, twin)).fluents for twin in twins])
    assert torch.equal(at_home, states)
    evaluator, its_twin = found.evaluator(own), found.evaluator(mapping.home)
    with torch.no_grad():
        values = evaluator(states).numpy()
        np.testing.assert_array_equal(its_twin(at_home).numpy(), values)
    assert len(np.unique(values)) > 20
    port = SearchEvaluator(its_twin, mapping.home.circuit)
    assert port.kind == PROGRAM
    np.testing.assert_allclose(
        valued(port, at_home.numpy(), 150, rows=True), values, rtol=0, atol=1e-5
    )
    judges = found.judge("knowledge", own), found.judge("knowledge", mapping.namesake)
    every = own.simulator().look(StateBatch.from_bool(states)).legal
    for role in range(len(own.roles)):
        legal = every[:, own.move_offsets[role] : own.move_offsets[role + 1]]
        one, two = (judge.move_scores(states.numpy(), legal.numpy(), role) for judge in judges)
        np.testing.assert_array_equal(one, two)


def test_the_newest_run_wins_and_in_it_the_best_file(tmp_path: Path) -> None:
    whole, other = trained("tictactoe"), only(trained("bidding_tictactoe"), "evaluator")
    for name, written in {
        "old/best.pt": 1,
        "old/latest.pt": 4,
        "old/checkpoint-10.pt": 3,
        "single.pt": 2,
    }.items():
        put(tmp_path / name, whole, written)
    put(tmp_path / "another.pt", other, 9)
    rules = game("tictactoe").rules

    def found(holding: str | None = None) -> str:
        folder = CheckpointFolder(tmp_path)
        folder.refresh()
        path = folder.find(rules, holding=holding)
        return "" if path is None else path.relative_to(tmp_path).as_posix()

    assert found() == "old/best.pt"
    put(tmp_path / "single.pt", only(whole, "evaluator"), 5)
    assert found() == found("evaluator") == "single.pt"
    assert found("knowledge") == "old/best.pt"
    assert found("action") == ""
    # What is there now may be of another game, or hold something else.
    put(tmp_path / "old" / "best.pt", other, 8)
    assert found("knowledge") == "old/latest.pt"
    (tmp_path / "old" / "latest.pt").unlink()
    put(tmp_path / "old" / "checkpoint-9.pt", whole, 7)
    assert found("knowledge") == "old/checkpoint-10.pt"
    shutil.rmtree(tmp_path / "old")
    assert found("knowledge") == ""


def test_files_are_read_once_and_lookups_read_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()

    def load(path: Path) -> Checkpoint:
        read.append(path.name)
        return load_checkpoint(path)

    monkeypatch.setattr(checkpoint_folder, "load_checkpoint", load)
    whole = only(trained("tictactoe"), "evaluator")
    put(tmp_path / "a.pt", whole, 1)
    (tmp_path / "notes.pt").write_text("not a checkpoint")
    (tmp_path / ".b.pt-xyz").write_text("on its way")
    torch.save({"mine": 1}, tmp_path / "foreign.pt")
    folder = CheckpointFolder(tmp_path)
    assert folder.find(game("tictactoe")) is None
    folder.refresh()
    assert sorted(read) == ["a.pt", "foreign.pt", "notes.pt"]
    assert "not a neurogame checkpoint" in read_index(folder.path)["foreign.pt"].problem
    assert folder.describe() == (
        f"{tmp_path} holds tictactoe (evaluator); not readable: foreign.pt, notes.pt"
    )
    # Another process knows at once, and reads only what is new.
    read.clear()
    second = CheckpointFolder(tmp_path)
    assert second.find(game("tictactoe")) == tmp_path / "a.pt"
    put(tmp_path / "c.pt", whole, 2)
    (tmp_path / "notes.pt").unlink()
    second.refresh()
    folder.refresh()
    assert read == ["c.pt"]
    assert folder.find(game("tictactoe")) == tmp_path / "c.pt"
    assert set(json.loads((tmp_path / INDEX).read_text())["files"]) == {
        "a.pt",
        "c.pt",
        "foreign.pt",
    }


@pytest.mark.parametrize("damage", ["cut", "version", "entry", "text"])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: str) -> None:
    put(tmp_path / "a.pt", only(trained("tictactoe"), "evaluator"), 1)
    CheckpointFolder(tmp_path).refresh()
    index = tmp_path / INDEX
    sound = index.read_text()
    document = json.loads(sound)
    if damage == "version":
        document["version"] = 99
    elif damage == "entry":
        document["files"]["a.pt"]["holds"] = 5
    texts = {"cut": sound[: len(sound) // 2], "text": "[" * 100_000}
    index.write_text(texts.get(damage, json.dumps(document)))
    folder = CheckpointFolder(tmp_path)
    assert folder.find(game("tictactoe")) is None
    folder.refresh()
    assert folder.find(game("tictactoe")) == tmp_path / "a.pt"
    assert index.read_text() == sound


def test_a_folder_that_cannot_be_written_is_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, entries: dict[str, IndexEntry]) -> None:
        raise PermissionError(folder)

    monkeypatch.setattr(checkpoint_folder, "write_index", refuse)
    put(tmp_path / "a.pt", only(trained("tictactoe"), "evaluator"), 1)
    folder = CheckpointFolder(tmp_path)
    folder.refresh()
    assert folder.find(game("tictactoe")) == tmp_path / "a.pt"
    assert not (tmp_path / INDEX).exists()


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such folder"):
        CheckpointFolder(tmp_path / "none")


def test_players_look_their_game_up(tmp_path: Path) -> None:
    other = scrambled("tictactoe")
    put(tmp_path / "known.pt", only(trained("tictactoe"), "knowledge"), 2)
    put(tmp_path / "run" / "best.pt", only(trained("tictactoe"), "evaluator"), 1)
    state = other.initial_state()
    for text, limit in (
        (f"alphabeta:{tmp_path}/,outlook=own", Limit(depth=2)),
        (f"mcts:{tmp_path},playout=knowledge,tree=knowledge", Limit(simulations=20)),
        (f"mcts:{tmp_path},cutoff=2", Limit(simulations=20)),
    ):
        player = make_player(text, other)
        assert isinstance(player, FolderPlayer)
        assert player.name == text
        player.start(MatchStart(other, 0, 1))
        assert player.choose(state, limit) in state.legal_moves[0]
        player.ponder(state, lambda: True)
        assert player.last is not None
        player.stop()
    with pytest.raises(PlayerError, match=r"no checkpoint of nim with evaluator.*tictactoe"):
        make_player(f"alphabeta:{tmp_path}", game("nim"))
    with pytest.raises(PlayerError, match=r"with action.*knowledge"):
        make_player(f"mcts:{tmp_path},tree=action", other)
    player = make_player(f"mcts:{tmp_path},gate=0", other)
    assert isinstance(player, FolderPlayer)
    # It has learned, so that it is trusted without trials.
    assert player.report.startswith("evaluator: cutoff=0,tree=values")
    with pytest.raises(PlayerError, match="before start"):
        make_player(f"alphabeta:{tmp_path}").choose(state, Limit(depth=1))


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
    result = play_series(game, players, 8, seed=3)
    assert result.scores[0] >= 80
    assert result.illegal_moves == (0, 0)

"""Checkpoint files: safe to open, and clear about what is wrong with them."""

from __future__ import annotations

import os
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.errors import CheckpointError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.files import write_whole
from neurogame.learn.checkpoints import claims as checkpoint_claims
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neurogame.learn.checkpoints.content_hash import content_hash
from neurogame.learn.judges import plain_judge
from neurogame.learn.lanes.config import LaneConfig
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.library import checkpoint_of

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


@cache
def game() -> Game:
    return Game.load("tictactoe")


def sample(**changes: Any) -> Checkpoint:
    evaluator = make_evaluator(game(), EvaluatorConfig(kind="mlp", hidden=(4,)), 1)
    return checkpoint_of(game(), evaluator, **{"counters": {"matches": 3}, **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_checkpoint(tmp_path / "one.pt", sample())
    return tmp_path / "one.pt"


def test_round_trip(path: Path) -> None:
    loaded = load_checkpoint(path)
    assert loaded.hash == sample().hash
    assert loaded.counters == {"matches": 3}
    assert loaded.game().rules == game().rules


def test_zeros_take_no_room_and_equal_checkpoints_are_equal_files(tmp_path: Path) -> None:
    tables = {"tables": torch.zeros(100_000)}
    tables["tables"][:3] = torch.tensor([0.5, -1.0, 2.0])
    for name in ("one.pt", "two.pt"):
        save_checkpoint(tmp_path / name, sample(weights=tables, initial_weights=tables))
    assert (tmp_path / "one.pt").stat().st_size < 40_000
    assert (tmp_path / "one.pt").read_bytes() == (tmp_path / "two.pt").read_bytes()
    assert torch.equal(load_checkpoint(tmp_path / "one.pt").weights["tables"], tables["tables"])


def test_equal_tensors_are_stored_once_and_read_back_to_the_bit(tmp_path: Path) -> None:
    """All copies of what has not been learned; 0.0 is not -0.0, and NaN is as it was."""
    table = torch.rand(50_000, generator=torch.Generator().manual_seed(1))
    table[:3] = torch.tensor([0.0, float("nan"), 1e-45])
    other = table.clone()
    other[0] = -0.0
    kept = {"averaged": {"a": table.clone()}, "state": {"b": table.clone(), "c": other}}
    kept["empty"] = {"a": torch.zeros(0, 3), "b": torch.zeros(0, 3), "c": torch.tensor(1)}
    written = sample(weights={"t": table}, initial_weights={"t": table.clone()}, optimiser=kept)
    save_checkpoint(tmp_path / "one.pt", written)
    # Four of the five are the same.
    assert (tmp_path / "one.pt").stat().st_size < 2 * 4 * 50_000 + 10_000
    read = load_checkpoint(tmp_path / "one.pt")
    assert read.hash == written.hash
    assert read.optimiser is not None
    assert read.optimiser["empty"]["b"].shape == (0, 3)
    for now, before in (
        (read.weights["t"], table),
        (read.initial_weights["t"], table),
        (read.optimiser["averaged"]["a"], table),
        (read.optimiser["state"]["b"], table),
        (read.optimiser["state"]["c"], other),
    ):
        assert torch.equal(now.view(torch.int32), before.view(torch.int32))


def test_what_would_fill_the_memory_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_claims, "MOST_BYTES", 1000)
    with pytest.raises(CheckpointError, match=r"bytes when decompressed, more than 1,000"):
        load_checkpoint(path)


def test_nothing_but_plain_values_is_in_the_file(path: Path) -> None:
    document = torch.load(path, weights_only=True)

    def check(value: object) -> None:
        assert type(value) in (dict, list, str, int, float, bool, type(None), torch.Tensor)
        for inner in value.values() if isinstance(value, dict) else ():
            check(inner)
        for inner in value if isinstance(value, list) else ():
            check(inner)

    check(document)


def test_every_cut_and_every_flipped_byte_is_noticed(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    bad = tmp_path / "bad.pt"
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        bad.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(CheckpointError, match="damaged, cut short, or not a checkpoint"):
            load_checkpoint(bad)
    noticed = 0
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        bad.write_bytes(bytes(flipped))
        try:
            # Bytes of the container that carry no content may change without harm.
            assert load_checkpoint(bad).hash == sample().hash
        except CheckpointError:
            noticed += 1
    assert noticed > 20


class _Attack:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("attacked",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p.write_text("hello"), "damaged, cut short, or not a"),
        (lambda p: p.write_bytes(pickle.dumps(_Attack())), "not a checkpoint"),
        (lambda p: torch.save(_Attack(), p), "not a checkpoint"),
        (lambda p: torch.save({"weights": torch.ones(2)}, p), "not a neurogame checkpoint"),
        (lambda p: p.mkdir(), "a folder; give a file, such as the latest.pt"),
        (lambda p: None, "no such file"),
    ],
)
def test_foreign_files_are_refused_and_run_no_code(
    make: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "foreign.pt")
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(tmp_path / "foreign.pt")
    assert not (tmp_path / "attacked").exists()


@pytest.mark.parametrize(
    ("version", "cure"),
    [(6, "train it anew"), (99, "install a newer neurogame"), ("1", "train it anew")],
)
def test_other_format_versions_are_refused(path: Path, version: object, cure: str) -> None:
    document = torch.load(path, weights_only=True)
    document["version"] = version
    torch.save(document, path)
    said = f"one.pt: written in format {version!r}; .* reads format 7 only: {cure}"
    with pytest.raises(CheckpointError, match=said):
        load_checkpoint(path)


def test_unknown_contents_are_refused(path: Path) -> None:
    document = torch.load(path, weights_only=True)
    document["contents"]["surprise"] = 1
    document["hash"] = content_hash(document["contents"])
    torch.save(document, path)
    with pytest.raises(CheckpointError, match="surprise"):
        load_checkpoint(path)


def test_weights_that_do_not_fit_are_refused() -> None:
    wrong = sample(weights={"odd": torch.ones(1)})
    with pytest.raises(CheckpointError, match="do not fit the evaluator"):
        wrong.evaluator()


def test_another_game_is_refused() -> None:
    with pytest.raises(CheckpointError, match="other rules"):
        sample().evaluator(Game.load("nim"))


def test_stored_symbols_must_be_those_of_the_rules() -> None:
    with pytest.raises(CheckpointError, match="the fluents that this version"):
        sample(fluents=["(cell 9 9 z)"]).game()


def test_the_hash_sees_everything_and_no_order_of_keys() -> None:
    one = {"a": torch.arange(4), "b": [1, {"c": None}]}
    assert content_hash(one) == content_hash({"b": [1, {"c": None}], "a": torch.arange(4)})
    others: list[Any] = [
        {**one, "a": torch.arange(4).int()},
        {**one, "a": torch.arange(4).reshape(2, 2)},
        {**one, "a": torch.tensor([0, 1, 2, 4])},
        {**one, "b": [1, {"c": 0}]},
        {**one, "b": [1, {}, "c", None]},
        {**one, "b": ["1", {"c": None}]},
    ]
    assert len({content_hash(item) for item in [one, *others]}) == 7


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def succeed(stream: Any) -> None:
        stream.write(b"old")

    write_whole(path, succeed)

    def fail(stream: Any) -> None:
        stream.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, fail)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", sorted(one.stem for one in CHECKPOINTS.glob("*.pt")))
def test_checkpoints_of_the_repository_hold_rules_networks(name: str) -> None:
    loaded = load_checkpoint(CHECKPOINTS / f"{name}.pt")
    learner = LaneConfig.from_json(loaded.config["learner"])
    assert loaded.description["kind"] == "rules-network"
    units = loaded.weights["bias"].shape[1]
    assert units == loaded.description["config"]["hidden"]
    assert units in [learner.network.hidden << times for times in range(learner.doublings + 1)]


@pytest.mark.parametrize("alone", [False, True])
def test_judges_are_kept_with_or_without_an_evaluator(tmp_path: Path, alone: bool) -> None:
    knowledge = Knowledge(game(), KnowledgeConfig(hidden=3), 2)
    knowledge.plays += 1
    knowledge.returns += torch.rand(len(knowledge.returns), dtype=torch.float64)
    absent: dict[str, Any] = {"description": {}, "weights": {}, "initial_weights": {}}
    judges = {"knowledge": plain_judge(knowledge)}
    stored = sample(judges=judges, **(absent if alone else {}))
    save_checkpoint(tmp_path / "judges.pt", stored)
    test_nothing_but_plain_values_is_in_the_file(tmp_path / "judges.pt")
    loaded = load_checkpoint(tmp_path / "judges.pt")
    assert loaded.hash == stored.hash
    states = sample_states(game().simulator(), 20, seed=1)
    legal = game().simulator().look(states).legal[:, : game().move_offsets[1]].numpy()
    found = loaded.judge("knowledge").move_scores(states.to_bool().numpy(), legal, 0)
    expected = knowledge.move_scores(states.to_bool().numpy(), legal, 0)
    assert (found == expected).all()
    if alone:
        with pytest.raises(CheckpointError, match=r"no evaluator of states, only .* \(knowledge\)"):
            loaded.evaluator()
    else:
        loaded.evaluator()
    with pytest.raises(CheckpointError, match="no judge of moves 'action', but knowledge"):
        loaded.judge("action")


def test_judges_that_cannot_be_rebuilt_are_refused() -> None:
    stored = plain_judge(Knowledge(game()))
    odd = {"description": stored["description"], "weights": {"odd": torch.ones(1)}}
    with pytest.raises(CheckpointError, match="do not fit the judge knowledge"):
        sample(judges={"knowledge": odd}).judge("knowledge")
    with pytest.raises(CheckpointError, match="unknown kind 'oracle'"):
        sample(judges={"oracle": stored}).judge("oracle")
    with pytest.raises(CheckpointError, match="other rules"):
        sample(judges={"knowledge": stored}).judge("knowledge", Game.load("nim"))


def test_a_game_may_be_named_and_what_cannot_be_written_too(tmp_path: Path) -> None:
    game = Game.load("tictactoe")
    checkpoint = checkpoint_of(game, make_evaluator(game))
    assert checkpoint.evaluator("tictactoe").fluent_count == len(game.fluents)
    assert checkpoint.mapping("tictactoe").is_identity
    missing = tmp_path / "none" / "x.pt"
    with pytest.raises(FileNotFoundError) as refused:
        save_checkpoint(missing, checkpoint)
    assert refused.value.filename == str(missing)
    with pytest.raises(CheckpointError, match="a Checkpoint is written"):
        save_checkpoint(tmp_path / "x.pt", checkpoint.evaluator())  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())

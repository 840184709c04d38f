"""Small files that claim to be large: one message, before room is made for anything."""

from __future__ import annotations

import pickle
import resource
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.errors import CheckpointError, NeurogameError
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.learn.checkpoints import claims as checkpoint_claims
from neurogame.learn.checkpoints.checkpoint import (
    VERSION,
    empty_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.judges import plain_judge
from neurogame.machine_memory import data_size
from neurogame.simulate.game import Game

GIGA = 1 << 30


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Let what asks for much fail, and not the machine."""
    if sys.platform != "linux":
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (data_size() + 3 * GIGA, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


class Calls:
    """An object whose pickle calls something."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._call


class Record:
    """Stands for a record of the archive in a pickle."""

    def __init__(self, count: int, key: str = "0") -> None:
        self.pid = ("storage", torch.FloatStorage, key, "cpu", count)


class Pickler(pickle.Pickler):
    """Writes records as torch does."""

    def persistent_id(self, value: object) -> object:
        return value.pid if isinstance(value, Record) else None


def tensor(count: int, shape: tuple[int, ...], stride: tuple[int, ...], offset: int = 0) -> Calls:
    """A tensor above a record of two elements that is said to have ``count``."""
    rebuild = torch._utils._rebuild_tensor_v2
    return Calls(rebuild, Record(count), offset, shape, stride, False, {})


def crafted(path: Path, value: object) -> None:
    """Write a file of torch's form whose record ``0`` holds 8 bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        if isinstance(value, bytes):
            archive.writestr("x/data.pkl", value)
        else:
            with archive.open("x/data.pkl", "w") as stream:
                Pickler(stream, protocol=2).dump(value)
        archive.writestr("x/byteorder", "little")
        archive.writestr("x/data/0", bytes(8))
        archive.writestr("x/version", "3\n")


def shared(depth: int) -> object:
    """A list that is small because all of its lists are the same ones."""
    found: list[object] = []
    for _ in range(depth):
        found = [found] * 10
    return found


def nested(depth: int) -> object:
    found: list[object] = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (tensor(4 * 10**9, (4 * 10**9,), (1,)), "4,000,000,000 elements in 8 bytes"),
        (tensor(10**13, (10**13,), (1,)), "10,000,000,000,000 elements in 8 bytes"),
        (tensor(2, (4 * 10**9,), (0,)), r"shape \(4000000000,\) in 2 elements"),
        (tensor(2, (10**7, 10**6), (0, 0)), r"shape \(10000000, 1000000\) in 2 elements"),
        (tensor(2, (2,), (10**12,)), r"shape \(2,\) in 2 elements"),
        (tensor(2, (2,), (1,), 1), r"shape \(2,\) in 2 elements"),
        (tensor(2, (2,), (-1,), 1), r"shape \(2,\) in 2 elements"),
        (tensor(-1, (), ()), "-1 elements in 8 bytes"),
        (Calls(bytearray, 16 * 10**9), "bytearray"),
        (Calls(torch.FloatStorage, 10**13), "not callable"),
        (b"\x80\x02}r\xff\xff\xff\x7f.", "remembers 2,147,483,647 things after 2"),
        (b"\x80\x05\x96" + (16 * 10**9).to_bytes(8, "little") + b"x.", "bytearray8"),
        (b"\x80\x05\x8e" + (16 * 10**9).to_bytes(8, "little") + b"x.", "bytes8"),
        (shared(40), "repeat themselves beyond measure"),
        (nested(200), "nested deeper than 64"),
    ],
)
def test_a_pickle_that_asks_for_more_than_there_is(
    value: object, says: str, tmp_path: Path
) -> None:
    crafted(tmp_path / "one.pt", value)
    assert (tmp_path / "one.pt").stat().st_size < 20_000
    with pytest.raises(CheckpointError, match="damaged, cut short, or not a checkpoint") as found:
        load_checkpoint(tmp_path / "one.pt")
    assert found.match(says)


def test_what_is_checked_is_what_torch_writes(tmp_path: Path) -> None:
    """The same files with sizes that are so are read, and only then found to be something else."""
    for value in (
        tensor(2, (2,), (1,)),
        tensor(2, (), (), 1),
        tensor(2, (0, 5), (5, 1)),
        nested(5),
    ):
        crafted(tmp_path / "one.pt", value)
        with pytest.raises(CheckpointError, match="not a neurogame checkpoint"):
            load_checkpoint(tmp_path / "one.pt")


@pytest.fixture
def genuine(tmp_path: Path) -> Path:
    """A checkpoint of many zeros, and so with compressed records."""
    held = empty_checkpoint(Game.load("nim"))
    many = {"many": torch.zeros(1_000_000)}
    save_checkpoint(tmp_path / "genuine.pt", held)
    save_checkpoint(tmp_path / "zeros.pt", _with(held, weights=many))
    return tmp_path / "zeros.pt"


def _with(held: Any, **changes: object) -> Any:
    return type(held)(**{**vars(held), **changes})


def rewritten(
    path: Path, change: Callable[[zipfile.ZipFile, zipfile.ZipInfo, bytes], None]
) -> None:
    """Write the archive anew; ``change`` writes each record."""
    with zipfile.ZipFile(path) as old:
        records = [(info.filename, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in records:
            change(new, zipfile.ZipInfo(name), data)


def test_records_that_would_grow_more_than_they_can(genuine: Path) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        new.writestr(info, data, zipfile.ZIP_DEFLATED)
        if info.filename.endswith("data/0"):
            new.getinfo(info.filename).file_size = 16 * GIGA

    rewritten(genuine, change)
    with pytest.raises(CheckpointError, match="17,179,869,184 bytes out of"):
        load_checkpoint(genuine)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_records_of_one_name(genuine: Path) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        for _ in range(2 if info.filename.endswith("data/0") else 1):
            new.writestr(info, data, zipfile.ZIP_DEFLATED)

    rewritten(genuine, change)
    with pytest.raises(CheckpointError, match="two records of one name"):
        load_checkpoint(genuine)


def test_a_file_that_grows_a_thousand_times(genuine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_checkpoint(genuine).weights["many"].shape == (1_000_000,)
    monkeypatch.setattr(checkpoint_claims, "_EASY_BYTES", 100_000)
    with pytest.raises(CheckpointError, match="bytes when decompressed, more than"):
        load_checkpoint(genuine)


def test_files_of_torch_s_old_form_are_not_opened(tmp_path: Path) -> None:
    torch.save({"format": 1}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(CheckpointError, match="no zip archive"):
        load_checkpoint(tmp_path / "old.pt")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rules": 5}, "rules is a int, no str"),
        ({"description": [1]}, "description is a list, no dict"),
        ({"weights": {"a": "b"}}, "a is a str, no tensor"),
        ({"judges": {"knowledge": {}}}, "'weights'"),
        ({"results": {1: 2, "a": 3}}, "'<' not supported"),
    ],
)
def test_contents_of_another_kind(changes: dict[str, Any], says: str, genuine: Path) -> None:
    contents = {**vars(load_checkpoint(genuine)), **changes}
    document = {
        "format": "neurogame checkpoint",
        "version": VERSION,
        "hash": "",
        "contents": contents,
    }
    if "results" not in changes:
        document["hash"] = checkpoint_hash(contents)
    torch.save(document, genuine)
    with pytest.raises(CheckpointError, match=f"unexpected contents: .*{says}"):
        load_checkpoint(genuine)


def checkpoint_hash(contents: dict[str, Any]) -> str:
    from neurogame.learn.checkpoints.content_hash import content_hash

    return content_hash(contents)


GAME = Game.load("tictactoe")
NETWORK = make_rules_network(GAME, RulesNetworkConfig(hidden=4, lookups=8), opposed=True)
SIZES = NETWORK.describe()["sizes"]


def described(**sizes: object) -> dict[str, Any]:
    return {**NETWORK.describe(), "sizes": {**SIZES, **sizes}}


@pytest.mark.parametrize(
    "description",
    [
        {"kind": "mlp", "hidden": [10**9]},
        {"kind": "mlp", "hidden": [60_000, 60_000]},
        described(rows=10**13),
        described(sets=10**5, rows=10**6),
        described(images=10**9),
        described(lookups=10**12),
        described(fluents=10**9),
        described(modes=10**9),
        described(modes=-1),
        described(rows="many"),
        {**NETWORK.describe(), "config": {**NETWORK.describe()["config"], "hidden": 10**9}},
        {"kind": "rules-network"},
        {"kind": "cilp", "neurons": 10**15},
    ],
)
def test_an_evaluator_that_would_need_more_than_its_weights(
    description: dict[str, Any], tmp_path: Path
) -> None:
    held = _with(empty_checkpoint(GAME), description=description, weights=copied_weights(NETWORK))
    save_checkpoint(tmp_path / "one.pt", held)
    with pytest.raises(NeurogameError, match=r"asks for|do not fit|allowed: a whole number"):
        load_checkpoint(tmp_path / "one.pt").evaluator(GAME)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("knowledge", {"hidden": 10**9}),
        ("knowledge", {"replies": 10**9}),
        ("action", {"gates": 10**15, "steps": 50}),
    ],
)
def test_a_judge_that_would_need_more_than_its_weights(name: str, changes: dict[str, Any]) -> None:
    stored = plain_judge(Knowledge(GAME))
    stored["description"] = {**(stored["description"] if name != "action" else {}), **changes}
    held = _with(empty_checkpoint(GAME), judges={name: stored})
    with pytest.raises(NeurogameError, match=r"asks for|do not fit|must be|allowed"):
        held.judge(name, GAME)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("first", 10**6),
        ("last", -1),
        ("addend", 2**31 - 1),
        ("addend", -5),
        ("lookup", 10**6),
        ("start", 3),
        ("seen_as", 10**6),
        ("images", -2),
        ("weights", 1000),
        ("turn", 9),
        ("mode_fluent", 10**6),
    ],
)
def test_a_layout_that_leads_out_of_its_tables(name: str, value: int) -> None:
    """Compiled code would read, and write, wherever it leads."""
    weights = copied_weights(NETWORK)
    assert weights[f"layout_{name}"].numel() > 0
    held = _with(empty_checkpoint(GAME), description=NETWORK.describe(), weights=weights)
    assert held.evaluator(GAME) is not None
    weights[f"layout_{name}"].reshape(-1)[0] = value
    with pytest.raises(NeurogameError, match="layout leads nowhere"):
        held.evaluator(GAME)

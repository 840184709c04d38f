"""Files of the cache: read only where they are what they should be, and whose."""

from __future__ import annotations

import io
import os
import resource
import sys
import threading
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar, final

import numpy as np
import numpy.typing as npt
import pytest
from tqdm import tqdm
from typing_extensions import TypeAliasType

from neurogame import machine_memory
from neurogame.array_types import ArrayHint, Float32s2, array_hint
from neurogame.aside import Aside, LeftBehindError, are_busy
from neurogame.bars import EVERY, bar_stream
from neurogame.circuit.compile import FORMAT, load_circuit, save_circuit
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.store import FORMAT as SUMS
from neurogame.features.store import known_evidence
from neurogame.files import is_trusted, read_arrays, write_arrays, write_output
from neurogame.simulate.game import Game
from neurogame.structure.cache import FORMAT as STRUCTURE
from neurogame.structure.cache import load_structure, structure_of
from tests.processes import run

ARRAYS = {"a": np.arange(3), "b": np.zeros((2, 0), bool), "c": np.array("text")}


def test_arrays_come_back_under_the_name_that_they_were_written_under(tmp_path: Path) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    write_arrays(one, ARRAYS)
    found = read_arrays(one)
    assert found is not None
    assert {name: own.tolist() for name, own in found.items()} == {
        name: own.tolist() for name, own in ARRAYS.items()
    }
    one.rename(two)
    assert read_arrays(two) is None
    assert read_arrays(one) is None
    with two.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **ARRAYS)
    assert read_arrays(two) is None


@pytest.mark.parametrize("shape", [(4 * 10**9,), (10**7, 10**6), (2,), (4,)])
@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_an_array_that_claims_to_be_larger_than_its_bytes(
    shape: tuple[int, ...], version: tuple[int, int], tmp_path: Path
) -> None:
    head = io.BytesIO()
    described = {"descr": "<i4", "fortran_order": False, "shape": shape}
    if version == (1, 0):
        np.lib.format.write_array_header_1_0(head, described)
    else:
        np.lib.format.write_array_header_2_0(head, described)
    path = tmp_path / "one.npz"
    write_arrays(path, {"b": np.zeros(3)})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("a.npy", head.getvalue() + bytes(12))
    assert read_arrays(path) is None


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_output(path, "page", force=True)
        assert os.read(reader, 9) == b"page"
    finally:
        os.close(reader)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_leads_to_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "held").mkdir()
    target, link = tmp_path / "held" / "page", tmp_path / "link"
    link.symlink_to(target)
    # The first time the link leads to nothing.
    for text in ("first", "second"):
        write_output(link, text, force=True)
        assert link.is_symlink()
        assert target.read_text() == text
    assert sorted(tmp_path.rglob("*")) == [target.parent, target, link]


def test_objects_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "one.npz"
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=True, a=np.array([{}], object))
    assert read_arrays(path) is None


def test_caches_of_another_game_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that were exchanged, and files of the right name that hold something else."""
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    one, two = Game.load("nim"), Game.load("tictactoe")
    for own in (one, two):
        save_circuit(own.circuit)
        structure_of(own.circuit, own.rules)
        known_evidence(own, EvidenceConfig(games=64, seconds=1.0), seed=1, what="test")
    for form in (FORMAT, STRUCTURE, SUMS):
        first, second = sorted(tmp_path.glob(f"{form}-*.npz"))
        whole = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(whole)
    for own in (one, two):
        assert load_circuit(own.circuit.key) is None
        assert load_structure(own.circuit) is None
        assert Game.load(own.name).fluents == own.fluents
        known_evidence(own, EvidenceConfig(games=64, seconds=1.0), seed=1, what="test")
        for form in (FORMAT, STRUCTURE):
            write_arrays(tmp_path / f"{form}-{own.circuit.key}.npz", ARRAYS)
        assert load_circuit(own.circuit.key) is None
        assert load_structure(own.circuit) is None
        assert structure_of(own.circuit, own.rules).variables


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
def test_what_others_can_write_to_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one"
    assert not is_trusted(path)
    path.touch()
    for mode, trusted in ((0o600, True), (0o644, True), (0o755, True), (0o666, False)):
        path.chmod(mode)
        assert is_trusted(path) is trusted
    # A group that the user is alone in is no others.
    path.chmod(0o664)
    monkeypatch.setattr("neurogame.files._is_alone", lambda group: True)
    assert is_trusted(path)
    monkeypatch.setattr("neurogame.files._is_alone", lambda group: False)
    assert not is_trusted(path)
    path.chmod(0o600)
    user = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert is_trusted(path) is (user == 0)
    if user == 0 and os.getuid() == 0:
        os.chown(path, 12345, -1)
        assert not is_trusted(path)


def test_pieces_are_done_one_after_the_other_and_errors_come_back() -> None:
    aside, order = Aside(), list[int]()
    pieces = [aside.submit(partial(order.append, number)) for number in range(5)]
    assert aside.do(lambda: len(order), lambda: False) == 5
    assert all(piece.done() for piece in pieces)
    assert order == [0, 1, 2, 3, 4]
    with pytest.raises(ZeroDivisionError):
        aside.do(lambda: 1 / 0, lambda: False)
    assert not are_busy()
    aside.close(60.0)


def test_what_takes_too_long_is_left_behind() -> None:
    aside, free, begun = Aside(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        free.wait()

    with pytest.raises(LeftBehindError):
        aside.do(work, begun.is_set)
    assert are_busy()
    free.set()
    assert aside.close(60.0)
    assert not are_busy()


@final
class Given:
    """Something that takes a while to be given back."""

    def __init__(self, back: threading.Event) -> None:
        self.back = back

    def __del__(self) -> None:
        time.sleep(0.05)
        self.back.set()


def test_a_thread_that_has_nothing_left_to_do_is_gone_with_all_that_it_held() -> None:
    aside, back = Aside(), threading.Event()
    aside.submit(partial(id, Given(back))).result()
    assert aside.close(0.0)
    assert back.is_set()


@pytest.mark.parametrize(("busy", "code"), [(True, 7), (False, 0)])
def test_a_process_ends_though_work_goes_on(busy: bool, code: int) -> None:
    """Its output is written; and where nothing goes on, the process ends as any other."""
    text = (
        "import threading; from neurogame.aside import Aside, end_process\n"
        f"Aside().submit(threading.Event().wait if {busy} else int)\n"
        f"aside = Aside(); aside.do(int, lambda: False)\n"
        "print('said'); end_process(7)\n"
    )
    ended = run([sys.executable, "-c", text], check=False)
    assert (ended.returncode, ended.stdout) == (code, "said\n")


@final
class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("stays", [True, False])
def test_a_bar_in_a_file_is_a_line_every_thirty_seconds(
    stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred steps of three seconds are ten lines, and the last state if the bar stays."""
    told, clock = io.StringIO(), Clock()
    monkeypatch.setattr(sys, "stderr", told)
    layout = "{desc}: {n_fmt} of {total_fmt}"
    with tqdm(
        total=101, desc="learn", bar_format=layout, leave=stays, file=bar_stream(clock)
    ) as bar:
        for _ in range(100):
            clock.now += EVERY / 10
            bar.update()
            bar.refresh()
        assert told.getvalue().count("\n") == 10
        bar.update()
        bar.refresh()
    lines = told.getvalue().split("\n")
    assert lines[:10] == [f"learn: {10 * number} of 101" for number in range(1, 11)]
    assert lines[10:] == (["learn: 101 of 101", ""] if stays else [""])


def test_a_bar_on_a_terminal_is_drawn_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(told, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", told)
    assert bar_stream() is told


Number = TypeVar("Number", bound=np.generic)
EXPECTED = ArrayHint(np.dtype(np.float32), 2, ())


def test_an_annotation_gives_numbers_and_dimensions() -> None:
    """Whatever numpy is installed."""
    assert array_hint(Float32s2) == EXPECTED
    assert array_hint(int) is None
    assert array_hint(Annotated[int, np.int32]) is None


def test_arrays_may_be_an_alias_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As from numpy 2.5 on: the origin of such an annotation is the alias, not the array."""
    numbers: Any = (Number,)
    alias: Any = TypeAliasType("NDArray", np.ndarray[Any, np.dtype[Number]], type_params=numbers)
    monkeypatch.setattr(npt, "NDArray", alias)
    assert array_hint(Annotated[alias[np.float32], 2]) == EXPECTED


def test_the_least_of_all_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_memory, "_GROUP", tmp_path)
    monkeypatch.setattr(machine_memory, "_MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(machine_memory, "_PROCESS", tmp_path / "status")
    unlimited = resource.RLIM_INFINITY
    limits = {resource.RLIMIT_DATA: unlimited, resource.RLIMIT_AS: unlimited}
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (limits[limit], unlimited))
    assert machine_memory.free_memory() == machine_memory.machine_memory()
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable: 800 kB\n")
    assert machine_memory.free_memory() == 800 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1024\n")
    assert machine_memory.free_memory() == 800 * 1024
    (tmp_path / "memory.max").write_text(f"{701 * 1024}\n")
    assert machine_memory.free_memory() == 700 * 1024
    (tmp_path / "status").write_text("VmSize: 100 kB\nVmData: 50 kB\n")
    assert machine_memory.data_size() == 50 * 1024
    limits[resource.RLIMIT_DATA] = 650 * 1024
    assert machine_memory.free_memory() == 600 * 1024
    limits[resource.RLIMIT_AS] = 99 * 1024
    assert machine_memory.free_memory() == 0


def test_of_this_machine_something_is_known() -> None:
    machine, free = machine_memory.machine_memory(), machine_memory.free_memory()
    assert machine is not None
    assert free is not None
    assert 0 < free <= machine

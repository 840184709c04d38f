"""Files of the cache: read only where they are what they should be, and whose."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from neurogame.circuit.cache import FORMAT, load_circuit, save_circuit
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.store import FORMAT as SUMS
from neurogame.features.store import known_evidence
from neurogame.files import is_trusted, read_arrays, write_arrays
from neurogame.simulate.game import Game
from neurogame.structure.cache import FORMAT as STRUCTURE
from neurogame.structure.cache import load_structure, structure_of

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

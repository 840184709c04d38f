"""Compiled games on disk: used again, never trusted blindly, and not needed."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from neurogame.files import read_arrays, write_arrays
from neurogame.kernels.codegen import kernel as kernels
from neurogame.kernels.codegen import store
from neurogame.kernels.codegen.kernel import load_kernel
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.codegen.store import load_arrays, save_arrays
from neurogame.kernels.playout import PlayoutRun
from tests.kernels.codegen.test_playouts import VARIANTS, game, plain
from tests.kernels.twin.slow_playout import assert_equal

RUN = PlayoutRun(seed=3, lanes=100, games=300)
SMALL = "rockpaperscissors"
"""A game that is compiled in no time."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test an empty cache."""
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def play(variant: str) -> float:
    """Play with a kernel that is loaded anew; return what making it took."""
    kernels.load_routine.cache_clear()
    player = LlvmPlayouts(game(SMALL).circuit, variant)
    assert_equal(player.run(RUN), plain(SMALL).run(RUN))
    return player.kernel().seconds


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_was_compiled_once_is_loaded(variant: str, folder: Path) -> None:
    assert play(variant) > 0
    files = sorted(folder.glob("kernel-*"))
    assert len(files) == (1 if variant == "straight" else 2), "the routine has its own file"
    before = [file.stat().st_mtime_ns for file in files]
    assert play(variant) == 0
    assert [file.stat().st_mtime_ns for file in sorted(folder.glob("kernel-*"))] == before


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("damage", [b"", b"nonsense", None], ids=["empty", "nonsense", "half"])
def test_damaged_files_are_made_again(variant: str, damage: bytes | None, folder: Path) -> None:
    play(variant)
    for file in folder.iterdir():
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert play(variant) > 0
    assert play(variant) == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_files_of_another_game_are_made_again(variant: str, folder: Path) -> None:
    play(variant)
    own = set(folder.glob("kernel-*"))
    load_kernel(game("tictactoe").circuit, variant, 0, moves=False)
    (other,) = set(folder.glob("kernel-*")) - own
    for file in own:
        file.write_bytes(other.read_bytes())
    assert play(variant) > 0
    assert play(variant) == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_files_without_what_is_needed_are_made_again(variant: str, folder: Path) -> None:
    play(variant)
    for file in folder.iterdir():
        arrays = read_arrays(file)
        assert arrays is not None
        write_arrays(file, {name: own for name, own in arrays.items() if name != "object"})
    assert play(variant) > 0
    assert play(variant) == 0


@pytest.mark.parametrize("of_folder", [False, True])
def test_code_that_others_can_have_written_is_not_run(of_folder: bool, folder: Path) -> None:
    play("straight")
    (file,) = folder.iterdir()
    (folder if of_folder else file).chmod(0o777 if of_folder else 0o666)
    store._warn.cache_clear()
    with pytest.warns(UserWarning, match="machine code from there is not run"):
        assert play("straight") > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # It is told once.
        assert (play("straight") > 0) is of_folder
    folder.chmod(0o755)
    # A file that was made anew is the user's own.
    assert play("straight") == 0


def test_it_works_without_a_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    for variant in VARIANTS:
        assert play(variant) > 0
        assert play(variant) > 0
    assert not folder.exists()


def test_a_cache_that_cannot_be_written_is_no_error(folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    assert play("straight") > 0


def test_every_kind_of_kernel_has_its_own_file(folder: Path) -> None:
    circuit = game(SMALL).circuit
    kinds = [(v, bits, moves) for v in VARIANTS for bits in (0, 10) for moves in (False, True)]
    for variant, bits, moves in kinds:
        assert load_kernel(circuit, variant, bits, moves=moves).seconds > 0
    for variant, bits, moves in kinds:
        found = load_kernel(circuit, variant, bits, moves=moves)
        assert (found.seconds, found.variant, len(found.does) > 0) == (0, variant, moves)


def test_arrays_come_back_under_their_key_alone() -> None:
    arrays = {"a": np.arange(3), "b": np.array("text")}
    assert load_arrays("key") is None
    save_arrays("key", arrays)
    assert load_arrays("other") is None
    found = load_arrays("key")
    assert found is not None
    assert set(found) == {"a", "b"}
    assert str(found["b"]) == "text"
    np.testing.assert_array_equal(found["a"], arrays["a"])


def test_what_was_loaded_stays_in_memory_as_long_as_its_file_is_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str = "tictactoe") -> kernels.Kernel:
        return load_kernel(game(name).circuit, "straight", 0, moves=False)

    monkeypatch.setattr(store, "_loaded", OrderedDict())
    made, loaded = load(), load()
    assert made is not loaded
    assert load() is loaded
    # Two searches may hold it at once: what it reads and writes is theirs.
    player = LlvmPlayouts(game("tictactoe").circuit, "straight")
    assert player.kernel() is loaded
    assert_equal(player.run(RUN), plain("tictactoe").run(RUN))
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes())
    again = load()
    assert again is not loaded
    assert again.seconds == 0
    file.unlink()
    assert load().seconds > 0
    kept = load()
    assert list(store._loaded.values())[-1] is kept
    store._loaded.clear()
    monkeypatch.setattr(store, "_MOST", 1)
    kept = load()
    load("connectfour")
    assert load("connectfour") is load("connectfour")
    assert load() is not kept

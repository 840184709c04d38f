"""How functions are compiled and kept, whatever can be written to."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest

from neurogame import compiling, first_use
from neurogame.shipped_code import FAMILIES, VARIABLE, families
from tests import processes

SOURCE = """
def double(number, extra):
    return 2 * number + extra


def calls(number):
    return double(number, 0) + double(number, 1) + double(number, number)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return a module in a folder of its own, whose code goes where it goes by default."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    file = tmp_path / "package" / "sums.py"
    file.parent.mkdir()
    file.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sums", file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["sums"] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules["sums"]


def made(module: ModuleType, name: str) -> Any:
    """Return a function of the module, to be compiled."""
    return compiling.dispatcher(getattr(module, name), (Path(module.__file__ or "").parent,))


def forbid(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be written below a folder; file modes would not stop an administrator."""
    plain = os.makedirs

    def makedirs(path: str, mode: int = 0o777, exist_ok: bool = False) -> None:
        if Path(path).is_relative_to(folder):
            raise PermissionError(path)
        plain(path, mode, exist_ok)

    monkeypatch.setattr(os, "makedirs", makedirs)


def test_a_constant_does_not_compile_a_function_twice(module: ModuleType) -> None:
    module.double = made(module, "double")  # type: ignore[attr-defined]
    calls = made(module, "calls")
    assert calls(5) == 2 * 15 + 1 + 5
    assert module.double.signatures == [(numba.types.int64, numba.types.int64)]


def test_code_is_kept_beside_the_source(module: ModuleType) -> None:
    assert made(module, "double")(3, 4) == 10
    assert list(Path(module.__file__ or "").parent.glob("__pycache__/*.nbc"))
    told: list[bool] = []
    first_use.ask_with(lambda _: told.append(True))
    again = made(module, "double")
    assert again(3, 4) == 10
    assert told == []
    assert again(3.0, 4) == 10.0
    assert again(3, 4.0) == 10.0
    assert told == [True]
    first_use.ask_with(None)


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_files_are_made_anew(module: ModuleType, kind: str) -> None:
    assert made(module, "double")(3, 4) == 10
    (kept,) = Path(module.__file__ or "").parent.glob(f"__pycache__/*.{kind}")
    for damaged in (b"", kept.read_bytes()[: kept.stat().st_size // 2], b"\x80\x04(nonsense"):
        kept.write_bytes(damaged)
        assert made(module, "double")(3, 4) == 10
    again = made(module, "double")
    assert again(3, 4) == 10
    assert sum(again.stats.cache_hits.values()) == 1


@pytest.mark.parametrize("has_cache", [True, False])
def test_a_read_only_installation_keeps_code_in_the_cache_if_there_is_one(
    has_cache: bool, module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path / "cache") if has_cache else "")
    forbid(tmp_path / "package", monkeypatch)
    assert made(module, "double")(3, 4) == 10
    assert bool(list(tmp_path.glob("cache/numba/*/*.nbc"))) == has_cache


def test_the_collector_works_again_after_compiling(module: ModuleType) -> None:
    assert gc.isenabled()
    made(module, "double")(3, 4)
    assert gc.isenabled()
    with pytest.raises(numba.TypingError):
        made(module, "double")(3, "text")
    assert gc.isenabled()


def test_only_compiled_functions_call_a_callee(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(str(module.__file__)).parent
    monkeypatch.setattr(
        module, "double", compiling.dispatcher(module.double, (folder,), callee=True)
    )
    calls = compiling.dispatcher(module.calls, (folder,))
    assert calls(3) == 22
    with pytest.raises(TypeError, match="only compiled functions can call double"):
        module.double(3, 0)
    assert not list(folder.glob("__pycache__/*double*.nbc"))
    assert list(folder.glob("__pycache__/*calls*.nbc"))


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
@pytest.mark.parametrize("of_folder", [False, True])
def test_code_that_others_can_have_written_is_compiled_anew_elsewhere(
    of_folder: bool, module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path / "cache"))
    assert made(module, "double")(3, 4) == 10
    beside = tmp_path / "package" / "__pycache__"
    (kept,) = beside.glob("*.nbc")
    kept.write_bytes(b"anybody's code")
    (beside if of_folder else kept).chmod(0o777)
    compiling._is_ours.cache_clear()
    with pytest.warns(UserWarning, match="is not run, but compiled anew for another place"):
        assert made(module, "double")(3, 4) == 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # It is told once.
        assert made(module, "double")(3, 4) == 10
    assert kept.read_bytes() == b"anybody's code"
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 1
    compiling._is_ours.cache_clear()


FAMILY = "x86-64-v3"
SHIP = """
import sys
from pathlib import Path
from neurogame import compiling
sys.path.insert(0, sys.argv[1])
import sums
assert compiling.dispatcher(sums.double, (Path(sys.argv[1]),))(3, 4) == 10
"""


@pytest.fixture(scope="module")
def made_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the code of ``double`` as another machine makes it for a family."""
    target: Any = numba.core.registry.cpu_target.target_context
    if FAMILY not in families(target.codegen().magic_tuple()[2]):
        pytest.skip(f"this processor is no {FAMILY}")
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "source").mkdir()
    (folder / "source" / "sums.py").write_text(SOURCE, encoding="utf-8")
    names = {"NUMBA_CPU_NAME": FAMILY, "NUMBA_CPU_FEATURES": FAMILIES[FAMILY]}
    processes.run(
        [sys.executable, "-c", SHIP, str(folder / "source")],
        env={**os.environ, **names, "NUMBA_CACHE_DIR": str(folder / "made")},
    )
    return folder / "made"


def rename(folder: Path) -> None:
    """Let the code be another Python's."""
    for file in folder.iterdir():
        file.rename(folder / file.name.replace(f".py{sys.version_info[0]}", ".py9"))


def damage(folder: Path) -> None:
    """Write half of each file."""
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def change(module: ModuleType) -> None:
    """Change another file that the function could call something of."""
    Path(module.__file__ or "").with_name("more.py").write_text("pass", encoding="utf-8")


@pytest.mark.parametrize("place", ["writable", "read-only"])
@pytest.mark.parametrize(
    "what", ["", "features", "folder", "python", "damaged", "source", "switched off"]
)
def test_code_that_came_with_the_package_is_taken_where_it_fits(
    what: str,
    place: str,
    module: ModuleType,
    made_elsewhere: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    come = tmp_path / "machine_code" / FAMILY
    come.mkdir(parents=True)
    for file in made_elsewhere.glob("*/*.nb[ci]"):
        shutil.copyfile(file, come / file.name)
    os.utime(module.__file__ or "", (1, 1))
    if what == "features":
        monkeypatch.setitem(FAMILIES, FAMILY, f"{FAMILIES[FAMILY]},+sse99")
    elif what == "folder":
        come.rename(tmp_path / "machine_code" / "other")
    elif what == "python":
        rename(come)
    elif what == "damaged":
        damage(come)
    elif what == "source":
        change(module)
    monkeypatch.setattr(compiling, "FOLDER", tmp_path / "machine_code")
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    forbid(tmp_path if place == "read-only" else tmp_path / "machine_code", monkeypatch)
    monkeypatch.setenv(VARIABLE, "0" if what == "switched off" else "1")
    before = {file: file.read_bytes() for file in (tmp_path / "machine_code").rglob("*.nb*")}
    told: list[str | None] = []
    first_use.ask_with(told.append)
    assert made(module, "double")(3, 4) == 10
    first_use.ask_with(None)
    compiled = what != ""
    assert told == [None if place == "read-only" else "sums"][: int(compiled)]
    kept = list(Path(module.__file__ or "").parent.glob("__pycache__/*.nbc"))
    assert bool(kept) == (compiled and place != "read-only")
    assert {file: file.read_bytes() for file in before} == before


def test_own_code_goes_before_that_of_the_package(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert made(module, "double")(3, 4) == 10
    monkeypatch.setattr(compiling, "families", None)  # It is not asked for.
    assert made(module, "double")(3, 4) == 10

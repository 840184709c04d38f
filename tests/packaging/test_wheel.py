"""The wheel: it holds library, players and type marker, and works away from the checkout."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import UserProvidedCacheLocator

from neurogame import __version__
from tests import processes
from tests.conftest import REPOSITORY

GAMES = sorted(path.name for path in (REPOSITORY / "games").glob("*.kif"))
PLAYERS = sorted(path.name for path in (REPOSITORY / "checkpoints").glob("*.pt"))
LARGEST = 24_000_000
"""Bytes."""


def run(*words: str, cwd: Path, **environment: str) -> str:
    """Run Python and return what it prints; fail with all its output."""
    command = [sys.executable, *words]
    return processes.run(command, cwd=cwd, env={**os.environ, **environment}).stdout


def build(kind: str, folder: Path) -> Path:
    """Build a distribution with the tools of this environment, and return its file."""
    run("-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(folder), ".", cwd=REPOSITORY)
    [file] = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a folder of its own.

    What has been compiled here is put beside its sources: it is taken if they are the same.
    """
    target = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-index", "--disable-pip-version-check", "--quiet"]
    run("-m", "pip", "install", *options, "--target", str(target), str(wheel), cwd=target)
    package = REPOSITORY / "neurogame"
    for folder in {file.parent for file in package.rglob("*.py")}:
        beside = target / folder.relative_to(REPOSITORY) / "__pycache__"
        for file in kept(folder).glob("*.nb[ci]"):
            beside.mkdir(exist_ok=True)
            shutil.copy(file, beside)
    return target


def kept(folder: Path) -> Path:
    """Return where the machine code of a folder of the checkout lies."""
    locator: Any = UserProvidedCacheLocator  # It is not annotated.
    named = os.environ.get("NUMBA_CACHE_DIR")
    if not named:
        return folder / "__pycache__"
    return Path(named, locator.get_suitable_cache_subpath(str(folder / "any.py")))


def test_it_holds_code_library_players_and_type_marker_only(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    inside = [f"neurogame/games/{name}" for name in GAMES]
    assert len(inside) > 10
    assert sorted(name for name in names if name.endswith(".kif")) == inside
    trained = [f"neurogame/checkpoints/{name}" for name in PLAYERS]
    assert len(trained) > 10
    assert sorted(name for name in names if name.endswith(".pt")) == trained
    assert "neurogame/py.typed" in names
    code = {
        path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "neurogame").rglob("*.py")
    }
    assert code == {name for name in names if name.endswith(".py")}
    page = (REPOSITORY / "neurogame" / "view" / "assets").iterdir()
    assert {path.relative_to(REPOSITORY).as_posix() for path in page} <= set(names)
    information = f"neurogame-{__version__}.dist-info/"
    assert all(name.startswith(("neurogame/", information)) for name in names)
    assert f"{information}licenses/LICENSE" in names
    code_size = sum(
        file.compress_size for file in archive.infolist() if "machine_code" in file.filename
    )
    assert wheel.stat().st_size - code_size < LARGEST


def test_its_metadata(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    information = f"neurogame-{__version__}.dist-info"
    metadata = archive.read(f"{information}/METADATA").decode()
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    needed = {
        line.split(": ", 1)[1].split(";")[0]
        for line in metadata.splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    }
    assert {name.split(">")[0].split("<")[0] for name in needed} == {
        "torch",
        "numpy",
        "pyparsing",
        "tqdm",
        "numba",
        "llvmlite",
    }
    entries = archive.read(f"{information}/entry_points.txt").decode()
    assert "neurogame = neurogame.cli.main:main" in entries


def test_it_works_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    def neurogame(*line: str) -> str:
        program = ("-m", "neurogame.cli.main", *line)
        return run(*program, cwd=tmp_path, PYTHONPATH=str(installed), NUMBA_CACHE_DIR="")

    listed = json.loads(neurogame("games", "--json"))["games"]
    assert [f"{game['name']}.kif" for game in listed] == GAMES
    folder = (installed / "neurogame" / "games").resolve()
    assert all(Path(game["path"]).resolve().parent == folder for game in listed)
    simulated = json.loads(neurogame("simulate", "nim", "--games", "64", "--json"))
    assert simulated["games"] == 64
    player = "alphabeta:checkpoints/tictactoe.pt,depth=1"
    line = ("match", "tictactoe", "--players", player, "random", "--matches", "2", "--json")
    assert json.loads(neurogame(*line))["matches"] == 2
    where = "import neurogame; print(neurogame.__file__)"
    found = run("-c", where, cwd=tmp_path, PYTHONPATH=str(installed))
    assert Path(found.strip()).resolve().is_relative_to(installed.resolve())


def test_the_source_distribution_can_make_the_wheel(tmp_path: Path) -> None:
    """It holds all that the build of the wheel reads, and nothing large beside the players."""
    archive = build("sdist", tmp_path)
    assert archive.stat().st_size < LARGEST
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    needed = {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "neurogame/py.typed"}
    needed |= {f"games/{name}" for name in GAMES} | {f"checkpoints/{name}" for name in PLAYERS}
    assert needed <= names
    assert not any(name.startswith((".venv", ".git/", "runs/")) for name in names)

"""Shared fixtures: where the reference material lies, and skipping when it is not there."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from neurogame.simulate.game import Game

# Few, as every run draws others; and one that is slow, on a busy machine, is no fault.
settings.register_profile("neurogame", max_examples=30, deadline=None)
settings.load_profile("neurogame")

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NEUROGAME_SHARED", REPOSITORY.parent / "shared"))


def shared(*parts: str) -> Path:
    """Return a path of the reference material, or skip the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference material {'/'.join(parts)} is not beside this checkout")
    return path


SEARCHING = ("arena", "cli", "ggp/server", "learn", "players", "search", "kernels/leaves")
"""Folders of tests that compile the search cores."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that compile the same side by side: then one of two workers does it, not both."""
    here = Path(__file__).parent
    items.sort(key=lambda item: not item.path.relative_to(here).as_posix().startswith(SEARCHING))


def pytest_collection_finish() -> None:
    """Search for circular garbage more rarely, and never in what was imported.

    It takes a fifth of the time of tests that make many small objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    """Compute small tensors on one thread: waiting for the others costs more than it saves."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what the tests compile out of the user's cache; the workers of one run share theirs."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    os.environ["NEUROGAME_CACHE"] = str(folder / "neurogame-cache")


@pytest.fixture(autouse=True, scope="session")
def _no_process_is_left() -> Iterator[None]:
    """Fail at the end of the run if something that the tests have started still runs."""
    from tests.processes import children, mark_children, wait_until

    mark_children()
    yield
    if forkserver := sys.modules.get("multiprocessing.forkserver"):
        # It would wait for the end of this process, and so would this fixture for its.
        forkserver._forkserver._stop()
    try:
        wait_until(lambda: not children())
    except AssertionError:
        left = children()
        for process in left:
            os.kill(process, signal.SIGKILL)
        pytest.fail(f"the tests have left processes behind: {left}")


@pytest.fixture(scope="session")
def tictactoe() -> Game:
    """Return the game that most tests play."""
    return Game.load("tictactoe")


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return what runs a command that must end with 1, and returns all that it says: one line."""
    from neurogame.cli.main import main

    def run(*words: str) -> str:
        assert main(list(words)) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith("error: ")
        assert shown.err.count("\n") == 1
        return shown.err

    return run


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Let Ctrl-C interrupt this process as usual, even in the background job of a script."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)

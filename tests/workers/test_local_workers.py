"""Worker processes end with their parent, whatever ends it, and are replaced when they hang."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from neurogame.workers.local import Patience, local_workers
from tests.processes import PATIENCE, started

SCRIPT = """
import os, time
from neurogame.workers.local import local_workers

if __name__ == "__main__":
    with local_workers(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def test_a_worker_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    with started([sys.executable, file]) as parent:
        assert parent.stdout is not None
        os.kill(int(parent.stdout.readline()), 0)
        parent.kill()
        # The worker has the same standard output: it ends only when both have gone.
        parent.communicate(timeout=PATIENCE)


def _hang(file: Path, times: int) -> int:
    """Stop this process unless it has been done so often already; return which one it is."""
    with file.open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    if len(file.read_text().split()) <= times:
        os.kill(os.getpid(), signal.SIGSTOP)
    return os.getpid()


def test_a_worker_that_hangs_is_replaced_and_a_slow_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with local_workers(1, Patience(look=0.1, looks=25)) as pool:
        answer = pool.submit(_hang, file, 1).result()
        first, second = map(int, file.read_text().split())
        assert answer == second != first
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)
        pool.submit(time.sleep, 3).result()
        assert pool.submit(os.getpid).result() == second

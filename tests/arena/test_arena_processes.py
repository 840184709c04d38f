"""Worker processes end with their parent, whatever ends it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_main import environment

SCRIPT = """
import os, time
from neurogame.arena.processes import worker_pool

if __name__ == "__main__":
    with worker_pool(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def alive(process: str) -> bool:
    """Return whether a process runs; one that only waits to be asked for its exit does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_worker_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    parent = subprocess.Popen(
        [sys.executable, str(file)], stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert parent.stdout is not None
    worker = parent.stdout.readline().strip()
    assert alive(worker)
    parent.kill()
    parent.wait(timeout=60)
    parent.stdout.close()
    end = time.monotonic() + 60
    while alive(worker):
        assert time.monotonic() < end
        time.sleep(0.02)

"""Worker processes end with their parent, whatever ends it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

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

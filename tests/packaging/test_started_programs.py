"""Programs that tests start: Ctrl-C reaches them, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.processes import children, run, started, wait_until

LEAVING = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print(child.pid)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_what_a_program_leaves_is_known_and_ends_with_the_test() -> None:
    left = list[int]()

    def interrupted() -> None:
        with started([sys.executable, "-c", LEAVING]) as process:
            assert process.stdout is not None
            left.append(int(process.stdout.readline()))
            process.wait()
            assert left[0] in children()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    wait_until(lambda: left[0] not in children())


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_ends_a_program_where_it_is_ignored_here() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with started(
            [sys.executable, "-c", "print(1, flush=True); input()"], stdin=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
    finally:
        signal.signal(signal.SIGINT, before)
    assert errors.strip().endswith("KeyboardInterrupt")


def test_a_program_that_fails_fails_the_test_with_its_words() -> None:
    with pytest.raises(AssertionError, match="no luck"):
        run([sys.executable, "-c", "raise SystemExit('no luck')"])
    assert run([sys.executable, "-c", "raise SystemExit(3)"], check=False).returncode == 3

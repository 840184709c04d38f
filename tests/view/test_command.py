"""``neurogame view`` as people start it."""

from __future__ import annotations

import json
import re
import signal
import urllib.request
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from neurogame.cli.main import main
from tests.conftest import REPOSITORY
from tests.processes import PATIENCE, PROGRAM, started, wait_until

CHECKPOINT = REPOSITORY / "checkpoints" / "tictactoe.pt"


def asked(url: str, path: str, given: object = None) -> dict[str, object]:
    """Ask a page that is served by another process."""
    body = None if given is None else json.dumps(given).encode()
    request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        found: dict[str, object] = json.loads(reply.read())
    return found


def test_it_serves_until_ctrl_c_and_writes_nothing(tmp_path: Path) -> None:
    with started([*PROGRAM, "view", str(CHECKPOINT), "--port", "0"], cwd=tmp_path) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found is not None
        url = found[0]
        page = urllib.request.urlopen(url + "/", timeout=PATIENCE).read()
        assert b"tictactoe" in page
        asked(url, "/api/think", {"line": [], "role": 0, "player": "random"})
        wait_until(lambda: asked(url, "/api/job")["stage"] == "done", process)
        # Ctrl-C comes while a player thinks: nobody waits for it.
        asked(url, "/api/think", {"line": [], "role": 1, "player": "auto,prepare=500"})
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert output == "ends\n"
        assert errors == ""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_a_value_is_taken_apart_ends_in_order(tmp_path: Path) -> None:
    """A thread deep in compiled code aborts a process that is taken apart."""
    command = [*PROGRAM, "view", "reversi", "--port", "0"]
    with started(command, cwd=tmp_path) as process, ThreadPoolExecutor() as pool:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        wanted = {"line": [], "judge": "values", "role": 0, "method": "gradients"}
        while "pending" in asked(found[0], "/api/values", wanted):
            pass
        question = pool.submit(asked, found[0], "/api/explain", wanted)
        # It takes a second or more.
        wait([question], 0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0


def test_a_target_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "nowhere.pt"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: nowhere.pt")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--evaluator", "nosuch"], "no fresh evaluator 'nosuch'; there are cilp"),
        (["--number", "3"], "--number goes with the record of a match"),
        (["--rules", "nim"], "--rules goes with the record of a match"),
        (["--plies", "3"], "--plies goes with --export FILE"),
        (["--method", "none"], "--method goes with --export FILE"),
    ],
)
def test_what_is_asked_for_in_vain_is_one_line(
    asked: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # A page would be served until Ctrl-C.
    assert main(["view", "tictactoe", "--port", "-1", *asked]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("error: ")
    assert said in shown

"""``neurogame serve`` as a process: what it says, and how signals end it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from neurogame.cli.main import main
from neurogame.ggp.server.listener import listen, open_socket
from tests.processes import PATIENCE, started

# The command itself, with doubles for the processes that would load torch.
COMMAND = """
import sys, threading
from neurogame.cli.main import main
from neurogame.ggp.server import serve
from tests.ggp.server.doubles import FakeSide

class Processes:
    def __init__(self, player): pass
    def warm_up(self): return ("nothing is compiled",)
    def watch(self, report): pass
    def close(self): print("children are gone", flush=True)

def match(start, settings, log, processes):
    closable = threading.Event()
    closable.set()
    return FakeSide(start, log, waits="waits" in start.match, closable=closable)

serve.Processes, serve.ServedMatch = Processes, match
sys.exit(main(["serve", *sys.argv[1:]]))
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


class Command:
    """The running command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.lines: list[str] = []
        self.address = ""
        assert process.stdout is not None
        while not self.address:
            line = process.stdout.readline()
            assert line, "the command ended before it was ready"
            self.lines.append(line.strip())
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            self.address = found[0] if found else ""

    def ask(self, message: str) -> str:
        request = Request(self.address, data=message.encode())
        with urlopen(request, timeout=PATIENCE) as reply:
            return str(reply.read().decode())

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def next_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what else was said."""
        assert self._process.stdout is not None
        said = self._process.stdout.read()
        return self._process.wait(PATIENCE), said


@contextmanager
def command(*arguments: str) -> Iterator[Command]:
    line = [sys.executable, "-c", COMMAND, "--port", "0", "--player", "random", *arguments]
    with started(line, stderr=subprocess.STDOUT) as process:
        yield Command(process)


def test_interrupted_without_a_match_it_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with command("--log", str(log), "--name", "Cilp") as running:
        assert running.lines[0] == "warning: nothing is compiled"
        expected = rf"neurogame plays random at {running.address}, matches are logged in {log}"
        assert running.lines[1] == expected
        assert running.ask("( INFO )") == "((name Cilp)(status available)(species alien))"
        running.signal(signal.SIGINT)
        assert running.end() == (0, "children are gone\n")


def test_auto_looks_into_the_folder_of_checkpoints() -> None:
    arguments = ("--player", "auto,seconds=1", "--checkpoints", "a/b", "--log", "")
    with command(*arguments) as running:
        assert running.lines[-1].startswith("neurogame plays auto:a/b,seconds=1 at http://")
        assert running.lines[-1].endswith("matches are not logged")


def test_interrupted_in_a_match_it_plays_to_the_end(tmp_path: Path) -> None:
    with command("--log", str(tmp_path)) as running:
        assert running.ask("( START m.1 x ((role x)) 5 5 )") == "ready"
        assert running.next_line() == "m.1: starts, role x, clocks 5 s and 5 s"
        running.signal(signal.SIGINT)
        assert running.next_line().startswith("ends after the present match")
        assert running.ask("( PLAY m.1 NIL )") == "noop"
        assert "(status busy)" in running.ask("( INFO )")
        assert running.ask("( STOP m.1 (noop) )") == "done"
        code, said = running.end()
        assert code == 0
        assert "m.1: over after 1 move\n" in said
        assert "Traceback" not in said


@pytest.mark.parametrize("numbers", [(signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)])
def test_told_to_go_it_leaves_at_once_and_tidily(
    numbers: tuple[signal.Signals, ...], tmp_path: Path
) -> None:
    with command("--log", str(tmp_path)) as running:
        answers: list[str] = []
        waiting = threading.Thread(
            target=lambda: answers.append(running.ask("( START waits.1 x () 100 100 )"))
        )
        waiting.start()
        assert running.next_line().startswith("waits.1: starts")
        for place, number in enumerate(numbers, 1):
            running.signal(number)
            if place < len(numbers):
                assert running.next_line().startswith("ends after the present match")
        code, said = running.end()
        waiting.join(PATIENCE)
        assert code == 0
        assert answers == ["ready"]
        assert "waits.1: left, because the server ends, after 0 moves\n" in said
        assert said.endswith("children are gone\n")
        assert "Traceback" not in said
    events = [json.loads(line) for line in next(tmp_path.iterdir()).read_text().splitlines()]
    assert events[-1]["event"] in ("over", "started")
    assert {"shutdown"} == {event["how"] for event in events if event["event"] == "over"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--player", "stockfish"], "unknown kind 'stockfish'"),
        (["--player", "mcts:sims=none"], "sims='none'; a whole number"),
        (["--name", "two words"], "name='two words'; allowed: one word"),
        (["--port", "65536"], "port=65536; allowed: a whole number (0..65,535)"),
        (["--memory", "0"], "--memory 0: gigabytes above 0"),
        (["--allow-origin", "example.org"], "an origin such as https://example.org, or *"),
        (["--allow-origin", "http://a\r\nb: c"], "an origin such as https://example.org, or *"),
        (["--silence", "-1"], "silence=-1.0; allowed: a finite number (above 0)"),
        (["--player", "mcts", "--checkpoints", "x"], "--checkpoints x: only for --player auto"),
        (["--player", "auto:a", "--checkpoints", "x"], "--checkpoints x: only for --player auto"),
        (["--player", "auto,cheat=1"], "unknown option 'cheat'"),
        (["--host", "192.0.2.1"], "cannot listen at 192.0.2.1:9147"),
    ],
)
def test_wrong_arguments_are_one_line_and_nothing_starts(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 1
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with open_socket("127.0.0.1", 0) as own:
        listen(own)
        port = own.getsockname()[1]
        assert main(["serve", "--player", "random", "--port", str(port)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: cannot listen at 127.0.0.1:{port}: ")
    assert error.count("\n") == 1

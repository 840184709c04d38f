"""``neurogame serve`` as a process: what it says, signals, and processes that are killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from neurogame.gdl.library import load_rules
from neurogame.gdl.write import rules_text
from neurogame.ggp.protocol.messages import Play, Start, Stop, message_text
from neurogame.ggp.server.listener import listen, open_socket
from tests.ggp.server.doubles import Referee
from tests.library import Refused
from tests.processes import PATIENCE, PROGRAM, started, wait_until

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
    def need(self, until): pass
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


def test_interrupted_without_a_match_it_ends() -> None:
    auto = ("--player", "auto,seconds=1", "--checkpoints", "a/b")
    with command(*auto, "--log", "", "--name", "Cilp") as running:
        assert running.lines[0] == "warning: nothing is compiled"
        plays = f"neurogame plays auto:a/b,seconds=1 at {running.address}"
        assert running.lines[1:] == [f"{plays}, matches are not logged"]
        assert running.ask("( INFO )") == "((name Cilp)(status available)(species alien))"
        running.signal(signal.SIGINT)
        assert running.end() == (0, "children are gone\n")


def test_interrupted_in_a_match_it_plays_to_the_end(tmp_path: Path) -> None:
    with command("--log", str(tmp_path)) as running:
        expected = f"neurogame plays random at {running.address}, matches are logged in {tmp_path}"
        assert running.lines[-1] == expected
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


def test_a_port_in_use_is_one_line(refused: Refused) -> None:
    with open_socket("127.0.0.1", 0) as own:
        listen(own)
        port = own.getsockname()[1]
        said = refused("serve", "--player", "random", "--port", str(port))
    assert said.startswith(f"error: cannot listen at 127.0.0.1:{port}: ")


KINDS = ("forker", "tracker", "thinker", "guard")
MARKS = {"forker": b"multiprocessing.forkserver", "tracker": b"multiprocessing.resource_tracker"}
CLOCK = 20.0


class ServedPlayer:
    """``neurogame serve`` with a log, its processes, and who kills them."""

    def __init__(self, server: subprocess.Popen[str], folder: Path) -> None:
        self._server, self._folder = server, folder
        self.lines: list[str] = []
        assert server.stdout is not None
        self._reader = threading.Thread(target=self.lines.extend, args=(server.stdout,))
        self._reader.daemon = True
        self._reader.start()
        wait_until(lambda: bool(self._addresses()), server)
        self.address = self._addresses()[0]

    def _addresses(self) -> list[str]:
        return re.findall(r"http://127\.0\.0\.1:\d+", " ".join(self.lines))

    def ask(self, message: Start | Play | Stop, asked: Callable[[], None] | None = None) -> str:
        """Send a message; ``asked`` is called while its answer is awaited."""
        found: list[str] = []

        def send() -> None:
            with urlopen(Request(self.address, data=message_text(message).encode())) as reply:
                found.append(reply.read().decode())

        sender = threading.Thread(target=send)
        sender.start()
        if asked is not None:
            asked()
        sender.join(PATIENCE)
        return found[0]

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return what the log of the match tells of one kind of event."""
        (path,) = self._folder.iterdir()
        whole = path.read_text().rpartition("\n")[0]
        events = [json.loads(line) for line in whole.splitlines()]
        return [event for event in events if event["event"] == name]

    def pid(self, kind: str) -> int | None:
        """Return the number of the process of one kind, None while there is none."""
        if kind not in MARKS:
            launched = [event for event in self.events("launched") if event["who"] == kind]
            return int(launched[-1]["pid"]) if launched else None
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                line = (folder / "cmdline").read_bytes()
                if int(parent) == self._server.pid and state != "Z" and MARKS[kind] in line:
                    return int(folder.name)
        return None

    def kill(self, kind: str) -> None:
        """Kill a process, if it is there."""
        pid = self.pid(kind)
        with suppress(ProcessLookupError):
            if pid is not None:
                os.kill(pid, signal.SIGKILL)

    def is_warm(self) -> bool:
        """Return whether the process that others are copied from has died, and is back."""
        told = [line for line in self.lines if "others are copied from" in line or "again" in line]
        return len(told) > 1 and told[-1] == "processes start at once again\n"

    def is_complete(self) -> bool:
        """Return whether thinker and guard are there and ready."""
        live = {self.pid("thinker"), self.pid("guard")}
        ready = self.events("ready"), self.events("guard ready")
        launched = Counter(event["who"] for event in self.events("launched"))
        died = Counter(event["who"] for event in self.events("died"))
        return all(pid is not None and Path(f"/proc/{pid}").exists() for pid in live) and all(
            events and launched[who] == died[who] + 1 and _is_later(events[-1], self, who)
            for who, events in zip(("thinker", "guard"), ready, strict=True)
        )


def _is_later(event: dict[str, Any], player: ServedPlayer, who: str) -> bool:
    last = [one for one in player.events("launched") if one["who"] == who][-1]
    return bool(event["time"] >= last["time"])


@pytest.fixture
def player(tmp_path: Path) -> Any:
    line = [*PROGRAM, "serve", "--player", "mcts:sims=50", "--port", "0", "--log", str(tmp_path)]
    with started(line, stderr=subprocess.STDOUT) as server:
        yield ServedPlayer(server, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_every_process_may_be_killed_at_any_moment(player: ServedPlayer) -> None:
    """One, some or all of them, before a question, within it, and while others are replaced."""
    # A game that nobody can end before all have died.
    referee, chance = Referee(rules_text(load_rules("painters")), seed=3), random.Random(5)
    role = referee.game.roles[0]
    player.kill("forker")  # So that the match begins while there is none.
    assert player.ask(Start("m", role, referee.text, PATIENCE, CLOCK)) == "ready"

    def move(asked: Callable[[], None] | None = None) -> None:
        answer = player.ask(Play("m", referee.last), asked)
        assert answer in referee.legal(0), player.lines
        referee.step(answer)

    move()
    moments = ["before", "within", "replaced"]
    chance.shuffle(moments)
    victims: list[tuple[str, ...]] = [("guard",), ("forker", "thinker"), KINDS]
    for together, moment in zip(victims, moments, strict=True):

        def kill(together: tuple[str, ...] = together) -> None:
            for kind in together:
                player.kill(kind)

        if moment == "within":
            move(kill)
        else:
            kill()
            if moment == "replaced":
                launched = len(player.events("launched"))
                wait_until(lambda n=launched: len(player.events("launched")) >= n)  # type: ignore[misc]
                kill()
            move()
    # What was killed is there again: the match goes on as it began.
    wait_until(player.is_complete)
    wait_until(player.is_warm)

    def search_is_back() -> bool:
        # On a busy machine the guard may still have to answer while the search warms up.
        move()
        return all(event["source"] == "search" for event in player.events("answer")[-2:])

    wait_until(search_is_back)
    assert player.ask(Stop("m", referee.last)) == "done"

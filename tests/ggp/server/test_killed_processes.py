"""Every kind of process that a served player has is killed, and no answer is missed."""

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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from neurogame.gdl.library import load_rules
from neurogame.gdl.write import rules_text
from neurogame.ggp.protocol.messages import Play, Start, Stop, message_text
from tests.ggp.server.referee import Referee
from tests.processes import PATIENCE, PROGRAM, started, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

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
    victims = [*((kind,) for kind in KINDS), ("forker", "guard"), KINDS]
    chance.shuffle(victims)
    for together in victims:
        moment = chance.choice(("before", "within", "replaced"))

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

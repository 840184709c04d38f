"""Kill scheduler, workers and learner at random moments: is the result still the same?

A training run and an arena, each by the workers of a Dask cluster and by local ones, are disturbed
twenty times by SIGKILL, and workers twice by SIGSTOP for some seconds; what was killed is started
again, and so is the command, as a user would. At the end the weights, or the matches, must be those
of a run that nobody has disturbed, and no log may have a gap or anything twice::

    python experiments/kill_run.py --out runs/kills
    python experiments/kill_run.py arena-local --kills 5 --out runs/kills

``kills.json`` in the folder says what happened. Linux only.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, final

import torch

from neurogame.files import write_text
from neurogame.learn.checkpoints.checkpoint import load_checkpoint

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cells import progress

# Comes with distributed, without types.
psutil: Any = importlib.import_module("psutil")

CASES = ("train-cluster", "train-local", "arena-cluster", "arena-local")
PROGRAM = [sys.executable, "-m", "neurogame.cli.main"]
PATIENCE = 60.0
"""Seconds after which what does not happen is a fault."""
_STEP = 0.05


@final
class Program:
    """A command that runs, what it prints, and all that it has started."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        """Start it.

        Args:
            command: and its arguments.
            log: gets what it prints; made anew.
        """
        self.log, self.begun = log, time.monotonic()
        with log.open("w") as stream:
            self.process = subprocess.Popen(
                command, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip

    def workers(self) -> list[int]:
        """Return the numbers of the worker processes that it has started and still has."""
        found = []
        with suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    if any("spawn_main" in word for word in child.cmdline()):
                        found.append(child.pid)
        return found

    def kill(self) -> list[int]:
        """Kill the one process, and return those of its workers that have not gone with it."""
        workers = self.workers()
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        wait_until(lambda: not any(map(is_alive, workers)))
        return [pid for pid in workers if is_alive(pid)]

    def end(self) -> None:
        """Kill it with all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self) -> str:
        """Return what it has printed."""
        return self.log.read_text(errors="replace")


def is_alive(pid: int) -> bool:
    """Return whether a process runs, or is stopped."""
    with suppress(psutil.Error):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False


def wait_until(there: Any, seconds: float = PATIENCE) -> bool:
    """Wait for an event; return whether it came."""
    end = time.monotonic() + seconds
    while not there():
        if time.monotonic() > end:
            return False
        time.sleep(_STEP)
    return True


@final
class Cluster:
    """A scheduler and a command with two workers, which are started again when they have ended."""

    def __init__(self, folder: Path) -> None:
        """Use a folder for the scheduler's file."""
        self.file, self.folder = folder / "cluster.json", folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.programs: dict[str, Program] = {}

    def keep(self) -> list[str]:
        """Start what does not run; return what that is."""
        dask = [sys.executable, "-m", "dask"]
        file = ["--scheduler-file", str(self.file)]
        place = ["--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard"]
        commands = {
            "scheduler": [*dask, "scheduler", *file, *place],
            "crew": [*dask, "worker", *file, "--nthreads", "1", "--nworkers", "2"],
        }
        started = []
        for name, command in commands.items():
            before = self.programs.get(name)
            if before is None or before.process.poll() is not None:
                self.programs[name] = Program(command, self.folder / f"{name}.log")
                started.append(name)
        return started

    def end(self) -> None:
        """Kill everything."""
        for program in self.programs.values():
            program.end()


@final
class Case:
    """One run that is disturbed."""

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        """Prepare a run in a folder of its own."""
        self.name = name
        self.is_training, self.is_local = name.startswith("train"), name.endswith("local")
        self.folder: Path = options.out / name
        self.folder.mkdir(parents=True)
        self.options = options
        self.chance = random.Random(f"{options.seed} {name}")
        self.events: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.cluster = None if self.is_local else Cluster(self.folder)
        self.learner: Program | None = None
        self.started = 0
        self.prefix = b""

    @property
    def matches(self) -> Path:
        """Where the disturbed arena keeps its matches."""
        return self.folder / "run" / "matches.jsonl"

    def command(self, out: Path, where: Sequence[str]) -> list[str]:
        """Return what a user types: at first, and again."""
        options = self.options
        if not self.is_training:
            return [
                *PROGRAM, "arena", "--game", "connectfour", "--players", "mcts:sims=2000",
                "alphabeta:cilp,depth=3", "--matches", str(options.matches), "--quiet", "--json",
                "--seed", str(options.seed), "--output", str(out), *where,
            ]  # fmt: skip
        quiet = ["--no-strength", "--quiet", "--json", *where]
        if (out / "latest.pt").exists():
            return [*PROGRAM, "train", "--resume", str(out), *quiet]
        return [
            *PROGRAM, "train", options.game, "--games", str(options.games), "--seed",
            str(options.seed), "--release-matches", "10", "--out", str(out), *quiet,
        ]  # fmt: skip

    def note(self, what: str, **more: Any) -> None:
        """Keep an event."""
        event = {"at": time.monotonic(), "what": what, **more}
        self.events.append(event)
        progress(f"{self.name}: {what} {more or ''}")

    def fault(self, text: str) -> None:
        """Keep what should not be."""
        self.faults.append(text)
        progress(f"{self.name}: FAULT {text}")

    def tend(self) -> bool:
        """Start what does not run, the command included; return whether it has reached its end."""
        if self.cluster is not None:
            for name in self.cluster.keep():
                self.note("started", who=name)
        learner = self.learner
        if learner is not None:
            code = learner.process.poll()
            if code is None:
                return False
            said = learner.said()
            if code == 0:
                return True
            if code != -signal.SIGKILL:
                last = (said.strip().splitlines() or [""])[-1]
                # What distributed logs on the way has tracebacks of its own.
                if code != 1 or not last.startswith("error: "):
                    self.fault(f"ended with {code} and no message: {last}")
                self.note("ended", code=code, message=last.partition(": ")[2][:300])
                time.sleep(1.0)  # As fast as a user types.
            self.check_prefix()
        where = (
            ["--workers", "2"]
            if self.is_local
            else ["--cluster", str(self.folder / "cluster.json")]
        )
        if self.cluster is not None:
            wait_until((self.folder / "cluster.json").exists)
        self.started += 1
        log = self.folder / f"learner{self.started}.log"
        self.learner = Program(self.command(self.folder / "run", where), log)
        return False

    def check_prefix(self) -> None:
        """Check that matches that were kept are still there, byte for byte, in the same order."""
        if self.is_training or not self.matches.exists():
            return
        data = self.matches.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if not whole.startswith(self.prefix):
            self.fault("a match that was kept is gone, or has changed")
        self.prefix = whole

    def victims(self, kind: str) -> list[int]:
        """Return the processes of a kind that could be killed now."""
        if kind == "learner":
            assert self.learner is not None
            return [self.learner.process.pid] if self.learner.process.poll() is None else []
        if kind == "worker":
            owner = self.learner if self.cluster is None else self.cluster.programs.get("crew")
            return [] if owner is None else owner.workers()
        assert self.cluster is not None
        return [self.cluster.programs[kind].process.pid]

    def disturb(self, kind: str, number: int) -> None:
        """Kill, or stop for a while, one of a kind."""
        is_stop = kind == "stopped worker"
        kind = "worker" if is_stop else kind
        if not wait_until(lambda: self.tend() or self.victims(kind)):
            self.fault(f"nothing of the kind {kind} to kill")
            return
        found = self.victims(kind)
        if not found:
            return  # The run has just reached its end.
        pid = self.chance.choice(found)
        age = time.monotonic() - self.learner.begun if self.learner else 0.0
        if is_stop:
            seconds = self.chance.uniform(3, 8)
            self.note("stopped", who=kind, number=number, seconds=seconds, age=age)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                time.sleep(seconds)
                os.kill(pid, signal.SIGCONT)
            return
        self.note("killed", who=kind, number=number, age=age)
        owner = {"learner": self.learner}.get(kind)
        if self.cluster is not None:
            owner = owner or self.cluster.programs.get(kind)
        if owner is not None:
            left = owner.kill()
            if left:
                self.fault(f"{len(left)} workers outlived the {kind}")
        else:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if kind == "scheduler":
            self.after_scheduler()

    def after_scheduler(self) -> None:
        """Wait until the command has noticed that its scheduler has gone."""
        begun, learner = time.monotonic(), self.learner
        assert learner is not None
        if wait_until(lambda: learner.process.poll() is not None):
            self.note("noticed", seconds=time.monotonic() - begun)
        else:
            self.fault(f"still there {PATIENCE:.0f} s after its scheduler was killed")
            learner.kill()

    def run(self) -> dict[str, Any]:
        """Disturb the run, let it end, and compare."""
        options, begun = self.options, time.monotonic()
        if not self.is_local:
            kinds = ["worker", "learner", "scheduler", "crew"]
        else:
            # Those that learn here are threads of the learner.
            kinds = ["learner"] if self.is_training else ["worker", "learner"]
        plan = [kinds[n % len(kinds)] for n in range(options.kills)]
        plan += ["stopped worker"] * 2 if "worker" in kinds else []
        self.chance.shuffle(plan)
        longest = options.train_gap if self.is_training else options.arena_gap
        done, over = 0, False
        try:
            for number, kind in enumerate(plan):
                gap = self.chance.uniform(0.2, longest)
                over = False
                end = time.monotonic() + gap
                while time.monotonic() < end and not over:
                    over = self.tend()
                    time.sleep(_STEP)
                if over:
                    self.fault(f"over before {len(plan) - number} of the disturbances")
                    break
                self.disturb(kind, number)
                done += kind != "stopped worker"
            self.note("left alone")
            calm = 20 * PATIENCE
            if not over and not wait_until(self.tend, calm):
                self.fault(f"not over {calm:.0f} s after the last kill")
            self.note("over")
        finally:
            if self.learner is not None:
                self.learner.end()
            if self.cluster is not None:
                self.cluster.end()
        self.check_prefix()
        same = self.compared()
        kills = Counter(event["who"] for event in self.events if event["what"] == "killed")
        messages = Counter(event["message"] for event in self.events if event["what"] == "ended")
        return {
            "case": self.name,
            "kills": dict(kills),
            "stops": sum(event["what"] == "stopped" for event in self.events),
            "commands": self.started,
            "messages": dict(messages),
            "noticed": [e["seconds"] for e in self.events if e["what"] == "noticed"],
            "same": same,
            "faults": self.faults,
            "seconds": time.monotonic() - begun,
            "events": self.events,
        }

    def compared(self) -> bool:
        """Return whether an undisturbed run comes to the same."""
        alone = self.folder / "alone"
        program = Program(self.command(alone, ["--workers", "2"]), self.folder / "alone.log")
        try:
            code = program.process.wait(timeout=1800)
        finally:
            program.end()
        if code != 0:
            self.fault(f"the undisturbed run ended with {code}: {program.said()[-300:]}")
            return False
        differ = training_faults if self.is_training else arena_faults
        found = differ(self.folder / "run", alone)
        for text in found:
            self.fault(text)
        return not found


def training_faults(folder: Path, alone: Path) -> list[str]:
    """Return how a disturbed training run differs from another, and what is wrong with its logs."""
    one, two = (load_checkpoint(path / "latest.pt") for path in (folder, alone))
    if one.optimiser is None or two.optimiser is None:
        return ["a checkpoint without the learner's state"]
    found = []
    for part in ("state", "averaged"):
        own, other = one.optimiser[part], two.optimiser[part]
        if own.keys() != other.keys():
            found.append(f"{part} has other names")
        found += [f"{part} {n} differs" for n in own if not torch.equal(own[n], other[n])]
    found += [
        f"{name}: {value}, undisturbed {two.counters[name]}"
        for name, value in one.counters.items()
        if name != "seconds" and value != two.counters[name]
    ]
    rows = [json.loads(text) for text in (folder / "evaluations.jsonl").read_text().splitlines()]
    rounds = [row["round"] for row in rows]
    if rounds != sorted(set(rounds)):
        found.append(f"evaluations of the rounds {rounds}")
    if [row["round"] for row in one.results] != rounds:
        found.append("the checkpoint has other evaluations than the log")
    if rounds[-1:] != [one.counters["rounds"]]:
        found.append("the last round was not evaluated")
    if (folder / "rounds.jsonl").exists():
        kept = [json.loads(text) for text in (folder / "rounds.jsonl").read_text().splitlines()]
        if [row["round"] for row in kept] != list(range(1, one.counters["rounds"] + 1)):
            found.append("rounds.jsonl has a gap, or a round twice")
    if any(row["released"] for row in rows):
        best = load_checkpoint(folder / "best.pt").weights
        if not all(torch.equal(best[name], part) for name, part in one.weights.items()):
            found.append("best.pt is not the last release")
    elif (folder / "best.pt").exists():
        found.append("best.pt is there without a release")
    return found


def arena_faults(folder: Path, alone: Path) -> list[str]:
    """Return how a disturbed arena differs from another."""
    found = []
    tables = []
    for path in (folder, alone):
        lines = [json.loads(text) for text in (path / "matches.jsonl").read_text().splitlines()]
        keys = Counter(_key(line) for line in lines)
        twice = [key for key, count in keys.items() if count > 1]
        if twice:
            found.append(f"{path.name}: matches played twice: {twice}")
        tables.append(
            {_key(line): (line["match"]["moves"], line["match"]["goals"]) for line in lines}
        )
    if tables[0].keys() != tables[1].keys():
        found.append(f"{len(tables[0])} matches, undisturbed {len(tables[1])}")
    found += [f"match {key} differs" for key, own in tables[0].items() if own != tables[1].get(key)]
    results = [json.loads((path / "results.json").read_text()) for path in (folder, alone)]
    for name in ("scores", "wins", "draws", "losses", "elo", "elo_ci95", "distinct_games"):
        if results[0][name] != results[1][name]:
            found.append(f"{name}: {results[0][name]}, undisturbed {results[1][name]}")
    return found


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return (line["game"], line["limit"], tuple(line["lineup"]), line["block"], line["number"])


def _what(match: dict[str, Any]) -> tuple[Any, ...]:
    return match["moves"], match["goals"]


@contextmanager
def ended_gently() -> Iterator[None]:
    """Let a request to end be Ctrl-C, so that nothing stays behind."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def row(found: dict[str, Any]) -> str:
    """Return a line of the table."""
    kills = ", ".join(f"{count} {who}" for who, count in sorted(found["kills"].items()))
    verdict = "the same" if found["same"] else "DIFFERENT"
    return (
        f"| {found['case']} | {kills} | {found['stops']} | {found['commands']} | {verdict} "
        f"| {len(found['faults'])} | {found['seconds']:.0f} |"
    )


def main() -> int:
    """Disturb the runs, and print a table.

    Returns:
        0; 1 if anything was lost, done twice or different, or ended in a way it should not.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--kills", type=int, default=20, help="of each case")
    parser.add_argument("--game", default="connectfour", help="learned")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--train-gap", type=float, default=10.0, help="most seconds between kills")
    parser.add_argument("--arena-gap", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="folder; must not hold such runs")
    options = parser.parse_args()
    torch.set_num_threads(1)
    all_found = []
    with ended_gently():
        for name in options.cases:
            all_found.append(Case(name, options).run())
            write_text(options.out / "kills.json", json.dumps(all_found, indent=1) + "\n")
    print("| run | killed | stopped | commands | result | faults | seconds |")
    print("|---|---|--:|--:|---|--:|--:|")
    for found in all_found:
        print(row(found))
    for found in all_found:
        for message, count in found["messages"].items():
            print(f"{found['case']}, {count} times: {message}")
        for fault in found["faults"]:
            print(f"{found['case']}, fault: {fault}")
    return int(any(found["faults"] or not found["same"] for found in all_found))


if __name__ == "__main__":
    sys.exit(main())

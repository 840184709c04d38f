"""Many matches over HTTP in a row: do our players stay legal, in time, and of the same size?

Starts two ``neurogame serve`` processes and lets them play ten or forty rulesheets by turns:
against each other and against random moves, with play clocks of 1 to 5 s, as they are, scrambled,
in capitals, and both. The judge is as strict as GGP-Base's manager. After every match the memory
of both players' process trees is read from ``/proc`` (Linux), and one JSON line is written::

    python experiments/loopback_matches.py --matches 100 --log runs/loopback
    python experiments/loopback_matches.py --log runs/loopback --summary
    python experiments/loopback_matches.py --course forty --matches 200 --start-clock 5 10 20
    python experiments/loopback_matches.py --course twenty --each-other    # nobody moves at random

Several runs may share the work: ``--first`` is the number of the first match.

A killed run goes on where it stopped, with new players; the memory is compared within one run.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from tqdm import tqdm

from neurogame.ggp.manager.contestant import Contestant, contact
from neurogame.ggp.manager.manager import play_http_match
from neurogame.ggp.manager.referee import load_referee
from neurogame.ggp.manager.settings import ManagerSettings

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loopback_courses import COURSES

DISGUISES: tuple[dict[str, bool], ...] = (
    {},
    {"scramble": True},
    {"upper_case": True},
    {"scramble": True, "upper_case": True},
)
FAULTS = ("illegal_moves", "timeouts", "connection_errors", "server_errors", "not_ready")
SETTLING_SECONDS = 1.0
MEBIBYTE = 1 << 20


@final
class Server:
    """One ``neurogame serve`` process and the match logs it writes."""

    def __init__(self, player: str, seed: int, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.player, self.logs, self.output = player, folder / "matches", folder / "output.txt"
        command = ["serve", "--player", player, "--port", "0", "--seed", str(seed)]
        with self.output.open("a") as output:
            self.said_before = self.output.stat().st_size
            self.process = subprocess.Popen(
                [sys.executable, "-m", "neurogame.cli.main", *command, "--log", str(self.logs)],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                # Ctrl-C is for the manager, which then ends the servers.
                start_new_session=True,
            )
        self.address = self._announced()

    def _announced(self) -> str:
        """Wait until the player is warm, and return its address."""
        while self.process.poll() is None:
            for word in self._said().split():
                if word.startswith("http://"):
                    return word.rstrip(",")
            time.sleep(0.1)
        raise SystemExit(f"the player {self.player} did not start: {self._said()}")

    def _said(self) -> str:
        with self.output.open(errors="replace") as file:
            file.seek(self.said_before)
            return file.read()

    def tracebacks(self) -> int:
        """Return how many tracebacks this process has printed."""
        return self._said().count("Traceback")

    def events(self, match: str) -> Counter[str]:
        """Return what was logged in a match: failures, deaths, answers by source, releases."""
        counts: Counter[str] = Counter()
        for path in self.logs.glob(f"*{match}*.jsonl") if self.logs.exists() else ():
            for line in path.read_text().splitlines():
                event = json.loads(line)
                if event["event"] in ("failure", "died"):
                    counts[event["event"]] += 1
                elif event["event"] == "answer":
                    counts[f"by {event['source']}"] += 1
                elif event["event"] == "chosen":
                    counts["released"] += event["text"].startswith("in the match:")
        return counts

    def stop(self) -> None:
        """End the process."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@dataclass(frozen=True)
class Memory:
    """Memory of a tree of processes in bytes.

    Attributes:
        resident: sum of the resident sizes; pages that several share count several times.
        proportional: the same, shared pages counted once.
        processes: how many there are.
    """

    resident: int
    proportional: int
    processes: int


def tree_memory(root: int) -> Memory:
    """Return the memory of a process and all its descendants, from ``/proc``."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of a command may hold blanks and parentheses; what follows it does not.
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    resident = proportional = processes = 0
    waiting = [root]
    while waiting:
        process = waiting.pop()
        waiting += children.get(process, [])
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        sizes = {line.split(":")[0]: line.split() for line in rollup.splitlines()}
        resident += int(sizes["Rss"][1]) * 1024
        proportional += int(sizes["Pss"][1]) * 1024
        processes += 1
    return Memory(resident, proportional, processes)


def plan(
    number: int, options: argparse.Namespace, addresses: Sequence[str], roles: int
) -> dict[str, Any]:
    """Return the players and conditions of one match.

    Args:
        number: of the match, from 0.
        options: the seed of the whole run, its course, its start clocks in seconds.
        addresses: of the two servers.
        roles: number of roles of the game.
    """
    course = COURSES[options.course]
    turn = number // len(course)
    clocks = list(course.values())[number % len(course)]
    disguise = dict(DISGUISES[(number + turn) % len(DISGUISES)])
    scramble = options.seed + number if disguise.pop("scramble", False) else None
    pair = [list(addresses), [addresses[0], "random"], addresses[::-1], ["random", addresses[1]]]
    if options.each_other:
        pair = pair[::2]
    players = list(pair[turn % len(pair)])
    if roles == 1:
        players = [addresses[turn % len(addresses)]]
    players += ["random"] * (roles - len(players))
    # By turns in all seats.
    shift = turn // len(pair) % roles
    return {
        "players": players[shift:] + players[:shift],
        "settings": ManagerSettings(
            start_clock=options.start_clock[number % len(options.start_clock)],
            play_clock=clocks[turn % len(clocks)],
            strict=True,
            scramble=scramble,
            upper_case=disguise.get("upper_case", False),
        ),
    }


def play(number: int, options: argparse.Namespace, servers: Sequence[Server]) -> dict[str, Any]:
    """Play one match and return the line that is written about it."""
    course = COURSES[options.course]
    name = list(course)[number % len(course)]
    referee = load_referee(options.games / f"{name}.kif")
    addresses = [server.address for server in servers]
    chosen = plan(number, options, addresses, len(referee.roles))
    settings = chosen["settings"]
    before = [server.tracebacks() for server in servers]
    began = time.monotonic()
    seated = contact([Contestant.parse(player) for player in chosen["players"]], 30.0)
    match = play_http_match(referee, seated, settings, options.seed + number)
    seconds = time.monotonic() - began
    if match.interrupted:
        raise KeyboardInterrupt
    match.record.save(options.log / f"{number:04d}-{name}.json")
    # What ends with the match may take a moment to be gone.
    time.sleep(SETTLING_SECONDS)
    # A player logs under the name that it was sent.
    sent = match.record.match_id.upper() if settings.upper_case else match.record.match_id
    events = sum((server.events(sent) for server in servers), Counter[str]())
    tracebacks = sum(s.tracebacks() - b for s, b in zip(servers, before, strict=True))
    ours = [player for player in match.players if player.address != "random"]
    return {
        "number": number,
        "game": name,
        "players": [player.address for player in match.players],
        "start_clock": settings.start_clock,
        "play_clock": settings.play_clock,
        "scrambled": settings.scramble is not None,
        "upper_case": settings.upper_case,
        "ending": match.ending,
        "plies": len(match.record.moves),
        "goals": list(match.goals),
        "moves": sum(player.moves for player in ours),
        "illegal_moves": sum(player.illegal_moves for player in ours),
        "timeouts": sum(player.timeouts for player in ours),
        "connection_errors": sum(player.connection_errors for player in ours),
        "overtime": sum(player.overtime for player in ours),
        "not_ready": sum(player.not_ready for player in ours),
        "complaints": [text for player in ours for text in player.complaints],
        "slowest_start": max(player.start_seconds for player in ours),
        "least_spare": settings.play_clock - max(player.slowest_seconds for player in ours),
        "server_errors": events["failure"] + events["died"] + tracebacks,
        "released": events["released"],
        "answers": {key[3:]: count for key, count in events.items() if key.startswith("by ")},
        "memory": [vars(tree_memory(server.process.pid)) for server in servers],
        "seconds": seconds,
    }


@contextmanager
def running(options: argparse.Namespace) -> Iterator[list[Server]]:
    """Run the two players."""
    servers: list[Server] = []
    try:
        for number, player in enumerate(options.players):
            servers.append(Server(player, options.seed + number, options.log / f"player-{number}"))
        yield servers
    finally:
        for server in servers:
            server.stop()


def summary(lines: Sequence[dict[str, Any]]) -> str:
    """Return the findings as text."""
    totals = {name: sum(line[name] for line in lines) for name in FAULTS}
    answers: Counter[str] = sum((Counter(line["answers"]) for line in lines), Counter())
    text = [
        f"{len(lines)} matches on {len({line['game'] for line in lines})} rulesheets in "
        f"{sum(line['seconds'] for line in lines) / 60:.1f} minutes: "
        f"{sum(line['moves'] for line in lines)} moves, "
        f"{sum(line['scrambled'] for line in lines)} matches scrambled, "
        f"{sum(line['upper_case'] for line in lines)} in capitals, "
        f"{sum('random' in line['players'] for line in lines)} with random",
        ", ".join(f"{name.replace('_', ' ')}: {total}" for name, total in totals.items()),
        "what was learned meanwhile played from then on in "
        f"{sum(bool(line.get('released')) for line in lines)} matches",
        f"answers by source: {dict(answers)}; moves after the clock, within the grace: "
        f"{sum(line['overtime'] for line in lines)}",
        f"least time left of a play clock: {min(line['least_spare'] for line in lines):.2f} s; "
        f"slowest start: {max(line['slowest_start'] for line in lines):.2f} of "
        f"{max(line.get('start_clock', 5) for line in lines)} s",
    ]
    last_run = [line for line in lines if line["run"] == lines[-1]["run"]]
    text += by_sheet(lines)
    early, late = last_run[min(9, len(last_run) - 1)], last_run[-1]
    for number, (then, now) in enumerate(zip(early["memory"], late["memory"], strict=True)):
        for kind in ("resident", "proportional"):
            text.append(
                f"player {number}, {kind} memory after match {early['number'] + 1} and "
                f"{late['number'] + 1}: {then[kind] / MEBIBYTE:.1f} and "
                f"{now[kind] / MEBIBYTE:.1f} MiB ({now[kind] / then[kind] - 1:+.1%}), "
                f"{now['processes']} processes"
            )
    return "\n".join(text)


def by_sheet(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line per rulesheet: its matches, its moves, who found them, what went wrong."""
    text = []
    for game in sorted({line["game"] for line in lines}):
        own = [line for line in lines if line["game"] == game]
        answers = sum((Counter(line["answers"]) for line in own), Counter[str]())
        faults = {name: sum(line[name] for line in own) for name in FAULTS}
        wrong = {name: count for name, count in faults.items() if count}
        text.append(
            f"{game}: {len(own)} matches, {sum(line['moves'] for line in own)} moves, "
            f"{dict(answers)}, least spare {min(line['least_spare'] for line in own):.2f} s, "
            f"faults {wrong or 'none'}"
        )
    return text


def main() -> int:
    """Play what is missing and print the findings.

    Returns:
        0; 1 if anything went wrong in a match; 130 if matches are still missing.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--games", type=Path, default=Path("../shared/games"))
    parser.add_argument("--players", nargs=2, default=("auto", "mcts"), metavar="PLAYER")
    parser.add_argument("--course", choices=sorted(COURSES), default="ten")
    parser.add_argument("--each-other", action="store_true", help="both play in every match")
    parser.add_argument("--first", type=int, default=0, help="number of the first match (0)")
    parser.add_argument("--start-clock", type=int, nargs="+", default=[10], metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, help="folder; a temporary one if not given")
    parser.add_argument("--summary", action="store_true", help="only print what is there")
    options = parser.parse_args()
    options.log = options.log or Path(tempfile.mkdtemp(prefix="loopback-"))
    options.log.mkdir(parents=True, exist_ok=True)
    path = options.log / "matches.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if not options.summary and len(lines) < options.matches:
        run = time.strftime("%Y-%m-%d %H:%M:%S")
        # A request to end is Ctrl-C, wherever it comes from: the players must not stay behind.
        # The match that it hits is played anew by the next run.
        for request in (signal.SIGINT, signal.SIGTERM):
            signal.signal(request, signal.default_int_handler)
        with (
            suppress(KeyboardInterrupt),
            running(options) as servers,
            path.open("a") as file,
        ):
            for number in tqdm(
                range(options.first + len(lines), options.first + options.matches), unit="match"
            ):
                lines.append({**play(number, options, servers), "run": run})
                file.write(json.dumps(lines[-1]) + "\n")
                file.flush()
    if not lines:
        raise SystemExit(f"no matches in {path}")
    print(summary(lines))
    if any(line[fault] for line in lines for fault in FAULTS):
        return 1
    return 0 if len(lines) >= options.matches else 130


if __name__ == "__main__":
    sys.exit(main())

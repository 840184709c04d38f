"""Broken rulesheets by the thousand: parse, check, ground, compile and play mutated public ones.

Every input is a function of the seed and its number, so a run can be resumed and a finding made
again::

    python experiments/fuzz_rules.py --seconds 1800 --seed 1 --rules ../shared/games
    python experiments/fuzz_rules.py --seed 1 --start 4711 --count 1 --save found

A worker process with a hard limit on its address space does the work; a watchdog kills it when it
takes too long. What counts as a finding: an exception that is no NeurogameError, an error without
its place in the text, a crash, a hang, memory beyond the limit, rules that read back differently,
and a game that plays differently on the circuit, by the prover and on the reference interpreter.

At the end four rulesheets of odd shape are played over HTTP (``fuzz_matches.py``).

Ctrl-C ends a run with its summary; ``--start`` goes on behind the inputs that it names.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

from neurogame.gdl.infix_write import infix_rules_text
from neurogame.gdl.library import library_folder
from neurogame.gdl.parse import parse_with_findings

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fuzz_case import try_rules
from fuzz_matches import MATCHES, play_odd
from rules_mutations import mutated

RESTART_EVERY = 1000
"""Inputs that one worker takes, so that what it keeps does not add up."""

SAVED_PER_KIND = 5
FINDINGS = Path("runs", "fuzz-findings")


def main() -> int:
    """Read the command line, run, and print the totals; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to run (60)")
    parser.add_argument("--count", type=int, help="number of inputs, instead of --seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input (0)")
    parser.add_argument("--rules", type=Path, action="append", help="more folders of .kif files")
    parser.add_argument("--largest", type=int, default=20_000, help="largest sheet used, bytes")
    parser.add_argument("--save", type=Path, default=FINDINGS, help=f"for the inputs ({FINDINGS})")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for grounding (2)")
    parser.add_argument("--memory", type=float, default=500.0, help="MiB for grounding (500)")
    parser.add_argument("--address-space", type=float, default=12.0, help="GiB of the worker (12)")
    parser.add_argument("--hang", type=float, default=60.0, help="seconds that are a hang (60)")
    parser.add_argument("--matches", type=int, default=MATCHES, help="odd sheets over HTTP (4)")
    options = parser.parse_args()
    corpus = read_corpus([library_folder(), *(options.rules or [])], options.largest)
    run = Run(options)
    began = time.monotonic()
    index = options.start
    # A request to end is Ctrl-C, wherever it comes from: the summary is printed all the same.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with (
        suppress(KeyboardInterrupt),
        tqdm(total=options.count or round(options.seconds), unit="input") as bar,
    ):
        while True:
            spent = time.monotonic() - began
            done = index - options.start
            bar.update((done if options.count else min(round(spent), bar.total)) - bar.n)
            bar.set_postfix_str(f"{done} inputs, {run.findings} findings", refresh=False)
            if done >= options.count if options.count else spent >= options.seconds:
                break
            choose = random.Random(f"{options.seed}/{index}")
            run.take(index, mutated(corpus, choose))
            index += 1
    run.close()
    odd = []
    if options.matches:
        folder = Path(tempfile.mkdtemp(prefix="fuzz-matches-"))
        with suppress(KeyboardInterrupt):
            odd = [text for text in play_odd(options.seed, options.matches, folder) if text]
    for text in odd:
        print(f"FINDING match over HTTP: {text}")
    report = {
        "seed": options.seed,
        "start": options.start,
        "inputs": index - options.start,
        "seconds": round(time.monotonic() - began, 1),
        "rulesheets": len(corpus),
        "findings": run.findings + len(odd),
        "outcomes": dict(run.outcomes.most_common()),
    }
    print(json.dumps(report, indent=2))
    return 1 if run.findings or odd else 0


def read_corpus(folders: list[Path], largest: int) -> list[bytes]:
    """Return the rulesheets of some folders, without the largest ones.

    Every fourth of those that can be read comes in infix notation, too.
    """
    paths = [path for folder in folders for path in sorted(folder.glob("*.kif"))]
    texts = [path.read_bytes() for path in paths if path.stat().st_size <= largest]
    for text in texts[::4]:
        rules, errors = parse_with_findings(text.decode("utf-8"))
        if not errors:
            texts.append(infix_rules_text(rules).encode())
    return texts


class Run:
    """Feeds a worker, watches it, and keeps what it finds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.outcomes: Counter[str] = Counter()
        self.findings = 0
        self._context = multiprocessing.get_context("spawn")
        self._taken = RESTART_EVERY
        self._process: Any = None
        self._pipe: Connection | None = None

    def take(self, index: int, data: bytes) -> None:
        """Let the worker have one input."""
        if self._taken >= RESTART_EVERY:
            self._restart()
        self._taken += 1
        assert self._pipe is not None
        self._pipe.send_bytes(data)
        try:
            if self._pipe.poll(self.options.hang):
                outcome, detail = self._pipe.recv()
            else:
                outcome, detail = "FINDING hang", f"no answer within {self.options.hang} s"
                self._taken = RESTART_EVERY
        except (EOFError, OSError):
            self._process.join()
            outcome, detail = "FINDING crash", f"worker exit code {self._process.exitcode}"
            self._taken = RESTART_EVERY
        self.outcomes[outcome] += 1
        if outcome.startswith("FINDING"):
            self.findings += 1
            if self.outcomes[outcome] <= SAVED_PER_KIND:
                self._keep(index, data, outcome, detail)

    def close(self) -> None:
        """Stop the worker."""
        if self._process is not None:
            if self._pipe is not None:
                self._pipe.close()  # a healthy worker ends by itself and removes its files
            self._process.join(5)
            self._process.kill()
            self._process.join()

    def _restart(self) -> None:
        self.close()
        self._taken = 0
        here, there = self._context.Pipe()
        limits = (self.options.limit, self.options.memory, self.options.address_space)
        self._process = self._context.Process(target=worker, args=(there, *limits), daemon=True)
        self._process.start()
        there.close()
        self._pipe = here
        here.recv()  # ready; importing does not count as a hang

    def _keep(self, index: int, data: bytes, outcome: str, detail: str) -> None:
        self.options.save.mkdir(parents=True, exist_ok=True)
        stem = self.options.save / f"{self.options.seed}-{index}"
        stem.with_suffix(".rules").write_bytes(data)
        stem.with_suffix(".txt").write_text(f"{outcome}\n{detail}\n", encoding="utf-8")
        tqdm.write(f"{stem}.rules: {outcome}: {detail.splitlines()[-1][:200]}")


def worker(pipe: Connection, seconds: float, memory: float, address_space: float) -> None:
    """Take inputs and answer with outcome and detail, until the pipe closes."""
    warnings.simplefilter("ignore")
    size = int(address_space * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send("ready")
    with tempfile.TemporaryDirectory() as folder:
        while True:
            try:
                data = pipe.recv_bytes()
            except EOFError:
                return
            try:
                answer = try_rules(data, Path(folder) / "fuzz.rules", seconds, memory)
            except BaseException as error:
                frame = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(frame.filename).name}:{frame.name}"
                answer = f"FINDING {type(error).__name__} in {where}", traceback.format_exc()
            pipe.send(answer)


if __name__ == "__main__":
    sys.exit(main())

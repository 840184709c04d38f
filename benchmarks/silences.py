"""How long is a person told nothing? Every command of the documents, watched on a terminal.

python -m benchmarks.silences                          # those of README and docs/commands.md
python -m benchmarks.silences "check chess_200.kif"    # or these

Each runs on a terminal of its own, in a folder with copies of what the documents name, and is
interrupted after ``--most`` seconds. A silence is time between two writes, in seconds of the
processor or of the clock, whichever are fewer: a busy machine makes none longer, and who waits for
a person or for another program owes nobody a word. Exits with 1 if one is longer than two seconds.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

LONGEST = 2.0
"""Seconds of silence that are allowed."""
REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "docs/commands.md")
_LINE = re.compile(r"^neurogame (.*?)(?:\s+#.*)?$", re.MULTILINE)
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Silence:
    """The longest time without a word.

    Attributes:
        seconds: of the processor or of the clock, whichever are fewer.
        after: what was written last before it.
        code: the program's exit code.
    """

    seconds: float
    after: str
    code: int


def documented() -> list[str]:
    """Return the commands of the documents, each once, without the program's name."""
    texts = [(REPOSITORY / name).read_text(encoding="utf-8") for name in DOCUMENTS]
    return list(dict.fromkeys(line for text in texts for line in _LINE.findall(text)))


def processor_seconds(session: int) -> float:
    """Return what the processes of a session, and those that they have waited for, have taken."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = path.read_text().rpartition(")")[2].split()
            if int(words[3]) == session:
                ticks += sum(map(int, words[11:15]))
    return ticks / _TICK


def overhear(
    command: Sequence[str], *, most: float, cwd: Path, env: Mapping[str, str] | None = None
) -> Silence:
    """Run a program on a terminal of 40 lines and 100 columns, and return its longest silence.

    Args:
        command: the program and its arguments.
        most: seconds after which it is interrupted, if it still runs.
        cwd: folder that it runs in.
        env: its environment; None: this process's.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=env,
        start_new_session=True,
        preexec_fn=_as_from_a_shell,
    )
    os.close(theirs)
    begun = told = time.monotonic()
    used, longest, after, last = 0.0, 0.0, "", ""
    interrupted = False
    try:
        while True:
            written = b""
            if select.select([ours], [], [], 0.05)[0]:
                with suppress(OSError):  # nobody has the other end any more
                    written = os.read(ours, 1 << 16)
                ended = not written
            else:
                ended = process.poll() is not None
            now, spent = time.monotonic(), max(used, processor_seconds(process.pid))
            if (silent := min(now - told, spent - used)) > longest:
                longest, after = silent, last
            if ended:
                break
            if written:
                told, used = now, spent
                last = written.decode(errors="replace").replace("\r", "\n").strip() or last
            if now - begun > most and not interrupted:
                interrupted = True
                process.send_signal(signal.SIGINT)
        return Silence(seconds=longest, after=after.split("\n")[-1], code=process.wait(60))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)


def _as_from_a_shell() -> None:
    # The background job of a script would ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def workplace() -> Iterator[Path]:
    """Make a folder that has what the documents name."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs" / "pictures").mkdir(parents=True)
        (folder / "checkpoints").symlink_to(REPOSITORY / "checkpoints")
        (folder / "mygame.kif").write_bytes((REPOSITORY / "games" / "connectfour.kif").read_bytes())
        for path in (REPOSITORY.parent / "shared" / "games").glob("*.kif"):
            (folder / path.name).symlink_to(path)
        for path in (REPOSITORY.parent / "shared" / "traces").glob("connectFour.*"):
            (folder / "trace.jsonl.gz").symlink_to(path)
        yield folder


def main() -> None:
    """Listen to all commands and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lines", nargs="*", help="commands without the program's name")
    parser.add_argument("--most", type=float, default=30.0, help="seconds for each")
    options = parser.parse_args()
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "BROWSER": "true"}
    longest = 0.0
    print("| command | longest silence s | after |\n|---|---|---|")
    with workplace() as folder:
        for line in options.lines or documented():
            command = [sys.executable, "-m", "neurogame.cli.main", *shlex.split(line)]
            found = overhear(command, most=options.most, cwd=folder, env=env)
            longest = max(longest, found.seconds)
            failed = "" if found.code in (0, 130) else f" (ended with {found.code})"
            print(f"| {line}{failed} | {found.seconds:.1f} | {found.after[:60]} |", flush=True)
    sys.exit(longest > LONGEST)


if __name__ == "__main__":
    main()

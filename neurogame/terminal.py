"""What makes a person wait, on the terminal: lines, bars, and what a command is at meanwhile."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TextIO, cast, final

from neurogame.bars import bar_stream

_GLANCE = 0.5
"""Seconds between two looks at the clock."""
_FORMAT = "{desc}: {n:.0f} of {total:.0f} s |{bar:20}|"
_PATIENCE = 1.0
"""Seconds of work without a word after which a command says what it is at."""
_WORK = {
    "processes": "waiting for the player to be loaded",
    "workers": "waiting for the workers",
    "importlib": "starting",
    "gdl": "reading the rules",
    "ground": "grounding the rules",
    "circuit": "building the circuit",
    "analysis": "looking what kind of game it is",
    "regress": "going back from the goals",
    "structure": "looking for boards, lines and symmetries",
    "compiling": "compiling",
    "native": "compiling",
    "netlist": "simplifying the circuit",
    "codegen": "compiling the circuit",
    "features": "looking for features",
    "evaluators": "building the evaluator",
    "search": "searching",
    "learn": "learning",
    "arena": "playing matches",
    "inspect": "taking the evaluator apart",
}
"""What is done in a package or module, the innermost that is named here."""


@final
class Terminal:
    """Writes to standard error; see :class:`~neurogame.waiting.WaitingView`."""

    def say(self, line: str) -> None:
        """Show a line above the bars, if there are any."""
        from tqdm import tqdm

        tqdm.write(line, file=sys.stderr)

    @contextmanager
    def during(self, what: str, seconds: float) -> Iterator[None]:
        """Show a bar of the time that has passed, which stays when it is over."""
        from tqdm import tqdm

        with tqdm(total=seconds, desc=what, bar_format=_FORMAT, file=bar_stream()) as bar:
            began = time.monotonic()

            def show() -> None:
                bar.n = min(time.monotonic() - began, seconds)
                bar.refresh()

            try:
                with _again_and_again(show):
                    yield
            finally:
                show()


@contextmanager
def _again_and_again(look: Callable[[], None]) -> Iterator[None]:
    """Call a function every :data:`_GLANCE` seconds, in a thread that ends with the context."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_GLANCE):
            look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


@contextmanager
def never_silent() -> Iterator[None]:
    """Let nobody at a terminal wait without a word while this command works.

    Bars move on, if only their clocks. Where none is shown, a line says what is done and for how
    long; whatever is written next takes its place. Who waits for a person is at no work, and says
    nothing. Nothing is done off a terminal.
    """
    streams = sys.stdout, sys.stderr
    if not sys.stderr.isatty():
        yield
        return
    status = _Status(sys.stderr)
    sys.stdout, sys.stderr = (cast(TextIO, _Heard(stream, status)) for stream in streams)
    try:
        with _again_and_again(partial(status.look, threading.get_ident())):
            yield
    finally:
        status.clear()
        sys.stdout, sys.stderr = streams


@final
class _Heard:
    """A stream on which a line makes place for what is written."""

    def __init__(self, stream: TextIO, status: _Status) -> None:
        self._stream, self._status = stream, status

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._status.lock:
            self._status.clear()
            return self._stream.write(text)


@final
class _Status:
    """The line that says what a command is at, and when it has to be shown."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._shown = stream, ""
        self.lock = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Take the line away: something is about to be written."""
        with self.lock:
            if self._shown:
                self._stream.write(f"\r{' ' * len(self._shown)}\r")
                self._stream.flush()
                self._shown = ""
            self._heard, self._used = time.monotonic(), time.process_time()

    def look(self, thread: int) -> None:
        """Show the line if it is time.

        Args:
            thread: whose work it is.
        """
        bars = getattr(sys.modules.get("tqdm"), "tqdm", None)  # No bars, no import.
        if bars is not None and hasattr(bars, "_instances"):
            with bars.get_lock():
                for bar in bars._instances:
                    if hasattr(bar, "start_t"):  # All of it is there.
                        bar.refresh(nolock=True)
        work, seconds = _work_of(thread), time.monotonic() - self._heard
        # Whoever is waited for uses processors of other processes.
        waits = work.startswith("waiting")
        spent = seconds if waits else time.process_time() - self._used
        if spent < _PATIENCE or not work:
            return
        with self.lock:
            line = f"{work}: {seconds:.0f} s"
            self._stream.write(f"\r{line}{' ' * (len(self._shown) - len(line))}")
            self._stream.flush()
            self._shown = line


def _work_of(thread: int) -> str:
    """Return what a thread is at; nothing if it asks a person."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        parts = frame.f_globals.get("__name__", "").split(".")
        if parts[-1] == "human":
            return ""
        found = [_WORK[part] for part in parts if part in _WORK]
        if found and parts[0] in ("neurogame", "importlib"):
            return found[-1]
        frame = frame.f_back
    return "working"

"""What makes a person wait, on the terminal: lines, and bars that show how much time is left."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from neurogame.bars import bar_stream

_GLANCE = 0.5
"""Seconds between two looks at the clock."""
_FORMAT = "{desc}: {n:.0f} of {total:.0f} s |{bar:20}|"


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

        over = threading.Event()
        with tqdm(total=seconds, desc=what, bar_format=_FORMAT, file=bar_stream()) as bar:
            began = time.monotonic()

            def show() -> None:
                bar.n = min(time.monotonic() - began, seconds)
                bar.refresh()

            def watch() -> None:
                while not over.wait(_GLANCE):
                    show()

            watcher = threading.Thread(target=watch, daemon=True)
            watcher.start()
            try:
                yield
            finally:
                over.set()
                watcher.join()
                show()

"""Ctrl-C during training: finish what is under way and save; a second one stops at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neurogame.learn.training_run import TrainingRun


@contextmanager
def gentle_interrupt(work: TrainingRun) -> Iterator[None]:
    """Let Ctrl-C, or a request to end the process, ask for the end of some work."""

    def stop(number: int, frame: object) -> None:
        if work.stop_requested:
            raise KeyboardInterrupt
        work.request_stop()
        print(
            "\nstopping, then saving (Ctrl-C again: stop at once)",
            file=sys.stderr,
        )

    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, stop) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)

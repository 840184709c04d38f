"""What each stage of grounding takes: time and memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from neurogame.ground.limits import memory_mb, peak_memory_mb


@final
@dataclass(frozen=True)
class StageCost:
    """What one stage took.

    Attributes:
        name: of the stage.
        seconds: wall-clock time.
        cpu_seconds: of the process.
        memory_mb: resident memory of the process at its end, in MiB.
        peak_mb: the most that the process has had by then, in MiB.
    """

    name: str
    seconds: float
    cpu_seconds: float
    memory_mb: float
    peak_mb: float


@final
class Stages:
    """Notes what stages take that follow each other.

    Args:
        told: called with the name of every stage that begins.

    Attributes:
        costs: of the stages that are over, in order.
    """

    def __init__(self, told: Callable[[str], None] = lambda name: None) -> None:
        self.costs: list[StageCost] = []
        self._told = told
        self._name: str | None = None
        self._began = (0.0, 0.0)

    def begin(self, name: str) -> None:
        """End the present stage, if there is one, and begin another."""
        self.end()
        self._name, self._began = name, (time.perf_counter(), time.process_time())
        self._told(name)

    def end(self) -> None:
        """End the present stage, if there is one."""
        if self._name is None:
            return
        wall, busy = self._began
        self.costs.append(
            StageCost(
                self._name,
                time.perf_counter() - wall,
                time.process_time() - busy,
                memory_mb(),
                peak_memory_mb(),
            )
        )
        self._name = None

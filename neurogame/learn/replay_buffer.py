"""The newest training examples, packed to one bit per fluent, to draw batches from."""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.learn.targets import Examples


@final
class ReplayBuffer:
    """A ring of the newest ``capacity`` examples; full, it forgets the oldest.

    Args:
        capacity: largest number of examples, at least 1.
        fluents: number of fluents per state, ``F``.
        outputs: number of targets per state, ``D``.
    """

    def __init__(self, capacity: int, fluents: int, outputs: int) -> None:
        self.capacity = capacity
        self._fluents = fluents
        self._packed = torch.zeros((capacity, (fluents + 7) // 8), dtype=torch.uint8)
        self._targets = torch.zeros((capacity, outputs), dtype=torch.float32)
        self._added = 0

    def __len__(self) -> int:
        """Return the number of examples held."""
        return min(self._added, self.capacity)

    def add(self, examples: Examples) -> None:
        """Append examples in order; only the newest ``capacity`` of them stay."""
        count = len(examples)
        packed = torch.from_numpy(np.packbits(examples.fluents.numpy(), axis=1))
        places = (self._added + torch.arange(count)) % self.capacity
        newest = slice(max(0, count - self.capacity), count)
        self._packed[places[newest]] = packed[newest]
        self._targets[places[newest]] = examples.targets[newest]
        self._added += count

    def draw(self, count: int, random: np.random.Generator) -> Examples:
        """Return ``count`` examples drawn uniformly with replacement.

        Args:
            count: at least 1; the buffer must not be empty.
            random: source of the draw.
        """
        return self.at(torch.from_numpy(random.integers(0, len(self), size=count)))

    def at(self, places: Tensor) -> Examples:
        """Return the examples at the given places, int64 ``[N]`` in 0..len - 1."""
        bits = np.unpackbits(self._packed[places].numpy(), axis=1, count=self._fluents)
        return Examples(torch.from_numpy(bits.astype(bool)), self._targets[places])

    def state(self) -> dict[str, Tensor]:
        """Return the contents as tensors: ``packed``, ``targets``, ``added``."""
        return {
            "packed": self._packed[: len(self)].clone(),
            "targets": self._targets[: len(self)].clone(),
            "added": torch.tensor(self._added),
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        """Take over contents made by :meth:`state` of a buffer of the same size and shape."""
        count = state["packed"].shape[0]
        self._packed[:count] = state["packed"]
        self._targets[:count] = state["targets"]
        self._added = int(state["added"])

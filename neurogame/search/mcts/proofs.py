"""The states that Monte-Carlo tree searches have proved, as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import final

import numpy as np

from neurogame.array_types import Float32s, Int32s, UInt8s
from neurogame.search.mcts.compiled.tree import VALUES, Tree
from neurogame.search.packing import REVERSED


@final
class MctsProofs(Mapping[bytes, tuple[float, ...]]):
    """Packed state -> exact per-role values; a live view, made readable when it is read.

    Keys are those of :func:`neurogame.search.packing.state_keys`.
    """

    def __init__(self, fluents: int) -> None:
        """Begin with nothing.

        Args:
            fluents: number of fluents.
        """
        self._octets = -(-fluents // 8)
        self._found: dict[bytes, tuple[float, ...]] = {}
        self._waiting: list[tuple[UInt8s, Float32s]] = []

    def add(self, tree: Tree, indices: Int32s) -> None:
        """Add nodes that are proved.

        Args:
            tree: where they are.
            indices: their numbers; int32.
        """
        if len(indices):
            octets = tree.states[indices].view(np.uint8)[:, : self._octets]
            places = tree.nodes[indices][:, None] + VALUES + np.arange(len(tree.best))
            self._waiting.append((octets, tree.reals[places]))

    def clear(self) -> None:
        """Forget everything."""
        self._found.clear()
        self._waiting.clear()

    def __getitem__(self, key: bytes) -> tuple[float, ...]:
        """Return the values of a proved state."""
        return self._read()[key]

    def __iter__(self) -> Iterator[bytes]:
        """Go through all keys."""
        return iter(self._read())

    def __len__(self) -> int:
        """Return the number of proved states."""
        return len(self._read())

    def _read(self) -> dict[bytes, tuple[float, ...]]:
        """Return all of them, read."""
        for octets, values in self._waiting:
            means = values.astype(np.float64)
            rows = np.rint(means * 100) / 100
            # What chance decides is worth the mean of goals.
            rows = np.where(np.abs(rows - means) < 1e-6, rows, means)
            keys = REVERSED[octets]
            for key, row in zip(keys, rows.tolist(), strict=True):
                self._found[key.tobytes()] = tuple(row)
        self._waiting.clear()
        return self._found

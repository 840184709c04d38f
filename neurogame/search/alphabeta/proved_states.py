"""The proved states of a search as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import final

import numpy as np

from neurogame.search.alphabeta.compiled.table import place_of
from neurogame.search.alphabeta.memory import ProvedMemory
from neurogame.search.mcts.compiled.reading import exact_value
from neurogame.search.packing import REVERSED


@final
class ProvedStates(Mapping[bytes, tuple[float, ...]]):
    """Packed state -> exact per-role values; a live view of what has been proved.

    Keys are those of :func:`neurogame.search.packing.state_keys`.
    """

    def __init__(self, memory: ProvedMemory, fluents: int) -> None:
        """Look at a memory.

        Args:
            memory: the proved states.
            fluents: number of fluents.
        """
        self._memory = memory
        self._octets = -(-fluents // 8)

    def __getitem__(self, key: bytes) -> tuple[float, ...]:
        """Return the values of a proved state."""
        proofs = self._memory.proofs
        octets = np.zeros(8 * proofs.states.shape[1], np.uint8)
        if len(key) != self._octets:
            raise KeyError(key)
        octets[: self._octets] = REVERSED[np.frombuffer(key, np.uint8)]
        place = place_of(proofs, octets.view(np.uint64))
        if place < 0:
            raise KeyError(key)
        return self._values(place)

    def __iter__(self) -> Iterator[bytes]:
        """Go through all keys."""
        proofs = self._memory.proofs
        for row in proofs.states[proofs.used].view(np.uint8):
            yield REVERSED[row[: self._octets]].tobytes()

    def __len__(self) -> int:
        """Return the number of proved states."""
        return int(self._memory.proofs.used.sum())

    def _values(self, place: int) -> tuple[float, ...]:
        """Return values as goal / 100, from single precision; means of goals as they are."""
        return tuple(map(exact_value, self._memory.proofs.values[place].tolist()))

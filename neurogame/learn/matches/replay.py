"""The positions of earlier matches, with their targets: a bounded store, to be learned again."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from neurogame.array_types import Float32s, UInt64s


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class LearnedMatch:
    """The positions of one match.

    Attributes:
        states: packed states; uint64 ``[N, Fw]``.
        targets: of their values, 0..1; float32 ``[N, R]``.
    """

    states: UInt64s
    targets: Float32s


@final
class MatchReplay:
    """The newest matches; full, it forgets the oldest.

    Args:
        positions: most positions of all matches together; one match is kept in any case.
    """

    def __init__(self, positions: int) -> None:
        self._most = positions
        self._matches: deque[LearnedMatch] = deque()
        self._held = 0

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self._matches)

    def add(self, match: LearnedMatch) -> None:
        """Remember a match."""
        self._matches.append(match)
        self._held += len(match.states)
        while self._held > self._most and len(self._matches) > 1:
            self._held -= len(self._matches.popleft().states)

    def draw(self, count: int, random: np.random.Generator) -> list[LearnedMatch]:
        """Return different matches in random order, as many as there are at most."""
        places = random.permutation(len(self._matches))[:count]
        return [self._matches[place] for place in places.tolist()]

    def state(self) -> dict[str, Tensor]:
        """Return all matches as tensors, one after the other."""
        matches = self._matches
        if not matches:
            return {}
        return {
            "states": torch.from_numpy(_joined([m.states.view(np.int64) for m in matches])),
            "targets": torch.from_numpy(_joined([m.targets for m in matches])),
            "lengths": torch.tensor([len(m.states) for m in matches], dtype=torch.int64),
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Remember what another one's :meth:`state` returned, and nothing else."""
        self._matches.clear()
        self._held = first = 0
        if not state:
            return
        states = state["states"].numpy().view(np.uint64)
        targets = state["targets"].numpy()
        for length in state["lengths"].tolist():
            rows = slice(first, first + length)
            self.add(LearnedMatch(states=states[rows], targets=targets[rows]))
            first += length


def _joined(arrays: Sequence[npt.NDArray[np.generic]]) -> npt.NDArray[np.generic]:
    return np.concatenate(arrays)

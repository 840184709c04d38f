"""Many states of a game, packed into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.kernels.words.pack import gather_lanes, pack, unpack, word_count


@final
@dataclass(frozen=True, eq=False)
class StateBatch:
    """States of many games, 64 per word.

    Attributes:
        words: one row per fluent; int64 ``[F, W]``, ``W = ceil(B / 64)``. Lane ``b`` is bit
            ``b % 64`` of word ``b // 64``; the lanes beyond ``B`` are zero.
        size: number of states, ``B``.
    """

    words: Tensor
    size: int

    def __post_init__(self) -> None:
        """Refuse words that do not fit the size."""
        if self.words.dtype != torch.int64 or self.words.dim() != 2:
            raise GameError(
                f"the words of states must be int64 [F, W], not {self.words.dtype} "
                f"{list(self.words.shape)}; use StateBatch.from_bool for flags"
            )
        if self.words.shape[1] != word_count(self.size):
            raise GameError(
                f"{self.size} states take {word_count(self.size)} words per fluent, "
                f"not {self.words.shape[1]}"
            )

    @classmethod
    def from_bool(cls, fluents: Tensor) -> StateBatch:
        """Pack states.

        Args:
            fluents: which fluents hold in each state; bool ``[B, F]``.

        Raises:
            GameError: the tensor is not of this type and shape.
        """
        if fluents.dtype != torch.bool or fluents.dim() != 2:
            raise GameError(
                f"states are given as bool [B, F], not {fluents.dtype} {list(fluents.shape)}"
            )
        return cls(pack(fluents), len(fluents))

    def to_bool(self) -> Tensor:
        """Return which fluents hold in each state; bool ``[B, F]``."""
        return unpack(self.words, self.size)

    def select(self, index: Tensor) -> StateBatch:
        """Return some of the states, in any order, with repetition if wanted.

        Args:
            index: int64 ``[K]``, each in ``0..B-1``.

        Raises:
            GameError: an index is out of range.
        """
        if len(index) and not (int(index.min()) >= 0 and int(index.max()) < self.size):
            raise GameError(f"a state index must lie in 0..{self.size - 1}")
        return StateBatch(gather_lanes(self.words, index), len(index))

    @property
    def device(self) -> torch.device:
        """Where the words live."""
        return self.words.device

    def __len__(self) -> int:
        """Return the number of states, ``B``."""
        return self.size

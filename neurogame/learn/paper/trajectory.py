"""One played match as tensors: what the targets are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

SEVERAL = -1
FORCED = -2


@final
@dataclass(frozen=True, eq=False)
class Trajectory:
    """The states of one match in order, ``s_0`` to ``s_T``.

    Attributes:
        fluents: bool ``[T + 1, F]``, row ``t`` is state ``s_t``.
        goals: goals of the last state per role, float64 ``[R]`` in 0..1; NaN where the match
            was cut off before a terminal state.
        proved: float64 ``[T + 1, R]``: values in 0..1 of the states whose minimax value the search
            has proved, NaN rows elsewhere. The last state of a finished match is proved.
        moves: the joint moves, int64 ``[T, R]``, index within each role's own moves.
    """

    fluents: Tensor
    goals: Tensor
    proved: Tensor
    moves: Tensor

    def __post_init__(self) -> None:
        states, roles = self.fluents.shape[0], self.goals.shape[0]
        if states < 1:
            raise ValueError("a trajectory has at least one state")
        expected = (
            (self.proved, (states, roles)),
            (self.moves, (states - 1, roles)),
        )
        for tensor, shape in expected:
            if tuple(tensor.shape) != shape:
                raise ValueError(f"expected shape {shape}, found {tuple(tensor.shape)}")

    @property
    def finished(self) -> bool:
        """Whether the match reached a terminal state."""
        return not bool(torch.isnan(self.goals).any())

    @property
    def plies(self) -> int:
        """Number of joint moves, ``T``."""
        return int(self.moves.shape[0])


def extend_proofs(proved: Tensor, movers: Tensor, best: Tensor) -> Tensor:
    """Carry proofs backwards along the states of one match.

    If the only role with a choice in ``s_t`` can move to ``s_{t+1}``, which is proved to give it
    the best goal there is, then ``s_t`` has the same proved value: no other move can be better.

    Args:
        proved: float64 ``[T + 1, R]`` in 0..1, NaN rows where nothing is proved.
        movers: int64 ``[T]``, the only role with more than one legal move; ``SEVERAL`` (-1) where
            several roles have a choice or chance has, ``FORCED`` (-2) where none has.
        best: the highest goal each role can have, float64 ``[R]`` in 0..1.

    Returns:
        ``proved`` with more rows filled in; float64 ``[T + 1, R]``.
    """
    result = proved.clone()
    for t in range(len(movers) - 1, -1, -1):
        role, after = int(movers[t]), result[t + 1]
        if role == SEVERAL or not bool(torch.isnan(result[t]).any()):
            continue
        if not bool(torch.isfinite(after).all()):
            continue
        if role == FORCED or bool(after[role] >= best[role]):
            result[t] = after
    return result

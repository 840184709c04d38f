"""Parameters that stay between 0 and 1 although their optimiser knows nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor


def limited(raw: Tensor) -> Tensor:
    """Return numbers clipped to 0..1; beyond the ends only gradients that lead back pass.

    So a parameter that a step took too far is never stuck there.
    """
    return cast(Callable[[Tensor], Tensor], _Limited.apply)(raw)


class _Limited(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, raw: Tensor) -> Tensor:
        ctx.save_for_backward(raw)
        return raw.clamp(0, 1)

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: Tensor) -> Tensor:
        (raw,) = ctx.saved_tensors  # type: ignore[attr-defined]
        # A step goes against the gradient.
        away = ((raw >= 1) & (gradient < 0)) | ((raw <= 0) & (gradient > 0))
        return torch.where(away, torch.zeros_like(gradient), gradient)

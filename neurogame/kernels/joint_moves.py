"""All joint moves of many states: the Cartesian product of the roles' legal moves.

It works where the states lie, on an accelerator, too; :mod:`neurogame.circuit.joint_moves` is for
those who have arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from neurogame.errors import LimitError

_MOST_CHILDREN = 1 << 24


def joint_moves(legal: Tensor, offsets: Sequence[int]) -> tuple[Tensor, Tensor]:
    """List the joint moves of each state.

    Args:
        legal: legal moves of all roles; bool ``[B, M]``.
        offsets: start of each role's columns, and ``M``; ``[R + 1]``.

    Returns:
        The state of each joint move, ascending, int64 ``[K]``, and the joint moves as indices
        within each role's columns, lexicographic for each state, int64 ``[K, R]``.

    Raises:
        LimitError: there are more joint moves than fit into memory.
    """
    device = legal.device
    roles = len(offsets) - 1
    columns: list[Tensor] = []
    starts: list[Tensor] = []
    counts: list[Tensor] = []
    product = torch.ones(len(legal), dtype=torch.int64, device=device)
    for begin, end in pairwise(offsets):
        mine = legal[:, begin:end]
        count = mine.sum(dim=1)
        columns.append(mine.nonzero()[:, 1])
        starts.append(count.cumsum(0) - count)
        counts.append(count)
        product = product * count
    # In floating point, because many roles overflow 64 bits.
    estimate = float(torch.stack(counts).to(torch.float64).prod(dim=0).sum())
    if estimate > _MOST_CHILDREN:
        raise LimitError(
            f"{len(legal)} states have {estimate:.3g} joint moves, the limit is "
            f"{_MOST_CHILDREN}; expand fewer states at once, or sample joint moves"
        )
    total = int(product.sum())
    parent = torch.repeat_interleave(torch.arange(len(legal), device=device), product)
    rest = torch.arange(total, device=device) - (product.cumsum(0) - product)[parent]
    joint = torch.empty((total, roles), dtype=torch.int64, device=device)
    for role in reversed(range(roles)):
        count = counts[role][parent]
        joint[:, role] = columns[role][starts[role][parent] + rest % count]
        rest = rest // count
    return parent, joint

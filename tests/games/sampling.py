"""Random legal joint moves for many states, for tests that play games in step."""

from __future__ import annotations

import torch
from torch import Tensor

from neurogame.simulate.game import Game


def random_moves(game: Game, legal: Tensor, generator: torch.Generator) -> Tensor:
    """Draw one legal move per role, uniformly.

    Args:
        game: the game.
        legal: bool ``[B, M]``, all false in terminal states.
        generator: source of randomness.

    Returns:
        Indices within each role's own moves, 0 in terminal states; int64 ``[B, R]``.
    """
    columns = []
    for begin, end in zip(game.move_offsets, game.move_offsets[1:], strict=False):
        draw = torch.rand((len(legal), end - begin), generator=generator)
        columns.append((draw + legal[:, begin:end]).argmax(dim=1))
    return torch.stack(columns, dim=1)

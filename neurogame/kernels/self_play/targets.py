"""Targets of TD(lambda), from the end of a game backwards."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2, UInt8s1
from neurogame.native.compiled import inner


@inner
def make_targets(
    searched: Float32s2,
    cut: UInt8s1,
    goals: Float32s2,
    game: int,
    targets: Float32s2,
    first: int,
    count: int,
    lambda_: float,
    terminal: bool,
) -> None:
    """Write the targets of a game's positions.

    A position's target lies between its searched value and the target of the next one. It is the
    searched value alone where the move was not the best one, and at the end of a game that was cut
    off.

    *Reference:* Sutton (1988), "Learning to predict by the methods of temporal differences".

    Args:
        searched: values of positions by what follows them; float32 ``[N, R]``.
        cut: 1 where the move was not the best one; uint8 ``[N]``.
        goals: of games, 0..1; float32 ``[G, R]``.
        game: row of ``goals``.
        targets: what is written; float32 ``[N, R]``.
        first: the game's first position.
        count: number of its positions.
        lambda_: of TD(lambda), 0..1.
        terminal: whether the game has ended; else it was cut off.
    """
    kept, last = np.float32(lambda_), first + count - 1
    for role in range(targets.shape[1]):
        target = goals[game, role]
        for row in range(last, first - 1, -1):
            held = searched[row, role]
            if cut[row] != 0 or (row == last and not terminal):
                target = held
            else:
                target = held + kept * (target - held)
            targets[row, role] = target

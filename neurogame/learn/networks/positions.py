"""What matches of self-play teach goal networks: their positions, with targets of TD(lambda)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.evaluators.base import Evaluator
from neurogame.learn.examples import Examples
from neurogame.search.lockstep.lockstep import LockstepMatch, replayed
from neurogame.simulate.game import Game


def positions_of(
    game: Game, matches: Sequence[LockstepMatch], evaluator: Evaluator, lambda_: float, margin: bool
) -> Examples:
    """Return the positions of matches in which no player's move was drawn at random.

    Args:
        game: what was played.
        matches: of self-play.
        evaluator: values what follows a position.
        lambda_: of TD(lambda), 0..1.
        margin: whether values of two roles are made to sum to 1.
    """
    lengths = np.array([match.plies for match in matches], np.int64)
    span = int(lengths.max(initial=0))
    values = np.full((span + 1, len(matches), len(game.roles)), 0.5)
    drawn = np.zeros((span, len(matches)), np.bool_)
    fluents = []
    for ply, (active, states) in enumerate(replayed(game, matches)):
        flags = states.to_bool()
        with torch.no_grad():
            estimates = evaluator(flags).double().numpy()
        values[ply, active] = (estimates + 1 - estimates[:, ::-1]) / 2 if margin else estimates
        going = lengths[active] > ply
        fluents.append(flags[torch.from_numpy(going)])
        for number in active[going].tolist():
            drawn[ply, number] = matches[number].drawn[ply]
    for number, match in enumerate(matches):
        if match.finished:
            values[match.plies, number] = match.goals
    learned = ~drawn & (np.arange(span)[:, None] < lengths)
    targets = td_targets(values, drawn, lengths, lambda_)[learned].astype(np.float32)
    rows = [torch.from_numpy(learned[ply][lengths > ply]) for ply in range(span)]
    kept = [part[row] for part, row in zip(fluents, rows, strict=False)]
    return Examples(torch.cat(kept) if kept else fluents[0], torch.from_numpy(targets))


def td_targets(values: Float64s, drawn: Bools, lengths: Int64s, lambda_: float) -> Float64s:
    """Return the targets of TD(lambda) of all positions of matches, from their ends backwards.

    A target lies between the value of the next position and that one's target. Nothing that
    follows a move drawn at random counts: the position before it stands for itself.

    *Reference:* Sutton (1988), "Learning to predict by the methods of temporal differences".

    Args:
        values: of positions, of the last one its goals where the match has ended; float64
            ``[T + 1, N, R]`` in 0..1.
        drawn: whether a player's move in a position was drawn at random; bool ``[T, N]``.
        lengths: plies of the matches; int64 ``[N]``.
        lambda_: 0..1.

    Returns:
        float64 ``[T, N, R]``; beyond the end of a match anything.
    """
    targets = np.zeros_like(values[1:])
    following = values[-1]
    for ply in range(len(drawn) - 1, -1, -1):
        held = values[ply + 1]
        following = np.where((lengths > ply + 1)[:, None], following, held)
        target = held + lambda_ * (following - held)
        targets[ply] = following = np.where(drawn[ply][:, None], values[ply], target)
    return targets

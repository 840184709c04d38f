"""Utility of what was learned: how much of it can be taken back, and what that costs.

The utility of a learned change is estimated by ``|change x gradient|``, a first-order estimate of
what the log-odds would change without it, averaged over small groups of states. A row of a table
that no state reads has utility 0.

*Reference:* Molchanov et al., "Importance estimation for neural network pruning" (2019).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.arena.positions import PlayedPositions, values_of
from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.learn.comparison import Comparison, compare
from neurogame.simulate.game import Game

_GROUP = 8
"""States whose gradients are summed before their sizes are: fewer are slower, more cancel out."""


@final
@dataclass(frozen=True, kw_only=True)
class PrunedShare:
    """What it costs to take a share of the learned changes back.

    Attributes:
        share: of the changed numbers, 0..1.
        taken: numbers that were set back to what they were before learning.
        kept: changed numbers that were left.
        moved: mean absolute change of the values, 0..1.
        brier: mean squared difference of values and outcomes, 0..1.
        random_moved: mean absolute change if as many numbers are drawn at random instead.
        random_brier: the Brier score in that case.
        strength: the pruned evaluator against the whole one; None if no matches were asked for.
    """

    share: float
    taken: int
    kept: int
    moved: float
    brier: float
    random_moved: float
    random_brier: float
    strength: Comparison | None


def utilities(current: Evaluator, initial: Evaluator, states: Tensor) -> dict[str, Tensor]:
    """Return the utility of each learned change, by the name of its parameter; all at least 0.

    Args:
        current: the evaluator now.
        initial: before learning.
        states: which fluents hold; bool ``[B, F]``.
    """
    before = dict(initial.named_parameters())
    learned = dict(current.named_parameters())
    asked = {name: was.requires_grad for name, was in learned.items()}
    found = {name: torch.zeros_like(one.detach()) for name, one in learned.items()}
    try:
        for one in learned.values():
            one.requires_grad_(True)
        for group in torch.split(states, _GROUP):
            values = current(group).clamp(1e-6, 1 - 1e-6)
            total = torch.logit(values)[:, 0].sum()
            slopes = torch.autograd.grad(total, list(learned.values()), allow_unused=True)
            for (name, one), slope in zip(learned.items(), slopes, strict=True):
                if slope is not None:
                    drift = one.detach() - before[name].detach()
                    found[name] += (drift * slope).abs()
    finally:
        for name, one in learned.items():
            one.requires_grad_(asked[name])
    return found


def pruned(
    current: Evaluator, initial: Evaluator, scores: dict[str, Tensor], share: float
) -> tuple[Evaluator, int, int]:
    """Return a copy without the least useful changes, how many were taken back, and how many left.

    Args:
        current: the evaluator now.
        initial: before learning.
        scores: of each change, by the name of its parameter; the least are taken back.
        share: of the numbers that changed, 0..1.

    Raises:
        ConfigurationError: the share is not within 0..1.
    """
    if not 0 <= share <= 1:
        raise ConfigurationError(f"the share to prune is {share}; it must lie in 0..1")
    before = dict(initial.named_parameters())
    result = copy.deepcopy(current)
    parts = list(result.named_parameters())
    changed = {name: one.detach() != before[name].detach() for name, one in parts}
    listed = torch.cat([scores[name][changed[name]].view(-1) for name, _ in parts])
    take = round(share * len(listed))
    marked = torch.zeros(len(listed), dtype=torch.bool)
    marked[torch.argsort(listed, stable=True)[:take]] = True
    begin = 0
    with torch.no_grad():
        for name, one in parts:
            count = int(changed[name].sum())
            back = torch.zeros_like(changed[name])
            back[changed[name]] = marked[begin : begin + count]
            one.copy_(torch.where(back, before[name].to(one.dtype), one))
            begin += count
    return result, take, len(listed) - take


def prune_curve(
    game: Game,
    current: Evaluator,
    initial: Evaluator,
    played: PlayedPositions,
    shares: Sequence[float],
    *,
    matches: int = 0,
    seed: int = 0,
) -> list[PrunedShare]:
    """Take back more and more, and measure what it costs.

    Args:
        game: the game.
        current: the evaluator now.
        initial: before learning.
        played: positions; utilities are estimated on one half, losses measured on the other.
        shares: of the changed numbers, each 0..1.
        matches: one-ply matches of each pruned evaluator against the whole one; 0: none.
        seed: decides random prunings and matches.
    """
    number = np.arange(len(played), dtype=np.int64)
    fit, held = played.select(number[::2]), played.select(number[1::2])
    scores = utilities(current, initial, fit.states.to_bool())
    random = torch.Generator().manual_seed(seed)
    drawn = {name: torch.rand(one.shape, generator=random) for name, one in scores.items()}
    whole = values_of(current, held.states)
    found = []
    for share in shares:
        less, taken, kept = pruned(current, initial, scores, share)
        values = values_of(less, held.states)
        other = values_of(pruned(current, initial, drawn, share)[0], held.states)
        strength = None
        if matches:
            strength = compare(
                game, less, current, matches=matches, seed=seed, opening_plies=4, opening_nodes=0
            )
        found.append(
            PrunedShare(
                share=share,
                taken=taken,
                kept=kept,
                moved=float(np.abs(values - whole).mean()),
                brier=float(((values - held.outcomes) ** 2).mean()),
                random_moved=float(np.abs(other - whole).mean()),
                random_brier=float(((other - held.outcomes) ** 2).mean()),
                strength=strength,
            )
        )
    return found

"""Choices of moves with what a better player thinks of them, and how far scores agree with that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Float32s
from neurogame.search.result import SearchResult


@final
@dataclass(frozen=True, kw_only=True)
class MoveChoices:
    """Choices of one role; ``N`` states, ``F`` fluents, ``M`` moves, ``M_r`` of them the role's.

    Attributes:
        fluents: that hold; bool ``[N, F]``.
        all_legal: legal moves of all roles; bool ``[N, M]``.
        legal: the role's legal moves; bool ``[N, M_r]``.
        shares: weight of each move, which add up to 1 in each state; float32 ``[N, M_r]``.
    """

    fluents: Tensor
    all_legal: Tensor
    legal: Tensor
    shares: Tensor

    def __len__(self) -> int:
        """Return the number of states, ``N``."""
        return len(self.fluents)

    def select(self, rows: Tensor) -> MoveChoices:
        """Return some of the choices.

        Args:
            rows: which; int64.
        """
        return MoveChoices(
            fluents=self.fluents[rows],
            all_legal=self.all_legal[rows],
            legal=self.legal[rows],
            shares=self.shares[rows],
        )

    def losses(self, scores: Tensor) -> Tensor:
        """Return the cross entropy of each choice, in nats; ``[N]``.

        Args:
            scores: logarithms of weights of the role's moves; ``[N, M_r]``.
        """
        masked = scores.masked_fill(~self.legal, -torch.inf)
        logs = nn.functional.log_softmax(masked, dim=1).masked_fill(~self.legal, 0.0)
        cross_entropies: Tensor = -(self.shares * logs).sum(dim=1)
        return cross_entropies

    def agreements(self, scores: Tensor) -> Tensor:
        """Return whether the legal move with the best score has the most weight; bool ``[N]``."""
        masked = scores.masked_fill(~self.legal, -torch.inf)
        agree: Tensor = masked.argmax(dim=1) == self.shares.argmax(dim=1)
        return agree

    def entropies(self) -> Tensor:
        """Return the entropy of the weights, below which no loss falls, in nats; ``[N]``."""
        nats: Tensor = -torch.special.xlogy(self.shares, self.shares).sum(dim=1)
        return nats


@final
@dataclass(frozen=True, kw_only=True)
class ChoiceReport:
    """What learning from choices came to.

    Attributes:
        choices: that were learned from.
        held_out: choices that measured it.
        loss: cross entropy per held-out choice, in nats; of the learned ones where none are held
            out.
        entropy: of the weights themselves: no judge can do better.
        uniform: cross entropy where all legal moves are alike.
        agreement: share of these choices in which the judge's best move is that of most weight.
    """

    choices: int
    held_out: int
    loss: float
    entropy: float
    uniform: float
    agreement: float


def visit_shares(outcome: SearchResult, moves: int) -> Float32s:
    """Return the share of a tree search's visits of each move; float32 ``[moves]``.

    What is proved is known: all weight is on the move then.

    Args:
        outcome: what the search found.
        moves: number of the role's moves, legal or not.
    """
    shares = np.zeros(moves, np.float32)
    total = sum(outcome.tries.values())
    if outcome.proved or not total:
        shares[outcome.move] = 1
        return shares
    for move, tries in outcome.tries.items():
        shares[move] = tries / total
    return shares

"""A number that every state has, whatever computes it: a value for a role, or a move's score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.attribution import (
    Attribution,
    Contribution,
    Method,
    Unit,
    sorted_by_size,
)
from neurogame.evaluators.base import Evaluator
from neurogame.judges.moves import LOGITS, MoveJudge
from neurogame.simulate.game import Game, State


@final
@dataclass(frozen=True, kw_only=True)
class Measured:
    """What is taken apart, as a function of fluents.

    Attributes:
        of: fluents, bool or floats 0..1, ``[N, F]`` -> numbers ``[N]``; float32 or float64.
        unit: of the numbers.
        role: whose; its index.
        move: the move that is scored, or None where a state is valued.
        kind: what fluents are given as where they hold by shares.
        is_smooth: whether it has gradients.
    """

    of: Callable[[Tensor], Tensor]
    unit: Unit
    role: int
    move: int | None = None
    kind: torch.dtype = torch.float32
    is_smooth: bool = True

    def numbers(self, fluents: Tensor) -> Tensor:
        """Return the numbers of states ``[N, F]`` without gradients; float64 ``[N]``."""
        with torch.no_grad():
            return self.of(fluents).double()

    def attribution(
        self,
        state: State,
        amounts: Tensor,
        *,
        method: Method,
        base: float,
        total: float,
        others: Iterable[Contribution] = (),
    ) -> Attribution:
        """Return an attribution to fluents.

        Args:
            state: the state.
            amounts: of all fluents; float64 ``[F]``.
            method: how they were found.
            base: what is there before anything is added.
            total: the number of the state.
            others: what else adds to it.
        """
        more = list(others)
        rest = (
            total - base - float(amounts.sum()) - sum(contribution.amount for contribution in more)
        )
        return Attribution(
            method=method,
            unit=self.unit,
            role=self.role,
            move=self.move,
            value=total,
            total=total,
            base=base,
            contributions=sorted_by_size([*more, *fluent_contributions(state, amounts.tolist())]),
            by_fluent=tuple(amounts.tolist()),
            gap=rest,
        )


def value_for(evaluator: Evaluator, role: int) -> Measured:
    """Return the value of states for a role, by an evaluator of any kind."""
    weights = next((p for p in evaluator.parameters()), torch.zeros(()))
    return Measured(
        of=lambda fluents: evaluator(fluents)[:, role],
        unit="value",
        role=role,
        kind=weights.dtype,
        is_smooth=evaluator.is_smooth,
    )


def score_for(judge: MoveJudge, game: Game, role: int, move: int) -> Measured:
    """Return the score of a move as a number of states, by a judge of moves of any kind.

    Args:
        judge: of the game.
        game: the game.
        role: whose move; its index.
        move: an index into the role's moves.
    """
    legal = np.zeros((1, len(game.moves[role])), np.bool_)
    legal[0, move] = True

    def scores(fluents: Tensor) -> Tensor:
        allowed = np.repeat(legal, len(fluents), axis=0)
        return torch.from_numpy(judge.move_scores(fluents.numpy(), allowed, role)[:, move])

    unit: Unit = "logit" if judge.scale == LOGITS else "score"
    return Measured(of=scores, unit=unit, role=role, move=move, is_smooth=False)


def fluent_contributions(state: State, amounts: Sequence[float]) -> list[Contribution]:
    """Return the contributions of fluents, by what holds in the state.

    Args:
        state: the state.
        amounts: of all fluents; ``F`` numbers.
    """
    held, names = state.fluents.tolist(), state.game.fluents
    return [
        Contribution(
            kind="fluent",
            label=name if held[fluent] else f"(not {name})",
            fluents=(fluent,),
            amount=amount,
        )
        for fluent, (name, amount) in enumerate(zip(names, amounts, strict=True))
        if amount
    ]

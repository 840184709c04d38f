"""What each fluent adds to an evaluator's judgement, and thereby what each square adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from neurogame.arena.positions import values_of
from neurogame.arena.reliability import log_odds
from neurogame.array_types import Bools1, Float64s2, Int64s1
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.change.agreement import RunAgreement, agreement
from neurogame.show.layout import find_layout
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class FluentEffects:
    """How much fluents change an evaluator's values.

    Attributes:
        amounts: mean over the states in which a fluent holds of the log-odds of the value, less
            the mean log-odds with every other value of the fluent's variable in its place; 0 for
            a fluent that holds in no state; float64 ``[F, R]``.
        states: in how many states each fluent holds; int64 ``[F]``.
    """

    amounts: Float64s2
    states: Int64s1


@final
@dataclass(frozen=True, kw_only=True)
class SquareEffect:
    """One content of one square.

    Attributes:
        fluent: index of the fluent.
        board: relation of the board; with several slices also which one.
        column: its label.
        row: its label.
        content: what stands there.
        change: of the effect, over runs, in log-odds of the first role.
    """

    fluent: int
    board: str
    column: str
    row: str
    content: str
    change: RunAgreement


def fluent_effects(game: Game, evaluator: Evaluator, states: StateBatch) -> FluentEffects:
    """Put other values in the place of each fluent that holds, and see what changes.

    States made so need not be reachable, such as a stone that floats.

    Args:
        game: the game.
        evaluator: of its states.
        states: states of play, not terminal.
    """
    held = states.to_bool()
    now = log_odds(values_of(evaluator, states))
    amounts = np.zeros((len(game.fluents), now.shape[1]))
    counts = held.sum(dim=0).numpy().astype(np.int64)
    for variable in game.structure.variables:
        fluents = variable.fluents.tolist()
        for fluent in fluents:
            rows = torch.nonzero(held[:, fluent]).view(-1)
            others: list[int | None] = [other for other in fluents if other != fluent]
            if not variable.exactly:
                others.append(None)
            if not len(rows) or not others:
                continue
            made = held[rows].repeat(len(others), 1)
            made[:, fluents] = False
            for place, other in enumerate(others):
                if other is not None:
                    made[place * len(rows) : (place + 1) * len(rows), other] = True
            changed = log_odds(values_of(evaluator, StateBatch.from_bool(made)))
            mean = changed.reshape(len(others), len(rows), -1).mean(axis=0)
            amounts[fluent] = (now[rows.numpy()] - mean).mean(axis=0)
    return FluentEffects(amounts=amounts, states=counts)


def square_effects(game: Game, changes: Float64s2, held: Bools1) -> list[SquareEffect]:
    """Return the changes of effects by square, the largest mean change first.

    Args:
        game: the game.
        changes: per run and fluent by how much learning changed the effect, in log-odds of the
            first role; float64 ``[K, F]``.
        held: whether the effect of each fluent was seen; bool ``[F]``.
    """
    effects = []
    for board in find_layout(game).boards:
        for fluent, ((piece, column, row), content) in board.squares.items():
            if held[fluent]:
                effects.append(
                    SquareEffect(
                        fluent=fluent,
                        board=board.title(piece),
                        column=board.columns[column],
                        row=board.rows[row],
                        content=board.labels[content],
                        change=agreement(changes[:, fluent]),
                    )
                )
    return sorted(effects, key=lambda one: -abs(one.change.mean))

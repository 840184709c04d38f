"""An evaluator trained on one game, put to use on the same game under other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.gdl.renaming import find_renaming, renamed_text
from neurogame.simulate.game import Game

if TYPE_CHECKING:
    from neurogame.kernels.neural.exported import Exported


@final
class MappedEvaluator(Evaluator):
    """Reads the fluents of one game and values them with an evaluator of another.

    Args:
        inner: the evaluator; its fluents and roles are those it was trained on.
        fluents: for each fluent of the inner game the index of the same fluent in the outer
            game; int64 ``[F]``.
        roles: for each role of the outer game the index of the same role in the inner game;
            int64 ``[R]``.
    """

    def __init__(self, inner: Evaluator, fluents: Tensor, roles: Tensor) -> None:
        super().__init__(len(fluents), len(roles), inner.describe())
        self.inner = inner
        self.register_buffer("fluent_index", fluents)
        self.register_buffer("role_index", roles)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return the values ``[B, R]`` in 0..1, roles of the outer game, of states ``[B, F]``."""
        index, roles = self.get_buffer("fluent_index"), self.get_buffer("role_index")
        values: Tensor = self.inner(fluents.index_select(1, index))
        return values.index_select(1, roles)

    def exported(self) -> Exported | None:
        """Return the inner evaluator's compiled form for the outer game, if it has one."""
        inner = self.inner.exported()
        if inner is None:
            return None
        fluents, roles = self.get_buffer("fluent_index"), self.get_buffer("role_index")
        return inner.renamed(fluents.cpu().numpy(), roles.cpu().numpy())


def map_evaluator(evaluator: Evaluator, own: Game, game: Game) -> Evaluator:
    """Return an evaluator of one game that reads the states of another with the same rules.

    Args:
        evaluator: values states of ``own``.
        own: the game it was trained on.
        game: the game to value; its names and the order of its rules may differ.

    Raises:
        CheckpointError: the rules differ in more than names and order.
    """
    renaming = find_renaming(own.rules, game.rules)
    if renaming is None:
        raise CheckpointError(
            f"the checkpoint was trained on {own.name} ({', '.join(own.roles)}; "
            f"{len(own.fluents)} fluents), and {game.name} ({', '.join(game.roles)}; "
            f"{len(game.fluents)} fluents) has other rules; train one for it"
        )
    try:
        roles = _places(own.roles, game.roles, renaming)
        fluents = _places(own.fluents, game.fluents, renaming)
    except KeyError as error:
        raise CheckpointError(
            f"{game.name} has the rules of {own.name}, on which the checkpoint was trained, but "
            f"in that order no {error.args[0]} was found reachable; train one for it"
        ) from None
    if fluents == list(range(len(fluents))) and roles == list(range(len(roles))):
        return evaluator
    inner_role = torch.argsort(torch.tensor(roles))
    return MappedEvaluator(evaluator, torch.tensor(fluents), inner_role)


def _places(texts: Sequence[str], others: Sequence[str], renaming: Mapping[str, str]) -> list[int]:
    """Return where each renamed term stands in a list of terms."""
    place = {other.lower(): index for index, other in enumerate(others)}
    return [place[renamed_text(text, renaming)] for text in texts]

"""An evaluator trained on one game, put to use on the same game under other names."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.origin import Origin
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game

if TYPE_CHECKING:
    from neurogame.kernels.neural.exported import Exported
    from neurogame.kernels.parts.exported import ExportedParts


@final
class MappedEvaluator(Evaluator):
    """Reads the fluents of one game and values them with an evaluator of another.

    Args:
        inner: the evaluator; its fluents and roles are those it was trained on.
        home: the game it was trained on.
        fluents: for each fluent of the inner game the index of the same fluent in the outer
            game; int64 ``[F]``.
        roles: for each role of the outer game the index of the same role in the inner game;
            int64 ``[R]``.
    """

    def __init__(self, inner: Evaluator, home: Game, fluents: Tensor, roles: Tensor) -> None:
        super().__init__(len(fluents), len(roles), inner.describe())
        self.inner, self.home = inner, home
        self.register_buffer("fluent_index", fluents)
        self.register_buffer("role_index", roles)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return the values ``[B, R]`` in 0..1, roles of the outer game, of states ``[B, F]``."""
        index, roles = self.get_buffer("fluent_index"), self.get_buffer("role_index")
        values: Tensor = self.inner(fluents.index_select(1, index))
        return values.index_select(1, roles)

    def exported(self) -> Exported | ExportedParts | None:
        """Return the inner evaluator's compiled form for the outer game, if it has one."""
        # Imported here: most callers compile nothing.
        from neurogame.kernels.heuristic.exported import ExportedHeuristic

        inner = self.inner.exported()
        if inner is None or isinstance(inner, ExportedHeuristic):
            # No checkpoint holds a heuristic.
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
    mapping = map_game(own, game)
    if mapping.is_identity:
        return evaluator
    inner_role = torch.argsort(torch.tensor(mapping.roles))
    found = MappedEvaluator(evaluator, own, torch.tensor(mapping.fluents), inner_role)
    found.origin = Origin(game=game)
    return found


def at_home(evaluator: Evaluator, game: Game) -> tuple[Evaluator, Game]:
    """Return what learned, and the game whose states it reads; :func:`map_evaluator` undoes it.

    Args:
        evaluator: of a game, mapped or not.
        game: that game.
    """
    if isinstance(evaluator, MappedEvaluator):
        return evaluator.inner, evaluator.home
    return evaluator, game

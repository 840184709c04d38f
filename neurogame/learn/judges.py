"""Judges of moves as checkpoints hold them: a description and tensors, by the judge's name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from neurogame.errors import CheckpointError
from neurogame.evaluators.kind import Stored
from neurogame.evaluators.kinds import stored_kinds
from neurogame.judges.moves import MoveJudge
from neurogame.learn.checkpoints.weights import copied_weights, with_weights
from neurogame.simulate.game import Game


def plain_judge(judge: Stored) -> dict[str, Any]:
    """Return a judge as a checkpoint holds it: ``description`` and ``weights``."""
    return {"description": judge.describe(), "weights": copied_weights(judge)}


def rebuild_judge(name: str, game: Game, stored: Mapping[str, Any]) -> MoveJudge:
    """Return the judge that a checkpoint holds.

    Args:
        name: of its kind.
        game: its own game.
        stored: as :func:`plain_judge` gives it.

    Raises:
        CheckpointError: there is no such kind of judge, or the weights do not fit.
        ConfigurationError: the description holds unknown or impossible settings.
    """
    kind = stored_kinds().get(name)
    if kind is None:
        raise CheckpointError(
            f"the checkpoint holds a judge of moves of unknown kind {name!r}; this version knows "
            f"{', '.join(stored_kinds())}"
        )
    description, weights = stored["description"], stored["weights"]
    made = partial(kind.rebuild, game, description, weights)
    judge: MoveJudge = with_weights(made, weights, f"judge {name}", description)
    return judge

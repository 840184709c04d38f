"""Judges of moves as checkpoints hold them: a description and tensors, by the judge's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurogame.errors import CheckpointError, NeurogameError
from neurogame.evaluators.kind import Stored
from neurogame.evaluators.kinds import stored_kinds
from neurogame.judges.moves import MoveJudge
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.simulate.game import Game

UNFIT = (RuntimeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""What is raised by weights that do not fit a description, or a description that is none."""


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
    try:
        judge = kind.rebuild(game, description, weights)
        judge.load_state_dict(weights)
    except NeurogameError:
        raise
    except UNFIT as error:
        raise CheckpointError(
            f"the stored weights do not fit the judge {name} {str(description)[:1000]}: {error}"
        ) from None
    judge.eval()
    move_judge: MoveJudge = judge
    return move_judge

"""Judges of moves as checkpoints hold them: a description and tensors, by the judge's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from torch import Tensor

from neurogame.errors import CheckpointError, NeurogameError
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.simulate.game import Game

JUDGES = ("action", "knowledge", "policy")
"""Names of the judges that a checkpoint may hold."""


UNFIT = (RuntimeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""What is raised by weights that do not fit a description, or a description that is none."""


class StoredJudge(MoveJudge, Protocol):
    """A judge of moves that can be stored: a torch module with a description."""

    def describe(self) -> dict[str, Any]:
        """Return the JSON-able settings from which it can be rebuilt, its weights apart."""

    def state_dict(self) -> dict[str, Any]:
        """Return its tensors by name."""


def plain_judge(judge: StoredJudge) -> dict[str, Any]:
    """Return a judge as a checkpoint holds it: ``description`` and ``weights``."""
    return {"description": judge.describe(), "weights": copied_weights(judge)}


def rebuild_judge(name: str, game: Game, stored: Mapping[str, Any]) -> MoveJudge:
    """Return the judge that a checkpoint holds.

    Args:
        name: one of :data:`JUDGES`.
        game: its own game.
        stored: as :func:`plain_judge` gives it.

    Raises:
        CheckpointError: there is no such kind of judge, or the weights do not fit.
        ConfigurationError: the description holds unknown or impossible settings.
    """
    description, weights = stored["description"], stored["weights"]
    try:
        judge = _fresh(name, game, description, weights)
        judge.load_state_dict(weights)
    except NeurogameError:
        raise
    except UNFIT as error:
        raise CheckpointError(
            f"the stored weights do not fit the judge {name} {str(description)[:1000]}: {error}"
        ) from None
    judge.eval()
    found: MoveJudge = judge
    return found


def _fresh(
    name: str, game: Game, description: dict[str, Any], weights: Mapping[str, Tensor]
) -> Any:
    """Return a judge without what it has learned."""
    # Imported here: who needs one of them does not need the others.
    if name == "knowledge":
        from neurogame.evaluators.knowledge.knowledge import Knowledge

        return Knowledge.rebuild(game, description, weights)
    if name == "action":
        from neurogame.evaluators.actions.build import rebuild_action_circuit

        return rebuild_action_circuit(game, description)
    if name == "policy":
        from neurogame.evaluators.policy.policy import LearnedPolicy

        return LearnedPolicy.rebuild(game, description, weights)
    raise CheckpointError(
        f"the checkpoint holds a judge of moves of unknown kind {name!r}; this version knows "
        f"{', '.join(JUDGES)}"
    )

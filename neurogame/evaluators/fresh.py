"""Fresh evaluators by the names that they have in player strings."""

from __future__ import annotations

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import FEATURES, FRESH, EvaluatorConfig
from neurogame.simulate.game import Game


def make_fresh(name: str, game: Game, *, seed: int = 0, noise: float = 0.0) -> Evaluator:
    """Return the untrained evaluator of a name.

    Args:
        name: one of :data:`~neurogame.evaluators.config.FRESH`, in any case.
        game: the game.
        seed: decides every random weight, and the games in which features are weighed.
        noise: by how much absolute weights grow at random at most; cilp and cilp-paper only.

    Raises:
        GameError: ``features``, and the rules suggest none that tells who wins.
        LimitError: the networks are too large.
    """
    kind = FRESH[name.lower()]
    if kind == FEATURES:
        # Imported here: it plays games itself.
        from neurogame.evaluators.parts.of_features import make_feature_evaluator

        return make_feature_evaluator(game, seed)
    return make_evaluator(game, EvaluatorConfig(kind=kind, noise=noise), seed)

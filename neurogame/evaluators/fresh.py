"""Fresh evaluators by the names that they have in player strings."""

from __future__ import annotations

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import BLIND, FEATURES, FRESH, EvaluatorConfig, heuristic_text
from neurogame.simulate.game import Game


def make_fresh(
    name: str, game: Game, *, seed: int = 0, noise: float = 0.0, recall: bool = False
) -> Evaluator:
    """Return the untrained evaluator of a name.

    Args:
        name: one of :data:`~neurogame.evaluators.config.FRESH`, in any case; or ``max(TEXT)`` or
            ``min(TEXT)``, see :mod:`~neurogame.evaluators.heuristic.named`.
        game: the game.
        seed: decides every random weight, and the games in which features are weighed.
        noise: by how much absolute weights grow at random at most; cilp and cilp-paper only.
        recall: whether ``features`` counts what earlier starts have seen of the game, and adds to
            it; then the seed alone does not decide its weights.

    Raises:
        GameError: ``features``, and the rules suggest none that tells who wins; or no feature, or
            more than one, has the text.
        LimitError: the networks are too large.
    """
    if heuristic_text(name) is not None:
        # Imported here, as the others below: they play games, or compile for that.
        from neurogame.evaluators.heuristic.named import named_evaluator

        return named_evaluator(game, name)
    kind = FRESH[name.lower()]
    if kind == BLIND:
        from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
        from neurogame.evaluators.heuristic.heuristic import blind

        return HeuristicEvaluator(game, blind(game))
    if kind == FEATURES:
        from neurogame.evaluators.parts.of_features import make_feature_evaluator

        return make_feature_evaluator(game, seed, recall=recall)
    return make_evaluator(game, EvaluatorConfig(kind=kind, noise=noise), seed)

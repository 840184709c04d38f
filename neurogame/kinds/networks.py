"""Goal networks and their baselines: what ``EvaluatorConfig`` makes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast, final

from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.kind import EvaluatorKind, Wish

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.circuit.circuit import HasCircuit
    from neurogame.evaluators.base import Evaluator
    from neurogame.evaluators.goal_networks import WeightedNetworks


class _Configured(EvaluatorKind["Evaluator"]):
    def __init__(self, name: str, about: str, source: str | None = None) -> None:
        self.name, self.about, self.source = name, about, source or name

    def make(self, wish: Wish) -> Evaluator:
        from neurogame.evaluators.build import make_evaluator

        return make_evaluator(
            wish.game, EvaluatorConfig(kind=self.name, noise=wish.noise), wish.seed
        )

    def rebuild(
        self, game: HasCircuit, description: Mapping[str, Any], weights: Mapping[str, Tensor] | None
    ) -> Evaluator:
        from neurogame.evaluators.build import make_evaluator
        from neurogame.evaluators.claims import check_claim

        settings = dict(description)
        seed = int(settings.pop("seed", 0))
        config = EvaluatorConfig.from_json(settings)
        if config.kind == "mlp":
            circuit = game.circuit
            widths = (len(circuit.fluents), *config.hidden, len(circuit.roles))
            check_claim("a perceptron", sum(a * b for a, b in pairwise(widths)), weights)
        return make_evaluator(game, config, seed)


@final
class _Weighted(_Configured):
    has_noise = True

    def networks(self, evaluator: Evaluator) -> WeightedNetworks:
        return cast("WeightedNetworks", evaluator)


CILP = _Weighted("cilp", "C-IL2P goal networks: sound, with full resolution")
CILP_PAPER = _Weighted("cilp-paper", "C-IL2P goal networks as published")
RANDOM = _Weighted("random", "goal networks with random weights", "random-net")
RANDOM.has_noise = False
MLP = _Configured("mlp", "a plain multi-layer perceptron with random weights")
FUZZY = _Configured("fuzzy", "the goal formulas in fuzzy logic, without weights")
FLUXPLAYER = _Configured("fluxplayer", "goals and end under a threshold t-norm, without weights")

"""Goal networks and their baselines: what ``EvaluatorConfig`` makes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, final

from neurogame.evaluators.claims import check_claim
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.kind import EvaluatorKind

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.circuit.circuit import Circuit, HasCircuit
    from neurogame.evaluators.base import Evaluator
    from neurogame.simulate.game import Game


class _Networks(EvaluatorKind["Evaluator"]):
    def __init__(self, name: str, about: str, *, source: str = "", has_noise: bool = False) -> None:
        self.name, self.about = name, about
        self.source, self.has_noise = source or name, has_noise

    def make(
        self, game: Game, source: str, *, seed: int, noise: float = 0.0, recall: bool = False
    ) -> Evaluator:
        from neurogame.evaluators.build import make_evaluator

        return make_evaluator(game, EvaluatorConfig(kind=self.name, noise=noise), seed)

    def rebuild(
        self,
        game: HasCircuit | Circuit,
        description: Mapping[str, Any],
        weights: Mapping[str, Tensor] | None,
    ) -> Evaluator:
        from neurogame.evaluators.build import make_evaluator

        settings = dict(description)
        seed = int(settings.pop("seed", 0))
        return make_evaluator(game, EvaluatorConfig.from_json(settings), seed)


@final
class _Perceptron(_Networks):
    def rebuild(
        self,
        game: HasCircuit | Circuit,
        description: Mapping[str, Any],
        weights: Mapping[str, Tensor] | None,
    ) -> Evaluator:
        from neurogame.circuit.circuit import Circuit

        circuit = game if isinstance(game, Circuit) else game.circuit
        settings = {name: value for name, value in description.items() if name != "seed"}
        hidden = EvaluatorConfig.from_json(settings).hidden
        widths = (len(circuit.fluents), *hidden, len(circuit.roles))
        check_claim("a perceptron", sum(a * b for a, b in pairwise(widths)), weights)
        return super().rebuild(game, description, weights)


CILP = _Networks("cilp", "C-IL2P goal networks: sound, with full resolution", has_noise=True)
CILP_PAPER = _Networks("cilp-paper", "C-IL2P goal networks as published", has_noise=True)
RANDOM = _Networks("random", "goal networks with random weights", source="random-net")
MLP = _Perceptron("mlp", "a plain multi-layer perceptron with random weights")
FUZZY = _Networks("fuzzy", "the goal formulas in fuzzy logic, without weights")
FLUXPLAYER = _Networks("fluxplayer", "goals and end under a threshold t-norm, without weights")

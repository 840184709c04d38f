"""Rules networks: what self-play teaches, and features weighed in random games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from neurogame.evaluators.kind import EvaluatorKind, Wish

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.circuit.circuit import HasCircuit
    from neurogame.evaluators.attribution import Attribution
    from neurogame.evaluators.parts.evaluator import RulesNetwork
    from neurogame.simulate.game import State


@final
class _Kind(EvaluatorKind["RulesNetwork"]):
    name, source = "parts", "features"
    about = "features found in the rules, weighed in random games"

    def make(self, wish: Wish) -> RulesNetwork:
        from neurogame.evaluators.parts.of_features import make_feature_evaluator

        return make_feature_evaluator(wish.game, wish.seed, recall=wish.recall)

    def rebuild(
        self,
        game: HasCircuit,
        description: Mapping[str, Any],
        weights: Mapping[str, Tensor] | None,
    ) -> RulesNetwork:
        from neurogame.evaluators.parts.build import rebuild_parts

        return rebuild_parts(game, description, weights)

    def is_sum(self, evaluator: RulesNetwork) -> bool:
        return True

    def explain(self, evaluator: RulesNetwork, state: State, role: int) -> Attribution:
        from neurogame.inspect.attribution.of_parts import attribute_parts

        return attribute_parts(evaluator, state, role)


KIND = _Kind()

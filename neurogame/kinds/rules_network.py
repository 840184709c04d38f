"""Rules networks: what self-play teaches, and features weighed in random games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from neurogame.evaluators.kind import EvaluatorKind, Wish

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.circuit.circuit import HasCircuit
    from neurogame.evaluators.attribution import Attribution
    from neurogame.evaluators.rules_network.evaluator import RulesNetwork
    from neurogame.simulate.game import State


@final
class _Kind(EvaluatorKind["RulesNetwork"]):
    name, source = "rules-network", "features"
    about = "features found in the rules, weighed in random games"

    def make(self, wish: Wish) -> RulesNetwork:
        from neurogame.evaluators.rules_network.of_features import make_feature_evaluator

        return make_feature_evaluator(wish.game, wish.seed, recall=wish.recall)

    def rebuild(
        self, game: HasCircuit, description: Mapping[str, Any], weights: Mapping[str, Tensor] | None
    ) -> RulesNetwork:
        from neurogame.evaluators.rules_network.build import rebuild_rules_network

        return rebuild_rules_network(game, description, weights)

    def is_sum(self, evaluator: RulesNetwork) -> bool:
        return True

    def explain(self, evaluator: RulesNetwork, state: State, role: int) -> Attribution:
        from neurogame.inspect.attribution.of_rules_network import attribute_rules_network

        return attribute_rules_network(evaluator, state, role)


KIND = _Kind()

"""Heuristics: a state is worth what one feature says, or nothing tells states apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from neurogame.evaluators.heuristic.text import heuristic_text
from neurogame.evaluators.kind import EvaluatorKind, Wish

if TYPE_CHECKING:
    from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator


@final
class _Kind(EvaluatorKind["HeuristicEvaluator"]):
    name, source = "heuristic", "blind"
    about = "the most or the least of one feature; blind: all states are worth the same"

    def is_named(self, source: str) -> bool:
        return super().is_named(source) or heuristic_text(source) is not None

    def make(self, wish: Wish) -> HeuristicEvaluator:
        from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
        from neurogame.evaluators.heuristic.heuristic import blind
        from neurogame.evaluators.heuristic.named import named_evaluator

        if super().is_named(wish.source):
            return HeuristicEvaluator(wish.game, blind(wish.game))
        return named_evaluator(wish.game, wish.source)


KIND = _Kind()

"""The evaluator by which a state is worth what a heuristic says: one feature on a linear scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.heuristic.heuristic import FeatureHeuristic, value_range
from neurogame.evaluators.rules_network.of_features import feature_evaluator
from neurogame.features.values import FeatureValues
from neurogame.features.weights import WeightedFeatures
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

if TYPE_CHECKING:
    from neurogame.judges.states import CompiledValues

_GOALS = (0, 100)
"""Of roles for which the rules name none."""


@final
class HeuristicEvaluator(Evaluator):
    """Values states by one feature for each role, which may be the same.

    Values lie strictly between the lowest and the highest goal of a role, so that every win that is
    sure is better, and every loss worse; see :meth:`.FeatureHeuristic.line`. It has nothing to
    learn.

    Args:
        game: the game.
        heuristics: of each role.

    Attributes:
        heuristics: of each role.

    *Reference:* Kuhlmann and Stone, "Approach", equations (1) and (2).
    """

    is_smooth = False

    def __init__(self, game: Game, heuristics: Sequence[FeatureHeuristic]) -> None:
        description: dict[str, Any] = {
            "kind": "heuristic",
            "of": [str(heuristic) for heuristic in heuristics],
        }
        super().__init__(len(game.fluents), len(game.roles), description)
        self.heuristics = tuple(heuristics)
        self._game = game
        features = {id(heuristic.feature): heuristic.feature for heuristic in heuristics}
        self._values = FeatureValues([*features.values()])
        self._simulator = game.simulator(backend="auto")
        number = {key: place for place, key in enumerate(features)}
        self._feature = np.array(
            [number[id(heuristic.feature)] for heuristic in heuristics], np.int32
        )
        lines, ends = [], []
        for heuristic, named in zip(heuristics, game.circuit.goal_values, strict=True):
            goals = named or _GOALS
            lines.append(heuristic.line(goals))
            ends.append(value_range(goals))
        self._base, self._slope = np.array(lines, np.float32).T.copy()
        self._least, self._most = np.array(ends, np.float32).T.copy()

    def forward(self, fluents: Tensor) -> Tensor:
        """Return state values; see :meth:`Evaluator.forward`.

        What is true by more than one half holds.
        """
        held = self._checked(fluents).cpu()
        states = StateBatch.from_bool(held if held.dtype == torch.bool else held > 0.5)
        features = torch.from_numpy(self._values.of(states, self._simulator.look(states)))
        base, slope, least, most = (
            torch.from_numpy(part) for part in (self._base, self._slope, self._least, self._most)
        )
        values = base + slope * features[:, torch.from_numpy(self._feature).long()]
        return torch.minimum(torch.maximum(values, least), most).to(fluents.device)

    def compiled_values(self) -> CompiledValues | None:
        """Return the compiled form."""
        from neurogame.kernels.heuristic.exported import ExportedHeuristic, ValueLines
        from neurogame.kernels.heuristic.search import compile_heuristic

        features = self._values.features
        sums = feature_evaluator(
            self._game,
            WeightedFeatures(
                features=features,
                weights=np.eye(len(features), dtype=np.float32),
                constants=np.zeros(len(features), np.float32),
                opposed=False,
            ),
        )
        exported = ExportedHeuristic(
            network=sums.kernel_weights(),
            circuit=self._game.circuit,
            moves=np.stack([feature.moves for feature in features]),
            goals=np.stack([feature.goals for feature in features]),
            lines=ValueLines(
                feature=self._feature,
                base=self._base,
                slope=self._slope,
                least=self._least,
                most=self._most,
            ),
        )
        return compile_heuristic(exported)

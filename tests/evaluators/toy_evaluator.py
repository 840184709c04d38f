"""A toy evaluator: all of it in this file, as the guide ``add-a-judge`` says."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor, nn

from neurogame.arena.positions import played_positions
from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.evaluators.attribution import Attribution, Contribution, sorted_by_size
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kind import EvaluatorKind, Learned, Lesson, Wish
from neurogame.settings import Settings, setting
from neurogame.simulate.game import State


@final
@dataclass(frozen=True, kw_only=True)
class ToyValueSettings(Settings):
    """How toy values learn."""

    games: int = setting(64, "random games to learn from; at least 1", least=1)


@final
class ToyValues(Evaluator):
    """A state is worth the sigmoid of a sum over the fluents that hold.

    Args:
        circuit: the game.
    """

    def __init__(self, circuit: Circuit) -> None:
        super().__init__(len(circuit.fluents), len(circuit.roles), {"kind": "toy-values"})
        self.weight = nn.Parameter(torch.zeros(self.role_count, self.fluent_count))

    def forward(self, fluents: Tensor) -> Tensor:
        """Return values ``[B, R]`` in 0..1."""
        return torch.sigmoid(self._checked(fluents).float() @ self.weight.t())


@final
class ToyValuesKind(EvaluatorKind[ToyValues]):
    """All that the package has to know of toy values."""

    name = source = "toy-values"
    about = "a sum over the fluents that hold"
    settings = ToyValueSettings

    def make(self, wish: Wish) -> ToyValues:
        """Return an evaluator that has not learned."""
        return ToyValues(wish.game.circuit)

    def rebuild(
        self, game: HasCircuit, description: Mapping[str, Any], weights: Mapping[str, Tensor] | None
    ) -> ToyValues:
        """Return the evaluator of a checkpoint."""
        return ToyValues(game.circuit)

    def learn(self, lesson: Lesson) -> Learned:
        """Return an evaluator that has learned how random games end."""
        config = ToyValueSettings.from_texts(lesson.settings)
        evaluator, done = ToyValues(lesson.game.circuit), lesson.begin(config.games, "games")
        before = deepcopy(evaluator)
        played = played_positions(lesson.game, None, matches=config.games, seed=lesson.seed)
        goals = torch.from_numpy(played.outcomes).float()
        optimiser = torch.optim.SGD(evaluator.parameters(), lr=1.0)
        for _ in range(20):
            optimiser.zero_grad()
            loss = (evaluator.values(played.states) - goals).square().mean()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        done(config.games)
        return Learned(
            judge=evaluator, initial=before, settings=config, counters={"games": config.games}
        )

    def is_sum(self, evaluator: ToyValues) -> bool:
        """Return that log-odds are sums."""
        return True

    def explain(self, evaluator: ToyValues, state: State, role: int) -> Attribution:
        """Return what each fluent that holds adds to the log-odds."""
        amounts = (evaluator.weight[role].detach() * state.fluents).tolist()
        names = state.game.fluents
        return Attribution(
            method="exact",
            unit="log-odds",
            role=role,
            value=float(evaluator(state.fluents[None]).detach()[0, role]),
            total=sum(amounts),
            base=0.0,
            contributions=sorted_by_size(
                Contribution(kind="fluent", label=label, fluents=(fluent,), amount=amount)
                for fluent, (label, amount) in enumerate(zip(names, amounts, strict=True))
            ),
            by_fluent=tuple(amounts),
            gap=0.0,
        )


KIND = ToyValuesKind()

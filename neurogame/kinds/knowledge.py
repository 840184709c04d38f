"""Knowledge: what states and moves are worth, learned from thousands of games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from neurogame.evaluators.kind import Learned, Lesson, MoveJudgeKind, Row, Wish
from neurogame.evaluators.knowledge.config import KnowledgeConfig

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.evaluators.attribution import Attribution
    from neurogame.evaluators.knowledge.knowledge import Knowledge
    from neurogame.simulate.game import Game, State

_LISTED = 12


@final
class _Kind(MoveJudgeKind["Knowledge"]):
    name, about = "knowledge", "what states and moves are worth, learned from thousands of games"
    settings, takes = KnowledgeConfig, ("roles",)
    epsilon = 0.5
    options, options_of = ("games", "policy"), KnowledgeConfig

    def make(self, wish: Wish) -> Knowledge:
        from neurogame.learn.knowledge.learning import learn_knowledge

        config = KnowledgeConfig.from_texts(wish.options)
        return learn_knowledge(wish.game, config, wish.seed, deadline=wish.deadline)

    def rebuild(
        self, game: Game, description: dict[str, Any], weights: Mapping[str, Tensor]
    ) -> Knowledge:
        from neurogame.evaluators.claims import check_claim
        from neurogame.evaluators.knowledge.knowledge import Knowledge

        config = KnowledgeConfig.from_json(description)
        units = config.hidden * (len(game.fluents) + len(game.roles))
        check_claim("knowledge", units, weights)
        return Knowledge(game.circuit, config)

    def learn(self, lesson: Lesson) -> Learned:
        from neurogame.learn.knowledge.learning import learn_knowledge

        config = KnowledgeConfig.from_texts(lesson.settings)
        done = lesson.begin(config.games, "games")
        judge = learn_knowledge(lesson.game, config, lesson.seed, roles=lesson.roles, progress=done)
        return Learned(judge=judge, settings=config, counters={"games": int(judge.games)})

    def is_sum(self, judge: Knowledge) -> bool:
        return True

    def explain(self, judge: Knowledge, state: State, role: int, move: int) -> Attribution:
        from neurogame.inspect.attribution.of_knowledge import attribute_knowledge

        return attribute_knowledge(judge, state, role, move)

    def known(self, judge: Knowledge, game: Game, top: int) -> Row:
        from neurogame.inspect.judges.rows import move_rows

        fluents: list[Row] = []
        for role, psi in zip(game.roles, judge.psi.detach().tolist(), strict=True):
            order = sorted(range(len(psi)), key=lambda fluent: -abs(psi[fluent]))
            fluents += [
                {"role": role, "fluent": game.fluents[fluent], "weight": psi[fluent]}
                for fluent in order[:top]
                if psi[fluent]
            ]
        plays = [{"plays": int(count)} for count in judge.plays.tolist()]
        return {
            "sizes": {"games": int(judge.games), "hidden units": judge.config.hidden},
            "fluents": fluents,
            "moves": move_rows(game, judge.move_values().tolist(), top, plays),
        }

    def differing(self, one: Knowledge, other: Knowledge, game: Game) -> list[Row]:
        import numpy as np

        weights = [judge.psi.detach().numpy() for judge in (one, other)]
        apart = weights[0] - weights[1]
        order = np.argsort(-np.abs(apart), axis=None, kind="stable")[:_LISTED]
        return [
            {
                "role": game.roles[role],
                "fluent": game.fluents[fluent],
                "this": float(weights[0][role, fluent]),
                "other": float(weights[1][role, fluent]),
            }
            for role, fluent in zip(*np.unravel_index(order, apart.shape), strict=True)
        ]


KIND = _Kind()

"""A policy: what a trained evaluator would choose, at one look at the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, final

from neurogame.evaluators.kind import Learned, Lesson, MoveJudgeKind, Row
from neurogame.learn.policy.config import PolicyConfig

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.evaluators.attribution import Attribution
    from neurogame.evaluators.measured import Measured
    from neurogame.evaluators.policy.policy import LearnedPolicy
    from neurogame.simulate.game import Game, State


@final
class _Kind(MoveJudgeKind["LearnedPolicy"]):
    name, about = "policy", "what a trained evaluator would choose"
    settings, takes = PolicyConfig, ("evaluator",)
    in_playouts = False
    beside_values = "cutoff=0,tree=policy,mix=puct"

    def rebuild(
        self, game: Game, description: dict[str, Any], weights: Mapping[str, Tensor]
    ) -> LearnedPolicy:
        from neurogame.evaluators.policy.policy import LearnedPolicy

        return LearnedPolicy.rebuild(game, description, weights)

    def learn(self, lesson: Lesson) -> Learned:
        from neurogame.learn.policy.learning import learn_policy

        assert lesson.evaluator is not None
        config = PolicyConfig(**PolicyConfig.read(lesson.settings))
        done = lesson.begin(config.choices * config.passes, "choices")
        judge, report = learn_policy(
            lesson.game, lesson.evaluator(), config, seed=lesson.seed, progress=done
        )
        line = (
            f"cross entropy {report.loss:.3f} (of the teacher's weights alone "
            f"{report.entropy:.3f}, all moves alike {report.uniform:.3f}), best move agrees in "
            f"{100 * report.agreement:.0f} % of {report.held_out:,} choices held out"
        )
        return Learned(
            judge=judge,
            settings=config,
            counters={"choices": report.choices},
            facts={"report": asdict(report)},
            lines=(line,),
        )

    def is_sum(self, judge: LearnedPolicy) -> bool:
        return True

    def explain(self, judge: LearnedPolicy, state: State, role: int, move: int) -> Attribution:
        from neurogame.inspect.attribution.of_policy import attribute_policy

        return attribute_policy(judge, state, role, move)

    def score(self, judge: LearnedPolicy, state: State, role: int, move: int) -> Measured:
        from neurogame.inspect.attribution.of_policy import policy_score

        return policy_score(judge, role, move)

    def known(self, judge: LearnedPolicy, game: Game, top: int) -> Row:
        from neurogame.inspect.judges.rows import move_rows

        return {
            "sizes": {"hidden units": judge.bias.shape[1], "moves": len(judge.moves)},
            "moves": move_rows(game, judge.moves.detach().tolist(), top),
        }


KIND = _Kind()

"""An action heuristic: formulas of the rules that say how near a move comes to a goal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, final

from neurogame.errors import LimitError
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.kind import Learned, Lesson, MoveJudgeKind, Row, Wish
from neurogame.learn.actions.config import ActionTrainingConfig

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.evaluators.actions.action_circuit import ActionCircuit
    from neurogame.evaluators.attribution import Attribution
    from neurogame.evaluators.measured import Measured
    from neurogame.simulate.game import Game, State

_GATE_SECONDS = 5e-5
"""Seconds that a gate of the game may add to the making of a heuristic that may be left out."""


@final
class _Kind(MoveJudgeKind["ActionCircuit"]):
    name, about = "action", "how near a move comes to a goal, by formulas of the rules"
    settings, takes = ActionTrainingConfig, ("formulas",)
    choice, tau, scaling = "gibbs", 1.0, "raw"
    options, options_of = ("steps", "goals", "unknown", "others"), ActionConfig
    is_from_rules = True

    def make(self, wish: Wish) -> ActionCircuit:
        from neurogame.evaluators.actions.build import make_action_circuit

        return make_action_circuit(wish.game, ActionConfig.from_texts(wish.options))

    def make_in_time(self, wish: Wish) -> ActionCircuit:
        from neurogame.analysis.analyse import analyse
        from neurogame.evaluators.actions.build import make_action_circuit

        begun, game = time.monotonic(), wish.game
        analysis = analyse(game.circuit)
        now = time.monotonic()
        ready = now + (now - begun) + _GATE_SECONDS * game.circuit.gate_count
        if wish.deadline is not None and ready > wish.deadline:
            raise LimitError(f"{game.name}: there is no time to make the action heuristic")
        config = ActionConfig.from_texts(wish.options)
        return make_action_circuit(game, config, analysis=analysis)

    def rebuild(
        self, game: Game, description: dict[str, Any], weights: Mapping[str, Tensor]
    ) -> ActionCircuit:
        from neurogame.evaluators.actions.build import make_action_circuit

        return make_action_circuit(game, ActionConfig.from_json(dict(description)))

    def learn(self, lesson: Lesson) -> Learned:
        from neurogame.evaluators.actions.build import make_action_circuit
        from neurogame.learn.actions.training import train_action_circuit

        config = ActionTrainingConfig.from_texts(lesson.settings)
        formulas = ActionConfig.from_texts({**lesson.formulas, "trainable": "on"})
        judge = make_action_circuit(lesson.game, formulas)
        matches = config.rounds * config.matches
        done = lesson.begin(matches, "matches")
        reports = train_action_circuit(
            lesson.game, judge, config, seed=lesson.seed, on_match=lambda: done(1)
        )
        return Learned(
            judge=judge,
            settings=config,
            counters={"matches": matches},
            facts={"rounds": [asdict(report) for report in reports]},
            lines=[
                f"round {number}: cross entropy {report.loss:.3f} (of the visits alone "
                f"{report.entropy:.3f}), best move agrees in {100 * report.agreement:.0f} % of "
                + (
                    f"{report.held_out} choices held out"
                    if report.held_out
                    else f"{report.choices} choices learned from, as none are held out"
                )
                for number, report in enumerate(reports, 1)
            ],
        )

    def is_sum(self, judge: ActionCircuit) -> bool:
        return not judge.config.trainable

    def explain(self, judge: ActionCircuit, state: State, role: int, move: int) -> Attribution:
        from neurogame.inspect.attribution.of_actions import attribute_actions

        return attribute_actions(judge, state, role, move)

    def score(self, judge: ActionCircuit, state: State, role: int, move: int) -> Measured:
        from neurogame.inspect.attribution.of_actions import action_score

        return action_score(judge, role, move)

    def known(self, judge: ActionCircuit, game: Game, top: int) -> Row:
        from neurogame.inspect.judges.rows import leaf_rows, move_rows

        graphs = judge.graphs
        sizes = {
            "leaves": sum(graph.leaf_count for graph in graphs),
            "gates": sum(graph.gate_count for graph in graphs),
            "weighted edges": sum(graph.edge_count for graph in graphs) * judge.config.trainable,
        }
        if not judge.config.trainable:
            return {"sizes": sizes}
        worth = [float(bias) for part in judge.all_roles() for bias in part.bias.detach()]
        moves = move_rows(game, worth, top)
        return {"sizes": sizes, "moves": moves, "leaves": leaf_rows(game, judge, top)}


KIND = _Kind()

"""Makes action heuristics for games, and makes them again from their description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from neurogame.circuit.action_formulas import ActionFormulas, action_formulas
from neurogame.circuit.analysis.analyse import GameAnalysis, analyse
from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.graph import NOTHING, ActionGraph, build_graph, narrow
from neurogame.evaluators.actions.leaf_truth import HALF, leaf_truth


class HasCircuit(Protocol):
    """Anything with a circuit, such as a game."""

    @property
    def circuit(self) -> Circuit:
        """The circuit of the game."""


def make_action_circuit(
    game: HasCircuit | Circuit,
    config: ActionConfig | None = None,
    *,
    analysis: GameAnalysis | None = None,
) -> ActionCircuit:
    """Return the action heuristic of a game.

    Args:
        game: the game, or its circuit.
        config: settings.
        analysis: of the game, if it has been made.

    Raises:
        LimitError: the formulas do not fit into ``config.gates`` gates; then the game has no
            such heuristic.
    """
    config = config or ActionConfig()
    circuit = game if isinstance(game, Circuit) else game.circuit
    analysis = analysis or analyse(circuit)
    formulas = action_formulas(
        circuit,
        analysis,
        goals=config.goals,
        unknown=config.unknown,
        steps=config.steps,
        others=config.others,
    )
    return action_circuit_of(circuit, formulas, analysis, config)


def action_circuit_of(
    circuit: Circuit,
    formulas: tuple[ActionFormulas, ...],
    analysis: GameAnalysis,
    config: ActionConfig,
) -> ActionCircuit:
    """Return the heuristic of given formulas, which may have been pruned.

    Args:
        circuit: the game.
        formulas: of the moves of each role, in role order.
        analysis: of the game.
        config: settings; those that formulas are made by are only recorded.

    Raises:
        LimitError: the formulas are too large; see :func:`make_action_circuit`.
    """
    gates = 0
    for own in formulas:
        if not own.specialised:
            raise LimitError(
                f"the goals of {circuit.roles[own.role]} are too large to have formulas of their "
                f"own for each of its {len(circuit.moves[own.role]):,} moves, so the game has no "
                "action heuristic; play it without"
            )
        gates += own.formulas.gate_count
    if gates > config.gates:
        raise LimitError(
            f"the action heuristic needs {gates:,} gates, more than the {config.gates:,} of the "
            "setting 'gates'; allow more, or play the game without"
        )
    graphs = [_graph(circuit, own, analysis, config) for own in formulas]
    return ActionCircuit(circuit, graphs, config)


def rebuild_action_circuit(
    game: HasCircuit | Circuit,
    description: Mapping[str, Any],
    *,
    analysis: GameAnalysis | None = None,
) -> ActionCircuit:
    """Return the heuristic of a description; load its state dict to get its weights.

    Args:
        game: the game, or its circuit.
        description: what :meth:`ActionCircuit.describe` returned.
        analysis: of the game, if it has been made.

    Raises:
        ConfigurationError: the description holds unknown or impossible settings.
        LimitError: see :func:`make_action_circuit`.
    """
    return make_action_circuit(game, ActionConfig.from_dict(description), analysis=analysis)


def _graph(
    circuit: Circuit, own: ActionFormulas, analysis: GameAnalysis, config: ActionConfig
) -> ActionGraph:
    """Return the graph of one role's formulas."""
    counted = np.flatnonzero(own.goals > 0) if config.goals == "all" else np.arange(0)
    counted = counted if len(counted) else np.arange(min(len(own.goals), 1))
    formulas = narrow(own.formulas, circuit.first_gate)
    table = formulas.outputs.reshape(own.outputs.shape)[counted]
    table = np.where(own.unknown[counted], NOTHING, table)
    weights = own.goals[counted] / 100 if config.goals == "all" else np.ones(len(counted))
    if not len(counted):
        # The rules give the role no goal.
        table, weights = np.full((1, own.outputs.shape[1]), NOTHING), np.ones(1)
    return build_graph(
        formulas,
        leaf_truth(formulas.leaves, analysis, config),
        tuple(table),
        tuple(weights.tolist()),
        HALF,
    )

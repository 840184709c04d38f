"""Makes action heuristics for games, and makes them again from their description."""

from __future__ import annotations

import numpy as np

from neurogame.analysis.analyse import GameAnalysis, analyse
from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.errors import LimitError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.graph import FAN_IN, NOTHING, ActionGraph, build_graph
from neurogame.evaluators.actions.leaf_truth import leaf_truth
from neurogame.graph.prune import needed
from neurogame.graph.rewrite import narrowed
from neurogame.regress.action_formulas import ActionFormulas, action_formulas

_MANY_GATES = 4_000_000
"""Formulas of more gates than this before they are simplified take minutes to make."""


def make_action_circuit(
    game: HasCircuit,
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
            such heuristic. Very large ones must fit before they are simplified.
    """
    config = config or ActionConfig()
    circuit = game.circuit
    regressed = _regressed_gates(circuit)
    if regressed > _MANY_GATES:
        _check_size(regressed, config)
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


def _check_size(gates: int, config: ActionConfig) -> None:
    """Raise an error if so many gates are too many."""
    if gates > config.gates:
        raise LimitError(
            f"the action heuristic needs {gates:,} gates, more than the {config.gates:,} of the "
            "setting 'gates'; allow more, or play the game without"
        )


def _regressed_gates(circuit: Circuit) -> int:
    """Return how many small gates the roles' goals have one ply before, not simplified.

    It tells within seconds what would else take minutes: that formulas so large become much
    smaller when they are simplified is possible, but none of the known games is such a case.
    """
    graph, fluents = circuit.graph, len(circuit.fluents)
    small = -(-(graph.fan_in - 1) // (FAN_IN - 1))
    total = 0
    for pairs in circuit.goals:
        goals = np.array([literal for _, literal in pairs[:1]], np.int64)
        after = needed(graph.with_outputs(goals))
        following = circuit.next[np.flatnonzero(after[1 : 1 + fluents])]
        before = needed(graph.with_outputs(following))
        total += sum(int(small[flags[graph.input_count :]].sum()) for flags in (after, before))
    return total


def action_circuit_of(
    circuit: Circuit,
    formulas: tuple[ActionFormulas, ...],
    analysis: GameAnalysis,
    config: ActionConfig,
) -> ActionCircuit:
    """Return the heuristic of given formulas.

    Args:
        circuit: the game.
        formulas: of the moves of each role, in role order.
        analysis: of the game.
        config: settings; those that formulas are made by are only recorded.

    Raises:
        LimitError: the formulas are too large; see :func:`make_action_circuit`.
    """
    _check_size(sum(role_formulas.graph.gate_count for role_formulas in formulas), config)
    graphs = [_graph(circuit, role_formulas, analysis, config) for role_formulas in formulas]
    return ActionCircuit(circuit, graphs, config)


def _graph(
    circuit: Circuit, formulas: ActionFormulas, analysis: GameAnalysis, config: ActionConfig
) -> ActionGraph:
    """Return the graph of one role's formulas."""
    counted = np.flatnonzero(formulas.goals > 0) if config.goals == "all" else np.arange(0)
    counted = counted if len(counted) else np.arange(min(len(formulas.goals), 1))
    graph = formulas.graph
    if graph.fan_in.max(initial=0) > FAN_IN:
        graph = narrowed(graph, FAN_IN)
    table = (graph.outputs >> 1).reshape(formulas.unknown.shape)[counted]
    table = np.where(formulas.unknown[counted], NOTHING, table)
    weights = formulas.goals[counted] / 100 if config.goals == "all" else np.ones(len(counted))
    if not len(counted):
        # The rules give the role no goal.
        table, weights = np.full((1, formulas.unknown.shape[1]), NOTHING), np.ones(1)
    first = 1 + len(circuit.fluents) + sum(len(moves) for moves in circuit.moves[: formulas.role])
    mine = range(first, first + len(circuit.moves[formulas.role]))
    return build_graph(
        graph,
        formulas.leaves,
        leaf_truth(formulas.leaves, analysis, config, mine),
        tuple(table),
        tuple(weights.tolist()),
        mine,
    )

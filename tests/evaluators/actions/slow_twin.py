"""Action heuristics evaluated gate by gate in float64, straight from the paper's definition."""

from __future__ import annotations

import math

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.graph.graph import AND
from neurogame.regress.action_formulas import ActionFormulas


def slow_scores(
    circuit: Circuit,
    analysis: GameAnalysis,
    config: ActionConfig,
    state: np.ndarray,
    legal: np.ndarray,
    own: ActionFormulas,
) -> list[float]:
    """Return the truth of every move of a role in a state.

    Args:
        circuit: the game.
        analysis: of the game.
        config: settings, without parameters.
        state: bool ``[F]``.
        legal: of the moves of all roles; bool ``[M]``.
        own: formulas of the role's moves.
    """
    first = 1 + len(circuit.fluents) + sum(len(moves) for moves in circuit.moves[: own.role])
    mine = range(first, first + own.outputs.shape[1])
    scores: list[float] = []
    values: list[float] = []
    for move in range(own.outputs.shape[1]):
        if not own.specialised or not values:
            made = mine[move]
            values = _node_values(circuit, analysis, config, own, state, legal, mine, made)
        rest = 1.0
        for n, goal in enumerate(own.goals.tolist()):
            truth = 0.5 if own.unknown[n, move] else values[own.outputs[n, move]]
            weight = 1.0 if config.goals == "top" else goal / 100
            rest *= 1 - weight * truth
        scores.append(1 - rest)
    return scores


def _node_values(
    circuit: Circuit,
    analysis: GameAnalysis,
    config: ActionConfig,
    own: ActionFormulas,
    state: np.ndarray,
    legal: np.ndarray,
    mine: range,
    made: int,
) -> list[float]:
    graph = own.graph
    values = [0.0]
    for leaf in own.leaves.tolist():
        if not own.specialised and leaf >> 1 in mine:
            truth = float(leaf >> 1 == made)
        else:
            truth = _input_truth(circuit, analysis, config, leaf >> 1, state, legal)
        values.append(1 - truth if leaf & 1 else truth)
    for gate in range(graph.gate_count):
        inputs = graph.inputs[graph.start[gate] : graph.start[gate + 1]].tolist()
        below = [values[literal >> 1] for literal in inputs]
        if graph.kind[gate] == AND:
            values.append(math.prod(below))
        else:
            values.append(1 - math.prod(1 - value for value in below))
    return values


def _input_truth(
    circuit: Circuit,
    analysis: GameAnalysis,
    config: ActionConfig,
    node: int,
    state: np.ndarray,
    legal: np.ndarray,
) -> float:
    if node == 0:
        return 0.0
    fluent = node - 1
    if fluent < len(circuit.fluents):
        if state[fluent]:
            lasts = config.persistence and analysis.persistent_true_certain[fluent]
            return 1.0 if lasts else config.p
        lasts = config.persistence and analysis.persistent_false_certain[fluent]
        return 0.0 if lasts else 1 - config.p
    assert config.unknown != "neutral", "a move is a leaf"
    if config.unknown == "half":
        return 0.5
    move = fluent - len(circuit.fluents)
    first = 0
    for moves in circuit.moves:
        if move < first + len(moves):
            return float(legal[move]) / max(int(legal[first : first + len(moves)].sum()), 1)
        first += len(moves)
    raise AssertionError("there is no such input")

"""Action heuristics for compiled code: their numbers laid out for the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from neurogame.array_types import Int64s
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.actions.role_circuit import RoleCircuit
from neurogame.files import Arrays
from neurogame.graph.groups import group_starts
from neurogame.judges.moves import CompiledScores, MoveScores
from neurogame.kernels.actions.formulas import Formulas, Heuristic, memory_of, score_by_role
from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.actions.scores import score_actions
from neurogame.kernels.actions.shared import score_shared_actions
from neurogame.native.entries import entry

_WORD = 64
_ROW = 4 * LANES


def export_scores(
    roles: Sequence[RoleCircuit], fluents: int, moves: Sequence[int]
) -> CompiledScores:
    """Return a heuristic with its present weights for compiled code, with its own memory.

    Args:
        roles: what scores the moves of each role.
        fluents: number of fluents of the game, ``F``.
        moves: number of moves of each role, ``M_r``.
    """
    functions = [entry(_function(role.graph)) for role in roles]
    move_bits = group_starts(np.array(moves))
    reads = [_reads(role.graph, fluents, move_bits) for role in roles]
    memory = _memory(roles, reads)
    formulas = []
    for function, role, read, first in zip(
        functions, roles, reads, move_bits.tolist(), strict=False
    ):
        trainable = role.config.trainable
        with torch.no_grad():
            arrays = {**read, **_numbers(role), **_uses(role.graph), **memory}
        formulas.append(
            Formulas(
                score=function,
                first_move=first,
                is_logarithm=trainable,
                is_careful=role.is_careful,
                factor=float(role.factor.detach()) if trainable else 0.0,
                floor=role.config.floor if trainable else 0.0,
                move_bits=move_bits,
                **arrays,
            )
        )
    one_for_all = len(set(functions)) == 1
    return CompiledScores(
        score=functions[0] if one_for_all else entry(score_by_role),
        judge=Heuristic(roles=formulas),
    )


def _memory(roles: Sequence[RoleCircuit], reads: list[Arrays]) -> Arrays:
    """Return memory in which all roles compute."""
    nodes = max(role.graph.leaf_count + role.graph.gate_count for role in roles)
    words = max(len(read["words"]) for read in reads)
    moves = max(len(role.graph.outputs) for role in roles)
    return {
        "rows": memory_of(nodes),
        "column": np.zeros(_WORD * words + 1, np.uint64),
        "square": np.zeros(_WORD, np.uint64),
        "shares": memory_of(len(roles)),
        "values": np.zeros(nodes),
        "marks": np.zeros(nodes // _WORD + 1, np.uint64),
        "changed": np.zeros(nodes, np.int64),
        "before": np.zeros(nodes),
        "legal_moves": np.zeros(moves, np.int64),
        "exact_scores": np.zeros(moves),
    }


def _function(graph: ActionGraph) -> Callable[[MoveScores], None]:
    """Return what scores the moves of a role."""
    return score_shared_actions if graph.is_shared else score_actions


def _numbers(circuit: RoleCircuit) -> Arrays:
    """Return gates, truths and weights."""
    graph, truth, weights = circuit.graph, circuit.truths().cpu().numpy(), circuit.weights()
    table = [
        (r.kind, r.fan_in, r.last - r.first, r.edge, _ROW * (graph.leaf_count + r.first))
        for r in graph.runs
    ]
    none = np.zeros(0, np.float32)
    return {
        "truth": truth.astype(np.float32),
        "exact_truth": truth.astype(np.float64),
        "runs": np.array(table, np.int64).reshape(-1, 5),
        "edges": (_ROW * graph.inputs).astype(np.uint32),
        "outputs": graph.outputs,
        "weights": none if weights is None else weights.cpu().numpy().astype(np.float32),
        "biases": none if weights is None else circuit.bias.cpu().numpy().astype(np.float32),
    }


def _uses(graph: ActionGraph) -> Arrays:
    """Return what a shared formula needs: ``move_leaves``, ``first_use`` and ``uses``."""
    if not graph.is_shared:
        none = np.zeros(0, np.int64)
        return {
            "move_leaves": none.reshape(0, 2),
            "first_use": none,
            "uses": none.astype(np.uint32),
        }
    leaves = np.full((len(graph.outputs), 2), -1)
    leaf = np.flatnonzero(graph.leaf_move >= 0)
    # A leaf that is true where its input does not hold is a negated one.
    leaves[graph.leaf_move[leaf], graph.leaf_truth[leaf, 0].astype(np.int64)] = leaf
    sizes = [np.full(run.last - run.first, run.fan_in) for run in graph.runs]
    reader = np.repeat(np.arange(graph.gate_count), np.concatenate([np.zeros(0, np.int64), *sizes]))
    order = np.argsort(graph.inputs, kind="stable")
    count = np.bincount(graph.inputs, minlength=graph.leaf_count + graph.gate_count)
    return {
        "move_leaves": leaves,
        "first_use": group_starts(count),
        "uses": reader[order].astype(np.uint32),
    }


def _reads(graph: ActionGraph, fluents: int, move_bits: Int64s) -> Arrays:
    """Return what the leaves of a graph read: ``words``, ``bits`` and ``chances``."""
    constant, chance = graph.leaf_input == 0, graph.leaf_input > fluents
    behind = _WORD * -(-fluents // _WORD)
    move = graph.leaf_input - 1 - fluents
    bit = np.where(chance, behind + move, graph.leaf_input - 1)
    words = np.unique(bit[~constant] // _WORD)
    column = _WORD * np.searchsorted(words, bit // _WORD) + bit % _WORD
    leaf = np.flatnonzero(chance & (graph.leaf_truth[:, 0] != graph.leaf_truth[:, 1]))
    role = np.searchsorted(move_bits, move[leaf], side="right") - 1
    negated = graph.leaf_truth[leaf, 0] > graph.leaf_truth[leaf, 1]
    return {
        "words": words,
        "bits": np.where(constant, _WORD * len(words), column).astype(np.uint32),
        "chances": np.stack([leaf, column[leaf], role, negated.astype(np.int64)], axis=1),
    }

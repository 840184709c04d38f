"""Action heuristics for compiled code: their numbers laid out for the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.actions.role_circuit import RoleCircuit
from neurogame.graph.groups import group_starts
from neurogame.ground.atoms import IntArray
from neurogame.kernels.actions.by_role import score_by_role
from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.actions.part import PART, fill_part, memory_of
from neurogame.kernels.actions.scores import score_actions
from neurogame.kernels.actions.shared import score_shared_actions
from neurogame.kernels.leaves.move_scores import CompiledScores
from neurogame.kernels.native.compiled import entry

Arrays = dict[str, npt.NDArray[Any]]

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
    parts = np.zeros(len(roles), PART)
    functions = [entry(_function(own.graph), counted=False) for own in roles]
    parts["at_function"] = functions
    one_for_all = len(set(functions)) == 1
    move_bits = group_starts(np.array(moves))
    kept: list[Arrays] = []
    for part, own, first in zip(parts, roles, move_bits.tolist(), strict=False):
        reads = _reads(own.graph, fluents, move_bits)
        with torch.no_grad():
            arrays = {**reads, **_numbers(own), **_uses(own.graph), "move_bits": move_bits}
        kept.append(arrays)
        fill_part(part, {**_sizes(own, reads), "first_move": first}, arrays)
        part["roles"] = len(roles)
        if own.config.trainable:
            part["factor"], part["floor"] = float(own.factor.detach()), own.config.floor
    kept.append(_share_memory(parts))
    return CompiledScores(
        function=functions[0] if one_for_all else entry(score_by_role, counted=False),
        bundle=int(parts.ctypes.data),
        kept=(parts, kept),
    )


def _share_memory(parts: npt.NDArray[np.void]) -> Arrays:
    """Let the roles compute in the same memory, and return it."""
    nodes, words = int(parts["nodes"].max()), int(parts["words"].max())
    moves = int(parts["moves"].max())
    memory: Arrays = {
        "rows": memory_of(nodes),
        "column": np.zeros(_WORD * words + 1, np.uint64),
        "square": np.zeros(_WORD, np.uint64),
        "shares": memory_of(len(parts)),
        "values": np.zeros(nodes),
        "marks": np.zeros(nodes // _WORD + 1, np.uint64),
        "changed": np.zeros(nodes, np.int64),
        "before": np.zeros(nodes),
        "legal_moves": np.zeros(moves, np.int64),
        "exact_scores": np.zeros(moves),
    }
    for part in parts:
        fill_part(part, {}, memory)
    return memory


def _function(graph: ActionGraph) -> Callable[[int], None]:
    """Return what scores the moves of a role."""
    return score_shared_actions if graph.is_shared else score_actions


def _sizes(own: RoleCircuit, reads: Arrays) -> dict[str, int]:
    graph = own.graph
    return {
        "leaves": graph.leaf_count,
        "nodes": graph.leaf_count + graph.gate_count,
        "edges": graph.edge_count,
        "runs": len(graph.runs),
        "words": len(reads["words"]),
        "chances": len(reads["chances"]),
        "moves": len(graph.outputs),
        "is_weighted": own.config.trainable,
        "is_logarithm": own.config.trainable,
        "is_careful": own.is_careful,
    }


def _numbers(own: RoleCircuit) -> Arrays:
    """Return gates, truths and weights."""
    graph, truth, weights = own.graph, own.truths().cpu().numpy(), own.weights()
    table = [
        (r.kind, r.fan_in, r.last - r.first, r.edge, _ROW * (graph.leaf_count + r.first))
        for r in graph.runs
    ]
    found: Arrays = {
        "truth": truth.astype(np.float32),
        "exact_truth": truth.astype(np.float64),
        "runs": np.array(table, np.int64),
        "edges": (_ROW * graph.inputs).astype(np.uint32),
        "outputs": graph.outputs,
    }
    if weights is not None:
        found["weights"] = weights.cpu().numpy().astype(np.float32)
        found["biases"] = own.bias.cpu().numpy().astype(np.float32)
    return found


def _uses(graph: ActionGraph) -> Arrays:
    """Return what a shared formula needs: ``move_leaves``, ``first_use`` and ``uses`` of a part."""
    if not graph.is_shared:
        return {}
    leaves = np.full((len(graph.outputs), 2), -1)
    own = np.flatnonzero(graph.leaf_move >= 0)
    # A leaf that is true where its input does not hold is a negated one.
    leaves[graph.leaf_move[own], graph.leaf_truth[own, 0].astype(np.int64)] = own
    sizes = [np.full(run.last - run.first, run.fan_in) for run in graph.runs]
    reader = np.repeat(np.arange(graph.gate_count), np.concatenate([np.zeros(0, np.int64), *sizes]))
    order = np.argsort(graph.inputs, kind="stable")
    count = np.bincount(graph.inputs, minlength=graph.leaf_count + graph.gate_count)
    return {
        "move_leaves": leaves,
        "first_use": group_starts(count),
        "uses": reader[order].astype(np.uint32),
    }


def _reads(graph: ActionGraph, fluents: int, move_bits: IntArray) -> Arrays:
    """Return what the leaves of a graph read: ``words``, ``bits`` and ``chances`` of a part."""
    constant, chance = graph.leaf_input == 0, graph.leaf_input > fluents
    behind = _WORD * -(-fluents // _WORD)
    move = graph.leaf_input - 1 - fluents
    bit = np.where(chance, behind + move, graph.leaf_input - 1)
    words = np.unique(bit[~constant] // _WORD)
    column = _WORD * np.searchsorted(words, bit // _WORD) + bit % _WORD
    own = np.flatnonzero(chance & (graph.leaf_truth[:, 0] != graph.leaf_truth[:, 1]))
    role = np.searchsorted(move_bits, move[own], side="right") - 1
    negated = graph.leaf_truth[own, 0] > graph.leaf_truth[own, 1]
    return {
        "words": words,
        "bits": np.where(constant, _WORD * len(words), column).astype(np.uint32),
        "chances": np.stack([own, column[own], role, negated.astype(np.int64)], axis=1),
    }

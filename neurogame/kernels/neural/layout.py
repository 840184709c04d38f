"""What a goal network becomes for the kernel: tables of five bits, and few neurons above them.

A neuron that reads at most five leaves is a function of five bits, and what it adds to the net
input of a neuron above it is one, too. Such functions of a neuron's inputs are summed into tables
of 32 entries, several together where they share their leaves; leaves that are read directly are
parts of tables as well. What is left to compute one by one are the *upper* neurons, those that
read other upper neurons or more than five leaves, or that are outputs.

A network's sharing is kept: an upper neuron is computed once, whoever reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.graph.graph import Graph
from neurogame.graph.groups import places_in_groups
from neurogame.kernels.neural.merge import BITS, ENTRIES, merge_patterns

PLAIN, SOUND, THRESHOLD = 0, 1, 2
"""Kinds of networks; see :mod:`neurogame.kernels.neural.network`."""

FILLER, FALSE, TRUE = 0, 1, 2
"""What a table's builder finds at an input: nothing, a leaf that does not hold, or that does."""

NEGATED = 2
"""Added to FALSE and TRUE where the input is read negated."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Tables and upper neurons of some outputs of a wiring; all tensors on the CPU.

    ``P`` patterns, ``T`` tables, ``N`` upper neurons, ``D`` edges between upper neurons, ``I``
    contributions of small neurons, ``J`` of leaves, ``O`` outputs, ``E`` edges of the wiring.

    Attributes:
        pattern: columns of the input that a table's index consists of, lowest bit first, and
            ``columns`` where there is none; int32 ``[P, 5]``.
        table_pattern: pattern of each table; int32 ``[T]``.
        table_start: upper neuron ``n`` sums tables ``table_start[n]`` up to
            ``table_start[n + 1]``; int32 ``[N + 1]``.
        table_parent: the upper neuron that sums each table; int64 ``[T]``.
        edge_start: it reads the edges ``edge_start[n]`` up to ``edge_start[n + 1]``;
            int32 ``[N + 1]``.
        edge_child: ``2 * upper neuron + negated`` of each edge between upper neurons; lower
            neurons come first; int32 ``[D]``.
        edge: which edge of the wiring it is; int64 ``[D]``.
        unit: which neuron of the wiring each upper neuron is; int64 ``[N]``.
        output: upper neuron of each output, -1 for none; int32 ``[O]``.
        small_unit: neuron of the wiring of each contribution; int64 ``[I]``.
        small_edge: edge by which an upper neuron reads it; int64 ``[I]``.
        small_negated: whether it is read negated; bool ``[I]``.
        small_parent: the upper neuron; int64 ``[I]``.
        small_table: table that it is a part of; int64 ``[I]``.
        small_inner: the small neuron's own edges, ``E`` for none; int64 ``[I, 5]``.
        small_choice: what they read for each entry of the table: :data:`FILLER`,
            :data:`FALSE` or :data:`TRUE`, the latter two plus :data:`NEGATED`;
            uint8 ``[I, 5, 32]``.
        leaf_edge: edge by which an upper neuron reads a leaf; int64 ``[J]``.
        leaf_parent: the upper neuron; int64 ``[J]``.
        leaf_table: table that it is a part of; int64 ``[J]``.
        leaf_choice: what it is for each entry, as above; uint8 ``[J, 32]``.
        columns: columns of the input.
    """

    pattern: Tensor
    table_pattern: Tensor
    table_start: Tensor
    table_parent: Tensor
    edge_start: Tensor
    edge_child: Tensor
    edge: Tensor
    unit: Tensor
    output: Tensor
    small_unit: Tensor
    small_edge: Tensor
    small_negated: Tensor
    small_parent: Tensor
    small_table: Tensor
    small_inner: Tensor
    small_choice: Tensor
    leaf_edge: Tensor
    leaf_parent: Tensor
    leaf_table: Tensor
    leaf_choice: Tensor
    columns: int

    @property
    def structure(self) -> tuple[Tensor, ...]:
        """What the kernels need to know of it, in the order of their arguments."""
        return (
            *(self.pattern, self.table_pattern, self.table_start),
            *(self.edge_start, self.edge_child, self.output),
        )


def make_layout(graph: Graph, leaves: Int64s, output_row: Int64s, columns: int) -> Layout:
    """Return the tables and upper neurons that compute some outputs.

    Args:
        graph: the neurons as gates, which are numbered from 0 here; a *row* is a node of it.
        leaves: column of the input that each leaf is, row 1 first; int64 ``[K]``.
        output_row: row of each output, 0 for a constant; none may be a leaf's; int64 ``[O]``.
        columns: columns of the input, fluents and redirected leaves.
    """
    first, row, negated = graph.input_count, graph.inputs >> 1, graph.inputs & 1
    small, upper = _sort_units(graph, output_row)
    unit = np.flatnonzero(upper)
    place = np.full(graph.gate_count, -1, dtype=np.int64)
    place[unit] = np.arange(len(unit))
    fan_in = graph.fan_in[unit]
    edge = np.repeat(graph.start[unit], fan_in) + places_in_groups(fan_in)
    parent = np.repeat(np.arange(len(unit)), fan_in)
    child = row[edge] - first
    is_leaf, is_small = child < 0, (child >= 0) & small[np.maximum(child, 0)]
    is_upper = ~(is_leaf | is_small)
    inner = _inner_edges(graph, child[is_small])
    sources = np.full((len(edge), BITS), -1, dtype=np.int64)
    sources[is_leaf, 0] = leaves[row[edge[is_leaf]] - 1]
    sources[is_small] = np.append(leaves, -1)[np.append(row, 0)[inner] - 1]
    parts = np.flatnonzero(~is_upper)
    table, bits = merge_patterns(parent[parts], sources[parts])
    pattern, table_pattern = np.unique(bits, axis=0, return_inverse=True)
    table_of = np.full(len(edge), -1, dtype=np.int64)
    table_of[parts] = table
    table_parent = np.zeros(len(bits), dtype=np.int64)
    table_parent[table] = parent[parts]
    tensor = torch.from_numpy
    return Layout(
        pattern=tensor(np.where(pattern < 0, columns, pattern).astype(np.int32)),
        table_pattern=tensor(table_pattern.reshape(-1).astype(np.int32)),
        table_start=tensor(_starts(table_parent, len(unit))),
        table_parent=tensor(table_parent),
        edge_start=tensor(_starts(parent[is_upper], len(unit))),
        edge_child=tensor((2 * place[child[is_upper]] + negated[edge[is_upper]]).astype(np.int32)),
        edge=tensor(edge[is_upper]),
        unit=tensor(unit),
        output=tensor(
            np.where(output_row > 0, place[np.maximum(output_row - first, 0)], -1).astype(np.int32)
        ),
        small_unit=tensor(child[is_small]),
        small_edge=tensor(edge[is_small]),
        small_negated=tensor(negated[edge[is_small]].astype(np.bool_)),
        small_parent=tensor(parent[is_small]),
        small_table=tensor(table_of[is_small]),
        small_inner=tensor(inner),
        small_choice=tensor(_choices(negated, inner, sources[is_small], bits[table_of[is_small]])),
        leaf_edge=tensor(edge[is_leaf]),
        leaf_parent=tensor(parent[is_leaf]),
        leaf_table=tensor(table_of[is_leaf]),
        leaf_choice=tensor(
            _choices(
                negated, edge[is_leaf][:, None], sources[is_leaf, :1], bits[table_of[is_leaf]]
            ).squeeze(1)
        ),
        columns=columns,
    )


def _sort_units(
    graph: Graph, output_row: Int64s
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.bool_]], ...]:
    """Return which neurons are small, and which upper ones the outputs need; bool ``[U]``."""
    count, first = graph.gate_count, graph.input_count
    reads_unit = np.zeros(count, dtype=np.bool_)
    owner = np.repeat(np.arange(count), graph.fan_in)
    reads_unit[owner[graph.inputs >> 1 >= first]] = True
    small = ~reads_unit & (graph.fan_in <= BITS)
    wanted = np.zeros(count, dtype=np.bool_)
    wanted[output_row[output_row > 0] - first] = True
    small &= ~wanted
    # Children come before their parents, so one pass backwards finds all that is needed.
    for unit in range(count - 1, -1, -1):
        if wanted[unit]:
            below = (graph.inputs[graph.start[unit] : graph.start[unit + 1]] >> 1) - first
            wanted[below[below >= 0]] = True
    return small, wanted & ~small


def _starts(group: Int64s, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Return where each group begins in an ascending list of group numbers; ``[count + 1]``."""
    return np.searchsorted(group, np.arange(count + 1)).astype(np.int32)


def _inner_edges(graph: Graph, units: Int64s) -> Int64s:
    """Return the edges of small neurons, ``E`` for none; ``[I, 5]``."""
    edge = graph.start[units][:, None] + np.arange(BITS)[None, :]
    return np.where(edge < graph.start[units + 1][:, None], edge, graph.edge_count)


def _choices(
    negated: Int64s, edge: Int64s, column: Int64s, bits: Int64s
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return what edges read for each entry of a table; uint8 ``[n, k, 32]``.

    Args:
        negated: of each edge of the graph, 1 where it reads the negation; int64 ``[E]``.
        edge: the edges, ``E`` for none; ``[n, k]``.
        column: column that each one reads; ``[n, k]``.
        bits: the columns of the table, lowest bit first; ``[n, 5]``.
    """
    place = (bits[:, None, :] == column[:, :, None]).argmax(axis=2)
    held = (np.arange(ENTRIES) >> place[:, :, None]) & 1
    choice = FALSE + held + NEGATED * np.append(negated, 0)[edge][:, :, None]
    return np.where((edge < len(negated))[:, :, None], choice, FILLER).astype(np.uint8)

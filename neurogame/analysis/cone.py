"""A part of a graph made ready to be evaluated: on states, or with inputs that are not known.

Every literal has a row of *can be true* lanes, so a node has two rows: whether it can be true and
whether it can be false. Where exactly one of the two is set for every input, this is ordinary
evaluation; where both are set, the input is not known, and the rows are Kleene's three values: an
output is known only where the known inputs decide it, whatever the others are.

*Reference:* Kleene, "Introduction to Metamathematics" (1952), section 64 (strong three-valued
logic); Trutman and Schiffel, section 3 (the three-valued simplification of conditions).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from neurogame.array_types import Int64s, UInt64s
from neurogame.graph.graph import OR, TRUE, Graph
from neurogame.graph.groups import gather_groups, places_in_groups
from neurogame.graph.lanes import ALL
from neurogame.graph.levels import split_at_changes


@final
@dataclass(frozen=True, eq=False)
class Cone:
    """The gates that some literals depend on, with the fluents and moves they read.

    Its nodes are numbered anew: 0 is the constant false, then ``L`` leaves, then the gates. The
    literals of a node are ``2 * node`` and its complement ``2 * node + 1``, as in the graph.

    Attributes:
        nodes: the graph's node of each node, ascending; int64 ``[N]``. ``nodes[0]`` is 0.
        leaf_count: ``L``, the number of fluents and moves.
        steps: in order of evaluation, gates of one level and about the same width, as pairs
            (literal that is the conjunction of the inputs, input literals): int64 ``[n]`` and
            ``[width, n]``. Inputs are padded with the literal true. A disjunction is written as
            the conjunction of complements.
    """

    nodes: Int64s
    leaf_count: int
    steps: tuple[tuple[Int64s, Int64s], ...]

    @property
    def leaves(self) -> Int64s:
        """The graph's nodes of the leaves, ascending; int64 ``[L]``."""
        return self.nodes[1 : 1 + self.leaf_count]

    @cached_property
    def work(self) -> int:
        """Input literals read by one evaluation: its cost per word of lanes."""
        return 2 * (sum(inputs.size for _, inputs in self.steps) + len(self.nodes))

    def rows(self, literals: Int64s) -> Int64s:
        """Return the cone's literals for literals of the graph whose nodes it holds."""
        translated: Int64s = 2 * np.searchsorted(self.nodes, literals >> 1) + (literals & 1)
        return translated

    def start(self, width: int) -> UInt64s:
        """Return rows for ``width`` words in which the constants are set and all else is zero.

        Returns:
            uint64 ``[2 N, width]``; fill rows ``2 .. 2 L + 1``, then call :meth:`evaluate`.
        """
        rows = np.zeros((2 * len(self.nodes), width), np.uint64)
        rows[TRUE] = ALL
        return rows

    def evaluate(self, rows: UInt64s, *, known: bool = False) -> None:
        """Compute the rows of all gates from those of the leaves.

        Args:
            rows: uint64 ``[2 N, W]`` from :meth:`start`; the rows of the gates are overwritten.
            known: every leaf is either true or false in every lane. Faster; the same result.
        """
        for targets, inputs in self.steps:
            conjunction = np.bitwise_and.reduce(rows[inputs], axis=0)
            rows[targets] = conjunction
            if known:
                rows[targets ^ 1] = ~conjunction
            else:
                rows[targets ^ 1] = np.bitwise_or.reduce(rows[inputs ^ 1], axis=0)


@final
class ConeFinder:
    """Cuts cones out of one graph.

    Many of them, each far smaller than the graph: what is as large as the graph is kept.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._marked = np.zeros(graph.node_count, np.bool_)
        self._place = np.zeros(graph.node_count, np.int64)

    def whole(self, literals: Int64s) -> Cone:
        """Return the cone of some literals with all fluents and moves as leaves.

        Its leaves are numbered as in the graph.
        """
        return self._make(self._below(literals), np.arange(1, self.graph.input_count))

    def find(self, literals: Int64s) -> Cone:
        """Return the cone of some literals with the leaves that it reads."""
        nodes = self._below(literals)
        return self._make(nodes, nodes[nodes < self.graph.input_count])

    def _below(self, literals: Int64s) -> Int64s:
        """Return all nodes that some literals depend on, the constant left out, ascending."""
        graph, marked = self.graph, self._marked
        fresh = self._distinct(literals[literals > TRUE] >> 1)
        layers = []
        while len(fresh):
            marked[fresh] = True
            layers.append(fresh)
            gates = fresh[fresh >= graph.input_count] - graph.input_count
            below = gather_groups(graph.start, graph.inputs, gates) >> 1
            fresh = self._distinct(below[~marked[below] & (below > 0)])
        nodes = np.sort(np.concatenate([np.zeros(0, np.int64), *layers]))
        marked[nodes] = False
        return nodes

    def _distinct(self, nodes: Int64s) -> Int64s:
        """Return each node once, without sorting them."""
        order = np.arange(len(nodes))
        self._place[nodes] = order
        distinct: Int64s = nodes[self._place[nodes] == order]
        return distinct

    def _make(self, nodes: Int64s, leaves: Int64s) -> Cone:
        graph = self.graph
        gates = nodes[nodes >= graph.input_count] - graph.input_count
        all_nodes = np.concatenate([[0], leaves, gates + graph.input_count]).astype(np.int64)
        literals, start = graph.inputs_of(gates)
        inputs = 2 * np.searchsorted(all_nodes, literals >> 1) + (literals & 1)
        flip = (graph.kind[gates] == OR).astype(np.int64)
        targets = 2 * (1 + len(leaves) + np.arange(len(gates))) + flip
        flipped = inputs ^ np.repeat(flip, np.diff(start))
        steps = make_steps(graph.level[gates], targets, start, flipped)
        return Cone(all_nodes, len(leaves), steps)


def make_steps(
    levels: Int64s, targets: Int64s, start: Int64s, inputs: Int64s
) -> tuple[tuple[Int64s, Int64s], ...]:
    """Bundle conjunctions of one level and about the same width.

    Args:
        levels: a conjunction reads those of lower levels only; int64 ``[n]``.
        targets: literal that each conjunction makes; int64 ``[n]``.
        start: conjunction ``i`` reads ``inputs[start[i]:start[i + 1]]``; int64 ``[n + 1]``.
        inputs: literals, concatenated.

    Returns:
        :attr:`Cone.steps`.
    """
    sizes = np.diff(start)
    # Widths are rounded up to a power of two: few bundles, at most half of them padding.
    width = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    key = levels * 64 + width
    order = np.argsort(key, kind="stable")
    steps = []
    for members in split_at_changes(order, key[order]):
        fan_in = sizes[members]
        bundle = np.full((len(members), int(fan_in.max())), TRUE, np.int64)
        row = np.repeat(np.arange(len(members)), fan_in)
        bundle[row, places_in_groups(fan_in)] = gather_groups(start, inputs, members)
        steps.append((targets[members], np.ascontiguousarray(bundle.T)))
    return tuple(steps)

"""The fuzzy truth of formulas for many states at once, and how it depends on every input.

A conjunction is the product of its inputs, a disjunction one minus the product of their
complements. This is the definition, in float64 and without any tricks; faster evaluations are
measured against it.

*Reference:* Trutman and Schiffel, section "Evaluation" (product t-norm and t-co-norm).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.graph.graph import OR, Graph
from neurogame.graph.levels import runs


@final
class FuzzyTruth:
    """The truth of all nodes of formulas in some states.

    ``K`` leaves, ``G`` gates, ``E`` edges, ``N`` formulas, ``S`` states.

    Attributes:
        graph: what is evaluated.
        nodes: truth of each node, of the constant, too; float64 ``[1 + K + G, S]`` in 0..1.
    """

    def __init__(self, graph: Graph, leaves: Int64s, truth: Float64s, inputs: Bools) -> None:
        """Evaluate formulas.

        Args:
            graph: the formulas, positive; see :func:`~neurogame.graph.positive.positive`.
            leaves: literals of the circuit's inputs; int64 ``[K]``.
            truth: truth of each leaf where the literal's input is false, and where it is true;
                float64 ``[K, 2]`` in 0..1.
            inputs: which inputs of the circuit are true, without the constant, as many as the
                leaves need; bool ``[S, I]``.
        """
        self.graph = graph
        first = graph.input_count
        self.nodes = np.zeros((graph.node_count, len(inputs)))
        place = leaves >> 1
        held = inputs[:, np.maximum(place - 1, 0)].T & (place > 0)[:, None]
        self.nodes[1:first] = np.where(held, truth[:, 1:], truth[:, :1])
        self._runs = list(_runs(graph))
        for kind, gates, edges in self._runs:
            below = self._read(kind, edges)
            product = below.prod(axis=1)
            self.nodes[first + gates] = 1 - product if kind == OR else product

    def outputs(self) -> Float64s:
        """Return the truth of each formula; float64 ``[N, S]``."""
        truth: Float64s = self.nodes[self.graph.outputs >> 1]
        return truth

    def changes(self, weights: Float64s) -> Iterator[tuple[Int64s, Float64s]]:
        """Yield by how much a sum of the formulas changes if gates leave an input out.

        To leave an input out is to set it to the neutral element of the gate. The change is that
        of first order, with everything else as it is.

        Args:
            weights: of each formula's truth in the sum, in each state; float64 ``[N, S]``.

        Yields:
            Edges, int64 ``[n]``, and the change of the sum in each state, float64 ``[n, S]``;
            every edge once.
        """
        slope = np.zeros_like(self.nodes)
        np.add.at(slope, self.graph.outputs >> 1, weights)
        for kind, gates, edges in reversed(self._runs):
            below = self._read(kind, edges)
            others = _products_of_others(below)
            others *= slope[self.graph.input_count + gates][:, None]
            inputs = self.graph.inputs[edges] >> 1
            np.add.at(slope, inputs.reshape(-1), others.reshape(-1, others.shape[2]))
            # The neutral element reads as 1, whether the gate multiplies truths or complements.
            change = (1 - below) * others * (1 if kind != OR else -1)
            yield edges.reshape(-1), change.reshape(-1, change.shape[2])

    def _read(self, kind: int, edges: Int64s) -> Float64s:
        """Return what gates multiply: truths, or complements of truths; ``[n, k, S]``."""
        below: Float64s = self.nodes[self.graph.inputs[edges] >> 1]
        return 1 - below if kind == OR else below


def _runs(graph: Graph) -> Iterator[tuple[int, Int64s, Int64s]]:
    """Yield the gates of one level, kind and number of inputs, and their edges ``[n, k]``."""
    for gates in runs(graph):
        width = int(graph.start[gates[0] + 1] - graph.start[gates[0]])
        yield int(graph.kind[gates[0]]), gates, graph.start[gates][:, None] + np.arange(width)


def _products_of_others(factors: Float64s) -> Float64s:
    """Return for each of ``[n, k, S]`` the product of the others of its group."""
    result = np.ones_like(factors)
    before = np.ones_like(factors[:, 0])
    after = np.ones_like(before)
    width = factors.shape[1]
    for left in range(width):
        right = width - 1 - left
        result[:, left] *= before
        result[:, right] *= after
        before = before * factors[:, left]
        after = after * factors[:, right]
    return result

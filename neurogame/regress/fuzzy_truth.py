"""The fuzzy truth of formulas for many states at once, and how it depends on every input.

A conjunction is the product of its inputs, a disjunction one minus the product of their
complements. This is the definition, in float64 and without any tricks; faster evaluations are
measured against it.

*Reference:* Trutman and Schiffel, section "Evaluation" (product t-norm and t-co-norm).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import OR
from neurogame.graph.lanes import Bits
from neurogame.graph.positive import PositiveFormulas
from neurogame.ground.atoms import IntArray

Doubles: TypeAlias = npt.NDArray[np.float64]


@final
class FuzzyTruth:
    """The truth of all nodes of formulas in some states.

    ``K`` leaves, ``G`` gates, ``E`` edges, ``S`` states, ``I`` inputs with the constant.

    Attributes:
        formulas: what is evaluated.
        nodes: truth of each node; float64 ``[K + G, S]`` in 0..1.
    """

    def __init__(self, formulas: PositiveFormulas, truth: Doubles, inputs: Bits) -> None:
        """Evaluate formulas.

        Args:
            formulas: any.
            truth: truth of each leaf where the literal's input is false, and where it is true;
                float64 ``[K, 2]`` in 0..1.
            inputs: which inputs of the circuit are true, without the constant, as many as the
                leaves need; bool ``[S, I - 1]``.
        """
        self.formulas = formulas
        count = formulas.leaf_count
        self.nodes = np.empty((count + formulas.gate_count, len(inputs)))
        place = formulas.leaves >> 1
        held = inputs[:, np.maximum(place - 1, 0)].T & (place > 0)[:, None]
        self.nodes[:count] = np.where(held, truth[:, 1:], truth[:, :1])
        self._runs = list(_runs(formulas))
        for kind, gates, edges in self._runs:
            below = self._read(kind, edges)
            product = below.prod(axis=1)
            self.nodes[count + gates] = 1 - product if kind == OR else product

    def outputs(self) -> Doubles:
        """Return the truth of each formula; float64 ``[N, S]``."""
        return self.nodes[self.formulas.outputs]

    def changes(self, weights: Doubles) -> Iterator[tuple[IntArray, Doubles]]:
        """Yield by how much a sum of the formulas changes if gates leave an input out.

        To leave an input out is to set it to the neutral element of the gate. The change is that
        of first order, with everything else as it is.

        Args:
            weights: of each formula's truth in the sum, in each state; float64 ``[N, S]``.

        Yields:
            Edges, int64 ``[n]``, and the change of the sum in each state, float64 ``[n, S]``;
            every edge once.
        """
        count = self.formulas.leaf_count
        slope = np.zeros_like(self.nodes)
        np.add.at(slope, self.formulas.outputs, weights)
        for kind, gates, edges in reversed(self._runs):
            below = self._read(kind, edges)
            others = _products_of_others(below)
            others *= slope[count + gates][:, None]
            inputs = self.formulas.inputs[edges]
            np.add.at(slope, inputs.reshape(-1), others.reshape(-1, others.shape[2]))
            # The neutral element reads as 1, whether the gate multiplies truths or complements.
            change = (1 - below) * others * (1 if kind != OR else -1)
            yield edges.reshape(-1), change.reshape(-1, change.shape[2])

    def _read(self, kind: int, edges: IntArray) -> Doubles:
        """Return what gates multiply: truths, or complements of truths; ``[n, k, S]``."""
        below: Doubles = self.nodes[self.formulas.inputs[edges]]
        return 1 - below if kind == OR else below


def _runs(formulas: PositiveFormulas) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Yield the gates of one level, kind and number of inputs, and their edges ``[n, k]``."""
    sizes = np.diff(formulas.start)
    key = np.stack([formulas.level, formulas.kind.astype(np.int64), sizes])
    order = np.lexsort(key[::-1])
    if not len(order):
        return
    cuts = np.flatnonzero((np.diff(key[:, order], axis=1) != 0).any(axis=0)) + 1
    for gates in np.split(order, cuts):
        width = int(sizes[gates[0]])
        yield int(formulas.kind[gates[0]]), gates, formulas.start[gates][:, None] + np.arange(width)


def _products_of_others(factors: Doubles) -> Doubles:
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

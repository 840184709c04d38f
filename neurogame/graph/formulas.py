"""Formulas over the inputs of a circuit: literals of shared and/or gates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import AND, Circuit
from neurogame.errors import GameError
from neurogame.graph.gates import GateStore
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.lanes import Words, pack_lanes, unpack_lanes
from neurogame.ground.atoms import IntArray


@final
@dataclass(frozen=True, eq=False)
class Formulas:
    """Many formulas that share their gates.

    Nodes ``0..I-1`` are the inputs of the circuit that they belong to (the constant false, the
    fluents, the moves); gate ``g`` is node ``I + g``. Literals are those of a circuit.
    ``N`` formulas, ``G`` gates, ``E`` edges.

    Attributes:
        input_count: ``I``, the constant included.
        kind: ``AND`` (0) or ``OR`` (1); uint8 ``[G]``.
        start: gate ``g`` reads ``inputs[start[g]:start[g + 1]]``; int64 ``[G + 1]``.
        inputs: literals; each node is smaller than the gate's own node; int64 ``[E]``.
        level: longest distance to an input, at least 1; int64 ``[G]``.
        literals: the formulas; int64 ``[N]``.
    """

    input_count: int
    kind: npt.NDArray[np.uint8]
    start: IntArray
    inputs: IntArray
    level: IntArray
    literals: IntArray

    @classmethod
    def of_circuit(cls, circuit: Circuit, literals: IntArray) -> Formulas:
        """Return some literals of a circuit as formulas; the arrays are the circuit's."""
        return cls(
            input_count=circuit.first_gate,
            kind=circuit.gate_kind,
            start=circuit.gate_start,
            inputs=circuit.gate_inputs,
            level=circuit.gate_level,
            literals=literals,
        )

    @classmethod
    def of_store(cls, store: GateStore, literals: IntArray) -> Formulas:
        """Return literals of a store as formulas, without the gates that they do not need."""
        gates = store.arrays()
        whole = cls(
            input_count=store.first_gate,
            kind=gates["kind"].astype(np.uint8),
            start=gates["start"],
            inputs=gates["inputs"],
            level=gates["level"],
            literals=literals,
        )
        return whole.pruned()

    @property
    def gate_count(self) -> int:
        """Number of gates, ``G``."""
        return len(self.kind)

    def needed(self) -> npt.NDArray[np.bool_]:
        """Return which nodes the formulas depend on; bool ``[I + G]``."""
        needed = np.zeros(self.input_count + self.gate_count, np.bool_)
        place = np.zeros(len(needed), np.int64)
        below = self.literals >> 1
        while len(below):
            # Of equal nodes the one whose place was noted last stays.
            index = np.arange(len(below))
            place[below] = index
            fresh = below[place[below] == index]
            needed[fresh] = True
            gates = fresh[fresh >= self.input_count] - self.input_count
            below = gather_groups(self.start, self.inputs, gates) >> 1
            below = below[~needed[below]]
        return needed

    def levels(self) -> Iterator[IntArray]:
        """Yield the gates that the formulas depend on, level by level from the inputs up."""
        gates = np.flatnonzero(self.needed()[self.input_count :])
        gates = gates[np.argsort(self.level[gates], kind="stable")]
        bounds = np.flatnonzero(np.diff(self.level[gates], prepend=0))
        yield from np.split(gates, bounds[1:]) if len(gates) else []

    def pruned(self) -> Formulas:
        """Return the same formulas without the gates that they do not need."""
        kept = np.flatnonzero(self.needed()[self.input_count :])
        node = np.arange(self.input_count + self.gate_count)
        node[self.input_count + kept] = self.input_count + np.arange(len(kept))
        inputs = gather_groups(self.start, self.inputs, kept)
        return Formulas(
            input_count=self.input_count,
            kind=self.kind[kept],
            start=group_starts(np.diff(self.start)[kept]),
            inputs=2 * node[inputs >> 1] + (inputs & 1),
            level=self.level[kept],
            literals=2 * node[self.literals >> 1] + (self.literals & 1),
        )

    def holds(self, inputs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which formulas hold, 64 assignments at a time.

        Args:
            inputs: truth of the inputs without the constant; bool ``[B, I - 1]``.

        Returns:
            Bool ``[B, N]``.

        Raises:
            GameError: the assignments have another number of inputs.
        """
        if inputs.ndim != 2 or inputs.shape[1] != self.input_count - 1:
            raise GameError(
                f"inputs of shape {inputs.shape} do not fit: [B, {self.input_count - 1}] is needed"
            )
        lanes = pack_lanes(inputs.T)
        words = np.zeros((self.input_count + self.gate_count, lanes.shape[1]), np.uint64)
        words[1 : self.input_count] = lanes

        def value(literals: IntArray) -> Words:
            flip = -(literals & 1)
            result: Words = words[literals >> 1] ^ flip.view(np.uint64)[:, None]
            return result

        for gates in self.levels():
            for kind, operation in ((AND, np.bitwise_and), (1 - AND, np.bitwise_or)):
                own = gates[self.kind[gates] == kind]
                if len(own):
                    first = group_starts(np.diff(self.start)[own])[:-1]
                    below = value(gather_groups(self.start, self.inputs, own))
                    words[self.input_count + own] = operation.reduceat(below, first, axis=0)
        return unpack_lanes(value(self.literals), len(inputs)).T

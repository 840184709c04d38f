"""Goal networks by the book: one node at a time, in decimal arithmetic of many digits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext

from neurogame.evaluators.proof import ProofGraph
from neurogame.graph.graph import AND

DIGITS = 80


class SlowNetwork:
    """One goal network of a proof graph, evaluated by recursion.

    Args:
        proof: the proof graph.
        goal: index of the goal.
        weight: W, or None for the sound weight of equation (4).
        alpha: of equation (5).
        beta: steepness.
    """

    def __init__(
        self,
        proof: ProofGraph,
        goal: int,
        weight: float | None,
        alpha: float = 0.2,
        beta: float = 1.0,
    ) -> None:
        self.graph, self.root = proof.graph, int(proof.graph.outputs[goal])
        self.beta = Decimal(beta)
        with localcontext() as context:
            context.prec = DIGITS
            self.k = max(int(proof.graph.fan_in[i]) for i in proof.cone([goal]))
            bound = Decimal(self.k - 1) / Decimal(self.k + 1)
            self.a_min = (bound - 1) * Decimal(alpha) + 1
            a = self.a_min
            logs = (1 + a).ln() - (1 - a).ln()
            sound = 2 / self.beta * logs / (self.k * (a - 1) + a + 1)
            self.weight = sound if weight is None else Decimal(weight)

    def output(self, state: Sequence[bool]) -> Decimal:
        """Return the network's output, the sign of the goal included."""
        with localcontext() as context:
            context.prec = DIGITS
            leaves = [Decimal(1 if x else -1) for x in state]
            return self._literal(self.root, leaves, leaves, {})

    def log_odds(self, state: Sequence[bool], reserve: float) -> Decimal:
        """Return log((o - floor) / (ceiling - o)) of the goal's own neuron."""
        with localcontext() as context:
            context.prec = DIGITS
            root = self.root & ~1
            leaves = [Decimal(1 if x else -1) for x in state]
            far = 1 + Decimal(reserve)
            high, low = [far] * len(leaves), [-far] * len(leaves)
            o = self._literal(root, leaves, leaves, {})
            floor = self._literal(root, low, high, {})
            ceiling = self._literal(root, high, low, {})
            return ((o - floor) / (ceiling - o)).ln()

    def _literal(
        self,
        literal: int,
        positive: list[Decimal],
        negative: list[Decimal],
        known: dict[tuple[int, bool], Decimal],
        swapped: bool = False,
    ) -> Decimal:
        """Evaluate a literal; leaves read in odd polarity come from ``negative``."""
        node, complement = literal >> 1, bool(literal & 1)
        swapped = swapped != complement
        graph, gate = self.graph, node - self.graph.input_count
        if gate < 0:
            value = (negative if swapped else positive)[node - 1]
        elif (node, swapped) in known:
            value = known[node, swapped]
        else:
            first, last = int(graph.start[gate]), int(graph.start[gate + 1])
            n = last - first
            sign = 1 - n if graph.kind[gate] == AND else n - 1
            net = (1 + self.a_min) * sign / 2 * self.weight
            for child in graph.inputs[first:last].tolist():
                net += self.weight * self._literal(child, positive, negative, known, swapped)
            value = 2 / (1 + (-self.beta * net).exp()) - 1
            known[node, swapped] = value
        return -value if complement else value

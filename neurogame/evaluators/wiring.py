"""Which neuron belongs to which goal network, and what it reads: the proof graph made concrete.

The paper trains one network per role and goal value. With ``share="network"`` each of them has
its own copy of the nodes that it needs; inside a network every sub-formula is still there once.
With ``share="game"`` all networks are one: a sub-formula that several goals use is one neuron.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.errors import LimitError
from neurogame.evaluators.proof import ProofGraph
from neurogame.graph.graph import TRUE, Graph

NETWORK_EDGE_LIMIT = 100_000
"""With ``share="auto"`` networks get weights of their own up to this many edges in all."""


@dataclass(frozen=True, eq=False)
class Wiring:
    """Neurons and edges of the goal networks of a game.

    ``U`` neurons, ``E`` edges, ``K`` leaves in use, ``V`` networks. A neuron's *row* is where its
    output lies: row 0 is a neutral filler, rows ``1..K`` are the leaves, ``1 + K + u`` is neuron
    ``u``. Neurons that only networks of goal value 0 need come last: a state's value does not
    depend on them.

    Attributes:
        proof: the proof graph.
        share: ``"network"`` or ``"game"``, never ``"auto"``.
        graph: the neurons as gates, rows as nodes; its outputs are those of the networks.
        node: gate of the proof graph that each neuron stands for; int64 ``[U]``.
        network: index of the network that a neuron belongs to, -1 where shared; int64 ``[U]``.
        largest: largest fan-in of the network (shared: of the game); int64 ``[U]``.
        leaves: leaves of the proof graph in use, counted from 0, ascending; int64 ``[K]``.
        valued_units: number of neurons that goal values above 0, and the end of the game, need.
    """

    proof: ProofGraph
    share: str
    graph: Graph
    node: Int64s
    network: Int64s
    largest: Int64s
    leaves: Int64s
    valued_units: int

    @property
    def unit_count(self) -> int:
        """Number of neurons, ``U``."""
        return self.graph.gate_count

    @property
    def edge_count(self) -> int:
        """Number of edges, ``E``."""
        return self.graph.edge_count

    @property
    def first_unit_row(self) -> int:
        """Row of neuron 0."""
        return self.graph.input_count

    @property
    def start(self) -> Int64s:
        """First edge of each neuron, and their number; int64 ``[U + 1]``."""
        return self.graph.start

    @cached_property
    def fan_in(self) -> Int64s:
        """Number of children of each neuron; int64 ``[U]``."""
        return self.graph.fan_in

    @cached_property
    def row(self) -> Int64s:
        """Row that each edge reads; int64 ``[E]``."""
        return self.graph.inputs >> 1

    @cached_property
    def negated(self) -> Bools:
        """Whether each edge reads the negation; bool ``[E]``."""
        return (self.graph.inputs & 1).astype(np.bool_)

    @cached_property
    def output_row(self) -> Int64s:
        """Row of each network's output neuron, 0 where the goal is constant; int64 ``[V]``."""
        return self.graph.outputs >> 1

    @cached_property
    def output_sign(self) -> Int64s:
        """1, or -1 where a goal is the negation of its neuron; int64 ``[V]``.

        A constant goal has its constant value here, 1 or -1.
        """
        negated = (self.graph.outputs & 1) ^ (self.graph.outputs <= TRUE)
        return 1 - 2 * negated


def wire(proof: ProofGraph, share: str = "auto", neurons: int | None = None) -> Wiring:
    """Return the neurons and edges of all goal networks.

    Args:
        proof: the proof graph.
        share: ``"network"``: weights of its own for every network; ``"game"``: one set of
            weights; ``"auto"``: the former unless it needs more than
            :data:`NETWORK_EDGE_LIMIT` edges or more neurons than allowed.
        neurons: how many neurons are allowed in all; None: any number.

    Raises:
        LimitError: it takes more neurons.
    """
    cones = None if share == "game" else _cones_per_network(proof, share, neurons)
    if cones is None:
        cones = [(-1, proof.cone(range(len(proof.goals))))]
    node = np.concatenate([cone for _, cone in cones] or [np.zeros(0, dtype=np.int64)])
    if neurons is not None and len(node) > neurons:
        raise LimitError(
            f"the goal networks need {len(node):,} neurons, but only {neurons:,} are allowed; "
            "let networks share them (share='auto' or 'game') or raise the limit"
        )
    sizes = np.asarray([len(cone) for _, cone in cones], dtype=np.int64)
    network = np.repeat(np.asarray([n for n, _ in cones], dtype=np.int64), sizes)
    fan_in = proof.graph.fan_in
    largest = np.repeat(
        np.asarray([fan_in[cone].max(initial=1) for _, cone in cones], dtype=np.int64), sizes
    )
    order = _order(proof, node, network)
    node, network, largest = node[order], network[order], largest[order]
    return _connect(proof, node, network, largest)


def _cones_per_network(
    proof: ProofGraph, share: str, neurons: int | None
) -> list[tuple[int, Int64s]] | None:
    """Return each network's gates, or None where "auto" finds them too many."""
    cones: list[tuple[int, Int64s]] = []
    fan_in = proof.graph.fan_in
    edges = units = 0
    for index in range(len(proof.goals)):
        cone = proof.cone([index])
        edges += int(fan_in[cone].sum())
        units += len(cone)
        too_many = edges > NETWORK_EDGE_LIMIT or (neurons is not None and units > neurons)
        if share == "auto" and too_many:
            return None
        cones.append((index, cone))
    return cones


def _order(proof: ProofGraph, node: Int64s, network: Int64s) -> Int64s:
    """Return neurons in the order: needed for a value first, then by level, then by fan-in."""
    graph = proof.graph
    valued = np.array([goal.valued for goal in proof.goals], dtype=bool)
    needed = np.zeros(graph.gate_count, dtype=bool)
    needed[proof.cone(np.flatnonzero(valued).tolist())] = True
    late = np.where(network >= 0, ~valued[network], ~needed[node]) if len(node) else network
    return np.lexsort((node, network, graph.fan_in[node], graph.level[node], late))


def _connect(proof: ProofGraph, node: Int64s, network: Int64s, largest: Int64s) -> Wiring:
    """Give every neuron its row and every edge the row it reads."""
    graph, first = proof.graph, proof.graph.input_count
    literals, start = graph.inputs_of(node)
    owner = np.repeat(np.arange(len(node)), np.diff(start))
    leaves = np.unique(literals[literals < 2 * first] >> 1)
    # Neurons are found again by (network, node), sorted, with one binary search for all edges.
    key = (network + 1) * max(graph.gate_count, 1) + node
    by_key = np.argsort(key, kind="stable")

    def rewired(literals: Int64s, network: Int64s) -> Int64s:
        """Return literals of rows for literals of the proof graph, each read in a network."""
        gate = (literals >> 1) - first
        row = 1 + np.searchsorted(leaves, literals >> 1)
        row[literals <= TRUE] = 0
        inner = gate >= 0
        wanted = (network[inner] + 1) * max(graph.gate_count, 1) + gate[inner]
        row[inner] = 1 + len(leaves) + by_key[np.searchsorted(key[by_key], wanted)]
        return 2 * row + (literals & 1)

    shared = len(network) > 0 and network[0] < 0
    whose = np.full(len(proof.goals), -1) if shared else np.arange(len(proof.goals))
    outputs = rewired(graph.outputs, whose)
    valued = np.array([goal.valued for goal in proof.goals], np.bool_)
    return Wiring(
        proof=proof,
        share="game" if shared else "network",
        graph=Graph(
            input_count=1 + len(leaves),
            kind=graph.kind[node],
            start=start,
            inputs=rewired(literals, network[owner]),
            level=graph.level[node],
            outputs=outputs,
            atom=graph.atom[node],
            rule=graph.rule[node],
        ),
        node=node,
        network=network,
        largest=largest,
        leaves=leaves - 1,
        valued_units=max(int((outputs[valued] >> 1).max(initial=0)) - len(leaves), 0),
    )

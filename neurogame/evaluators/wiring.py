"""Which neuron belongs to which goal network, and what it reads: the proof graph made concrete.

The paper trains one network per role and goal value. With ``share="network"`` each of them has
its own copy of the nodes that it needs; inside a network every sub-formula is still there once.
With ``share="game"`` all networks are one: a sub-formula that several goals use is one neuron.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neurogame.errors import LimitError
from neurogame.evaluators.proof import TRUE_LITERAL, ProofGraph
from neurogame.ground.atoms import IntArray

NETWORK_EDGE_LIMIT = 100_000
"""With ``share="auto"`` networks get weights of their own up to this many edges in all."""


@dataclass(frozen=True, eq=False)
class Wiring:
    """Neurons and edges of the goal networks of a game.

    ``U`` neurons, ``E`` edges, ``K`` leaves in use, ``V`` networks. A neuron's *row* is where its
    output lies: row 0 is a neutral filler, rows ``1..K`` are the leaves, ``1 + K + u`` is neuron
    ``u``. Neurons read lower rows only. Neurons that only networks of goal value 0 need come
    last: a state's value does not depend on them.

    Attributes:
        proof: the proof graph.
        share: ``"network"`` or ``"game"``, never ``"auto"``.
        node: inner node of the proof graph that each neuron stands for; int64 ``[U]``.
        network: index of the network that a neuron belongs to, -1 where shared; int64 ``[U]``.
        level: longest distance to a leaf, at least 1; int64 ``[U]``.
        fan_in: number of children of each neuron; int64 ``[U]``.
        largest: largest fan-in of the network (shared: of the game); int64 ``[U]``.
        start: neuron ``u`` has the edges ``start[u]`` up to ``start[u + 1]``; int64 ``[U + 1]``.
        row: row that each edge reads; int64 ``[E]``.
        negated: whether it reads the negation; bool ``[E]``.
        leaves: leaves of the proof graph in use, ascending; int64 ``[K]``.
        output_row: row of each network's output neuron, 0 where the goal is constant; ``[V]``.
        output_sign: 1, or -1 where the goal is the negation of the neuron; a constant goal has
            its constant value, 1 or -1, here; int64 ``[V]``.
        valued_units: number of neurons that goal values above 0, and the end of the game, need.
    """

    proof: ProofGraph
    share: str
    node: IntArray
    network: IntArray
    level: IntArray
    fan_in: IntArray
    largest: IntArray
    start: IntArray
    row: IntArray
    negated: npt.NDArray[np.bool_]
    leaves: IntArray
    output_row: IntArray
    output_sign: IntArray
    valued_units: int

    @property
    def unit_count(self) -> int:
        """Number of neurons, ``U``."""
        return len(self.node)

    @property
    def edge_count(self) -> int:
        """Number of edges, ``E``."""
        return len(self.row)

    @property
    def first_unit_row(self) -> int:
        """Row of neuron 0."""
        return 1 + len(self.leaves)


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
        cones = [(-1, proof.cone([goal.literal for goal in proof.goals]))]
    node = np.concatenate([cone for _, cone in cones] or [np.zeros(0, dtype=np.int64)])
    if neurons is not None and len(node) > neurons:
        raise LimitError(
            f"the goal networks need {len(node):,} neurons, but only {neurons:,} are allowed; "
            "let networks share them (share='auto' or 'game') or raise the limit"
        )
    sizes = np.asarray([len(cone) for _, cone in cones], dtype=np.int64)
    network = np.repeat(np.asarray([n for n, _ in cones], dtype=np.int64), sizes)
    largest = np.concatenate([_largest(proof, cone) for _, cone in cones] or [node])
    order = _order(proof, node, network)
    node, network, largest = node[order], network[order], largest[order]
    return _connect(proof, node, network, largest)


def _cones_per_network(
    proof: ProofGraph, share: str, neurons: int | None
) -> list[tuple[int, IntArray]] | None:
    """Return each network's nodes, or None where "auto" finds them too many."""
    cones: list[tuple[int, IntArray]] = []
    edges = units = 0
    for index, goal in enumerate(proof.goals):
        cone = proof.cone([goal.literal])
        edges += int(proof.fan_in[cone].sum())
        units += len(cone)
        too_many = edges > NETWORK_EDGE_LIMIT or (neurons is not None and units > neurons)
        if share == "auto" and too_many:
            return None
        cones.append((index, cone))
    return cones


def _largest(proof: ProofGraph, cone: IntArray) -> IntArray:
    """Return, for each node of a cone, the largest fan-in in that cone."""
    top = int(proof.fan_in[cone].max()) if len(cone) else 1
    return np.full(len(cone), top, dtype=np.int64)


def _order(proof: ProofGraph, node: IntArray, network: IntArray) -> IntArray:
    """Return neurons in the order: needed for a value first, then by level, then by fan-in."""
    valued = np.zeros(len(proof.goals), dtype=bool)
    valued[:] = [goal.valued for goal in proof.goals]
    needed = np.zeros(proof.size, dtype=bool)
    needed[proof.cone([goal.literal for goal in proof.goals if goal.valued])] = True
    late = np.where(network >= 0, ~valued[network], ~needed[node]) if len(node) else network
    return np.lexsort((node, network, proof.fan_in[node], proof.level[node], late))


def _connect(proof: ProofGraph, node: IntArray, network: IntArray, largest: IntArray) -> Wiring:
    """Give every neuron its row and every edge the row it reads."""
    first = proof.leaf_count
    fan_in = proof.fan_in[node]
    start = np.concatenate([[0], np.cumsum(fan_in)]).astype(np.int64)
    owner = np.repeat(np.arange(len(node)), fan_in)
    literal = proof.children[proof.edges_of(node)]
    child = literal >> 1
    leaves = np.unique(child[child < first])
    # Neurons are found again by (network, node), sorted, with one binary search for all edges.
    key = (network + 1) * max(proof.size, 1) + node
    by_key = np.argsort(key, kind="stable")

    def row_of(wanted_network: IntArray, wanted_node: IntArray) -> IntArray:
        wanted = (wanted_network + 1) * max(proof.size, 1) + wanted_node - first
        return 1 + len(leaves) + by_key[np.searchsorted(key[by_key], wanted)]

    row = 1 + np.searchsorted(leaves, child)
    inner = child >= first
    row[inner] = row_of(network[owner[inner]], child[inner])
    output_row = np.zeros(len(proof.goals), dtype=np.int64)
    output_sign = np.zeros(len(proof.goals), dtype=np.int64)
    shared = len(network) > 0 and network[0] < 0
    for index, goal in enumerate(proof.goals):
        if goal.literal < 0:
            output_sign[index] = 1 if goal.literal == TRUE_LITERAL else -1
            continue
        whose = np.asarray([-1 if shared else index])
        output_row[index] = row_of(whose, np.asarray([goal.literal >> 1]))[0]
        output_sign[index] = -1 if goal.literal & 1 else 1
    valued = output_row[np.asarray([goal.valued for goal in proof.goals], dtype=np.bool_)]
    return Wiring(
        proof=proof,
        share="game" if shared else "network",
        node=node,
        network=network,
        level=proof.level[node],
        fan_in=fan_in,
        largest=largest,
        start=start,
        row=row.astype(np.int64),
        negated=(literal & 1).astype(bool),
        leaves=leaves,
        output_row=output_row,
        output_sign=output_sign,
        valued_units=max(int(valued.max(initial=0)) - len(leaves), 0),
    )

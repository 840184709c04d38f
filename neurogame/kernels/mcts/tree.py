"""The memory of a tree, and the options of a search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.mcts.layout import FIRST_WORD, HEAP, JOINTS, NODES, USED

Reals = npt.NDArray[np.float32]
Narrow = npt.NDArray[np.int32]
Wide = npt.NDArray[np.int64]

UCT, RAVE, GRAVE = 0, 1, 2
"""Values of ``Options.kind``."""
FIRST, PARENT, NUMBER = 0, 1, 2
"""Values of ``Options.urgency``."""
NEVER, ALONE, WHOLE = 0, 1, 2
"""Values of ``Options.early``."""


class Tree(NamedTuple):
    """A tree of at most ``N`` nodes; see :mod:`~neurogame.kernels.mcts.layout`.

    ``R`` roles, ``M`` moves of all roles, ``Fw`` words of a packed state.

    Attributes:
        heap: stubs and records; int32 ``[H]``.
        reals: the same memory; float32 ``[H]``.
        stubs: of the nodes in order of their making; int32 ``[N]``.
        states: of the nodes, packed; uint64 ``[N, Fw]``.
        table: where states are found by their hashes: upper half of the hash, number of the
            node + 1; int64, length a power of two.
        joints: where children are found by node and joint move: key; stub, child's stub,
            whether it is proved; int64 ``[J, 2]``, ``J`` a power of two.
        proofs: numbers of nodes proved since they were last read; int32 ``[N]``.
        worth: of each of GRAVE's tables and each move: times made, and sum of the results;
            float32 ``[T, M, 2]``. The first one stays empty.
        used: counts; int64 ``[8]``.
        offsets: first move of each role, and ``M``; int64 ``[R + 1]``.
        owner: role of each move; int64 ``[M]``.
        best: best value of each role in this game; float32 ``[R]``.
    """

    heap: Narrow
    reals: Reals
    stubs: Narrow
    states: npt.NDArray[np.uint64]
    table: Wide
    joints: Wide
    proofs: Narrow
    worth: Reals
    used: Wide
    offsets: Wide
    owner: Wide
    best: Reals


class Options(NamedTuple):
    """How to search; numbers at run time, so that one compiled search serves all.

    Attributes:
        kind: :data:`UCT`, :data:`RAVE` or :data:`GRAVE`.
        exploration: the constant of the bound.
        k: visits at which both means of RAVE, or a mean and its prior, weigh alike.
        ref: visits from which GRAVE reads a node's own table.
        urgency: :data:`FIRST`, :data:`PARENT` or :data:`NUMBER`.
        urgent: that number.
        loss: whether a simulation on its way counts as a lost visit.
        solver: whether values are proved.
        early: whether a node is proved once a child is the best that the deciding role can get:
            :data:`NEVER`, :data:`ALONE` (that leaves nothing open), :data:`WHOLE` (if the value is
            1, which leaves nothing to the others).
        opposed: whether there are two roles and their values sum to 1.
        graph: whether equal states share a node.
        blend: whether results are blended with the mean of the child.
        bias: weight of the progressive bias.
        minimax: weight of implicit minimax values.
        hinted: whether stubs and slots have hints.
        prior: number of the array of priors of a record, 0 where there is none.
        seeded: whether a prior is the first mean of a move; otherwise it is mixed with the mean.
        virtual: visits that a prior counts for then.
        ripe: visits from which a node has priors.
        scaling: of the judge's scores, see :mod:`~neurogame.kernels.leaves.preference`.
        width: arrays of slots of a record.
        wide: whether a stub has one move to a word.
        traced: whether paths are written into the block.
        seed: of the order of slots and of playouts.
        plies: most plies of a playout.
        cutoff: plies after which the evaluator values a playout; below 0: playouts are not cut.
        depth: most plies of a path in the tree.
    """

    kind: int
    exploration: float
    k: float
    ref: int
    urgency: int
    urgent: float
    loss: int
    solver: int
    early: int
    opposed: int
    graph: int
    blend: int
    bias: float
    minimax: float
    hinted: int
    prior: int
    seeded: int
    virtual: float
    ripe: int
    scaling: int
    width: int
    wide: int
    traced: int
    seed: int
    plies: int
    cutoff: int
    depth: int


def make_tree(
    *,
    nodes: int,
    words: int,
    fluents: int,
    offsets: tuple[int, ...],
    best: tuple[float, ...],
    tables: int = 0,
) -> Tree:
    """Reserve memory for a tree; most of it is taken only when it is written.

    Args:
        nodes: ``N``, 2 to 2^30.
        words: ``H``, below 2^31.
        fluents: of the game.
        offsets: first move of each role, and the number of moves.
        best: best value of each role.
        tables: ``T``, 0 where there is no GRAVE.
    """
    places = 1 << (2 * nodes - 1).bit_length()
    heap = aligned((words + 1) // 2).view(np.int32)
    tree = Tree(
        heap=heap,
        reals=heap.view(np.float32),
        stubs=np.zeros(nodes, np.int32),
        states=np.zeros((nodes, (fluents + 63) // 64), np.uint64),
        table=np.zeros(places, np.int64),
        joints=np.zeros((places, 2), np.int64),
        proofs=np.zeros(nodes, np.int32),
        worth=np.zeros((tables, offsets[-1] if tables else 0, 2), np.float32),
        used=np.zeros(USED, np.int64),
        offsets=np.array(offsets, np.int64),
        owner=np.repeat(np.arange(len(best)), np.diff(offsets)),
        best=np.array(best, np.float32),
    )
    clear(tree)
    return tree


def clear(tree: Tree) -> None:
    """Forget all nodes."""
    if tree.used[NODES]:
        tree.table[:] = 0
    if tree.used[JOINTS]:
        tree.joints[:] = 0
    tree.used[:] = 0
    tree.used[HEAP] = FIRST_WORD

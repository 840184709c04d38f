"""Two plies ahead: the best children of each lane's state are valued by their own best children."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import (
    Float32s2,
    Float64s1,
    Float64s2,
    Int32s1,
    Int64s2,
    UInt8s1,
    UInt64s2,
)
from neurogame.kernels.leaves.expander import ChildBlocks
from neurogame.kernels.leaves.picking import count_moves
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.struct import Struct


class Replies(Struct):
    """The best children of each lane, and what their own best children are worth.

    ``N`` lanes, ``K`` children of each; child ``k`` of lane ``n`` is node ``n K + k``.

    Attributes:
        children: the rules, for the nodes' children.
        width: children that are kept of each lane, ``K``.
        leaf: 1 where the principal leaf learns, not the position (TD-leaf).
        proofs: 1 where the target of a solved position is its value.
        states: uint64 ``[N K, Fw]``.
        legal: uint64 ``[N K, Mw]``, no move where there is no node.
        joint: moves that lead to a node; int64 ``[N K, R]``.
        order: what the lane's decider makes of the node at first; float64 ``[N K]``.
        count: nodes of each lane; int32 ``[N]``.
        decider: who decides in a lane, -1 where nobody looks ahead; int32 ``[N]``.
        complete: 1 while no child of the lane was left out; uint8 ``[N]``.
        values: of nodes by their best children; float32 ``[N K, R]``.
        scores: what roles make of them; float64 ``[N K, R]``.
        proved: 1 where the node's value is certain; uint8 ``[N K]``.
        leaves: the best children; uint64 ``[N K, Fw]``.
        ended: 1 where they are terminal; uint8 ``[N K]``.
        end_score: what the decider makes of a lane's best terminal child, -inf for none; float64
            ``[N]``.
        end_joint: moves that lead there; int64 ``[N, R]``.
        end_values: its goals; float32 ``[N, R]``.
        node: whose children are valued, -1 for none.
        chooser: who decides there.
        ties: children as good as the best.
        best: what the chooser makes of it.
        sure: 1 while all of the node's children were terminal.
    """

    children: ChildBlocks
    width: int
    leaf: int
    proofs: int
    states: UInt64s2
    legal: UInt64s2
    joint: Int64s2
    order: Float64s1
    count: Int32s1
    decider: Int32s1
    complete: UInt8s1
    values: Float32s2
    scores: Float64s2
    proved: UInt8s1
    leaves: UInt64s2
    ended: UInt8s1
    end_score: Float64s1
    end_joint: Int64s2
    end_values: Float32s2
    node: int
    chooser: int
    ties: int
    best: float
    sure: int


def make_replies(
    children: ChildBlocks, lanes: int, width: int, *, leaf: bool, proofs: bool
) -> Replies:
    """Reserve memory."""
    nodes, roles = lanes * width, len(children.chosen)
    words, move_words = children.states.shape[1], children.legal.shape[1]
    return Replies(
        children=children,
        width=width,
        leaf=int(leaf),
        proofs=int(proofs),
        states=np.zeros((nodes, words), np.uint64),
        legal=np.zeros((nodes, move_words), np.uint64),
        joint=np.zeros((nodes, roles), np.int64),
        order=np.zeros(nodes),
        count=np.zeros(lanes, np.int32),
        decider=np.zeros(lanes, np.int32),
        complete=np.zeros(lanes, np.uint8),
        values=np.zeros((nodes, roles), np.float32),
        scores=np.zeros((nodes, roles)),
        proved=np.zeros(nodes, np.uint8),
        leaves=np.zeros((nodes, words), np.uint64),
        ended=np.zeros(nodes, np.uint8),
        end_score=np.zeros(lanes),
        end_joint=np.zeros((lanes, roles), np.int64),
        end_values=np.zeros((lanes, roles), np.float32),
        node=-1,
        chooser=0,
        ties=0,
        best=0.0,
        sure=0,
    )


@inner
def clear_lane(own: Replies, lane: int, decider: int) -> None:
    """Begin with a lane."""
    own.decider[lane], own.count[lane], own.complete[lane] = decider, 0, 1
    own.end_score[lane] = -math.inf
    for node in range(lane * own.width, (lane + 1) * own.width):
        for word in range(own.legal.shape[1]):
            own.legal[node, word] = np.uint64(0)


@inner
def place_for(own: Replies, lane: int, score: float) -> int:
    """Return the node in which a child is to be kept, -1 for none."""
    first, count = lane * own.width, own.count[lane]
    if count < own.width:
        own.count[lane] += 1
        return first + count
    own.complete[lane] = 0
    worst = first
    for node in range(first + 1, first + own.width):
        if own.order[node] < own.order[worst]:
            worst = node
    return worst if score > own.order[worst] else -1


@inner
def single_chooser(legal: UInt64s2, node: int, children: ChildBlocks) -> int:
    """Return who decides in a node, 0 if nobody has a choice, -1 if several have."""
    offsets, found = children.offsets, -1
    for role in range(len(offsets) - 1):
        if count_moves(legal, node, offsets[role], offsets[role + 1]) > 1:
            if found >= 0:
                return -1
            found = role
    return max(found, 0)

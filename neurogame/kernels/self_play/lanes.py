"""The games of self-play, one per lane, and what is kept of each until it ends."""

from __future__ import annotations

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Float64s1,
    Int32s1,
    Int64s1,
    UInt8s1,
    UInt64s2,
)
from neurogame.kernels.leaves.expander import ChildBlocks
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.rules_network.learning import Learning
from neurogame.native.struct import Struct


class GameLanes(Struct):
    """Games in lanes, and the learner that plays all their roles.

    ``N`` lanes, ``P`` plies that are kept of each, ``R`` roles, ``M`` moves of all roles, ``Fw``
    and ``Mw`` words of a packed state and of packed legal moves. Position ``t`` of lane ``n`` is
    row ``n P + t`` of all that is kept.

    Attributes:
        children: the rules, for all children of the lanes' states.
        machine: the rules, for the moves made.
        learning: the network, and how it learns.
        initial: the state in which games start; uint64 ``[1, Fw]``.
        initial_legal: its legal moves; uint64 ``[1, Mw]``.
        state: the lanes' states; uint64 ``[N, Fw]``.
        legal: their legal moves; uint64 ``[N, Mw]``.
        ply: of each lane; int32 ``[N]``.
        opening: number of random plies at the start of each lane's game; int32 ``[N]``.
        waits: 1 where the value of the last move is that of the state it led to, which is not
            known yet; uint8 ``[N]``.
        states: kept; uint64 ``[N P, Fw]``.
        modes: kept; int32 ``[N P]``.
        searched: values of positions by their best children; float32 ``[N P, R]``.
        cut: 1 where the move was not the best one; uint8 ``[N P]``.
        targets: of the game that is learned; float32 ``[N P, R]``.
        worth: what moves of several deciding roles are worth; float64 ``[M]``.
        seen: number of children that each of those moves leads to, where chance decides, too, and
            they are averaged; float64 ``[M]``.
        chance: the role that is chance, -1 if there is none.
        best: values of the best child so far; float32 ``[R]``.
        score: what the roles make of a child, as a logit; float64 ``[R]``.
        best_joint: moves that lead to the best child; int64 ``[R]``.
        other_joint: moves that lead to a random child; int64 ``[R]``.
        seed: every random choice follows from it.
        clock: plies of all lanes so far.
        rounds: given: plies to play.
        epsilon: chance of a random move, 0..1.
        lambda_: of TD(lambda), 0..1.
        openings: most random plies at the start of a game.
        stuck: 1 once some role had no legal move in a state that is not terminal.
        games: ended so far.
        plies: made so far.
        lane: whose children are valued, -1 for none.
        decided: lanes whose moves have been chosen in this ply.
        deciders: number of its roles with a choice.
        decider: the first of them, 0 for none; where only chance decides it is chance.
        drawn: whether chance is among them.
        number: of its children valued so far.
        wanted: number of the child for exploration.
        ties: children that are as good as the best.
        best_score: the best child's.
    """

    children: ChildBlocks
    machine: StateMachine
    learning: Learning
    initial: UInt64s2
    initial_legal: UInt64s2
    state: UInt64s2
    legal: UInt64s2
    ply: Int32s1
    opening: Int32s1
    waits: UInt8s1
    states: UInt64s2
    modes: Int32s1
    searched: Float32s2
    cut: UInt8s1
    targets: Float32s2
    worth: Float64s1
    seen: Float64s1
    chance: int
    best: Float32s1
    score: Float64s1
    best_joint: Int64s1
    other_joint: Int64s1
    seed: int
    clock: int = 0
    rounds: int = 0
    epsilon: float
    lambda_: float
    openings: int
    stuck: int = 0
    games: int = 0
    plies: int = 0
    lane: int = -1
    decided: int = 0
    deciders: int = 0
    decider: int = 0
    drawn: int = 0
    number: int = 0
    wanted: int = 0
    ties: int = 0
    best_score: float = 0.0

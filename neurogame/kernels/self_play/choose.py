"""All children of each lane's state, valued, and the moves chosen among them.

Chance moves at random. A state in which it alone decides is worth the mean of its children; where
others decide at the same time, their moves are worth the mean over all that may happen.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.judges.states import NONE, evaluate
from neurogame.kernels.leaves.expander import fill_children
from neurogame.kernels.leaves.picking import count_moves, masked, nth_move, unit
from neurogame.kernels.parts.load import add_parts, load, mode_of
from neurogame.kernels.parts.outputs import added, joined, logit
from neurogame.kernels.self_play.lanes import GameLanes
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word

_CERTAIN = 1e3
"""The logit of what is certain: above all that weights can say."""

_FAR = 700.0
"""Logits beyond which an exponential is no number."""
_COIN, _MOVE, _TIE = 0, 8, 16
_ONE = np.uint64(1)


@inner
def choose_all(own: GameLanes) -> None:
    """Choose the moves of all lanes; writes ``joint`` of the machine's block."""
    children = own.children
    children.given, children.states, children.legal = len(own.ply), own.state, own.legal
    children.state, children.left = -1, 0
    children.seed = own.clock << 20
    own.lane, own.decided = -1, 0
    fill_children(children)
    while children.count > 0:
        block, count = children.machine.block, children.count
        if own.logic.kind != NONE:
            evaluate(own.logic, block.states, block.lanes, count, own.child_logic)
        for child in range(count):
            lane = children.parent[child]
            if lane != own.lane:
                if own.lane >= 0:
                    _decide(own)
                _begin(own, lane)
            _look_at_child(own, child)
        fill_children(children)
    if own.lane >= 0:
        _decide(own)


@inner
def _begin(own: GameLanes, lane: int) -> None:
    """Begin with the state of a lane."""
    offsets, legal = own.children.offsets, own.legal
    own.lane, own.deciders, own.decider, own.number = lane, 0, 0, 0
    own.ties, own.best_score, own.drawn = 0, -math.inf, 0
    product = 1
    for role in range(len(offsets) - 1):
        moves = count_moves(legal, lane, offsets[role], offsets[role + 1])
        if moves > 1:
            product *= moves
            if own.deciders == 0:
                own.decider = role
            own.deciders += 1
            if role == own.chance:
                own.drawn = 1
    if own.deciders > 1:
        for word in range(legal.shape[1]):
            bits = legal[lane, word]
            while bits:
                move = 64 * word + lowest_bit(bits)
                own.worth[move], own.seen[move] = math.inf if own.drawn == 0 else 0.0, 0
                bits &= bits - _ONE
    # With several deciding roles nobody asks for it.
    own.wanted = below(_word(own, _MOVE), product) if own.deciders == 1 else 0
    load(own.learning.loaded, own.state, lane)
    if own.waits[lane] != 0:
        _value_last(own, lane)


@inner
def _word(own: GameLanes, use: int) -> np.uint64:
    """Return a random word of this lane and ply."""
    return random_word(own.seed, own.lane, (own.clock << 20) + use)


@inner
def _value_last(own: GameLanes, lane: int) -> None:
    """Note the value of the present state as that of the last move."""
    learning = own.learning
    parts, loaded, plies = learning.parts, learning.loaded, len(own.modes) // len(own.ply)
    outputs = loaded.outputs
    add_parts(parts, loaded, own.state, lane, mode_of(parts, own.state, lane), outputs)
    row = lane * plies + own.ply[lane] - 1
    for role in range(len(own.score)):
        more = added(parts, outputs, own.lane_logic, lane, role)
        own.searched[row, role] = joined(own.lane_logic[lane, role], more)
    own.waits[lane] = 0


@inner
def _look_at_child(own: GameLanes, child: int) -> None:
    """Value a child, and keep it if it is the best so far or the one for exploration."""
    block = own.children.machine.block
    if block.terminal[child]:
        for role in range(len(own.score)):
            own.score[role] = _certain(block.goals[child, role])
    else:
        _score_child(own, child)
    if own.learning.parts.opposed != 0:
        margin = own.score[0] - own.score[1]
        own.score[0], own.score[1] = margin, -margin
    if own.number == own.wanted:
        for role in range(len(own.score)):
            own.other_joint[role] = block.joint[child, role]
    own.number += 1
    if own.deciders > 1:
        for role in range(len(own.score)):
            move = block.joint[child, role]
            if own.drawn == 0:
                own.worth[move] = min(own.worth[move], own.score[role])
            else:
                own.seen[move] += 1
                value = 1 / (1 + math.exp(-min(max(own.score[role], -_FAR), _FAR)))
                own.worth[move] += (value - own.worth[move]) / own.seen[move]
        return
    if own.drawn != 0:
        _average_in(own, child)
        return
    score = own.score[own.decider]
    if score > own.best_score:
        own.ties, own.best_score = 1, score
    elif score == own.best_score:
        own.ties += 1
        if below(_word(own, _TIE + own.number), own.ties) > 0:
            return
    else:
        return
    _keep_best(own, child)


@inner
def _certain(goal: float) -> float:
    """Return the logit of a goal that is reached."""
    if goal >= 1:
        return _CERTAIN
    return logit(goal) if goal > 0 else -_CERTAIN


@inner
def _score_child(own: GameLanes, child: int) -> None:
    learning, states = own.learning, own.children.machine.block.states
    parts, loaded = learning.parts, learning.loaded
    outputs = loaded.outputs
    add_parts(parts, loaded, states, child, mode_of(parts, states, child), outputs)
    logic = own.child_logic
    for role in range(len(own.score)):
        own.score[role] = added(parts, outputs, logic, child, role)
        if own.logic.kind != NONE:
            own.score[role] += logit(logic[child, role])


@inner
def _keep_best(own: GameLanes, child: int) -> None:
    """Keep the child that has just been scored as the best one, with its values."""
    block = own.children.machine.block
    for role in range(len(own.best)):
        own.best_joint[role] = block.joint[child, role]
        # Few children are ever the best one, and logits are enough to compare them.
        own.best[role] = _value_of(own, child, role)


@inner
def _average_in(own: GameLanes, child: int) -> None:
    """Add the child that has just been scored to the mean of what chance may lead to."""
    for role in range(len(own.best)):
        mean = own.best[role] if own.number > 1 else np.float32(0)
        share = (_value_of(own, child, role) - mean) / np.float32(own.number)
        own.best[role] = mean + share


@inner
def _value_of(own: GameLanes, child: int, role: int) -> np.float32:
    """Return the value of the child that has just been scored."""
    block, logic, learning = own.children.machine.block, own.child_logic, own.learning
    found: np.float32 = block.goals[child, role]
    if not block.terminal[child]:
        more = added(learning.parts, learning.loaded.outputs, logic, child, role)
        found = joined(logic[child, role], more)
    return found


@inner
def _decide(own: GameLanes) -> None:
    """Choose the moves of the present lane."""
    own.decided += 1
    lane, joint = own.lane, own.machine.block.joint
    row = lane * (len(own.modes) // len(own.ply)) + own.ply[lane]
    opening = own.ply[lane] < own.opening[lane]
    if own.deciders > 1:
        _decide_together(own, opening)
        # What a move is worth depends on the others': its value is that of what follows.
        own.waits[lane], own.cut[row] = 1, 0
        return
    random = opening or own.drawn != 0 or unit(_word(own, _COIN)) < own.epsilon
    for role in range(len(own.best)):
        own.searched[row, role] = own.best[role]
        joint[lane, role] = own.other_joint[role] if random else own.best_joint[role]
    # What chance does is no mistake: what comes of it is learned from.
    own.cut[row] = 1 if random and own.deciders > 0 and own.drawn == 0 else 0


@inner
def _decide_together(own: GameLanes, opening: bool) -> None:
    """Choose the moves of several deciding roles, each by what it can rely on."""
    lane, joint, legal, offsets = own.lane, own.machine.block.joint, own.legal, own.children.offsets
    for role in range(len(own.best)):
        begin, end = offsets[role], offsets[role + 1]
        if opening or role == own.chance or unit(_word(own, _COIN + role)) < own.epsilon:
            moves = count_moves(legal, lane, begin, end)
            number = below(_word(own, _MOVE + role), moves)
            joint[lane, role] = nth_move(legal, lane, begin, end, number)
            continue
        best, ties = -math.inf, 0
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = masked(legal[lane, word], word, begin, end)
            while bits:
                move = 64 * word + lowest_bit(bits)
                bits &= bits - _ONE
                if own.worth[move] > best:
                    best, ties = own.worth[move], 1
                    joint[lane, role] = move
                elif own.worth[move] == best:
                    ties += 1
                    if below(_word(own, _TIE + move), ties) == 0:
                        joint[lane, role] = move

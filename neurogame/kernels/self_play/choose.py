"""All children of each lane's state, valued, and the moves chosen among them.

Chance moves at random. A state in which it alone decides is worth the mean of its children; where
others decide at the same time, their moves are worth the mean over all that may happen.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.kernels.leaves.expander import fill_children
from neurogame.kernels.leaves.picking import count_moves, masked, nth_move, unit
from neurogame.kernels.rules_network.load import compute_outputs, load
from neurogame.kernels.rules_network.outputs import added, logit, value_of
from neurogame.kernels.self_play.lanes import GameLanes
from neurogame.native.bits import lowest_bit, whole
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word

_CERTAIN = 1e3
"""The logit of what is certain: above all that weights can say."""

_FAR = 700.0
"""Logits beyond which an exponential is no number."""
_COIN, _MOVE, _TIE = 0, 8, 16
_ONE = np.uint64(1)


@inner
def choose_all(games: GameLanes) -> None:
    """Choose the moves of all lanes; writes ``joint`` of the machine's block."""
    children = games.children
    children.given, children.states, children.legal = len(games.ply), games.state, games.legal
    children.state, children.left = -1, 0
    children.seed = whole(random_word(games.seed, -1, games.clock))
    games.lane, games.decided = -1, 0
    fill_children(children)
    while children.count > 0:
        for child in range(children.count):
            lane = children.parent[child]
            if lane != games.lane:
                if games.lane >= 0:
                    _decide(games)
                _begin(games, lane)
            _look_at_child(games, child)
        fill_children(children)
    if games.lane >= 0:
        _decide(games)


@inner
def _begin(games: GameLanes, lane: int) -> None:
    """Begin with the state of a lane."""
    offsets, legal = games.children.offsets, games.legal
    games.lane, games.deciders, games.decider, games.number = lane, 0, 0, 0
    games.ties, games.best_score, games.drawn = 0, -math.inf, 0
    product = 1
    for role in range(len(offsets) - 1):
        moves = count_moves(legal, lane, offsets[role], offsets[role + 1])
        if moves > 1:
            product *= moves
            if games.deciders == 0:
                games.decider = role
            games.deciders += 1
            if role == games.chance:
                games.drawn = 1
    if games.deciders > 1:
        for word in range(legal.shape[1]):
            bits = legal[lane, word]
            while bits:
                move = 64 * word + lowest_bit(bits)
                games.worth[move], games.seen[move] = math.inf if games.drawn == 0 else 0.0, 0
                bits &= bits - _ONE
    # With several deciding roles nobody asks for it.
    games.wanted = below(_word(games, _MOVE), product) if games.deciders == 1 else 0
    load(games.learning.loaded, games.state, lane)
    if games.waits[lane] != 0:
        _value_last(games, lane)


@inner
def _word(games: GameLanes, use: int) -> np.uint64:
    """Return a random word of this lane and ply."""
    return random_word(games.seed, games.lane, (games.clock << 20) + use)


@inner
def _value_last(games: GameLanes, lane: int) -> None:
    """Note the value of the present state as that of the last move."""
    learning = games.learning
    network, loaded, plies = learning.network, learning.loaded, len(games.modes) // len(games.ply)
    outputs = loaded.outputs
    compute_outputs(network, loaded, games.state, lane, outputs)
    row = lane * plies + games.ply[lane] - 1
    for role in range(len(games.score)):
        games.searched[row, role] = value_of(added(network, outputs, role))
    games.waits[lane] = 0


@inner
def _look_at_child(games: GameLanes, child: int) -> None:
    """Value a child, and keep it if it is the best so far or the one for exploration."""
    block = games.children.machine.block
    if block.terminal[child]:
        for role in range(len(games.score)):
            games.score[role] = _certain(block.goals[child, role])
    else:
        _score_child(games, child)
    if games.learning.network.opposed != 0:
        margin = games.score[0] - games.score[1]
        games.score[0], games.score[1] = margin, -margin
    if games.number == games.wanted:
        for role in range(len(games.score)):
            games.other_joint[role] = block.joint[child, role]
    games.number += 1
    if games.deciders > 1:
        for role in range(len(games.score)):
            move = block.joint[child, role]
            if games.drawn == 0:
                games.worth[move] = min(games.worth[move], games.score[role])
            else:
                games.seen[move] += 1
                value = 1 / (1 + math.exp(-min(max(games.score[role], -_FAR), _FAR)))
                games.worth[move] += (value - games.worth[move]) / games.seen[move]
        return
    if games.drawn != 0:
        _average_in(games, child)
        return
    score = games.score[games.decider]
    if score > games.best_score:
        games.ties, games.best_score = 1, score
    elif score == games.best_score:
        games.ties += 1
        if below(_word(games, _TIE + games.number), games.ties) > 0:
            return
    else:
        return
    _keep_best(games, child)


@inner
def _certain(goal: float) -> float:
    """Return the logit of a goal that is reached."""
    if goal >= 1:
        return _CERTAIN
    return logit(goal) if goal > 0 else -_CERTAIN


@inner
def _score_child(games: GameLanes, child: int) -> None:
    learning, states = games.learning, games.children.machine.block.states
    network, loaded = learning.network, learning.loaded
    outputs = loaded.outputs
    compute_outputs(network, loaded, states, child, outputs)
    for role in range(len(games.score)):
        games.score[role] = added(network, outputs, role)


@inner
def _keep_best(games: GameLanes, child: int) -> None:
    """Keep the child that has just been scored as the best one, with its values."""
    block = games.children.machine.block
    for role in range(len(games.best)):
        games.best_joint[role] = block.joint[child, role]
        # Few children are ever the best one, and logits are enough to compare them.
        games.best[role] = _value_of(games, child, role)


@inner
def _average_in(games: GameLanes, child: int) -> None:
    """Add the child that has just been scored to the mean of what chance may lead to."""
    for role in range(len(games.best)):
        mean = games.best[role] if games.number > 1 else np.float32(0)
        share = (_value_of(games, child, role) - mean) / np.float32(games.number)
        games.best[role] = mean + share


@inner
def _value_of(games: GameLanes, child: int, role: int) -> np.float32:
    """Return the value of the child that has just been scored."""
    block, learning = games.children.machine.block, games.learning
    value: np.float32 = block.goals[child, role]
    if not block.terminal[child]:
        value = value_of(added(learning.network, learning.loaded.outputs, role))
    return value


@inner
def _decide(games: GameLanes) -> None:
    """Choose the moves of the present lane."""
    games.decided += 1
    lane, joint = games.lane, games.machine.block.joint
    row = lane * (len(games.modes) // len(games.ply)) + games.ply[lane]
    opening = games.ply[lane] < games.opening[lane]
    if games.deciders > 1:
        _decide_together(games, opening)
        # What a move is worth depends on the others': its value is that of what follows.
        games.waits[lane], games.cut[row] = 1, 0
        return
    random = opening or games.drawn != 0 or unit(_word(games, _COIN)) < games.epsilon
    for role in range(len(games.best)):
        games.searched[row, role] = games.best[role]
        joint[lane, role] = games.other_joint[role] if random else games.best_joint[role]
    # What chance does is no mistake: what comes of it is learned from.
    games.cut[row] = 1 if random and games.deciders > 0 and games.drawn == 0 else 0


@inner
def _decide_together(games: GameLanes, opening: bool) -> None:
    """Choose the moves of several deciding roles, each by what it can rely on."""
    lane, joint = games.lane, games.machine.block.joint
    legal, offsets = games.legal, games.children.offsets
    for role in range(len(games.best)):
        begin, end = offsets[role], offsets[role + 1]
        if opening or role == games.chance or unit(_word(games, _COIN + role)) < games.epsilon:
            moves = count_moves(legal, lane, begin, end)
            number = below(_word(games, _MOVE + role), moves)
            joint[lane, role] = nth_move(legal, lane, begin, end, number)
            continue
        best, ties = -math.inf, 0
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = masked(legal[lane, word], word, begin, end)
            while bits:
                move = 64 * word + lowest_bit(bits)
                bits &= bits - _ONE
                if games.worth[move] > best:
                    best, ties = games.worth[move], 1
                    joint[lane, role] = move
                elif games.worth[move] == best:
                    ties += 1
                    if below(_word(games, _TIE + move), ties) == 0:
                        joint[lane, role] = move

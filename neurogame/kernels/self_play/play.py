"""Self-play, ply by ply in all lanes; every game that has ended is learned from at once."""

from __future__ import annotations

from neurogame.judges.states import NONE, evaluate
from neurogame.kernels.leaves.machine import failed, step
from neurogame.kernels.parts.learn import learn_game
from neurogame.kernels.parts.load import mode_of
from neurogame.kernels.self_play.choose import choose_all
from neurogame.kernels.self_play.lanes import GameLanes
from neurogame.kernels.self_play.targets import make_targets
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word

_OPENING, _IMAGE = 1 << 19, (1 << 19) + 1


def play_rounds(own: GameLanes) -> None:
    """Play a number of plies in every lane."""
    block = own.machine.block
    for _ in range(own.rounds):
        _keep(own)
        choose_all(own)
        if own.decided < len(own.ply):
            own.stuck = 1
        if own.stuck != 0 or failed(own.machine) or failed(own.children.machine):
            return
        step(own.machine, block, len(own.ply))
        _go_on(own)
        own.clock += 1


def start_lanes(own: GameLanes) -> None:
    """Begin a game in every lane."""
    for lane in range(len(own.ply)):
        _restart(own, lane)


@inner
def _restart(own: GameLanes, lane: int) -> None:
    """Begin a game."""
    for word in range(own.state.shape[1]):
        own.state[lane, word] = own.initial[0, word]
    for word in range(own.legal.shape[1]):
        own.legal[lane, word] = own.initial_legal[0, word]
    for role in range(own.lane_logic.shape[1]):
        own.lane_logic[lane, role] = own.initial_logic[role]
    drawn = random_word(own.seed, lane, (own.clock << 20) + _OPENING)
    own.ply[lane], own.waits[lane] = 0, 0
    own.opening[lane] = below(drawn, own.openings + 1)


@inner
def _keep(own: GameLanes) -> None:
    """Keep the lanes' states, and hand them to the rules."""
    parents, parts = own.machine.block.parents, own.learning.parts
    plies = len(own.modes) // len(own.ply)
    for lane in range(len(own.ply)):
        row = lane * plies + own.ply[lane]
        for word in range(own.state.shape[1]):
            parents[lane, word] = own.states[row, word] = own.state[lane, word]
        for role in range(own.lane_logic.shape[1]):
            own.logics[row, role] = own.lane_logic[lane, role]
        own.modes[row] = mode_of(parts, own.state, lane)


@inner
def _go_on(own: GameLanes) -> None:
    """Go on to the states that follow; games that have ended are learned from."""
    block, plies = own.machine.block, len(own.modes) // len(own.ply)
    if own.logic.kind != NONE:
        evaluate(own.logic, block.states, block.lanes, len(own.ply), own.lane_logic)
    for lane in range(len(own.ply)):
        own.ply[lane] += 1
        own.plies += 1
        if block.terminal[lane] or own.ply[lane] >= plies:
            _end(own, lane, bool(block.terminal[lane]))
            _restart(own, lane)
            continue
        for word in range(own.state.shape[1]):
            own.state[lane, word] = block.states[lane, word]
        for word in range(own.legal.shape[1]):
            own.legal[lane, word] = block.legal[lane, word]


@inner
def _end(own: GameLanes, lane: int, terminal: bool) -> None:
    """Learn from a game that is over, or that has been cut off."""
    count, goals, targets = int(own.ply[lane]), own.machine.block.goals, own.targets
    first = lane * (len(own.modes) // len(own.ply))
    if own.waits[lane] != 0:
        # The value of the last move is that of what it led to.
        if terminal:
            for role in range(targets.shape[1]):
                own.searched[first + count - 1, role] = goals[lane, role]
        else:
            count -= 1
    make_targets(own.searched, own.cut, goals, lane, targets, first, count, own.lambda_, terminal)
    own.games += 1
    drawn = random_word(own.seed, lane, (own.clock << 20) + _IMAGE)
    image = below(drawn, own.learning.images.shape[1])
    learn_game(own.learning, own.states, own.modes, own.logics, targets, first, count, image)

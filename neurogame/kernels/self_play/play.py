"""Self-play, ply by ply in all lanes; every game that has ended is learned from at once."""

from __future__ import annotations

from neurogame.kernels.leaves.machine import step
from neurogame.kernels.rules_network.learn import learn_game
from neurogame.kernels.rules_network.load import mode_of
from neurogame.kernels.self_play.choose import choose_all
from neurogame.kernels.self_play.lanes import GameLanes
from neurogame.kernels.self_play.targets import make_targets
from neurogame.native.arrays import copy_row
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word

_OPENING, _IMAGE = 1 << 19, (1 << 19) + 1


def play_rounds(games: GameLanes) -> None:
    """Play a number of plies in every lane."""
    for _ in range(games.rounds):
        _keep(games)
        choose_all(games)
        if games.decided < len(games.ply):
            games.stuck = 1
        if (games.stuck | games.machine.failed | games.children.machine.failed) != 0:
            return
        step(games.machine, len(games.ply))
        _go_on(games)
        games.clock += 1


def start_lanes(games: GameLanes) -> None:
    """Begin a game in every lane."""
    for lane in range(len(games.ply)):
        _restart(games, lane)


@inner
def _restart(games: GameLanes, lane: int) -> None:
    """Begin a game."""
    copy_row(games.initial, 0, games.state, lane)
    copy_row(games.initial_legal, 0, games.legal, lane)
    drawn = random_word(games.seed, lane, (games.clock << 20) + _OPENING)
    games.ply[lane], games.waits[lane] = 0, 0
    games.opening[lane] = below(drawn, games.openings + 1)


@inner
def _keep(games: GameLanes) -> None:
    """Keep the lanes' states, and hand them to the rules."""
    parents, network = games.machine.block.parents, games.learning.network
    plies = len(games.modes) // len(games.ply)
    for lane in range(len(games.ply)):
        row = lane * plies + games.ply[lane]
        copy_row(games.state, lane, parents, lane)
        copy_row(games.state, lane, games.states, row)
        games.modes[row] = mode_of(network.mode_fluent, games.state, lane)


@inner
def _go_on(games: GameLanes) -> None:
    """Go on to the states that follow; games that have ended are learned from."""
    block, plies = games.machine.block, len(games.modes) // len(games.ply)
    for lane in range(len(games.ply)):
        games.ply[lane] += 1
        games.plies += 1
        if block.terminal[lane] or games.ply[lane] >= plies:
            _end(games, lane, bool(block.terminal[lane]))
            _restart(games, lane)
            continue
        copy_row(block.states, lane, games.state, lane)
        copy_row(block.legal, lane, games.legal, lane)


@inner
def _end(games: GameLanes, lane: int, terminal: bool) -> None:
    """Learn from a game that is over, or that has been cut off."""
    count, goals, targets = int(games.ply[lane]), games.machine.block.goals, games.targets
    first = lane * (len(games.modes) // len(games.ply))
    if games.waits[lane] != 0:
        # The value of the last move is that of what it led to.
        if terminal:
            for role in range(targets.shape[1]):
                games.searched[first + count - 1, role] = goals[lane, role]
        else:
            count -= 1
    make_targets(
        games.searched, games.cut, goals, lane, targets, first, count, games.lambda_, terminal
    )
    games.games += 1
    drawn = random_word(games.seed, lane, (games.clock << 20) + _IMAGE)
    image = below(drawn, games.learning.images.shape[1])
    learn_game(games.learning, games.states, games.modes, targets, first, count, image)

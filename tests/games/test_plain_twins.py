"""Library games agree with plain Python versions of the same games, state by state."""

from __future__ import annotations

import random
from itertools import compress
from typing import Any

import pytest
import torch

from neurogame.simulate.game import Game
from tests.games.plain_games import (
    Breakthrough,
    ConnectFour,
    DotsAndBoxes,
    EinStein,
    Hex,
    Pig,
    PlainGame,
    Qubic,
    Reversi,
    SmallConnectFour,
    StatedGame,
    TicTacToe,
)
from tests.games.plain_mixed_games import (
    EightPuzzle,
    Fishery,
    FourTicTacToe,
    LightsOut,
    Nim,
    Painters,
    Pegs,
    Pentago,
    Prisoners,
    Pursuit,
    RockPaperScissors,
)
from tests.games.plain_piece_games import (
    Amazons,
    Arrows,
    AtariGo,
    Checkers,
    LinesOfAction,
    Minichess,
)

TWINS: dict[str, PlainGame[Any]] = {
    "amazons5": Amazons(),
    "arrows4": Arrows(),
    "atarigo5": AtariGo(),
    "breakthrough": Breakthrough(8),
    "breakthrough6": Breakthrough(6),
    "checkers6": Checkers(),
    "connectfour": ConnectFour(),
    "connectfour5": SmallConnectFour(),
    "dotsandboxes": DotsAndBoxes(),
    "eightpuzzle": EightPuzzle(),
    "einstein": EinStein(),
    "fishery": Fishery(),
    "hex5": Hex(),
    "knightthrough": Breakthrough(8, knights=True),
    "lightsout": LightsOut(),
    "loa5": LinesOfAction(),
    "minichess5": Minichess(),
    "nim": Nim(),
    "nothello": Reversi(8, fewer=True),
    "painters": Painters(),
    "pegs": Pegs(),
    "pentago": Pentago(),
    "pig": Pig(),
    "prisoners": Prisoners(),
    "pursuit": Pursuit(),
    "qubic": Qubic(),
    "reversi": Reversi(8),
    "reversi6": Reversi(6),
    "rockpaperscissors": RockPaperScissors(),
    "tictactoe": TicTacToe(),
    "tictactoe4p": FourTicTacToe(),
}
GAMES = 24
# Games of thousands of plies are played less often.
FEW_GAMES = {"painters": 1}


@pytest.mark.parametrize("name", sorted(TWINS))
def test_random_games_agree_in_every_state(name: str) -> None:
    """Legal moves, ends and goals are the same in all states of random games.

    So are all fluents, where the twin tells them.
    """
    plain, game = TWINS[name], Game.load(name)
    simulator, rng = game.simulator(), random.Random(7)
    running = FEW_GAMES.get(name, GAMES)
    twins = [plain.initial() for _ in range(running)]
    states = simulator.initial(running)
    while running:
        if isinstance(plain, StatedGame):
            for twin, held in zip(twins, states.to_bool().tolist(), strict=True):
                assert set(compress(game.fluents, held)) == plain.fluents(twin)
        look = simulator.look(states)
        legal, terminal = look.legal.tolist(), look.terminal.tolist()
        goals = (look.goals * 100).round().int().tolist()
        running, joints = 0, []
        for lane, twin in enumerate(twins):
            result = plain.goals(twin)
            assert terminal[lane] == (result is not None)
            joints.append([0] * len(game.roles))
            if result is not None:
                assert goals[lane] == result
                continue
            running += 1
            joint = []
            for role, moves in enumerate(plain.moves(twin)):
                flags = legal[lane][game.move_offsets[role] : game.move_offsets[role + 1]]
                names = zip(game.moves[role], flags, strict=True)
                assert sorted(move for move, flag in names if flag) == sorted(moves)
                joint.append(rng.choice(moves))
                joints[lane][role] = game.moves[role].index(joint[role])
            twins[lane] = plain.next(twin, joint)
        states = simulator.step(states, torch.tensor(joints))


def perft(game: Game, plies: int) -> list[int]:
    """Return how many sequences of 1, 2, ... joint moves there are, without merging states."""
    simulator = game.simulator()
    states, counts = simulator.initial(1), []
    for _ in range(plies):
        states = simulator.expand(states).states
        counts.append(len(states))
    return counts


# Published or well known (tic-tac-toe, Connect Four, Othello), else counted by the plain twins.
COUNTS = {
    "tictactoe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0],
    "connectfour": [7, 49, 343, 2401, 16807, 117649],
    "reversi": [4, 12, 56, 244, 1396, 8200],
    "breakthrough": [22, 484, 11132],
    "pentago": [36, 288, 10080, 80640],
    "qubic": [64, 4032],
    "hex5": [25, 600, 13800],
    "connectfour_simultaneous": [64, 4096],
    "rockpaperscissors": [9, 81, 729],
    "tictactoe3p": [25, 600, 13800],
}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_numbers_of_move_sequences(name: str) -> None:
    assert perft(Game.load(name), len(COUNTS[name])) == COUNTS[name]


@pytest.mark.parametrize(
    ("name", "plies"),
    [
        *[("arrows4", 3), ("breakthrough6", 4), ("checkers6", 6), ("connectfour5", 7)],
        *[("dotsandboxes", 3), ("knightthrough", 3), ("loa5", 3), ("minichess5", 4), ("nim", 4)],
        *[("pegs", 6), ("reversi6", 5)],
    ],
)
def test_numbers_of_move_sequences_agree_with_the_twin(name: str, plies: int) -> None:
    plain = TWINS[name]
    expected = [plain.perft(plain.initial(), depth) for depth in range(1, plies + 1)]
    assert perft(Game.load(name), plies) == expected

"""Solved games: does a search play tic-tac-toe and connect four on 5 x 4 perfectly?

Each player plays matches against a solver that is independent of the package (bit boards, written
below), in both roles by turns. The solver draws among the moves that keep the value of the game.
A move of the player is an error if it makes the value of the position worse::

    python experiments/solved_games.py --matches 100
    python experiments/solved_games.py --players mcts:sims=5000 --matches 20 --json

Both games are draws, so a perfect player loses none.

With ``--evaluators``, fresh kinds or checkpoints, it says instead which share of the moves that an
evaluator chooses at one ply keeps the value of the position, by the package's own proofs: in all
positions of tic-tac-toe, and in a sample of the other game's from every number of plies::

    python experiments/solved_games.py --evaluators cilp mlp my.pt
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from kept_values import value_kept_by
from tqdm import tqdm

from neurogame.arena.exact_positions import sample_positions
from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import fresh_names
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.players.players import make_player
from neurogame.search.exact import Prover
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State

PLAYERS = (
    "mcts:sims=10000",
    "mcts:lanes=64,sims=100000",
    "alphabeta:cilp,nodes=100000",
    "alphabeta:cilp,seconds=0.2",
)


@final
@dataclass(frozen=True)
class Board:
    """A game of lines on a board of two colours.

    Attributes:
        game: name of the rulesheet.
        columns: number of columns.
        rows: number of rows.
        length: stones in a winning line.
        gravity: whether stones fall; a move then names a column only.
    """

    game: str
    columns: int
    rows: int
    length: int
    gravity: bool


BOARDS = (Board("tictactoe", 3, 3, 3, False), Board("connectfour5", 5, 4, 4, True))


@final
class Solver:
    """Exact values of all positions, from the player to move: 1 won, 0 drawn, -1 lost.

    Cell (column, row) is bit ``column * (rows + 1) + row``; the extra row keeps lines apart.
    """

    def __init__(self, board: Board) -> None:
        """Solve nothing yet; positions are solved when they are asked for."""
        self.board = board
        self._height = board.rows + 1
        self._known: dict[tuple[int, int], int] = {}
        self._full = sum(
            1 << column * self._height + row
            for column in range(board.columns)
            for row in range(board.rows)
        )

    def moves(self, taken: int) -> dict[int, int]:
        """Return the free cells: number of the cell -> its bit; with gravity one per column."""
        found = {}
        for column in range(self.board.columns):
            cells = [column * self._height + row for row in range(self.board.rows)]
            free = [cell for cell in cells if not taken >> cell & 1]
            found.update({cell: 1 << cell for cell in (free[:1] if self.board.gravity else free)})
        return found

    def value(self, own: int, other: int) -> int:
        """Return the value of a position that is not over, for the player to move."""
        key = (own, other)
        if key not in self._known:
            best = -1
            for bit in self.moves(own | other).values():
                best = max(best, self.after(own, other, bit))
                if best == 1:
                    break
            self._known[key] = best
        return self._known[key]

    def after(self, own: int, other: int, bit: int) -> int:
        """Return the value of a move for the player who makes it."""
        own |= bit
        if self._line(own):
            return 1
        if own | other == self._full:
            return 0
        return -self.value(other, own)

    def _line(self, stones: int) -> bool:
        for step in (1, self._height - 1, self._height, self._height + 1):
            run = stones
            for index in range(1, self.board.length):
                run &= stones >> index * step
            if run:
                return True
        return False

    def position(self, state: State) -> tuple[int, int, int]:
        """Return the role to move, its stones and those of the other one."""
        stones, mover = [0, 0], 0
        roles = list(state.game.roles)
        for held, text in zip(state.fluents.tolist(), state.game.fluents, strict=True):
            if not held:
                continue
            name, *rest = text.strip("()").split()
            if name == "control":
                mover = roles.index(rest[0])
            elif rest[-1] in (*roles, "x", "o"):
                owner = roles.index(rest[-1]) if rest[-1] in roles else "xo".index(rest[-1])
                stones[owner] |= 1 << (int(rest[0]) - 1) * self._height + int(rest[1]) - 1
        return mover, stones[mover], stones[1 - mover]

    def cell(self, move: str, taken: int) -> int:
        """Return the bit of a move's cell."""
        numbers = [int(word) - 1 for word in move.strip("()").split()[1:]]
        if not self.board.gravity:
            return 1 << numbers[0] * self._height + numbers[1]
        return next(
            bit for cell, bit in self.moves(taken).items() if cell // self._height == numbers[0]
        )


def play(
    game: Game, solver: Solver, player_text: str, role: int, seed: int
) -> tuple[float, list[str]]:
    """Play one match; return the player's goal and its errors."""
    player = make_player(player_text, game, seed)
    random = np.random.default_rng((seed, role))
    player.start(MatchStart(game, role, seed))
    state = game.initial_state()
    errors: list[str] = []
    while not state.is_terminal:
        mover, own, other = solver.position(state)
        values = {
            move: solver.after(own, other, solver.cell(game.moves[mover][move], own | other))
            for move in state.legal_moves[mover]
        }
        best = [move for move, value in values.items() if value == max(values.values())]
        if mover == role:
            chosen = player.choose(state, Limit())
            if chosen not in best:
                errors.append(f"{game.moves[mover][chosen]} in\n{state}")
        else:
            chosen = int(random.choice(best))
        joint = [moves[0] for moves in state.legal_moves]
        joint[mover] = chosen
        state = state.next(joint)
    player.stop()
    return float(state.goals[role] or 0.0), errors


def evaluator_of(source: str, game: Game, seed: int) -> Evaluator:
    """Return a fresh evaluator, or that of a checkpoint."""
    if source in fresh_names():
        return make_fresh(source, game, seed=seed)
    return load_checkpoint(source).evaluator(game)


def kept_rows(options: argparse.Namespace) -> list[dict[str, object]]:
    """Return how often evaluators keep the value of a position at one ply."""
    rows: list[dict[str, object]] = []
    for board in BOARDS:
        game = Game.load(board.game)
        cells = board.columns * board.rows
        count = options.positions if board.gravity else 10**6
        states = sample_positions(game, count, options.seed, range(cells))
        # It only orders moves.
        guide = make_evaluator(game, "fuzzy")
        prover = Prover(game, evaluator=guide)
        for source in options.evaluators:
            try:
                evaluator = evaluator_of(source, game, options.seed)
            except CheckpointError as error:
                # A checkpoint is of one of the games.
                tqdm.write(str(error), file=sys.stderr)
                continue
            shown = tqdm(states, desc=f"{board.game} {source}")
            found = value_kept_by(game, evaluator, shown, seed=options.seed, prover=prover)
            rows.append(
                {
                    "game": board.game,
                    "evaluator": source,
                    "positions": found.states,
                    "value kept": f"{100 * found.share:.1f} %",
                    "where a move can lose": found.telling,
                    "kept there": f"{100 * found.telling_share:.1f} %",
                }
            )
    return rows


def report(rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    """Print rows with the same names, as JSON or as a table."""
    if as_json:
        print(json.dumps(rows))
        return
    print("| " + " | ".join(rows[0]) + " |\n" + "|---" * len(rows[0]) + "|")
    for row in rows:
        print("| " + " | ".join(str(value) for value in row.values()) + " |")


def main() -> None:
    """Play all players on both games and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--players", nargs="+", default=list(PLAYERS))
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--evaluators", nargs="+", metavar="SOURCE", default=[])
    parser.add_argument("--positions", type=int, default=20, help="per number of plies")
    options = parser.parse_args()
    if options.evaluators:
        report(kept_rows(options), as_json=options.json)
        return
    rows = []
    for board in BOARDS:
        game, solver = Game.load(board.game), Solver(board)
        for text in options.players:
            goals, wrong = [], []
            for number in tqdm(range(options.matches), desc=f"{board.game} {text}"):
                goal, errors = play(game, solver, text, number % 2, options.seed + number // 2)
                goals.append(goal)
                wrong += errors
            rows.append(
                {
                    "game": board.game,
                    "player": text,
                    "matches": len(goals),
                    "won": goals.count(100),
                    "drawn": goals.count(50),
                    "lost": goals.count(0),
                    "errors": len(wrong),
                }
            )
    report(rows, as_json=options.json)


if __name__ == "__main__":
    main()

"""Games of one role by nested Monte-Carlo search and by learned playouts, beside the solver.

Each algorithm has a minute from the initial state on, which is more than a player has: nothing is
kept for the moves. Games are played side by side in compiled circuits, and what ends is scored by
its goal, then by the share of the goal's conditions that hold (fuzzy logic), then by its length.

``nmcs`` is nested Monte-Carlo search of level 1 and 2 by turns, with the memory of the best line.
``nrpa`` is nested rollout policy adaptation of level 2: eight searches side by side, each playing
sixteen games with a policy before it is adapted to the best line; weights belong to moves and to
moves of a ply by turns, and each time round there are twice as many iterations. ``solve`` is the
package's own. One line of a file per run, so that it can be interrupted and started again::

    python experiments/nested_puzzles.py ../shared/games --out runs/nested-puzzles

*References:* Cazenave, "Nested Monte-Carlo search" (2009); Rosin, "Nested rollout policy
adaptation for Monte Carlo tree search" (2011); Cazenave, Sevestre and Toulemont, "Stabilized
nested rollout policy adaptation" (2020), for several games per iteration.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import numpy as np
import torch
from tqdm import tqdm

from neurogame.array_types import Float32s, Int64s
from neurogame.errors import GameError, NeurogameWarning
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.kernels.joint_moves import joint_moves
from neurogame.search.puzzles.solver import PuzzleSolver
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

ALGORITHMS = ("solve", "nrpa", "nmcs")
PUZZLES = (
    "asteroidsParallel",
    "eightPuzzle",
    "firefighter",
    "futoshiki6",
    "max_knights",
    "nonogram_10x10_1",
    "pancakes6",
    "pancakes88",
    "queens",
    "queens08ug",
    "rubiksCube",
    "stateSpaceLarge",
    "sudokuGrade2",
)
"""Those in which a minute of plain tree search does not reach the highest goal."""
_LONGEST = 500
_GAMES, _SEARCHES = 16, 8
_STEP = 1.0
"""Of the adaptation, for each iteration."""

Policy = Callable[[Int64s, int], Float32s]
Score = tuple[float, float, float]
_NONE: Score = (-1.0, 0.0, 0.0)


@dataclass
class Found:
    """What an end came to: its score, and the moves that led there."""

    score: Score = _NONE
    moves: list[int] = field(default_factory=list)


class Table:
    """Plays many games of a puzzle side by side, and remembers the best goal."""

    def __init__(self, game: Game, seed: int, until: float) -> None:
        """Prepare it; ``until`` is the time at which searches stop."""
        self.simulator = game.simulator(backend="auto")
        self.move_count = game.move_offsets[-1]
        self.best, self.games, self._until = _NONE, 0, until
        self._top = max((value for value, _ in game.circuit.goals[0]), default=0)
        self._random = np.random.default_rng(seed)
        self._credit: Evaluator | None = None
        if game.circuit.gate_count <= 100_000:
            try:
                self._credit = make_fresh("fluxplayer", game, recall=True)
            except GameError:
                self._credit = None

    def is_over(self) -> bool:
        """Whether a search is to stop: no time is left, or nothing is left to find."""
        return time.monotonic() >= self._until or self.best[0] >= self._top

    def play(self, states: StateBatch, policy: Policy | None, depth: int = 0) -> list[Found]:
        """Play games to their ends.

        Args:
            states: where they begin.
            policy: weights of all moves, given which games go on and the ply; None: random moves.
            depth: plies before the states.
        """
        found = [Found() for _ in range(len(states))]
        live, ply = np.arange(len(states)), depth
        made: list[Int64s] = []
        while len(live):
            legal, terminal = self.simulator.status(states)
            ends = (terminal | ~legal.any(dim=1)).numpy() | (ply >= _LONGEST)
            if ends.any():
                over = states.select(torch.from_numpy(np.flatnonzero(ends)))
                for lane, score in zip(live[ends], self._scores(over, ply), strict=True):
                    found[lane] = Found(score, [int(row[lane]) for row in made])
                rest = torch.from_numpy(np.flatnonzero(~ends))
                live, states, legal = live[~ends], states.select(rest), legal[rest]
                if not len(live):
                    break
            draws = self._random.gumbel(size=legal.shape).astype(np.float32)
            if policy is not None:
                draws += policy(live, ply)
            draws[~legal.numpy()] = -np.inf
            moves = draws.argmax(axis=1)
            row = np.zeros(len(found), np.int64)
            row[live] = moves
            made.append(row)
            states = self.simulator.step(states, torch.from_numpy(moves)[:, None], check=False)
            ply += 1
        self.games += len(found)
        self.best = max(self.best, max((one.score for one in found), default=_NONE))
        return found

    def _scores(self, ends: StateBatch, ply: int) -> list[Score]:
        goals = torch.round(100 * self.simulator.look(ends).goals[:, 0])
        if ply >= _LONGEST:
            goals.zero_()
        credit = torch.zeros(len(ends))
        if self._credit is not None:
            with torch.no_grad():
                credit = self._credit.values(ends)[:, 0]
        pairs = zip(goals.tolist(), credit.tolist(), strict=True)
        return [(goal, share, float(ply)) for goal, share in pairs]


def nested(table: Table, level: int, states: StateBatch, depth: int = 0) -> list[Found]:
    """Nested Monte-Carlo search from many states side by side (Cazenave 2009, figure 1)."""
    if level == 0:
        return table.play(states, None, depth)
    best = [Found() for _ in range(len(states))]
    live, begun = np.arange(len(states)), depth
    while len(live) and not table.is_over():
        legal, terminal = table.simulator.status(states)
        ends = (terminal | ~legal.any(dim=1)).numpy()
        for lane in live[ends]:
            if best[lane].score == _NONE:
                (best[lane],) = table.play(states.select(torch.tensor([0])), None, depth)
        rest = torch.from_numpy(np.flatnonzero(~ends))
        live, states, legal = live[~ends], states.select(rest), legal[rest]
        if not len(live):
            break
        parent, joint = joint_moves(legal, table.simulator.move_offsets)
        children = table.simulator.step(states.select(parent), joint, check=False)
        replies = nested(table, level - 1, children, depth + 1)
        moves = joint[:, 0].tolist()
        for place, move, reply in zip(parent.tolist(), moves, replies, strict=True):
            lane = live[place]
            if reply.score > best[lane].score:
                before = best[lane].moves[: depth - begun]
                best[lane] = Found(reply.score, [*before, move, *reply.moves])
        follow = [best[lane].moves[depth - begun] for lane in live]
        states = table.simulator.step(states, torch.tensor(follow)[:, None], check=False)
        depth += 1
    return best


class Adaptation:
    """Nested rollout policy adaptation (Rosin 2011, figure 1), several searches side by side."""

    def __init__(self, table: Table, root: StateBatch, *, plies: int, iterations: int) -> None:
        """Prepare it; weights belong to moves of so many plies, 1: to moves alone."""
        self._table, self._root, self._plies, self._iterations = table, root, plies, iterations

    def run(self, level: int, weights: Float32s | None = None) -> list[Found]:
        """Search with a policy; weights are float32 ``[searches, plies, moves]``."""
        if weights is None:
            shape = (_SEARCHES, self._plies, self._table.move_count)
            weights = np.zeros(shape, np.float32)
        best = [Found() for _ in range(_SEARCHES)]
        for _ in range(self._iterations):
            if self._table.is_over():
                break
            found = self.run(level - 1, weights) if level > 1 else self._played(weights)
            best = [
                new if new.score >= old.score else old for new, old in zip(found, best, strict=True)
            ]
            weights = self._adapted(weights, best)
        return best

    def _played(self, weights: Float32s) -> list[Found]:
        """Return the best of some games of each search."""
        lanes = torch.zeros(_SEARCHES * _GAMES, dtype=torch.int64)

        def policy(live: Int64s, ply: int) -> Float32s:
            chosen: Float32s = weights[live // _GAMES, min(ply, self._plies - 1)]
            return chosen

        found = self._table.play(self._root.select(lanes), policy)
        own = [found[first : first + _GAMES] for first in range(0, len(found), _GAMES)]
        return [max(games, key=lambda one: one.score) for games in own]

    def _adapted(self, weights: Float32s, best: Sequence[Found]) -> Float32s:
        """Return weights that make the best lines likelier."""
        adapted, live = weights.copy(), np.arange(_SEARCHES)
        states = self._root.select(torch.zeros(_SEARCHES, dtype=torch.int64))
        for ply in range(max(len(one.moves) for one in best)):
            goes_on = np.array([ply < len(best[lane].moves) for lane in live.tolist()])
            states = states.select(torch.from_numpy(np.flatnonzero(goes_on)))
            live, place = live[goes_on], min(ply, self._plies - 1)
            legal = self._table.simulator.status(states)[0].numpy()
            logits = np.where(legal, weights[live, place], -np.inf)
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            moves = np.array([best[lane].moves[ply] for lane in live.tolist()])
            adapted[live, place] -= _STEP * shares / shares.sum(axis=1, keepdims=True)
            adapted[live, place, moves] += _STEP
            follow = torch.from_numpy(moves)[:, None]
            states = self._table.simulator.step(states, follow, check=False)
        return adapted


def by_nmcs(table: Table, root: StateBatch) -> None:
    """Search of level 1 and 2 by turns until the time is over."""
    level = 1
    while not table.is_over():
        nested(table, level, root)
        level = 3 - level


def by_nrpa(table: Table, root: StateBatch) -> None:
    """Search with weights of moves and of moves of a ply by turns until the time is over."""
    sample = table.play(root.select(torch.zeros(64, dtype=torch.int64)), None)
    longest = max(len(one.moves) for one in sample) + 1
    iterations = 20
    while not table.is_over():
        for plies in (1, longest):
            Adaptation(table, root, plies=plies, iterations=iterations).run(2)
        iterations *= 2


class Line(TypedDict):
    """One run: the best goal in so many seconds, and what it cost."""

    game: str
    algorithm: str
    seed: int
    goal: float
    highest: int
    seconds: float
    games: int


def search(path: Path, algorithm: str, minute: float, seed: int) -> Line:
    """Search one puzzle with one algorithm."""
    game = Game.load(path)
    state = game.initial_state()
    solver = PuzzleSolver(game, seed)
    solver.rehearse(state, 0, 0.1)
    solver.forget()
    begun = time.monotonic()
    until = begun + minute
    if algorithm == "solve":
        solver.ponder(state, 0, lambda: time.monotonic() >= until)
        line, games = solver.line, 0
        goal = float(line.goal) if line is not None and line.is_over else 0.0
    else:
        table = Table(game, seed, until)
        (by_nrpa if algorithm == "nrpa" else by_nmcs)(table, state.batch)
        goal, games = max(table.best[0], 0.0), table.games
    return Line(
        game=path.stem,
        algorithm=algorithm,
        seed=seed,
        goal=goal,
        highest=max((value for value, _ in game.circuit.goals[0]), default=0),
        seconds=round(time.monotonic() - begun, 1),
        games=games,
    )


def report(lines: Sequence[Line]) -> str:
    """Return a table with a row for each puzzle and seed."""
    found = {(line["game"], line["seed"], line["algorithm"]): line for line in lines}
    text = [f"{'game':20s} {'seed':>4s} " + "".join(f"{name:>24s}" for name in ALGORITHMS)]
    for game, seed in sorted({(line["game"], line["seed"]) for line in lines}):
        cells = []
        for algorithm in ALGORITHMS:
            line = found.get((game, seed, algorithm))
            games = f", {line['games']:,} games" if line and line["games"] else ""
            cells.append(f"{line['goal']:.0f} ({line['seconds']:.0f} s{games})" if line else "")
        text.append(f"{game:20s} {seed:4d} " + "".join(f"{cell:>24s}" for cell in cells))
    return "\n".join(text)


def main() -> int:
    """Run what is missing and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of rulesheets")
    parser.add_argument("--games", nargs="+", default=PUZZLES, help="names")
    parser.add_argument("--minute", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--out", type=Path, default=Path("runs/nested-puzzles"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", NeurogameWarning)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "searches.jsonl"
    lines: list[Line] = []
    if path.exists():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    done = {(line["game"], line["seed"], line["algorithm"]) for line in lines}
    todo = [
        (name, seed, algorithm)
        for name in options.games
        for seed in options.seeds
        for algorithm in ALGORITHMS
        if (name, seed, algorithm) not in done
    ]
    for name, seed, algorithm in tqdm(todo, unit="search"):
        line = search(options.folder / f"{name}.kif", algorithm, options.minute, seed)
        lines.append(line)
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
    print(report(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

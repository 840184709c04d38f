"""Which puzzles fall apart into independent factors, and what that is worth.

``count`` lists for each rulesheet of one role in some folders how many factors it has, how many of
them a goal or the end depends on, and fluents and moves of the largest. ``solve`` searches sheets
with the whole solver, and with the layers alone, for so many processor seconds, and says what both
found, after how many states and seconds. A name with a number (``eightpuzzle*3``) is the library's
eight puzzle, so many times side by side::

    python experiments/factors.py count games ../shared/games
    python experiments/factors.py solve eightpuzzle*2 ../shared/games/nonogram_10x10_1.kif
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from neurogame.errors import NeurogameError
from neurogame.gdl.library import load_rules
from neurogame.gdl.write import rules_text
from neurogame.regress.factors import independent_factors
from neurogame.search.limit import Limit
from neurogame.search.puzzles.solver import LARGE, PuzzleSolver
from neurogame.simulate.game import Game

_OWN = ("cell", "slide", "slides", "placed", "total")
_LEFT_OUT = ("(base", "(input", "(<= (goal", "terminal", "solved")
_MOVES = 30


def side_by_side(copies: int) -> str:
    """Return several of the library's eight puzzle, with as many moves for each as alone."""
    text = [f"(<= moved_{k} (does player (slide_{k} ?t)))" for k in range(copies)]
    for rule in re.split(r"\n(?=\()", rules_text(load_rules("eightpuzzle"))):
        if any(word in rule for word in _LEFT_OUT):
            continue
        is_own = any(f"({word} " in rule for word in _OWN)
        for k in range(copies if is_own else 1):
            text.append(re.sub(rf"\(({'|'.join(_OWN)}) ", rf"(\1_{k} ", rule))
    text += [f"(step {n} {n + 1})" for n in range(_MOVES, _MOVES * copies)]
    text += [
        f"(<= (next (cell_{k} ?x ?y blank)) (true (cell_{k} ?x ?y blank)) (not moved_{k}))"
        for k in range(copies)
    ]
    done = " ".join(f"(total_{k} 8 8)" for k in range(copies))
    text.append(f"(<= done {done}) (<= terminal done)")
    text.append(f"(<= terminal (true (moves {_MOVES * copies})))")
    text.append("(<= (goal player 100) done) (<= (goal player 0) (not done))")
    return "\n".join(text)


def load(name: str) -> Game:
    """Return a game by its path or name, or copies of the eight puzzle."""
    copies = re.fullmatch(r"eightpuzzle\*(\d+)", name)
    return Game.from_text(side_by_side(int(copies[1])), name) if copies else Game.load(name)


def count(folders: list[str]) -> list[str]:
    """Return a row for each rulesheet of one role that falls apart, and one for all others."""
    rows, others = ["| rulesheet | factors | that matter | fluents, moves of the largest |"], []
    rows.append("|---|--:|--:|---|")
    for path in (path for folder in folders for path in sorted(Path(folder).glob("*.kif"))):
        try:
            game = Game.load(path)
        except NeurogameError:
            continue
        if len(game.roles) != 1 or game.circuit.gate_count > LARGE:
            continue
        found = independent_factors(game.circuit)
        if len(found) < 2:
            others.append(path.stem)
            continue
        matter = sum(factor.matters and len(factor.moves) > 0 for factor in found)
        largest = max(found, key=lambda factor: len(factor.fluents))
        size = f"{len(largest.fluents)}, {len(largest.moves)}"
        rows.append(f"| {path.stem} | {len(found)} | {matter} | {size} |")
    return [*rows, f"| {len(others)} others | 1 | | |"]


def solve(name: str, seconds: float) -> str:
    """Return what is found in a game with factors, and without."""
    cells = []
    for with_factors in (True, False):
        game = load(name)
        solver = PuzzleSolver(game, factors=with_factors)
        begun = time.process_time()
        found = solver.search(game.initial_state(), 0, Limit(seconds=seconds))
        spent = time.process_time() - begun
        goal = 0 if solver.line is None else solver.line.goal
        proved = ", the best" * solver.is_decided
        cells.append(f"{goal}{proved}; {found.nodes:,} states, {spent:.1f} s")
    return f"| {game.name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("count", "solve"))
    parser.add_argument("names", nargs="+", help="folders, or games")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each search")
    options = parser.parse_args()
    if options.what == "count":
        print("\n".join(count(options.names)))
        return
    print("| rulesheet | with factors | by layers alone |\n|---|---|---|")
    for name in options.names:
        print(solve(name, options.seconds), flush=True)


if __name__ == "__main__":
    main()

"""Simulations a second of plain UCT, one leaf at a time, beside another checkout and OpenSpiel.

python -m benchmarks.one_leaf ../shared/games
python -m benchmarks.one_leaf ../shared/games --games connectFour chess --checkout ../before

Searches of as many simulations each from the initial state, whose tree is forgotten in between; per
second of processor time on one thread. All take turns, in processes of their own, and medians are
told. OpenSpiel's is its search in C++ with one random rollout of a leaf, of its own program for the
game; it is left out where the module ``pyspiel`` is not installed, or has no such game.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SPIEL = {
    "ticTacToe": "tic_tac_toe",
    "connectFour": "connect_four",
    "breakthrough": "breakthrough",
    "pentago": "pentago",
    "reversi": "othello",
    "checkers": "checkers",
    "hex": "hex(board_size=9)",
    "chess": "chess",
    "chess_200": "chess",
}
"""Rulesheets and OpenSpiel's name of the same game, or of the nearest."""
GAMES = (
    *SPIEL,
    *("knightThrough", "nineBoardTicTacToe", "quarto", "dotsAndBoxes", "blocker", "skirmish"),
)


def _ours(rules: Path, simulations: int) -> Callable[[], None]:
    """Return a search by this package."""
    from neurogame.search.limit import Limit
    from neurogame.search.mcts.mcts import Mcts
    from neurogame.search.mcts.settings import MctsSettings
    from neurogame.simulate.game import Game

    game = Game.load(rules)
    state = game.initial_state()
    role = next((r for r, moves in enumerate(state.legal_moves) if len(moves) > 1), 0)
    mcts = Mcts(game, settings=MctsSettings(lanes=1, reuse=False, solver=False), seed=1)

    def search() -> None:
        mcts.forget()
        mcts.search(state, role, Limit(simulations=simulations))

    return search


def _spiels(name: str, simulations: int) -> Callable[[], None]:
    """Return a search by OpenSpiel."""
    import pyspiel

    game = pyspiel.load_game(name)
    rollout = pyspiel.RandomRolloutEvaluator(1, 7)
    # Of the constant, of no memory limit, without a solver; nothing is printed.
    bot = pyspiel.MCTSBot(game, rollout, 1.4, simulations, 4000, False, 1, False)
    return lambda: bot.mcts_search(game.new_initial_state())


def _rate(search: Callable[[], None], simulations: int, seconds: float) -> float:
    """Return simulations per second of processor time."""
    search()
    begun, done = time.process_time(), 0
    while time.process_time() - begun < seconds:
        search()
        done += simulations
    return done / (time.process_time() - begun)


def _in_new_process(checkout: Path, arguments: list[str]) -> float:
    """Return a rate that a process measures with the package of a checkout."""
    line = [sys.executable, str(Path(__file__).resolve()), *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    # What else is on the path, such as the module of OpenSpiel, stays there.
    rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    environment["PYTHONPATH"] = os.pathsep.join([str(checkout.resolve()), *filter(None, rest)])
    done = subprocess.run(line, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure the games and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of rulesheets")
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--simulations", type=int, default=2000, help="of a search")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of a run")
    parser.add_argument("--runs", type=int, default=5, help="runs of which the median is taken")
    parser.add_argument("--checkout", type=Path, help="of this package, to be compared with")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    common = [str(options.folder), "--seconds", str(options.seconds)]
    common += ["--simulations", str(options.simulations)]
    if options.child:
        kind, name = options.child.split("=", 1)
        made = _spiels if kind == "spiel" else lambda game, n: _ours(options.folder / game, n)
        print(
            json.dumps(_rate(made(name, options.simulations), options.simulations, options.seconds))
        )
        return
    here = Path(__file__).resolve().parent.parent
    has_spiel = importlib.util.find_spec("pyspiel") is not None
    print("| game | this one | other checkout | OpenSpiel | over the other | over OpenSpiel |")
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    for game in options.games:
        sources: list[tuple[Path, str] | None] = [(here, f"ours={game}.kif"), None, None]
        if options.checkout is not None:
            sources[1] = options.checkout, f"ours={game}.kif"
        if has_spiel and game in SPIEL:
            sources[2] = here, f"spiel={SPIEL[game]}"
        rates: list[list[float]] = [[], [], []]
        for _ in range(options.runs):
            for source, measured in zip(sources, rates, strict=True):
                if source is not None:
                    checkout, child = source
                    measured.append(_in_new_process(checkout, [*common, "--child", child]))
        medians = [statistics.median(some) if some else None for some in rates]
        shown = ["–" if one is None else f"{one:,.0f}" for one in medians]
        first = medians[0] or 0.0
        shown += ["–" if one is None else f"{first / one:.1f}" for one in medians[1:]]
        print(f"| {game} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()

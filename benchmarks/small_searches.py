"""What a search costs beside its simulations, in Python and over HTTP.

python -m benchmarks.small_searches ../shared/games/ticTacToe.kif ../shared/games/connectFour.kif

Milliseconds to make another search object of a game; microseconds of ``Mcts.search`` with one
simulation and with a hundred, of one search object, from the same state, while its tree grows; and
milliseconds from PLAY to the answer of ``neurogame serve --player mcts:sims=100`` on this machine,
less what the search itself took. Between two PLAY the player thinks on. Medians.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

import torch

from neurogame.gdl.write import rules_text
from neurogame.ggp.protocol.messages import Abort, Message, Play, Start, message_text
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.simulate.game import Game

_PAUSE = 0.05
"""Seconds between two questions."""


def microseconds(work: Callable[[], object], times: int) -> float:
    """Return the median of what something takes."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return 1e6 * median(found)


def beside_searches(game: Game, times: int) -> list[float]:
    """Return the seconds from PLAY to each answer, less those of its search."""
    with tempfile.TemporaryDirectory() as folder:
        line = ["serve", "--player", "mcts:sims=100", "--port", "0", "--log", folder]
        with subprocess.Popen(
            [sys.executable, "-m", "neurogame.cli.main", *line], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            found = None
            while found is None:
                found = re.search(r"http://[\d.:]+", server.stdout.readline())
            address = found[0]

            def ask(message: Message) -> float:
                begun = time.perf_counter()
                data = message_text(message).encode()
                urlopen(Request(address, data=data)).read()
                return time.perf_counter() - begun

            ask(Start("m", game.roles[0], rules_text(game.rules), 60, 5))
            taken = []
            for _ in range(times):
                time.sleep(_PAUSE)
                taken.append(ask(Play("m", None)))
            ask(Abort("m"))
            server.terminate()
        (log,) = Path(folder).iterdir()
        events = map(json.loads, log.read_text().splitlines())
        searched = [event["seconds"] for event in events if event["event"] == "move"]
    return [whole - search for whole, search in zip(taken, searched, strict=True)]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="+", type=Path, help="rulesheets")
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| game | made, ms | 1 simulation, µs | 100, µs | PLAY beside the search, ms | longest |")
    print("|---|--:|--:|--:|--:|--:|")
    for path in options.games:
        game = Game.load(path)
        search, state = Mcts(game), game.initial_state()
        made = microseconds(partial(Mcts, game), options.times) / 1e3
        one, hundred = (
            microseconds(partial(search.search, state, 0, Limit(simulations=n)), times)
            for n, times in ((1, 20 * options.times), (100, options.times))
        )
        beside = [1e3 * seconds for seconds in beside_searches(game, options.times)]
        print(
            f"| {game.name} | {made:.1f} | {one:.0f} | {hundred:.0f} | {median(beside):.1f} "
            f"| {max(beside):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

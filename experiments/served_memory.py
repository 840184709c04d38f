"""How much memory does ``neurogame serve`` take: idle, after INFO, in a match, after it?

Starts a player, plays two moves of a game with it, and prints a row of figures for each turn::

    python experiments/served_memory.py ../shared/games/ticTacToe.kif --players mcts --turns 3

Memory is that of all processes of the player, from ``/proc`` (Linux); pages that several of them
share count once. It is idle after ``--rest`` seconds without a message. START follows INFO by
``--gap`` seconds; in a second match, of a player that was started anew, it ends the rest. ``ready``
is when the search could begin.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from loopback_matches import Server, tree_memory

from neurogame.gdl.write import rules_text
from neurogame.ggp.protocol.messages import Play, Start, Stop, message_text
from neurogame.simulate.game import Game

FOLLOWED = ("ready after INFO", "ready without")


def ask(server: Server, message: str) -> str:
    """Return what a player answers."""
    with urlopen(Request(server.address, data=message.encode())) as reply:
        return str(reply.read().decode())


def measure(game: Game, player: str, options: argparse.Namespace) -> dict[str, float]:
    """Return megabytes and seconds of a player that is started twice."""
    found: dict[str, float] = {}

    def look(what: str) -> None:
        megabytes = tree_memory(server.process.pid).proportional / 1e6
        found[what] = max(megabytes, found.get(what, 0.0))

    for ready in FOLLOWED:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            server = Server(player, 0, Path(folder))
            found["starts"] = time.monotonic() - begun
            try:
                time.sleep(options.gap)
                look("at first")
                time.sleep(options.rest)
                look("idle")
                if ready == FOLLOWED[0]:
                    ask(server, "( INFO )")
                    time.sleep(options.gap)
                    look("after INFO")
                play(game, server, options.start_clock, lambda: look("in a match"))
                (log,) = server.logs.iterdir()
                events = [json.loads(line) for line in log.read_text().splitlines()]
                found[ready] = seconds(events[0], next(e for e in events if e["event"] == "ready"))
                look("after a match")
            finally:
                server.stop()
    return found


def play(game: Game, server: Server, start_clock: float, moved: Any) -> None:
    """Play two moves of a match, the first role's by the player; call back after each."""
    ask(server, message_text(Start("m", game.roles[0], rules_text(game.rules), start_clock, 2)))
    state, last = game.initial_state(), None
    for _ in range(2):
        move = ask(server, message_text(Play("m", last)))
        moved()
        names = [game.moves[role][moves[0]] for role, moves in enumerate(state.legal_moves)]
        last = (move, *names[1:])
        state = state.next(last)
    ask(server, message_text(Stop("m", last)))


def seconds(first: dict[str, Any], then: dict[str, Any]) -> float:
    """Return the time between two events of a log."""
    begun, ended = (datetime.fromisoformat(event["time"]) for event in (first, then))
    return (ended - begun).total_seconds()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", type=Path, help="a rulesheet")
    parser.add_argument("--players", nargs="+", default=["auto", "mcts", "alphabeta:cilp"])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--gap", type=float, default=10.0, help="seconds until it is at rest")
    parser.add_argument("--rest", type=float, default=310.0, help="seconds until it is idle")
    parser.add_argument("--start-clock", type=float, default=10.0)
    options = parser.parse_args()
    game, names = Game.load(options.game), list[str]()
    for player in options.players:
        for _ in range(options.turns):
            found = measure(game, player, options)
            if not names:
                names = list(found)
                print("| player |", " | ".join(names), "|\n|---|" + "--:|" * len(names))
            print(
                f"| {player} |", " | ".join(f"{found[name]:.1f}" for name in names), "|", flush=True
            )


if __name__ == "__main__":
    main()

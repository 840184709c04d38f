"""Test positions: how many does a search solve within a limit of time?

Each line of the file names a rulesheet, the role to move, a state and the moves that are good. A
position counts as solved by a player if it is in more than half of the runs with different
seeds::

    python experiments/positions.py ../shared/positions.jsonl ../shared/games --runs 3

Positions of rulesheets that are not in the folder are listed as missing.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State

PLAYERS = ("mcts", "mcts:playout=mast,tree=rave", "alphabeta:cilp", "alphabeta:fluxplayer")


def words(text: str) -> str:
    """Return a term without needless blanks: ``(cell 1 1 b)``."""
    return (
        " ".join(text.replace("(", " ( ").replace(")", " ) ").split())
        .replace("( ", "(")
        .replace(" )", ")")
    )


def read_state(game: Game, text: str) -> State:
    """Return the state that a list of fluents describes."""
    inner = words(text)[1:-1]
    fluents, depth, begin = [], 0, 0
    for place, letter in enumerate(inner):
        if letter == "(":
            begin = place if depth == 0 else begin
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                fluents.append(inner[begin : place + 1])
    return game.state(fluents)


def solve(line: dict[str, Any], game: Game, player_text: str, limit: Limit, seed: int) -> Any:
    """Return whether the chosen move is good, the move, and the search's result."""
    player = make_player(player_text, game, seed)
    role = int(line["role_index"])
    player.start(MatchStart(game, role, seed))
    chosen = player.choose(read_state(game, line["state"]), limit)
    found = getattr(player, "last", None)
    player.stop()
    move = game.moves[role][chosen]
    return move in {words(good) for good in line["good_moves"]}, move, found


def main() -> None:
    """Try all positions and print how many were solved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("positions", type=Path)
    parser.add_argument("games", type=Path)
    parser.add_argument("--players", nargs="+", default=list(PLAYERS))
    parser.add_argument("--limit", default="seconds=5")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    limit = Limit.parse(options.limit)
    lines = [json.loads(line) for line in options.positions.read_text().splitlines()]
    rows = []
    for number, line in enumerate(tqdm(lines, unit="position")):
        path = options.games / f"{line['game']}.kif"
        if not path.is_file():
            rows.append({"position": number, "game": line["game"], "missing": True})
            continue
        game = Game.load(str(path))
        for text in options.players:
            tries = [
                solve(line, game, text, limit, options.seed + run) for run in range(options.runs)
            ]
            good = [was_good for was_good, _, _ in tries]
            seconds = [found.seconds for _, _, found in tries if found is not None]
            rows.append(
                {
                    "position": number,
                    "game": line["game"],
                    "player": text,
                    "solved": sum(good),
                    "runs": len(good),
                    "moves": sorted({move for _, move, _ in tries}),
                    "seconds": statistics.median(seconds) if seconds else None,
                }
            )
    if options.json:
        print(json.dumps(rows))
        return
    _print(rows, options.players, len(lines))


def _print(rows: list[dict[str, Any]], players: list[str], count: int) -> None:
    print("| position | game | " + " | ".join(players) + " |\n|---" * 1 + "|---" * 0, end="")
    print("|---" * (1 + len(players)) + "|")
    totals = dict.fromkeys(players, 0)
    for number in range(count):
        own = [row for row in rows if row["position"] == number]
        cells = []
        for row in own:
            if "missing" in row:
                cells = ["no rulesheet"] * len(players)
                break
            solved = 2 * row["solved"] > row["runs"]
            totals[row["player"]] += solved
            cells.append(f"{row['solved']}/{row['runs']} {', '.join(row['moves'])}")
        print(f"| {number} | {own[0]['game']} | " + " | ".join(cells) + " |")
    print("| solved | | " + " | ".join(str(total) for total in totals.values()) + " |")


if __name__ == "__main__":
    main()

"""What goal networks gain by learning, beside a rules network that learns for as many seconds.

    python experiments/goal_networks_learn.py --seconds 60 --out runs/networks GAME...
    python experiments/goal_networks_learn.py --out runs/networks --report

One processor core; compilation is done before the clock starts. What has learned plays the
untrained goal networks, and goal networks that have learned play rules networks that have: one ply
ahead, from openings of exactly four random plies, each in both roles. A finished cell stays in the
folder.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from cells import Cells, pooled, progress

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.comparison import compare
from neurogame.learn.recipe import fitted
from neurogame.learn.trainer import learner_of
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game

GAMES = (
    "tictactoe",
    "bidding_tictactoe",
    "connectfour",
    "breakthrough6",
    "knightthrough",
    "qubic",
    "pentago",
    "checkers6",
    "hex5",
    "reversi6",
)
SEED = 70_000


def run(game: Game, kind: str, seed: int, seconds: float, matches: int) -> dict[str, Any]:
    """Let goal networks and a rules network learn, and return how they play.

    Args:
        game: the game.
        kind: of the goal networks.
        seed: of both runs.
        seconds: of learning, each.
        matches: of each pairing.
    """
    networks = EvaluatorConfig(kind=kind)
    untrained = make_evaluator(game, networks, seed).requires_grad_(False)
    row: dict[str, Any] = {"game": game.name, "kind": kind, "seed": seed, "seconds": seconds}
    learned: dict[str, Evaluator] = {}
    for name, given in (("networks", {"evaluator": networks}), ("rules network", {})):
        learner_of(game, fitted(game, {**given, "lanes": 16}, seed=seed)).round()  # Compiles.
        learner = learner_of(game, fitted(game, given, seed=seed))
        while learner.counters.seconds < seconds:
            learner.round()
        learned[name] = learner.averaged
        row[f"{name} games"] = learner.counters.matches
    for key, one, other in (
        ("networks to untrained", learned["networks"], untrained),
        ("rules network to untrained", learned["rules network"], untrained),
        ("networks to rules network", learned["networks"], learned["rules network"]),
    ):
        row[key] = compare(
            game,
            one,
            other,
            matches=matches,
            seed=SEED + seed,
            opening_plies=4,
            opening_nodes=0,
            margin=opposed(game),
        ).to_json()
    return row


def report(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    keys = ("networks to untrained", "rules network to untrained", "networks to rules network")
    print(f"| game | games, networks | games, rules network | {' | '.join(keys)} |")
    print("|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["game"] for row in rows):
        cells = [row for row in rows if row["game"] == name]
        games = [sum(row[f"{who} games"] for row in cells) for who in ("networks", "rules network")]
        scores = " | ".join(pooled(cells, key, each=False) for key in keys)
        print(f"| {name} | {games[0]:,} | {games[1]:,} | {scores} |")


def main() -> None:
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kind", default="cilp")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for name in () if options.report else options.games:
        for seed in options.seeds:
            if not cells.has(f"{name}-{seed}"):
                progress(f"{name}, seed {seed}")
                game = Game.load(name)
                cells.put(
                    f"{name}-{seed}",
                    run(game, options.kind, seed, options.seconds, options.matches),
                )
    report(cells.all())


if __name__ == "__main__":
    main()

"""``neurogame simulate``: random playouts and their statistics."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neurogame.simulate.playouts import PlayoutStatistics
    from neurogame.simulate.simulator import Simulator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument("--games", type=int, default=10_000, help="number of games (10000)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same games (0)")
    parser.add_argument("--max-plies", type=int, default=1000, help="step limit of a game (1000)")
    parser.add_argument(
        "--batch", type=int, help="games at a time, a multiple of 64 (default: by circuit size)"
    )
    parser.add_argument(
        "--steps",
        type=int,
        help="instead of --games: play on a full batch for so many steps, restarting finished "
        "games (the highest throughput; the mean length favours short games)",
    )
    parser.add_argument("--device", default="cpu", help="torch device (cpu)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Play random games and print what they came to."""
    from neurogame.simulate.game import Game

    simulator = Game.load(options.rules).simulator(options.device)
    start = time.perf_counter()
    statistics = _play(simulator, options)
    seconds = time.perf_counter() - start
    result = {
        "games": statistics.games,
        "plies": statistics.plies,
        "seconds": round(seconds, 4),
        "games_per_second": round(statistics.games / seconds, 1),
        "plies_per_second": round(statistics.plies / seconds, 1),
        "mean_length": statistics.mean_length if statistics.games else None,
        "mean_goals": dict(zip(statistics.roles, statistics.mean_goals, strict=True))
        if statistics.games
        else None,
        "goals": dict(zip(statistics.roles, statistics.goals, strict=True)),
        "cut": statistics.cut,
        "stuck": statistics.stuck,
        "seed": options.seed,
        "backend": f"torch-{options.device}",
    }
    if options.json:
        print(json.dumps(result))
    else:
        _show(options.rules, statistics, result)
    return 0


def _play(simulator: Simulator, options: argparse.Namespace) -> PlayoutStatistics:
    from neurogame.simulate.playouts import playouts, stream

    if options.steps is None:
        return playouts(simulator, options.games, options.seed, options.max_plies, options.batch)
    lanes = options.batch or simulator.good_batch
    return stream(simulator, lanes, options.steps, options.seed, options.max_plies)


def _show(name: str, statistics: PlayoutStatistics, result: dict[str, object]) -> None:
    print(f"{name}: {statistics.games:,} random games, {statistics.plies:,} plies")
    print(
        f"  {result['games_per_second']:,} games/s, {result['plies_per_second']:,} plies/s "
        f"({result['seconds']} s, backend {result['backend']})"
    )
    if not statistics.games:
        print("  no game ended within these steps")
        return
    print(f"  mean length {statistics.mean_length:.2f} plies")
    for role, mean, goals in zip(
        statistics.roles, statistics.mean_goals, statistics.goals, strict=True
    ):
        shares = ", ".join(
            f"{value}: {100 * count / statistics.games:.1f} %"
            for value, count in sorted(goals.items(), reverse=True)
        )
        print(f"  {role}: mean goal {mean:.2f} ({shares})")
    if statistics.cut:
        print(f"  {statistics.cut:,} games were stopped by the step limit")
    if statistics.stuck:
        print(f"  {statistics.stuck:,} games stopped where a role had no legal move")

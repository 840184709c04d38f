"""``neurogame simulate``: random playouts and their statistics."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING

from neurogame.errors import ConfigurationError
from neurogame.kernels.backend import backend_names

if TYPE_CHECKING:
    from neurogame.simulate.game import Game
    from neurogame.simulate.playouts import MoveStatistics, PlayoutStatistics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--games", type=int, default=10_000, help="number of games (10000)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same games (0)")
    parser.add_argument("--max-plies", type=int, default=1000, help="step limit of a game (1000)")
    parser.add_argument(
        "--lanes",
        type=int,
        help="games side by side (as many as games, at most 16384); part of what the seed means",
    )
    length.add_argument(
        "--steps",
        type=int,
        help="instead of --games: play on all lanes for so many steps, restarting finished "
        "games (the highest throughput; games that the last step cuts off are not counted)",
    )
    parser.add_argument(
        "--lengths",
        action="store_true",
        help="count games by length and show the range (with --json: all lengths); up to twice "
        "the time where games are short",
    )
    parser.add_argument(
        "--moves",
        type=int,
        metavar="N",
        help="show each role's N best moves by its mean goal in the games with the move "
        "(with --json: all moves)",
    )
    parser.add_argument(
        "--backend",
        help=f"what plays: {', '.join(backend_names())} (auto)",
    )
    parser.add_argument("--threads", type=int, default=1, help="threads that play (1)")
    parser.add_argument("--device", default="cpu", help="torch device (cpu)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Play random games and print what they came to."""
    from neurogame.kernels.playout import PlayoutRun
    from neurogame.simulate.game import Game

    moves = options.moves is not None
    if moves and options.moves < 1:
        raise ConfigurationError(f"moves must be at least 1, not {options.moves}")
    game = Game.load(options.rules)
    start = time.perf_counter()
    kernel = game.simulator(options.device).playout_kernel(options.backend, moves=moves)
    # The first step pays for compiling.
    kernel.run(PlayoutRun(seed=0, lanes=1, steps=1, max_plies=options.max_plies, moves=moves))
    ready = time.perf_counter()
    statistics = _play(game, options)
    seconds = time.perf_counter() - ready
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
        "backend": kernel.name,
        "device": options.device,
        "threads": options.threads,
        "compile_seconds": round(ready - start, 4),
    }
    if not options.json:
        _show(options.rules, statistics, result)
        if statistics.games and statistics.moves is not None:
            _show_moves(game, statistics.moves, options.moves)
        return 0
    if statistics.lengths is not None:
        result["lengths"] = {n: games for n, games in enumerate(statistics.lengths) if games}
    if statistics.moves is not None:
        result["moves"] = _move_rows(game, statistics.moves)
    print(json.dumps(result))
    return 0


def _play(game: Game, options: argparse.Namespace) -> PlayoutStatistics:
    from neurogame.simulate.playouts import playouts

    return playouts(
        game.simulator(options.device),
        options.games if options.steps is None else None,
        options.seed,
        options.max_plies,
        steps=options.steps,
        lanes=options.lanes,
        lengths=options.lengths,
        moves=options.moves is not None,
        threads=options.threads,
        backend=options.backend,
    )


def _show(name: str, statistics: PlayoutStatistics, result: dict[str, object]) -> None:
    print(f"{name}: {statistics.games:,} random games, {statistics.plies:,} plies")
    print(
        f"  {result['games_per_second']:,} games/s, {result['plies_per_second']:,} plies/s "
        f"({result['seconds']} s, backend {result['backend']} on {result['device']}, ready in "
        f"{result['compile_seconds']} s)"
    )
    if not statistics.games:
        print("  no game ended within these steps")
        return
    print(f"  mean length {statistics.mean_length:.2f} plies{_range(statistics)}")
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


def _range(statistics: PlayoutStatistics) -> str:
    """Return what to say of the shortest, the middle and the longest game."""
    import numpy as np

    if statistics.lengths is None:
        return ""
    counted = [n for n, games in enumerate(statistics.lengths) if games]
    middle = int(np.searchsorted(np.cumsum(statistics.lengths), statistics.games / 2))
    return f", from {counted[0]} to {counted[-1]}, half of the games at most {middle}"


def _move_rows(game: Game, moves: MoveStatistics) -> list[dict[str, object]]:
    """Return one object per move that was made, in the order of the roles' moves."""
    names = [
        (role, text) for role, texts in zip(game.roles, game.moves, strict=True) for text in texts
    ]
    return [
        {
            "role": role,
            "move": text,
            "games": int(games),
            "mean_goals": dict(zip(game.roles, goals.tolist(), strict=True)),
        }
        for (role, text), games, goals in zip(names, moves.games, moves.mean_goals, strict=True)
        if games
    ]


def _show_moves(game: Game, moves: MoveStatistics, most: int) -> None:
    """Print each role's best moves by its mean goal in the games in which it made them."""
    for role, name in enumerate(game.roles):
        begin, end = game.move_offsets[role : role + 2]
        made = begin + moves.games[begin:end].nonzero()[0]
        goals = moves.mean_goals[:, role]
        print(f"  moves of {name}: mean goal of {name}, games with the move")
        for move in made[(-goals[made]).argsort(kind="stable")][:most].tolist():
            text = game.moves[role][move - begin]
            print(f"    {goals[move]:7.2f} {int(moves.games[move]):12,d}  {text}")

"""``neurogame match``: two or more players against each other, with roles swapped."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from neurogame.players.record import MatchRecord

_EPILOG = """\
A small arena: one game, one player per role, no folder to resume from; 'neurogame arena' has it
all. A player is random, human, alphabeta:SOURCE or mcts, with options after commas, such as
alphabeta:cilp,depth=2 or mcts:sims=1000.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EPILOG
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    parser.add_argument(
        "--players", nargs="+", metavar="PLAYER", required=True, help="one player per role"
    )
    parser.add_argument("--matches", type=int, default=20, help="number of matches (default 20)")
    parser.add_argument("--seed", type=int, default=0, help="decides everything (default 0)")
    parser.add_argument("--seconds", type=float, help="thinking time per move")
    parser.add_argument("--depth", type=int, help="plies to look ahead")
    parser.add_argument("--nodes", type=int, help="states to generate per move")
    parser.add_argument("--play-clock", type=float, help="seconds after which a move is replaced")
    parser.add_argument("--start-clock", type=float, help="seconds for a player to get ready")
    parser.add_argument(
        "--opening-plies", type=int, default=0, metavar="K", help="random plies at the start"
    )
    parser.add_argument(
        "--max-plies", type=int, default=1000, help="step limit of a match (default 1000)"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="torch threads (default 1: the batches of a search are small, and threads that "
        "wait for a shared core cost far more than they bring)",
    )
    parser.add_argument("--record", type=Path, metavar="DIR", help="write a JSON file per match")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace) -> int:
    """Play the series and print its result; exit code 130 if it was interrupted."""
    import torch

    from neurogame.arena.series import play_series
    from neurogame.players.match import MatchSettings
    from neurogame.players.players import make_player
    from neurogame.search.limit import Limit
    from neurogame.simulate.game import Game

    torch.set_num_threads(max(1, options.threads))
    settings = MatchSettings(
        limit=Limit(seconds=options.seconds, depth=options.depth, nodes=options.nodes),
        play_clock=options.play_clock,
        start_clock=options.start_clock,
        opening_plies=options.opening_plies,
        max_plies=options.max_plies,
        record_states=options.record is not None,
    )
    game = Game.load(options.rules)
    players = [
        make_player(text, game, options.seed + number)
        for number, text in enumerate(options.players)
    ]
    result = play_series(
        game,
        players,
        options.matches,
        options.seed,
        settings=settings,
        progress=not (options.quiet or options.json),
        on_match=None if options.record is None else _recorder(options.record),
    )
    print(json.dumps(result.as_dict()) if options.json else result)
    return 130 if result.interrupted else 0


def _recorder(folder: Path) -> Callable[[int, MatchRecord], None]:
    """Return a function that writes each match into a folder."""
    from neurogame.errors import ConfigurationError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"--record {folder}: {error.strerror}; name a folder") from None

    def write(number: int, record: MatchRecord) -> None:
        (folder / f"match-{number:05d}.json").write_text(record.to_json() + "\n", encoding="utf-8")

    return write

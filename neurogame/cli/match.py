"""``neurogame match``: two or more players against each other, with roles swapped."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from neurogame.arena.settings import ArenaSettings, usual_opening_plies
from neurogame.errors import ConfigurationError
from neurogame.files import write_output, writing
from neurogame.players.match_settings import MatchSettings
from neurogame.players.options import add_players, add_threads
from neurogame.players.sharing import OPTION_HELP, sharing
from neurogame.search.limit import Limit
from neurogame.search.settings import SEARCHES
from neurogame.setting_options import add_settings, chosen_settings, settings_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from neurogame.arena.pairing_result import PairingResult
    from neurogame.players.record import MatchRecord

_EPILOG = """\
A small arena: one game, one player per role, no folder to resume from; 'neurogame arena' has it
all. The role random is chance: nobody is named for it, the match plays it. A player is random,
human, alphabeta:SOURCE, mcts, heuristic, solve (games of one role) or auto, with options after
commas, such as alphabeta:cilp,depth=2 or mcts:sims=1000; without a limit it thinks for a second.
With a person at the terminal matches start without random plies unless --opening-plies says
otherwise.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(
        [
            _EPILOG,
            *(f"options of {name}:\n{settings_text(kind)}\n" for name, kind in SEARCHES.items()),
        ]
    )
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    add_players(parser)
    parser.add_argument("--matches", type=int, default=20, help="number of matches (default 20)")
    parser.add_argument("--seed", type=int, default=0, help="decides everything (default 0)")
    add_settings(parser, Limit, only=("seconds", "depth", "nodes"))
    add_settings(parser, MatchSettings, only=("play_clock", "start_clock", "max_plies"))
    add_settings(parser, ArenaSettings, only=("opening_plies", "prover"))
    add_threads(parser)
    parser.add_argument("--memory", type=int, metavar="MIB", help=OPTION_HELP)
    parser.add_argument("--record", type=Path, metavar="DIR", help="write a JSON file per match")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace) -> int:
    """Play the series and print its result; exit code 130 if it was interrupted."""
    import torch

    torch.set_num_threads(options.threads)
    result = _played(options)
    print(json.dumps(result.as_dict()) if options.json else result)
    return 130 if result.interrupted else 0


def _played(options: argparse.Namespace) -> PairingResult:
    """Play the series."""
    from neurogame.arena.series import play_series
    from neurogame.players.players import make_player
    from neurogame.simulate.game import Game

    prover = chosen_settings(options, ArenaSettings).get("prover", False)
    game = Game.load(options.rules, prover=prover)
    settings = _settings(options, 0 if "human" in options.players else len(game.players))
    players = [
        make_player(text, game, options.seed + number)
        for number, text in enumerate(sharing(options.players, options.memory))
    ]
    return play_series(
        game,
        players,
        options.matches,
        options.seed,
        settings=settings,
        progress=not (options.quiet or options.json),
        on_match=None if options.record is None else _recorder(options.record),
    )


def _settings(options: argparse.Namespace, roles: int) -> MatchSettings:
    """Return the conditions of each match, with the usual opening for so many roles."""
    chosen = {"opening_plies": usual_opening_plies(roles)} | chosen_settings(options, MatchSettings)
    return MatchSettings(
        limit=Limit(**chosen_settings(options, Limit)),
        record_states=options.record is not None,
        **chosen,
    )


def _recorder(folder: Path) -> Callable[[int, MatchRecord], None]:
    """Return a function that writes each match into a folder."""
    with writing(f"--record {folder}", "name a folder"):
        folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("match-*.json")):
        raise ConfigurationError(
            f"--record {folder}: it holds matches already; name another folder"
        )

    def write(number: int, record: MatchRecord) -> None:
        write_output(folder / f"match-{number:05d}.json", record.to_json() + "\n", force=True)

    return write

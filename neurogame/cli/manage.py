"""``neurogame manage``: matches of players that are reached over HTTP."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from neurogame.bars import bar_stream
from neurogame.ggp.manager.settings import ManagerSettings
from neurogame.players.options import add_players
from neurogame.setting_options import add_settings, chosen_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from neurogame.ggp.manager.managed_match import ManagedMatch

_EPILOG = """\
A PLAYER is the address of a running player, such as http://127.0.0.1:9147 or 127.0.0.1:9148
('neurogame serve' starts one), or 'random' for uniformly random legal moves by the manager
itself. Moves that are missing, late or illegal are replaced by random legal ones and counted;
the table at the end shows them. Ctrl-C aborts the match and tells the players.
"""

_MAXIMUM_LINES = 20
_PLAIN = (
    *("start_clock", "play_clock", "grace", "patience", "upper_case", "strict", "max_plies"),
    *("tournament", "game_url"),
)
"""Settings whose options need nothing but their description."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EPILOG
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    add_players(parser)
    add_settings(parser, ManagerSettings, only=_PLAIN)
    parser.add_argument("--matches", type=int, default=1, help="number of matches (default 1)")
    parser.add_argument("--rotate", action="store_true", help="swap the roles from match to match")
    parser.add_argument(
        "--scramble",
        type=int,
        nargs="?",
        const=0,
        metavar="SEED",
        help="send rules under other names, other ones in each match (default seed 0)",
    )
    parser.add_argument(
        "--preview",
        type=int,
        nargs="?",
        const=5,
        metavar="S",
        help="send PREVIEW before START and wait S seconds for the reply (default 5)",
    )
    parser.add_argument(
        "--referee",
        choices=("auto", "circuit", "prover"),
        default="auto",
        help="who knows the rules: the compiled game, or the prover, which needs no grounding "
        "(default auto: the latter only for rules too large to ground)",
    )
    parser.add_argument("--seed", type=int, default=0, help="for all random moves (default 0)")
    parser.add_argument("--record", type=Path, metavar="DIR", help="write a JSON record per match")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def run(options: argparse.Namespace) -> int:
    """Run the matches and print the table; exit code 130 if they were interrupted."""
    from tqdm import tqdm

    from neurogame.ggp.manager.referee import load_referee
    from neurogame.ggp.manager.series import play_http_series
    from neurogame.ggp.manager.tally import results_table

    given = chosen_settings(options, ManagerSettings)
    settings = ManagerSettings(preview_clock=options.preview, scramble=options.scramble, **given)
    save = None if options.record is None else _recorder(options.record)
    game = load_referee(options.rules, options.referee)
    bar: tqdm[None]

    def finished(number: int, match: ManagedMatch) -> None:
        if save is not None:
            save(number, match)
        bar.update(not match.interrupted)

    def progress(number: int, words: str) -> None:
        bar.set_postfix_str(words)

    quiet = options.quiet or options.json
    # The delay keeps an error before the first match from standing behind an empty bar.
    with tqdm(
        total=options.matches, unit="match", disable=quiet, delay=0.5, file=bar_stream()
    ) as bar:
        series = play_http_series(
            game,
            options.players,
            settings,
            matches=options.matches,
            rotate=options.rotate,
            seed=options.seed,
            progress=progress,
            on_match=finished,
        )
    if options.json:
        print(json.dumps({"game": game.name, **series.as_dict()}))
        return 130 if series.interrupted else 0
    _print_faults(series.matches)
    print(results_table(match.players for match in series.matches))
    return 130 if series.interrupted else 0


def _print_faults(matches: Sequence[ManagedMatch]) -> None:
    """Print what went wrong, the first lines of it."""
    lines = []
    for match in matches:
        name = match.record.match_id
        if match.ending != "terminal":
            lines.append(f"{name}: aborted ({match.ending})")
        lines += [
            f"{name}: {player.player} as {player.role}: {complaint}"
            for player in match.players
            for complaint in player.complaints
        ]
    for line in lines[:_MAXIMUM_LINES]:
        print(line)
    if len(lines) > _MAXIMUM_LINES:
        print(f"... and {len(lines) - _MAXIMUM_LINES} more; --record DIR keeps them")


def _recorder(folder: Path) -> Callable[[int, ManagedMatch], None]:
    """Return a function that writes each match into a folder, which the first one makes."""
    from neurogame.errors import ConfigurationError
    from neurogame.files import writing

    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"--record {folder}: not a folder; name a folder")

    def write(number: int, match: ManagedMatch) -> None:
        with writing(f"--record {folder}", "name a folder with room that can be written to"):
            folder.mkdir(parents=True, exist_ok=True)
            match.record.save(folder / f"{match.record.match_id}.json")

    return write

"""``neurogame arena``: many players, games and limits, with intervals, ratings and resuming."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from neurogame.arena.settings import DEFAULT_MATCHES, DEFAULT_SPRT_MATCHES, ArenaSettings
from neurogame.arena.sprt import SprtSettings
from neurogame.errors import ConfigurationError
from neurogame.files import check_output, write_output
from neurogame.players.sharing import OPTION_HELP, sharing
from neurogame.search.limit import Limit
from neurogame.setting_options import add_settings, chosen_settings
from neurogame.workers.options import add_workers, chosen_workers

if TYPE_CHECKING:
    from neurogame.arena.arena_result import ArenaResult
    from neurogame.workers.settings import WorkerSettings

_EPILOG = """\
Every selection of players meets in every game under every limit, in blocks of matches with a
common seed and random opening in which each player has each role once. In games with one role
each player plays alone and goals at the same seed are compared. See docs/howto/run-an-arena.md.
"""

_PLAIN = ("seed", "opening_plies", "play_clock", "start_clock", "max_plies", "prover")
"""Settings whose options need nothing but their description."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EPILOG
    what = parser.add_argument_group("what is measured")
    what.add_argument(
        "--game", nargs="+", metavar="RULES", required=True, help="library games or paths"
    )
    what.add_argument(
        "--players", nargs="+", metavar="PLAYER", required=True, help="player strings"
    )
    what.add_argument(
        "--matches",
        type=int,
        metavar="N",
        help="matches of each pairing in each game under each limit (default 100; with --sprt the "
        "most there may be, default 2000)",
    )
    what.add_argument(
        "--limit",
        nargs="+",
        default=[],
        metavar="LIMIT",
        help="common limits per move, such as seconds=1 or depth=2,nodes=500; each is measured by "
        "itself (default: the players' own limits)",
    )
    what.add_argument(
        "--sprt",
        nargs="?",
        const="",
        metavar="ELO0,ELO1[,ALPHA,BETA]",
        help="end each pairing once it is decided whether its first player is ELO0 (H0) or ELO1 "
        "(H1) stronger (without values 0,50,0.05,0.05; write --sprt=-10,0 for negative ones)",
    )
    add_settings(what, ArenaSettings, only=_PLAIN)
    add_workers(parser)
    parser.add_argument("--memory", type=int, metavar="MIB", help=OPTION_HELP)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="keep every match there and go on with it next time; write results and tables",
    )
    parser.add_argument(
        "--plot",
        nargs="?",
        const="",
        metavar="FILE",
        help="draw mean goals with intervals into FILE (.svg, .png or .pdf; default DIR/plot.svg)",
    )
    parser.add_argument(
        "--leaderboard",
        type=Path,
        metavar="FILE",
        help="write ratings as a page in Markdown, a row for each game; three players at least",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace) -> int:
    """Run the arena and print its results; exit code 130 if it was interrupted."""
    workers = chosen_workers(options)
    board = options.leaderboard
    if board is not None:
        check_output("--leaderboard", board)
        if len(options.players) < 3:
            raise ConfigurationError(
                f"--leaderboard: it needs three players or more; there are {len(options.players)}"
            )
    settings = _settings(options, workers)
    plot = _plot_path(options)

    from neurogame.arena.run import ArenaError, run_arena

    try:
        with _ended_like_interrupted():
            result = run_arena(
                settings,
                workers=workers,
                output=options.output,
                progress=not options.quiet,
            )
    except ArenaError as error:
        if error.result.matches:
            _report(error.result, options, plot)
        raise
    _report(result, options, plot)
    if result.interrupted:
        again = "; the same command goes on" if options.output else ""
        print(f"interrupted{again}", file=sys.stderr)
    return 130 if result.interrupted else 0


def _settings(options: argparse.Namespace, workers: WorkerSettings) -> ArenaSettings:
    """Return what the command line asks for."""
    sprt = None if options.sprt is None else SprtSettings.parse(options.sprt)
    usual = DEFAULT_MATCHES if sprt is None else DEFAULT_SPRT_MATCHES
    return ArenaSettings(
        games=tuple(options.game),
        players=sharing(options.players, options.memory, at_once=workers.workers),
        matches=usual if options.matches is None else options.matches,
        limits=tuple(map(Limit.parse, options.limit)) or (Limit(),),
        sprt=sprt,
        **chosen_settings(options, ArenaSettings),
    )


def _command(options: argparse.Namespace) -> str:
    """Return the command that measures one game again, whatever others there are beside it."""
    words = ["neurogame", "arena", "--game", "GAME", "--players", *options.players]
    words += ["--limit", *options.limit] if options.limit else []
    words += [] if options.sprt is None else [f"--sprt={options.sprt}"]
    words += [] if options.matches is None else ["--matches", str(options.matches)]
    for name, value in chosen_settings(options, ArenaSettings).items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{option}")
        else:
            words += [f"--{option}", str(value)]
    return shlex.join(words)


def _plot_path(options: argparse.Namespace) -> Path | None:
    """Return where to draw, checked."""
    if options.plot is None:
        return None
    if not options.plot and options.output is None:
        raise ConfigurationError("--plot: name a file, or --output a folder for it")

    from neurogame.arena.plot import check_plot

    path = Path(options.plot) if options.plot else options.output / "plot.svg"
    check_plot(path)
    return path


@contextmanager
def _ended_like_interrupted() -> Iterator[None]:
    """Treat a request to end (SIGTERM) like Ctrl-C: what was played is kept and reported."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _report(result: ArenaResult, options: argparse.Namespace, plot: Path | None) -> None:
    """Print the results, and draw them."""
    from neurogame.arena.report import leaderboard, markdown

    if plot is not None:
        from neurogame.arena.plot import write_plot

        write_plot(result, plot)
    if options.json:
        print(json.dumps(result.as_dict()))
    else:
        print(markdown(result), end="")
    if options.leaderboard is not None:
        write_output(options.leaderboard, leaderboard(result, _command(options)), force=True)

"""``neurogame view``: a game, a match, a checkpoint or a run in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from neurogame.errors import ConfigurationError
from neurogame.evaluators.kinds import fresh_names, kinds_from_rules

if TYPE_CHECKING:
    from neurogame.view.subject import PageSubject

_EPILOG = """\
TARGET is a checkpoint (.pt), weighted rules (.rules), a game, the record of a match (.json; the
.jsonl of a served match or of an arena), or the folder of a training run. The page is served on
this machine only, asks nothing of any network, and writes no file. --export writes one HTML file
instead, that needs no server: a recorded match, or one that --player plays with itself. Without a
TARGET it is listed what there is.
"""

_PLIES = 200
_PATIENCE = 2.0
"""Seconds after which it is said what takes so long."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "target",
        nargs="?",
        metavar="TARGET",
        help="a checkpoint, a game, a recorded match or a run's folder; none: lists what there is",
    )
    parser.add_argument("--rules", metavar="RULES", help="the game of a match, if it is not known")
    parser.add_argument(
        "--number", type=int, metavar="N", help="which match of an arena, from 0 (default 0)"
    )
    parser.add_argument(
        "--evaluator",
        metavar="SOURCE",
        help="what values states: a checkpoint, weighted rules, a fresh evaluator "
        f"({', '.join(fresh_names())}) or a judge of moves that is made from rules "
        f"({', '.join(kinds_from_rules())}); default: the target, else cilp",
    )
    parser.add_argument(
        "--port", type=int, help="where to serve (default: 8147 if it is free; 0: any that is)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write one HTML file instead")
    parser.add_argument(
        "--player",
        metavar="PLAYER",
        help="who plays the match to export, if none is recorded (default: the target's)",
    )
    parser.add_argument("--plies", type=int, help=f"of that match, at most (default {_PLIES})")
    parser.add_argument(
        "--method",
        choices=("exact", "shapley", "gradients", "toggling", "none"),
        help="how the values of that match are taken apart (default: exact for "
        "features and what train makes, else Shapley values, which may take minutes; none: not at "
        "all)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of players and fresh evaluators")


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or write a file."""
    if options.target is None:
        print(_choice())
        return 0
    import torch

    from neurogame.files import check_output
    from neurogame.view.subject import open_subject
    from neurogame.waiting import said_later

    if options.export is not None:
        check_output("--export", options.export)
    torch.set_num_threads(1)
    # Large rules take seconds where they were never ground before.
    with said_later(_PATIENCE, f"{options.target} is being opened"):
        subject = open_subject(
            options.target,
            rules=options.rules,
            evaluator=options.evaluator,
            number=options.number or 0,
            seed=options.seed,
        )
    _check_asked(options, subject)
    if options.export is not None:
        from neurogame.view.export import export, with_match

        player, plies = options.player or subject.opponent, options.plies
        shown = with_match(subject, player, _PLIES if plies is None else plies, options.seed)
        size = export(shown, options.export, method=options.method)
        print(f"{options.export}: {len(shown.match.moves)} plies, {size / 1e6:.1f} MB")
        return 0
    from neurogame.view.server import serve

    serve(subject, port=options.port, seed=options.seed, opens=options.open)
    return 0


def _check_asked(options: argparse.Namespace, subject: PageSubject) -> None:
    """Refuse options that would change nothing.

    Raises:
        ConfigurationError: there is one; the message says what it goes with.
    """
    places = {
        "the record of a match": (("number", "rules"), subject.kind == "match"),
        "--export FILE": (("player", "plies", "method"), options.export is not None),
        "--export FILE where no match is recorded": (("player", "plies"), not subject.match.moves),
    }
    for place, (names, is_there) in places.items():
        for name in names:
            if getattr(options, name) is not None and not is_there:
                raise ConfigurationError(f"--{name} goes with {place}")


def _choice() -> str:
    """Return what can be looked at: games, checkpoints that come with neurogame, and runs."""
    from neurogame.arena.run_head import find_runs, read_head
    from neurogame.cli.runs import RUNS, listed
    from neurogame.gdl.library import CHECKPOINTS, library_folder, library_names

    held = sorted(path.name for path in library_folder(CHECKPOINTS.name).glob("*.pt"))
    lines = {
        "games, as in 'neurogame view connectfour'": library_names(),
        "trained players, as in 'neurogame view checkpoints/connectfour.pt'": held,
    }
    parts = [f"{title}:\n{fill(', '.join(names), 98)}" for title, names in lines.items() if names]
    runs = listed(find_runs(RUNS, read_head)) or "none yet; 'neurogame train GAME' makes one"
    return "\n\n".join([*parts, f"runs in {RUNS}, as in 'neurogame view {RUNS}/NAME':\n{runs}"])

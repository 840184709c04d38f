"""``neurogame serve``: a player that game servers reach over HTTP."""

from __future__ import annotations

import argparse
import contextlib
from dataclasses import replace
from pathlib import Path

from neurogame.errors import ConfigurationError
from neurogame.ggp.server.settings import ServeSettings
from neurogame.setting_options import add_settings, chosen_settings

_LOG = Path("runs") / "served"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    only = ("player", "port", "host", "name", "silence", "seed", "allow_origin")
    add_settings(parser, ServeSettings, only=only)
    parser.add_argument(
        "--checkpoints",
        metavar="DIR",
        type=Path,
        help="folder in which auto looks for what was trained for the game of a match",
    )
    parser.add_argument(
        "--memory",
        metavar="GB",
        type=float,
        help="limit for the search of a match, at least 1 or so (default: half of the machine's)",
    )
    parser.add_argument(
        "--log",
        metavar="DIR",
        default=str(_LOG),
        help=f"folder for the logs of matches (default {_LOG}); '' for none",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until a signal ends it."""
    from neurogame.ggp.server.serve import serve

    memory = options.memory
    if memory is not None and not 0 < memory < 2**30:
        raise ConfigurationError(f"--memory {memory:g}: gigabytes above 0 are needed")
    given = chosen_settings(options, ServeSettings)
    player = _player(given.pop("player", ServeSettings.player), options.checkpoints)
    serve(
        ServeSettings(
            player=player,
            memory=None if memory is None else max(1, int(memory * 1e9)),
            log=Path(options.log) if options.log else None,
            **given,
        ),
        _say,
    )
    return 0


def _player(text: str, checkpoints: Path | None) -> str:
    """Return the player string if its form is right; what it names is checked by a process.

    Args:
        text: as given.
        checkpoints: the folder for auto, or None.
    """
    from neurogame.players.spec import PlayerSpec

    spec = PlayerSpec.parse(text)
    if checkpoints is None:
        return text
    if spec.kind != "auto" or spec.source:
        raise ConfigurationError(
            f"--checkpoints {checkpoints}: only for --player auto; a folder may stand in a player "
            "string too, as in alphabeta:FOLDER"
        )
    return str(replace(spec, source=str(checkpoints)))


def _say(line: str) -> None:
    """Print a line; that nobody reads them any more must not end a match."""
    with contextlib.suppress(OSError, ValueError):
        print(line, flush=True)

"""The options of commands that have independent pieces of work."""

from __future__ import annotations

import argparse

from neurogame.setting_options import add_settings, chosen_settings, destination
from neurogame.workers.settings import WorkerSettings


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Declare ``--workers`` and ``--cluster``, and ``--processes``, the former name of the first.

    Args:
        parser: of the command.
    """
    add_settings(parser, WorkerSettings)
    parser.add_argument(
        "--processes", type=int, dest=destination("workers"), help=argparse.SUPPRESS
    )


def chosen_workers(options: argparse.Namespace) -> WorkerSettings:
    """Return what the command line asks for.

    Args:
        options: what was read.

    Raises:
        ConfigurationError: a setting is out of its range.
    """
    return WorkerSettings(**chosen_settings(options, WorkerSettings))

"""The options of commands with players."""

from __future__ import annotations

import argparse

_MOST_THREADS = 1024


def _count(text: str) -> int:
    """Return a number of threads."""
    count = int(text)
    if not 1 <= count <= _MOST_THREADS:
        raise argparse.ArgumentTypeError(f"{count}: 1 to {_MOST_THREADS} are allowed")
    return count


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Declare ``--threads``, for commands whose players search."""
    parser.add_argument(
        "--threads",
        type=_count,
        default=1,
        help="torch threads (default 1: the batches of a search are small, and threads that "
        "wait for a shared core cost far more than they bring)",
    )


def add_players(parser: argparse.ArgumentParser) -> None:
    """Declare ``--players``, for commands whose description says what a player is."""
    parser.add_argument(
        "--players",
        nargs="+",
        metavar="PLAYER",
        required=True,
        help="one PLAYER per role, as described below",
    )

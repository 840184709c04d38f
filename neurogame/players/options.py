"""The options of commands with players."""

from __future__ import annotations

import argparse


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Declare ``--threads``, for commands whose players search."""
    parser.add_argument(
        "--threads",
        type=int,
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

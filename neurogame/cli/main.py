"""The ``neurogame`` command: finds the subcommand, turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TextIO

from neurogame.aside import end_process
from neurogame.errors import NeurogameError, NonstandardWarning
from neurogame.first_use import ask_with
from neurogame.terminal import Terminal, never_silent
from neurogame.version import __version__
from neurogame.waiting import listen

COMMANDS = {
    "games": "list the library of rulesheets",
    "check": "report every error and warning in a rulesheet",
    "fix": "repair what a rulesheet breaks of the language, where there is one obvious cure",
    "convert": "rewrite a rulesheet in prefix (KIF) or infix notation (HRF)",
    "ground": "show how large a game is once its rules are ground, and what grounding takes",
    "replay": "compare a recorded game (a trace) with what the rules say",
    "simulate": "play random games and print their statistics",
    "features": "find features in the rules, and what they are worth in random games",
    "bench": "measure how fast games start and play, backend by backend",
    "train": "train an evaluator (a judge of states) by self-play",
    "learn": "learn knowledge of a game's states and moves from random games, for tree searches",
    "play": "play against a trained player in the terminal",
    "match": "let two or more players play matches",
    "arena": "measure players against each other, with intervals and ratings; can be resumed",
    "auto": "show what the player auto learns of a game before a match, what it chooses, and why",
    "serve": "play matches over HTTP, as game servers of General Game Playing run them",
    "manage": "run matches of players that are reached over HTTP",
    "inspect": "show what an evaluator or a judge of moves knows, and why it likes a state or move",
    "runs": "list, compare, export or delete training runs",
    "view": "look at a game, a match, a checkpoint or a training run in the browser",
    "reproduce": "measure the papers' tables and figures again, ours beside theirs",
    "precompile": "compile ahead what the other commands would compile at their first use",
}

WITHOUT_RULES = ("bench", "games", "precompile", "reproduce", "runs")
"""Commands that read no rulesheets but those of the library."""


def build_parser(wanted: str | None) -> argparse.ArgumentParser:
    """Return the parser; each subcommand lives in a module of its own name.

    Args:
        wanted: the command whose arguments are declared. Only its module is imported, so that
            the command line starts fast.
    """
    parser = argparse.ArgumentParser(
        prog="neurogame",
        description="Neural-symbolic learning for General Game Playing.",
        epilog="RULES is the name of a library game (see 'neurogame games') or a path.",
    )
    parser.add_argument("--version", action="version", version=f"neurogame {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name == wanted:
            module = importlib.import_module(f"neurogame.cli.{name}")
            module.add_arguments(command)
            if name not in WITHOUT_RULES:
                command.add_argument(
                    "--strict" if name != "manage" else "--strict-rules",
                    dest="strict_rules",
                    action="store_true",
                    help="refuse rulesheets that are nonstandard (see 'neurogame check')",
                )
            command.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the command line without the program name; ``sys.argv`` if None.

    Returns:
        0 on success, 1 for findings or bad input, 2 for a wrong command line, 130 on Ctrl-C.
    """
    code = _run(arguments)
    end_process(code)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    """Run one command and return its exit code; see :func:`main`."""
    # Games are small tensors: several threads cost more than they save, unless the user knows
    # better. Torch reads this when a command imports it.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # A name that the terminal's encoding lacks must not end the command.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    begun = time.monotonic()
    line = list(sys.argv[1:] if arguments is None else arguments)
    wanted = next((word for word in line if not word.startswith("-")), None)
    options = argparse.Namespace()
    try:
        try:
            options = build_parser(wanted).parse_args(line)
            options.begun = begun
            silent = getattr(options, "quiet", False) or getattr(options, "json", False)
            if wanted != "precompile":
                ask_with(partial(_compile_ahead, " ".join(line), silent))
            listen(None if silent else Terminal())
            with warnings.catch_warnings(), nullcontext() if silent else never_silent():
                if getattr(options, "strict_rules", False):
                    warnings.simplefilter("error", NonstandardWarning)
                warnings.showwarning = _show_warning
                return int(options.run(options))
        finally:
            ask_with(None)
            listen(None)
            # Now, not when Python exits: there a closed pipe could not be handled.
            sys.stdout.flush()
    except (NeurogameError, NonstandardWarning) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except MemoryError:
        lowers = "lower --memory, or free some" if hasattr(options, "memory") else "free some"
        print(f"error: out of memory; {lowers}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: not an error of ours.
        _write_no_more()
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"error: {error.strerror}: what was to be written is not complete", file=sys.stderr)
        _write_no_more()
        return 1


def _write_no_more() -> None:
    """Let what is still to be printed go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one line, without the code that it comes from."""
    print(f"warning: {message}", file=sys.stderr)


def _compile_ahead(line: str, silent: bool, module: str | None) -> None:
    """Compile on all cores what a command may need; say so unless silent."""
    from neurogame.cli.precompile import compile_for

    compile_for(line, module, silent=silent)


if __name__ == "__main__":
    sys.exit(main())

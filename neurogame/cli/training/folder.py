"""Where a run goes, and what may be said when it goes on: the same for every recipe."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from neurogame.errors import ConfigurationError
from neurogame.learn.train_config import TrainConfig
from neurogame.setting_options import chosen_settings
from neurogame.settings import Settings

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint
    from neurogame.learn.run_folder import RunFolder
    from neurogame.learn.training_run import TrainingRun
    from neurogame.simulate.game import Game

DEFAULT_SECONDS = 180.0
"""How long to learn where neither games nor seconds are given."""

Chosen = TypeVar("Chosen", bound=Settings)


def asked_seconds(options: argparse.Namespace) -> float | None:
    """Return the seconds that a run is asked to take; None where it is to end after games."""
    given = chosen_settings(options, TrainConfig)
    if given.get("seconds") is not None or options.resume or given.get("games") is not None:
        return given.get("seconds")
    return DEFAULT_SECONDS


def new_folder(options: argparse.Namespace) -> tuple[Game, RunFolder]:
    """Return the game of a new run, and its folder, which is not made yet.

    Raises:
        ConfigurationError: no game is named, or the folder holds a run.
        MissingExtraError: event files are asked for and ``tensorboard`` is not installed.
    """
    from neurogame.learn.run_folder import RunFolder
    from neurogame.simulate.game import Game

    if options.rules is None:
        raise ConfigurationError("train: name a game (see 'neurogame games'), or --resume DIR")
    game = Game.load(options.rules)
    out = options.out or Path("runs") / f"{game.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = RunFolder(out, tensorboard=options.tensorboard)
    folder.check_free()
    return game, folder


def refuse(options: argparse.Namespace, flags: Sequence[str]) -> None:
    """Refuse what cannot be said again when a run goes on.

    Args:
        options: what was read.
        flags: options given that say how to learn.

    Raises:
        ConfigurationError: there are such.
    """
    wrong = [*flags, *(["--out"] if options.out else []), *(["RULES"] if options.rules else [])]
    if wrong:
        raise ConfigurationError(
            f"{', '.join(wrong)} cannot be changed by --resume; only --games and --seconds "
            "(in total, not in addition) can"
        )


def resumed(
    options: argparse.Namespace, kind: type[Chosen], given: Mapping[str, Any]
) -> tuple[RunFolder, Checkpoint, Chosen]:
    """Return the folder of a run that goes on, its checkpoint, and its configuration.

    Args:
        options: what the command line says.
        kind: of the configuration.
        given: settings that the command line gave, of which the end counts.
    """
    from neurogame.learn.run_folder import RunFolder

    folder = RunFolder(options.resume, tensorboard=options.tensorboard)
    checkpoint = folder.resume()
    kept = {name: value for name, value in checkpoint.config.items() if name != "recipe"}
    ends = {name: given[name] for name in ("games", "seconds") if name in given}
    if ends:
        # Naming one end replaces both: a run of given seconds may go on to a number of games.
        kept |= {"games": None, "seconds": None, **ends}
    return folder, checkpoint, kind.from_json(kept)


def run_summary(run: TrainingRun) -> dict[str, Any]:
    """Return what a run came to, as JSON-able values."""
    return {
        "game": run.game.name,
        "rules": run.folder.config()["rules"],
        "folder": str(run.folder.path),
        "checkpoint": str(run.folder.latest),
        "hash": run.saved,
        **asdict(run.counters),
    }

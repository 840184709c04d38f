"""Where a run goes, and what may be said when it goes on: the same for every recipe."""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from neurogame.errors import ConfigurationError
from neurogame.learn.train_config import TrainConfig
from neurogame.setting_options import chosen_settings
from neurogame.settings import Settings

if TYPE_CHECKING:
    from neurogame.learn.run_folder import RunFolder
    from neurogame.simulate.game import Game

DEFAULT_SECONDS = 180.0
"""How long to learn where neither games nor seconds are given."""

Own = TypeVar("Own", bound=Settings)


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


def with_new_end(config: Own, given: Mapping[str, Any]) -> Own:
    """Return a configuration with another end, if one is given.

    Args:
        config: has ``games`` and ``seconds``.
        given: settings by name.
    """
    ends = {name: given[name] for name in ("games", "seconds") if name in given}
    if not ends:
        return config
    # Naming one end replaces both: a run of given seconds may go on to a number of games.
    return dataclasses.replace(config, **{"games": None, "seconds": None, **ends})  # type: ignore[type-var]

"""``neurogame train --recipe paper``: one match at a time, as published."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from neurogame.cli.training.folder import (
    asked_seconds,
    new_folder,
    refuse,
    resumed,
)
from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.train_config import TrainConfig
from neurogame.setting_options import add_settings, chosen_flags, chosen_settings

if TYPE_CHECKING:
    from neurogame.learn.paper.trainer import PaperTrainer
    from neurogame.learn.trainer import Release

_COMMON = ("games", "seconds", "seed")
"""Settings that both recipes have under the same name."""


def add_paper_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of the paper's recipe that the other one has not."""
    text = "only with --recipe paper; the end and the seed are those of training"
    names = [name for name in PaperConfig.__dataclass_fields__ if name not in _COMMON]
    add_settings(parser.add_argument_group("paper", text), PaperConfig, "paper", names)


def paper_flags(options: argparse.Namespace) -> list[str]:
    """Return the options given that only this recipe has."""
    return chosen_flags(options, PaperConfig, "paper")


def started_paper(options: argparse.Namespace, released: Callable[[Release], None]) -> PaperTrainer:
    """Return the trainer of a new run."""
    from neurogame.learn.paper.trainer import PaperTrainer

    game, folder = new_folder(options)
    given = _given(options)
    given["seconds"] = asked_seconds(options)
    kind = {"kind": PaperConfig().evaluator.kind}
    chosen = kind | chosen_settings(options, EvaluatorConfig, "evaluator")
    config = PaperConfig(evaluator=EvaluatorConfig(**chosen), **given)
    trainer = PaperTrainer(game, config, folder, released=released)
    folder.create({"rules": options.rules, "recipe": "paper", **config.to_json()})
    return trainer


def resumed_paper(options: argparse.Namespace, released: Callable[[Release], None]) -> PaperTrainer:
    """Return the trainer of a run that goes on; only its end may be given anew."""
    from neurogame.learn.paper.trainer import PaperTrainer

    given = _given(options)
    networks = chosen_flags(options, EvaluatorConfig, "evaluator")
    refuse(options, [*paper_flags(options), *networks, *(["--seed"] if "seed" in given else [])])
    folder, checkpoint, config = resumed(options, PaperConfig, given)
    return PaperTrainer(checkpoint.game(), config, folder, checkpoint, released=released)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return what was given of the settings, the end and the seed among them."""
    common = chosen_settings(options, TrainConfig) | chosen_settings(options, LaneConfig)
    known = {f"--{name}" for name in _COMMON}
    flags = [*chosen_flags(options, TrainConfig), *chosen_flags(options, LaneConfig)]
    wrong = sorted(set(flags) - known) + chosen_flags(options, RulesNetworkConfig, "network")
    if wrong:
        raise ConfigurationError(f"{', '.join(wrong)}: only with --recipe fitted")
    return chosen_settings(options, PaperConfig, "paper") | common

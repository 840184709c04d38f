"""``neurogame train --recipe paper``: one match at a time, as published."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from neurogame.cli.training.bar import training_bar
from neurogame.cli.training.clock import RunClock
from neurogame.cli.training.folder import (
    DEFAULT_SECONDS,
    asked_seconds,
    new_folder,
    refuse,
    resumed,
    run_summary,
)
from neurogame.cli.training.interrupt import gentle_interrupt
from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.config import PartsConfig
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.train_config import TrainConfig
from neurogame.setting_options import add_settings, chosen_flags, chosen_settings

if TYPE_CHECKING:
    from neurogame.learn.paper.trainer import PaperTrainer

FINAL_MATCHES = 200
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


def run_paper(options: argparse.Namespace) -> int:
    """Train, measure the result and say how to play against it."""
    clock = RunClock(asked_seconds(options), getattr(options, "begun", None))
    make = _resumed if options.resume else _started
    trainer = clock.get_ready(lambda: make(options))
    clock.limit(trainer)
    with (
        gentle_interrupt(trainer),
        training_bar(trainer, hidden=options.quiet or options.json) as bar,
    ):
        trainer.run(
            lambda row: bar.show(
                {
                    "games": f"{row['games']:,}",
                    "per_s": f"{row['games_per_second']:.1f}",
                    "loss": "-" if row["loss"] is None else f"{row['loss']:.4f}",
                }
            )
        )
        interrupted = trainer.stop_requested and not trainer.finished()
        measured = not (interrupted or trainer.is_cut)
        summary = _summary(trainer, clock.measured if measured else None)
    if options.json:
        print(json.dumps(summary))
    else:
        _print(summary, interrupted)
    return 130 if trainer.stop_requested else 0


def _started(options: argparse.Namespace) -> PaperTrainer:
    """Return the trainer of a new run."""
    from neurogame.learn.paper.trainer import PaperTrainer
    from neurogame.players.players import make_player

    game, folder = new_folder(options)
    given = _given(options)
    if given.get("games") is None and given.get("seconds") is None:
        given["seconds"] = DEFAULT_SECONDS
    kind = {"kind": PaperConfig().evaluator.kind}
    chosen = kind | chosen_settings(options, EvaluatorConfig, "evaluator")
    config = PaperConfig(evaluator=EvaluatorConfig(**chosen), **given)
    trainer = PaperTrainer(game, config, folder, guests=make_player)
    folder.create({"rules": options.rules, "recipe": "paper", **config.to_json()})
    return trainer


def _resumed(options: argparse.Namespace) -> PaperTrainer:
    """Return the trainer of a run that goes on; only its end may be given anew."""
    from neurogame.learn.paper.trainer import PaperTrainer
    from neurogame.players.players import make_player

    given = _given(options)
    networks = chosen_flags(options, EvaluatorConfig, "evaluator")
    refuse(options, [*paper_flags(options), *networks, *(["--seed"] if "seed" in given else [])])
    folder, checkpoint, config = resumed(options, PaperConfig, given)
    return PaperTrainer(checkpoint.game(), config, folder, checkpoint, guests=make_player)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return what was given of the settings, the end and the seed among them."""
    common = chosen_settings(options, TrainConfig) | chosen_settings(options, LaneConfig)
    known = {f"--{name}" for name in _COMMON}
    flags = [*chosen_flags(options, TrainConfig), *chosen_flags(options, LaneConfig)]
    wrong = sorted(set(flags) - known) + chosen_flags(options, PartsConfig, "parts")
    if wrong:
        raise ConfigurationError(f"{', '.join(wrong)}: only with --recipe fitted")
    return chosen_settings(options, PaperConfig, "paper") | common


def _summary(trainer: PaperTrainer, until: float | None) -> dict[str, Any]:
    """Return the result of the run, with final measurements if it has come to its end.

    Args:
        trainer: has trained.
        until: when these are over at the latest, as ``time.monotonic`` tells it; None: there are
            none.
    """
    from neurogame.learn.comparison import compare

    config, summary = trainer.config, run_summary(trainer)
    if until is not None:
        limit = until

        def stop() -> bool:
            return trainer.stop_requested or time.monotonic() >= limit

        for name, other in (("random", None), ("untrained", trainer.initial)):
            comparison = compare(
                trainer.game,
                trainer.evaluator,
                other,
                matches=FINAL_MATCHES,
                seed=1_000_003 * (config.seed + 1),
                opening_plies=4,
                max_plies=config.max_plies,
                stop=stop,
            )
            summary[f"against_{name}"] = comparison.to_json()
    return summary


def _print(summary: dict[str, Any], interrupted: bool) -> None:
    from neurogame.learn.comparison import Comparison

    print(
        f"{summary['matches']} matches, {summary['updates']} updates, "
        f"{summary['seconds']:.0f} seconds; saved in {summary['folder']}"
    )
    if interrupted:
        print(f"go on with:  neurogame train --resume {summary['folder']}")
        return
    for key, text in (("against_random", "random"), ("against_untrained", "the untrained")):
        print(f"against {text}: {Comparison(**summary[key]).text()}")
    print("play against it:")
    print(f"  neurogame play {summary['rules']} --opponent alphabeta:{summary['checkpoint']}")

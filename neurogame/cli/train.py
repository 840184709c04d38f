"""``neurogame train``: learn to play a game by self-play, or by the paper's rule."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurogame.cli.training.interrupt import gentle_interrupt
from neurogame.cli.training.lanes import DEFAULT_SECONDS, add_lane_settings, run_lanes
from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.config import PartsConfig
from neurogame.learn.config import TrainConfig
from neurogame.learn.lane_config import LaneConfig
from neurogame.learn.lane_train_config import LaneTrainConfig
from neurogame.setting_options import add_settings, chosen_settings

if TYPE_CHECKING:
    from neurogame.learn.train import Trainer

RECIPES = ("fitted", "paper")

PAPER = {
    "target": "outcome",
    "optimiser": "sgd",
    "loss": "squared",
    "learning_rate": 0.001,
    "lambda_": 0.8,
    "concurrent": 1,
    "buffer": 0,
    "gradient_limit": 0.0,
    "depth": 1,
    "opponent": "fluxplayer",
}
"""The published rule: targets of equations (9) and (10), plain gradient steps, one match at a time,
one ply, against Fluxplayer; with ``cilp-paper`` networks, whose weights W are 1."""

FINAL_MATCHES = 200

_EPILOG = """\
"The paper", its sections and equations: Michulke and Thielscher, Neural Networks for State
Evaluation in General Game Playing (2009). Evaluators, targets and losses are explained in
docs/concepts.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options; those of the configuration are made from its fields."""
    parser.epilog = _EPILOG
    parser.add_argument("rules", nargs="?", metavar="RULES", help="the game to learn")
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/GAME-TIME)")
    parser.add_argument(
        "--resume", type=Path, metavar="DIR", help="go on with the run in this folder"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    parser.add_argument(
        "--recipe",
        choices=RECIPES,
        help="fitted: self-play of thousands of games at once, with settings that fit the game; "
        "paper: one match at a time, as published (default: fitted)",
    )
    add_lane_settings(parser)
    paper = "only with --recipe paper; the end and the seed are those of training"
    add_settings(parser.add_argument_group("paper", paper), TrainConfig, "paper")
    add_settings(parser.add_argument_group("evaluator", paper), EvaluatorConfig, "evaluator")


def run(options: argparse.Namespace) -> int:
    """Train by the recipe asked for, or by that of the run that goes on."""
    recipe = _recipe_of(options.resume) if options.resume else options.recipe or RECIPES[0]
    if options.recipe not in (None, recipe):
        raise ConfigurationError(
            f"the run in {options.resume} has the recipe {recipe}, which --resume cannot change"
        )
    if recipe == RECIPES[0]:
        _refuse_others(options)
        return run_lanes(options)
    return _run_paper(options)


def _recipe_of(folder: Path) -> str:
    """Return the recipe of a run; runs of earlier versions have none."""
    from neurogame.learn.run_folder import RunFolder

    return str(RunFolder(folder).config().get("recipe", RECIPES[1]))


def _refuse_others(options: argparse.Namespace) -> None:
    """Refuse settings of the paper's recipe where another one is used."""
    wrong = [
        f"--paper-{name.rstrip('_')}" for name in chosen_settings(options, TrainConfig, "paper")
    ]
    wrong += [
        f"--evaluator-{name}" for name in chosen_settings(options, EvaluatorConfig, "evaluator")
    ]
    if wrong:
        raise ConfigurationError(f"{', '.join(wrong)}: only with --recipe paper")


def _run_paper(options: argparse.Namespace) -> int:
    """Train as the paper does, evaluate the result and say how to play against it."""
    trainer = _resumed(options) if options.resume else _started(options)
    bar = not (options.quiet or options.json)
    with gentle_interrupt(trainer):
        _train(trainer, bar)
    interrupted = trainer.stop_requested and not trainer.finished()
    summary = _summary(trainer, final=not interrupted)
    if options.json:
        print(json.dumps(summary))
    else:
        _print(summary, trainer.folder, interrupted)
    return 130 if interrupted else 0


def _started(options: argparse.Namespace) -> Trainer:
    """Return the trainer of a new run."""
    from neurogame.learn.run_folder import RunFolder
    from neurogame.learn.train import Trainer
    from neurogame.players.players import make_player
    from neurogame.simulate.game import Game

    if options.rules is None:
        raise ConfigurationError("train: name a game (see 'neurogame games'), or --resume DIR")
    config = _config(options)
    game = Game.load(options.rules)
    out = options.out or Path("runs") / f"{game.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = RunFolder(out)
    folder.check_free()
    trainer = Trainer(game, config, folder, guests=make_player)
    folder.create({"rules": options.rules, "recipe": "paper", **config.to_json()})
    return trainer


def _resumed(options: argparse.Namespace) -> Trainer:
    """Return the trainer of a run that goes on; only its end may be given anew."""
    from neurogame.learn.run_folder import RunFolder
    from neurogame.learn.train import Trainer
    from neurogame.players.players import make_player

    given = _given(options)
    chosen = chosen_settings(options, EvaluatorConfig, "evaluator")
    wrong = sorted(set(given) - {"matches", "seconds"})
    if wrong or chosen or options.out or options.rules:
        names = [f"--paper-{name.rstrip('_').replace('_', '-')}" for name in wrong]
        names += [f"--evaluator-{name}" for name in chosen]
        names += ["--out"] if options.out else []
        names += ["RULES"] if options.rules else []
        raise ConfigurationError(
            f"{', '.join(names)} cannot be changed by --resume; only --matches and --seconds "
            "(in total, not in addition) can"
        )
    folder = RunFolder(options.resume)
    checkpoint = folder.resume()
    config = TrainConfig.from_json(checkpoint.config)
    if given:
        # Naming one end replaces both: a run of given seconds may go on to a number of matches.
        config = dataclasses.replace(config, **{"matches": None, "seconds": None, **given})
    return Trainer(checkpoint.game(), config, folder, resumed=checkpoint, guests=make_player)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return what was given of the paper's settings, the end and the seed among them."""
    given = chosen_settings(options, TrainConfig, "paper")
    common = chosen_settings(options, LaneTrainConfig) | chosen_settings(options, LaneConfig)
    names = {"games": "matches", "seconds": "seconds", "seed": "seed"}
    wrong = sorted(set(common) - set(names))
    wrong = [f"--{name.rstrip('_').replace('_', '-')}" for name in wrong]
    wrong += [f"--parts-{name}" for name in chosen_settings(options, PartsConfig, "parts")]
    if wrong:
        raise ConfigurationError(f"{', '.join(wrong)}: only with --recipe fitted")
    return given | {names[name]: value for name, value in common.items()}


def _config(options: argparse.Namespace) -> TrainConfig:
    given = _given(options)
    chosen = {"kind": "cilp-paper", **chosen_settings(options, EvaluatorConfig, "evaluator")}
    if given.get("matches") is None and given.get("seconds") is None:
        given["seconds"] = DEFAULT_SECONDS
    return TrainConfig(evaluator=EvaluatorConfig(**chosen), **{**PAPER, **given})


def _train(trainer: Trainer, bar: bool) -> None:
    """Run the training with a progress bar over matches or seconds."""
    from tqdm import tqdm

    config, counters = trainer.config, trainer.counters
    by_matches = config.matches is not None
    done = counters.matches if by_matches else min(counters.seconds, config.seconds or 0.0)
    layout = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
    with tqdm(
        total=config.matches if by_matches else config.seconds,
        initial=done,
        desc=f"train {trainer.game.name}",
        disable=not bar,
        bar_format=layout,
        file=sys.stderr,
    ) as progress:

        def report(row: dict[str, Any]) -> None:
            now = row["matches"] if by_matches else counters.seconds
            progress.update(min(now, progress.total) - progress.n)
            score = trainer.results[-1]["score"] if trainer.results else None
            shown = {
                "matches": row["matches"],
                "per_s": f"{row['matches_per_second']:.0f}",
                "loss": f"{row['loss']:.4f}",
            }
            if score is not None:
                shown["vs_untrained"] = f"{100 * score:.0f}%"
            progress.set_postfix(shown)

        trainer.run(report)


def _summary(trainer: Trainer, *, final: bool) -> dict[str, Any]:
    """Return the result of the run, with final evaluations if it has come to its end."""
    from neurogame.learn.checkpoint import load_checkpoint

    latest = trainer.folder.latest
    summary: dict[str, Any] = {
        "game": trainer.game.name,
        "rules": trainer.folder.config()["rules"],
        "folder": str(trainer.folder.path),
        "checkpoint": str(latest),
        "hash": load_checkpoint(latest).hash,
        **trainer.counters.to_json(),
        "evaluations": trainer.results,
    }
    if final:
        summary["against_random"] = trainer.measure(None, FINAL_MATCHES).to_json()
        summary["against_untrained"] = trainer.measure(trainer.initial, FINAL_MATCHES).to_json()
    return summary


def _print(summary: dict[str, Any], folder: Any, interrupted: bool) -> None:
    from neurogame.learn.comparison import Comparison

    print(
        f"{summary['matches']} matches, {summary['updates']} updates, "
        f"{summary['seconds']:.0f} seconds; saved in {summary['folder']}"
    )
    if interrupted:
        print(f"go on with:  neurogame train --resume {folder.path}")
        return
    for key, text in (("against_random", "random"), ("against_untrained", "the untrained")):
        print(f"against {text}: {Comparison(**summary[key]).text()}")
    print("play against it:")
    print(f"  neurogame play {summary['rules']} --opponent alphabeta:{summary['checkpoint']}")

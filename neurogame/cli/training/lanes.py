"""``neurogame train`` with the fitted recipe: self-play in lanes, and how strong it became."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurogame.errors import ConfigurationError
from neurogame.evaluators.parts.config import PartsConfig
from neurogame.learn.lane_config import LaneConfig
from neurogame.learn.lane_train_config import LaneTrainConfig
from neurogame.setting_options import add_settings, chosen_settings

if TYPE_CHECKING:
    from neurogame.arena.release_strength import ReleaseStrength, StrengthMeter
    from neurogame.learn.lane_trainer import LaneTrainer, Release

DEFAULT_SECONDS = 180.0
"""How long to learn where neither games nor seconds are given."""

_MEASURE_SHARE, _LEAST_MEASURE, _MOST_MEASURE = 0.05, 1.0, 15.0
"""Share of the run that one measurement against one opponent may take, and seconds."""


def add_lane_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of the fitted recipe."""
    add_settings(parser.add_argument_group("training"), LaneTrainConfig)
    own = parser.add_argument_group("learner", "what is not given is chosen to fit the game")
    add_settings(own, LaneConfig)
    add_settings(own, PartsConfig, "parts")
    parser.add_argument(
        "--no-strength",
        action="store_true",
        help="do not measure how strong releases are (it takes a second processor core)",
    )


def run_lanes(options: argparse.Namespace) -> int:
    """Train, measure the releases and say how to play against the result."""
    from neurogame.cli.training.interrupt import gentle_interrupt

    trainer = _resumed(options) if options.resume else _started(options)
    bar = not (options.quiet or options.json)
    meter = None if options.no_strength else _meter(trainer)
    with gentle_interrupt(trainer):
        _train(trainer, bar, meter)
    interrupted = trainer.stop_requested and not trainer.finished()
    strength = _collected(meter, interrupted, bar)
    summary = _summary(trainer, strength)
    _write_curve(trainer, strength)
    if options.json:
        print(json.dumps(summary))
    else:
        _print(summary, strength, trainer, interrupted)
    return 130 if interrupted else 0


def _started(options: argparse.Namespace) -> LaneTrainer:
    """Return the trainer of a new run."""
    from neurogame.learn.lane_trainer import LaneTrainer
    from neurogame.learn.recipe import fitted
    from neurogame.learn.run_folder import RunFolder
    from neurogame.simulate.game import Game

    if options.rules is None:
        raise ConfigurationError("train: name a game (see 'neurogame games'), or --resume DIR")
    given = chosen_settings(options, LaneTrainConfig)
    if given.get("games") is None and given.get("seconds") is None:
        given["seconds"] = DEFAULT_SECONDS
    game = Game.load(options.rules)
    out = options.out or Path("runs") / f"{game.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = RunFolder(out)
    folder.check_free()
    learner: dict[str, Any] = chosen_settings(options, LaneConfig)
    learner["parts"] = chosen_settings(options, PartsConfig, "parts")
    config = LaneTrainConfig(learner=fitted(game, learner, seed=learner.get("seed", 0)), **given)
    trainer = LaneTrainer(game, config, folder)
    folder.create({"rules": options.rules, "recipe": "fitted", **config.to_json()})
    return trainer


def _resumed(options: argparse.Namespace) -> LaneTrainer:
    """Return the trainer of a run that goes on; only its end may be given anew."""
    from neurogame.learn.lane_trainer import LaneTrainer
    from neurogame.learn.run_folder import RunFolder

    given = chosen_settings(options, LaneTrainConfig)
    wrong = [f"--{name.replace('_', '-')}" for name in sorted(set(given) - {"games", "seconds"})]
    wrong += [f"--{name.rstrip('_')}" for name in sorted(chosen_settings(options, LaneConfig))]
    parts = chosen_settings(options, PartsConfig, "parts")
    wrong += [f"--parts-{name.replace('_', '-')}" for name in sorted(parts)]
    wrong += ["--out"] if options.out else []
    wrong += ["RULES"] if options.rules else []
    if wrong:
        raise ConfigurationError(
            f"{', '.join(wrong)} cannot be changed by --resume; only --games and --seconds "
            "(in total, not in addition) can"
        )
    folder = RunFolder(options.resume)
    checkpoint = folder.resume()
    settings = {name: value for name, value in checkpoint.config.items() if name != "recipe"}
    config = LaneTrainConfig.from_json(settings)
    if given:
        # Naming one end replaces both: a run of given seconds may go on to a number of games.
        config = dataclasses.replace(config, **{"games": None, "seconds": None, **given})
    return LaneTrainer(checkpoint.game(), config, folder, checkpoint)


def _meter(trainer: LaneTrainer) -> StrengthMeter | None:
    """Return what measures releases; games without two roles have no such yardstick."""
    from neurogame.arena.release_strength import StrengthMeter

    if len(trainer.game.roles) != 2:
        return None
    whole = trainer.config.seconds or DEFAULT_SECONDS
    seconds = min(_MOST_MEASURE, max(_LEAST_MEASURE, _MEASURE_SHARE * whole))
    seed = trainer.config.learner.seed
    return StrengthMeter(trainer.game, trainer.untrained, seed=seed, seconds=seconds)


def _train(trainer: LaneTrainer, bar: bool, meter: StrengthMeter | None) -> None:
    """Run the training with a progress bar over games or seconds."""
    from tqdm import tqdm

    config, counters = trainer.config, trainer.counters
    by_games = config.games is not None
    total = config.games if by_games else config.seconds
    layout = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
    with tqdm(
        total=total,
        initial=min(counters.matches if by_games else counters.seconds, total or 0),
        desc=f"train {trainer.game.name}",
        disable=not bar,
        bar_format=layout,
        file=sys.stderr,
    ) as progress:

        def report(row: dict[str, Any]) -> None:
            now = row["games"] if by_games else row["seconds"]
            shown = {"games": f"{row['games']:,}", "per_s": f"{row['games_per_second']:,.0f}"}
            latest = None if meter is None else meter.latest()
            if latest is not None:
                shown["strength"] = f"{latest.text()} ({latest.seconds:.0f} s)"
            progress.set_postfix(shown, refresh=False)
            progress.update(min(now, progress.total) - progress.n)

        def released(release: Release) -> None:
            if meter is not None:
                meter.measure(release.evaluator, release.seconds)

        trainer.run(report, released)


def _collected(meter: StrengthMeter | None, interrupted: bool, bar: bool) -> list[ReleaseStrength]:
    """Return all measurements; wait for those that are not finished unless interrupted."""
    from tqdm import tqdm

    if meter is None:
        return []
    if interrupted:
        meter.close()
        return []
    waiting = meter.waiting
    with tqdm(total=waiting, desc="measure", disable=not bar, leave=False) as progress:
        while meter.waiting:
            time.sleep(0.1)
            progress.update(waiting - meter.waiting - progress.n)
    found = meter.all()
    meter.close()
    return found


def _summary(trainer: LaneTrainer, strength: list[ReleaseStrength]) -> dict[str, Any]:
    from neurogame.learn.checkpoint import load_checkpoint

    latest = trainer.folder.latest
    return {
        "game": trainer.game.name,
        "rules": trainer.folder.config()["rules"],
        "folder": str(trainer.folder.path),
        "checkpoint": str(latest),
        "hash": load_checkpoint(latest).hash,
        **trainer.counters.to_json(),
        "released_at": trainer.release.seconds,
        "releases": trainer.results,
        "strength": [one.to_json() for one in strength],
    }


def _write_curve(trainer: LaneTrainer, strength: list[ReleaseStrength]) -> None:
    from neurogame.arena.strength_curve import strength_svg
    from neurogame.files import write_whole

    if strength:
        picture = strength_svg(f"Strength in {trainer.game.name}", strength)
        write_whole(trainer.folder.path / "curve.svg", lambda f: _write(f, picture.encode()))


def _write(stream: Any, data: bytes) -> None:
    stream.write(data)


def _print(
    summary: dict[str, Any],
    strength: list[ReleaseStrength],
    trainer: LaneTrainer,
    interrupted: bool,
) -> None:
    from neurogame.arena.strength_curve import strength_table

    seconds = max(summary["seconds"], 1e-9)
    print(
        f"{summary['matches']:,} games, {summary['plies']:,} plies in {seconds:.0f} seconds "
        f"({summary['plies'] / seconds:,.0f} plies a second); saved in {summary['folder']}"
    )
    if interrupted:
        print(f"go on with:  neurogame train --resume {trainer.folder.path}")
        return
    if strength:
        print("strength of the releases, from openings that were not used to choose them:")
        print(strength_table(strength))
    if trainer.release.seconds == 0:
        print("nothing learned has beaten the untrained goal networks: these are saved")
    print("play against it:")
    print(f"  neurogame play {summary['rules']} --opponent alphabeta:{summary['checkpoint']}")

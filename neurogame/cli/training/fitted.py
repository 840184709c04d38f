"""``neurogame train``: a run, how strong its releases are, and how to play against the result."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from neurogame.bars import bar_stream
from neurogame.cli.training.bar import training_bar
from neurogame.cli.training.clock import RunClock
from neurogame.cli.training.folder import (
    asked_seconds,
    new_folder,
    refuse,
    resumed,
    run_summary,
)
from neurogame.cli.training.interrupt import gentle_interrupt
from neurogame.cli.training.paper import resumed_paper, started_paper
from neurogame.errors import ConfigurationError, NeurogameWarning
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.first_use import working_time
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.train_config import TrainConfig
from neurogame.setting_options import add_settings, chosen_flags, chosen_settings
from neurogame.waiting import say
from neurogame.workers.options import add_workers, chosen_workers
from neurogame.workers.settings import WorkerSettings

if TYPE_CHECKING:
    from neurogame.arena.release_strength import ReleaseStrength, StrengthMeter
    from neurogame.learn.paper.trainer import PaperTrainer
    from neurogame.learn.trainer import Release, Trainer
    from neurogame.workers.workplace import Workplace

    Run: TypeAlias = Trainer | PaperTrainer

_GROUPS, _ROUND_PLIES = 4, 128
"""Settings of the learner where workers play: pieces that are worth the way."""
_OF_RULES_NETWORK = ("cores", "round_plies", "table_rate", "doublings")
"""Settings of the learner that goal networks do not have."""
_MEASURE_SHARE, _LEAST_MEASURE, _MOST_MEASURE = 0.05, 5.0, 15.0
"""Share of the run that one measurement against one opponent may take, and seconds."""


def add_fitted_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of the fitted recipe."""
    add_settings(parser.add_argument_group("training"), TrainConfig)
    group = parser.add_argument_group("learner", "what is not given is chosen to fit the game")
    add_settings(group, LaneConfig)
    add_settings(group, RulesNetworkConfig, "network")
    add_workers(parser)
    parser.add_argument(
        "--no-strength",
        action="store_true",
        help="do not measure how strong releases are (it takes a second processor core)",
    )


def fitted_flags(options: argparse.Namespace) -> list[str]:
    """Return the options given that say how to learn by this recipe, but for the end."""
    ends = ("--games", "--seconds")
    return [
        *(flag for flag in chosen_flags(options, TrainConfig) if flag not in ends),
        *chosen_flags(options, LaneConfig),
        *chosen_flags(options, RulesNetworkConfig, "network"),
        *chosen_flags(options, EvaluatorConfig, "evaluator"),
    ]


def run_training(options: argparse.Namespace, recipe: str) -> int:
    """Train, measure the releases and say how to play against the result.

    Args:
        options: what the command line says.
        recipe: fitted or paper.
    """
    clock = RunClock(asked_seconds(options), getattr(options, "begun", None))
    meters: list[StrengthMeter] = []

    def released(release: Release) -> None:
        for meter in meters:
            meter.measure(release.evaluator, release.seconds)

    with _opened(options) as workplace:
        make: Callable[[], Run] = partial(
            _resumed if options.resume else _started, options, released, workplace
        )
        if recipe == "paper":
            make = partial(resumed_paper if options.resume else started_paper, options, released)
        trainer = clock.get_ready(make)
        clock.limit(trainer)
        return _run(options, trainer, meters, workplace, clock)


@contextmanager
def _opened(options: argparse.Namespace) -> Iterator[Workplace | None]:
    """Give the workers asked for; None if nothing was said, which is this process."""
    from neurogame.workers.workplace import open_workplace

    workers = chosen_workers(options)
    if not chosen_settings(options, WorkerSettings):
        yield None
        return
    with open_workplace(workers) as workplace:
        yield workplace


def _run(
    options: argparse.Namespace,
    trainer: Run,
    meters: list[StrengthMeter],
    workplace: Workplace | None,
    clock: RunClock,
) -> int:
    """Train, and say what came of it; the meter that measures releases joins ``meters``."""
    from neurogame.arena.release_strength import strength_of_run

    hidden = options.quiet or options.json
    meter = None if options.no_strength else _meter(trainer, clock.measured)
    meters += [meter] if meter is not None else []
    workers = partial(_workers, trainer, workplace)
    with gentle_interrupt(trainer):
        with training_bar(trainer, hidden=hidden, shown=workers()) as show:
            trainer.run(lambda row: show(_shown(row, meter, workers())))
        interrupted = trainer.stop_requested and (trainer.is_due or not trainer.finished())
        _collect(meter, trainer, not hidden)
        strength = strength_of_run(trainer.folder.path)
    summary = _summary(trainer, strength)
    if options.json:
        print(json.dumps(summary))
    else:
        _print(summary, strength, trainer, interrupted)
    return 130 if trainer.stop_requested else 0


def _started(
    options: argparse.Namespace,
    released: Callable[[Release], None],
    workplace: Workplace | None,
) -> Trainer:
    """Return the trainer of a new run."""
    from neurogame.learn.recipe import fitted
    from neurogame.learn.trainer import Trainer

    game, folder = new_folder(options)
    given = chosen_settings(options, TrainConfig)
    given["seconds"] = asked_seconds(options)
    learner: dict[str, Any] = chosen_settings(options, LaneConfig)
    networks = chosen_settings(options, EvaluatorConfig, "evaluator")
    if networks:
        learner["evaluator"] = _networks(options, networks)
    elif workplace is not None:
        # The same whatever the workers, so that the weights are the same.
        learner = {"cores": _GROUPS, "round_plies": _ROUND_PLIES, **learner}
        if workplace.workers > learner["cores"]:
            warnings.warn(
                f"{workplace.workers} workers, but {learner['cores']} groups of lanes: the others "
                f"have nothing to do; give --cores {workplace.workers} or more",
                NeurogameWarning,
                stacklevel=2,
            )
    learner["network"] = chosen_settings(options, RulesNetworkConfig, "network")
    config = TrainConfig(learner=fitted(game, learner, seed=learner.get("seed", 0)), **given)
    trainer = Trainer(game, config, folder, released=released, workplace=workplace)
    folder.create({"rules": options.rules, "recipe": "fitted", **config.to_json()})
    return trainer


def _networks(options: argparse.Namespace, given: dict[str, Any]) -> EvaluatorConfig:
    """Return which goal networks learn.

    Raises:
        ConfigurationError: other options say how a rules network is to learn.
    """
    flags, known = chosen_flags(options, LaneConfig), chosen_settings(options, LaneConfig)
    wrong = [flag for flag, name in zip(flags, known, strict=True) if name in _OF_RULES_NETWORK]
    wrong += chosen_flags(options, RulesNetworkConfig, "network")
    if wrong:
        raise ConfigurationError(
            f"{', '.join(wrong)}: not with --evaluator, by which no rules network learns"
        )
    return EvaluatorConfig(**given)


def _resumed(
    options: argparse.Namespace,
    released: Callable[[Release], None],
    workplace: Workplace | None,
) -> Trainer:
    """Return the trainer of a run that goes on; only its end may be given anew."""
    from neurogame.learn.trainer import Trainer

    refuse(options, fitted_flags(options))
    given = chosen_settings(options, TrainConfig)
    folder, checkpoint, config = resumed(options, TrainConfig, given)
    return Trainer(
        checkpoint.game(), config, folder, checkpoint, released=released, workplace=workplace
    )


def _workers(trainer: Run, workplace: Workplace | None) -> dict[str, str]:
    """Return what the progress bar says of workers: how many, and the pieces that they did."""
    workers = None if workplace is None else workplace.joined
    if workers is None:
        return {}
    pieces = trainer.counters.rounds * trainer.cores
    return {"workers": str(workers), "pieces": f"{pieces:,}"}


def _shown(
    row: dict[str, Any], meter: StrengthMeter | None, workers: dict[str, str]
) -> dict[str, str]:
    """Return what stands behind the progress bar."""
    shown = {"games": f"{row['games']:,}", "per_s": f"{row['games_per_second']:,.0f}", **workers}
    latest = None if meter is None else meter.latest()
    if latest is not None:
        shown["strength"] = f"{latest.text() or 'unknown'} ({latest.seconds:.0f} s)"
    return shown


def _meter(trainer: Run, until: float) -> StrengthMeter | None:
    """Return what measures releases; puzzles have no such yardstick."""
    from neurogame.arena.release_strength import StrengthMeter, counted_matches
    from neurogame.learn.recipe import random_lengths

    game, whole = trainer.game, trainer.config.seconds
    if len(game.players) < 2:
        return None

    def found(strength: ReleaseStrength) -> None:
        trainer.folder.log_strength(strength.to_json())

    make = partial(
        StrengthMeter, game, trainer.untrained, seed=trainer.seed, found=found, clock=working_time
    )
    if whole is not None:
        seconds = min(_MOST_MEASURE, max(_LEAST_MEASURE, _MEASURE_SHARE * whole))
        return make(seconds=seconds, until=until)
    plies = random_lengths(game).mean
    matches = counted_matches(plies)
    if matches == 0:
        say(f"strength is not measured: matches of {plies:.0f} plies take too long to be counted")
        return None
    return make(matches=matches)


def _collect(meter: StrengthMeter | None, trainer: Run, bar: bool) -> None:
    """Wait for the measurements under way until they end, or are to stop."""
    from tqdm import tqdm

    if meter is None:
        return
    waiting = meter.waiting
    with tqdm(
        total=waiting, desc="measure", disable=not bar, leave=False, file=bar_stream()
    ) as progress:
        while meter.waiting and not (meter.is_over or trainer.stop_requested or trainer.is_cut):
            time.sleep(0.1)
            progress.update(waiting - meter.waiting - progress.n)
    meter.close()


def _summary(trainer: Run, strength: list[ReleaseStrength]) -> dict[str, Any]:

    return {
        **run_summary(trainer),
        "released_at": trainer.release.seconds,
        "releases": trainer.results,
        "strength": [one.to_json() for one in strength],
    }


def _print(
    summary: dict[str, Any],
    strength: list[ReleaseStrength],
    trainer: Run,
    interrupted: bool,
) -> None:
    from neurogame.arena.strength_table import (
        NOTHING_RELEASED,
        still_rises,
        strength_sentence,
        strength_table,
    )

    seconds = max(summary["seconds"], 1e-9)
    print(
        f"{summary['matches']:,} games, {summary['plies']:,} plies in {seconds:.1f} seconds "
        f"({summary['plies'] / seconds:,.0f} plies a second); saved in {summary['folder']}"
    )
    if trainer.is_cut:
        print("the last round took too long to wait for; what it learned is not in the files")
    if interrupted:
        print(f"go on with:  neurogame train --resume {trainer.folder.path}")
        return
    if strength:
        print("strength of the releases, from openings that were not used to choose them:")
        print(strength_table(strength))
    for sentence in (strength_sentence(strength), still_rises(trainer.results)):
        if sentence:
            print(sentence)
    if trainer.release.seconds == 0:
        print(NOTHING_RELEASED)
    print("play against it:")
    print(f"  neurogame play {summary['rules']} --opponent alphabeta:{summary['checkpoint']}")

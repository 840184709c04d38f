"""``neurogame train``: learn to play a game by self-play, or by the paper's rule."""

from __future__ import annotations

import argparse
from pathlib import Path

from neurogame.cli.training.fitted import add_fitted_settings, run_training
from neurogame.cli.training.paper import add_paper_settings, paper_flags
from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.setting_options import add_settings, chosen_flags
from neurogame.workers.settings import WorkerSettings

RECIPES = ("fitted", "paper")
_UNNAMED = "none, so that a rules network learns; with --recipe paper cilp-paper"

_EPILOG = """\
"The paper", its sections and equations: Michulke and Thielscher, Neural Networks for State
Evaluation in General Game Playing (2009). Recipes are explained in docs/learning.md, evaluators in
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
        "--tensorboard",
        action="store_true",
        help="write event files for TensorBoard into the folder of the run, too; a run that has "
        "them keeps them with --resume (needs the extra tensorboard)",
    )
    parser.add_argument(
        "--recipe",
        choices=RECIPES,
        help="fitted: self-play of thousands of games at once, with settings that fit the game; "
        "paper: one match at a time, as published (default: fitted)",
    )
    add_fitted_settings(parser)
    add_paper_settings(parser)
    text = "goal networks that learn in place of a rules network; with --recipe paper, too"
    group = parser.add_argument_group("evaluator", text)
    add_settings(group, EvaluatorConfig, "evaluator", unnamed=_UNNAMED)


def run(options: argparse.Namespace) -> int:
    """Train by the recipe asked for, or by that of the run that goes on."""
    recipe = _recipe_of(options.resume) if options.resume else options.recipe or RECIPES[0]
    if options.recipe not in (None, recipe):
        raise ConfigurationError(
            f"the run in {options.resume} has the recipe {recipe}, which --resume cannot change"
        )
    if recipe == "paper":
        wrong = chosen_flags(options, WorkerSettings)
        if wrong:
            raise ConfigurationError(
                f"{', '.join(wrong)}: only with --recipe fitted, as the paper's plays one by one"
            )
    elif paper_flags(options):
        wrong = paper_flags(options)
        raise ConfigurationError(f"{', '.join(wrong)}: only with --recipe paper")
    return run_training(options, recipe)


def _recipe_of(folder: Path) -> str:
    """Return the recipe of a run."""
    from neurogame.learn.run_folder import RunFolder

    recipe = RunFolder(folder).config().get("recipe")
    if recipe not in RECIPES:
        raise ConfigurationError(
            f"the run in {folder} was made by an earlier version and cannot go on; its checkpoints "
            "can be played with as before, and 'neurogame train GAME' makes better ones"
        )
    return str(recipe)

"""``neurogame features``: features found in the rules, and what they are worth in random games."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from neurogame.features.evidence_config import EvidenceConfig
from neurogame.setting_options import add_settings, chosen_settings

if TYPE_CHECKING:
    from neurogame.features.evidence import FeatureEvidence
    from neurogame.simulate.game import Game

_SHOWN = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    add_settings(parser, EvidenceConfig, only=("games", "seconds"))
    parser.add_argument("--seed", type=int, default=0, help="same seed, same games (0)")
    parser.add_argument("--all", action="store_true", help="show all features")
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR",
        help="draw what each chosen feature counts: DIR/1.svg, 2.svg, ... in the order of choice",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Find features, play random games, and print what they say."""
    from tqdm import tqdm

    from neurogame.features.evidence import find_evidence
    from neurogame.features.report import evidence_lines, evidence_record, feature_costs
    from neurogame.simulate.game import Game

    config = EvidenceConfig(**chosen_settings(options, EvidenceConfig))
    game = Game.load(options.rules)
    with tqdm(
        total=config.games,
        desc="random games",
        unit="games",
        file=sys.stderr,
        disable=options.quiet or None,
    ) as bar:
        evidence = find_evidence(game, config, seed=options.seed, progress=bar.update)
    if options.pictures is not None:
        _draw(evidence, game, options.pictures)
    costs = feature_costs(evidence, game)
    if options.json:
        print(json.dumps(evidence_record(evidence, costs, game.roles)))
    else:
        shown = len(evidence.features) if options.all else _SHOWN
        print("\n".join(evidence_lines(evidence, costs, game.roles, shown)))
    return 0


def _draw(evidence: FeatureEvidence, game: Game, folder: Path) -> None:
    """Draw the chosen features.

    Raises:
        ConfigurationError: there is no such folder, and none can be made.
    """
    from neurogame.files import write_text, writing
    from neurogame.inspect.feature_svg import feature_svg

    with writing(f"--pictures {folder}", "name a folder"):
        folder.mkdir(parents=True, exist_ok=True)
        for number, chosen in enumerate(evidence.chosen, 1):
            write_text(folder / f"{number}.svg", feature_svg(evidence.features[chosen], game))

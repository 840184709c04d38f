"""``neurogame features``: features found in the rules, and what they are worth in random games."""

from __future__ import annotations

import argparse
import json
import sys

_SHOWN = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument("--games", type=int, help="random games (16384)")
    parser.add_argument("--seconds", type=float, help="most seconds of play (5)")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same games (0)")
    parser.add_argument("--all", action="store_true", help="show all features")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Find features, play random games, and print what they say."""
    from tqdm import tqdm

    from neurogame.features.evidence import find_evidence
    from neurogame.features.evidence_config import EvidenceConfig
    from neurogame.features.report import evidence_lines, evidence_record, feature_costs
    from neurogame.simulate.game import Game

    given = {"games": options.games, "seconds": options.seconds}
    config = EvidenceConfig(**{name: value for name, value in given.items() if value is not None})
    game = Game.load(options.rules)
    with tqdm(
        total=config.games,
        desc="random games",
        unit="games",
        file=sys.stderr,
        disable=options.quiet or None,
    ) as bar:
        found = find_evidence(game, config, seed=options.seed, progress=bar.update)
    costs = feature_costs(found, game)
    if options.json:
        print(json.dumps(evidence_record(found, costs, game.roles)))
    else:
        shown = len(found.features) if options.all else _SHOWN
        print("\n".join(evidence_lines(found, costs, game.roles, shown)))
    return 0

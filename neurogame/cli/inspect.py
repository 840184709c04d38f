"""``neurogame inspect``: what a checkpoint has learned, by the rules its weights came from."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neurogame.learn.checkpoint import Checkpoint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a file made by 'train'")
    parser.add_argument(
        "--top",
        type=int,
        default=20,
        metavar="N",
        help="how many weights to list, those that moved farthest first (default 20)",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw a goal network into an SVG file")
    parser.add_argument(
        "--network",
        type=int,
        default=0,
        metavar="N",
        help="which goal network --svg draws, counted from 0 (default 0)",
    )
    parser.add_argument(
        "--compare",
        nargs="+",
        metavar="OTHER",
        help="what learning changed, beside other checkpoints of the game, such as of other seeds",
    )
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="play games and compare the values with their outcomes",
    )
    parser.add_argument(
        "--state",
        metavar="STATE",
        help="what the value of a state is made of: 'initial', 'random:PLIES:SEED', or all fluents "
        "that hold, such as '(cell 1 1 b) (control white)'",
    )
    parser.add_argument(
        "--against",
        metavar="STATE",
        help="another state: what makes the first one better or worse",
    )
    parser.add_argument("--role", metavar="ROLE", help="whose value (default: the first role's)")
    parser.add_argument(
        "--method",
        choices=("exact", "gradients", "toggling"),
        help="how it is taken apart (default: exact where the evaluator is made of parts, else "
        "integrated gradients)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print the drift of a checkpoint's weights by tensor, by rule and one by one."""
    from neurogame.inspect.calibration_report import calibration, print_calibration
    from neurogame.inspect.change.report import comparison, print_comparison
    from neurogame.inspect.network_svg import network_svg
    from neurogame.inspect.state_report import print_state_report, state_report
    from neurogame.learn.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(options.checkpoint)
    if options.svg:
        picture = network_svg(
            checkpoint.evaluator(), options.network, checkpoint.initial_evaluator()
        )
        Path(options.svg).write_text(picture, encoding="utf-8")
    report = _report(checkpoint, max(options.top, 0))
    if options.state:
        report["attribution"] = state_report(
            checkpoint,
            options.state,
            role=options.role,
            method=options.method,
            against=options.against,
        )
    if options.compare:
        report["comparison"] = comparison(checkpoint, options.compare)
    if options.calibration:
        report["calibration"] = calibration(checkpoint)
    if options.json:
        print(json.dumps(report))
        return 0
    if options.state:
        print_state_report(report["attribution"], max(options.top, 0))
        return 0
    _print(report)
    if options.compare:
        print_comparison(report["comparison"])
    if options.calibration:
        print_calibration(report["calibration"])
    return 0


def _report(checkpoint: Checkpoint, top: int) -> dict[str, Any]:
    """Return everything that is printed, JSON-able."""
    from neurogame.evaluators.cilp_plain import PlainNetworks
    from neurogame.evaluators.cilp_sound import SoundNetworks
    from neurogame.gdl.write import rule_text
    from neurogame.inspect.weights import summaries, tensor_drifts, weight_table

    evaluator = checkpoint.evaluator()
    drifts = tensor_drifts(checkpoint.weights, checkpoint.initial_weights)
    report: dict[str, Any] = {
        "game": checkpoint.game_name,
        "kind": checkpoint.description["kind"],
        "counters": checkpoint.counters,
        "tensors": [asdict(drift) for drift in drifts],
        "networks": [],
        "rules": [],
        "weights": [],
    }
    if not isinstance(evaluator, PlainNetworks | SoundNetworks):
        return report
    rows = weight_table(evaluator, checkpoint.initial_evaluator())
    game = checkpoint.game()
    texts = {i: rule_text(rule, game.rules.spelling) for i, rule in enumerate(game.rules)}
    proof = evaluator.wiring.proof
    report["networks"] = [proof.goal_label(index) for index in range(len(proof.goals))]
    report["rules"] = [asdict(summary) for summary in summaries(rows, texts)]
    # Python's sort is stable: weights that drifted alike keep the order of the network.
    listed = sorted(rows, key=lambda row: -abs(row.drift))[:top]
    report["weights"] = [{**asdict(row), "drift": row.drift} for row in listed]
    return report


def _print(report: dict[str, Any]) -> None:
    """Print the report as three tables."""
    counted = ", ".join(f"{name} {value}" for name, value in report["counters"].items())
    print(f"{report['game']}, evaluator {report['kind']}" + (f" ({counted})" if counted else ""))
    print(f"\n{'tensor':24s} {'numbers':>9s} {'initial':>10s} {'now':>10s} {'drift':>10s}")
    for row in report["tensors"]:
        print(
            f"{row['name']:24s} {row['numbers']:9,d} {row['initial']:10.4f} "
            f"{row['current']:10.4f} {row['drift']:10.4f}"
        )
    for number, network in enumerate(report["networks"]):
        print(("\n" if number == 0 else "") + f"network {number}: {network}")
    if report["rules"]:
        print("\nmean |weight| before, now, and drift, by network and rule")
    for row in report["rules"]:
        print(
            f"{row['initial']:8.4f} {row['current']:8.4f} {row['drift']:8.4f}  "
            f"{row['network']}: {row['weights']} weights of {row['source']}"
        )
    if report["weights"]:
        print("\nweights that changed most: before, now, drift")
    for row in report["weights"]:
        print(
            f"{row['initial']:+8.4f} {row['current']:+8.4f} {row['drift']:+8.4f}  "
            f"{row['network']}: {row['unit']} <- {row['child']}"
            + (" (redirected)" if row["redirected"] else "")
        )

"""What a subject is, and how far its weights have moved, as JSON and as text: ``inspect``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from neurogame.gdl.write import rule_text
from neurogame.inspect.judges.report import judge_report, print_judge_report
from neurogame.inspect.subject import Subject
from neurogame.inspect.weights import summaries, tensor_drifts, weight_table, weighted_networks


def weights_report(subject: Subject, top: int) -> dict[str, Any]:
    """Return how far the weights of an evaluator moved, and what judges of moves know.

    Args:
        subject: what is looked at.
        top: how many weights, fluents and moves to list.
    """
    evaluator, initial = subject.evaluator, subject.initial
    report: dict[str, Any] = {
        "game": subject.game.name,
        "kind": None if evaluator is None else evaluator.describe().get("kind"),
        "counters": {} if subject.checkpoint is None else subject.checkpoint.counters,
        "tensors": [],
        "networks": [],
        "rules": [],
        "weights": [],
        "judges": [judge_report(subject, name, top) for name in subject.judge_names],
    }
    if evaluator is None or initial is None:
        return report
    drifts = tensor_drifts(evaluator.state_dict(), initial.state_dict())
    report["tensors"] = [asdict(drift) for drift in drifts]
    networks = weighted_networks(evaluator)
    if networks is None or networks is not evaluator:
        return report
    rows, game = weight_table(evaluator, initial), subject.game
    texts = {i: rule_text(rule, game.rules.spelling) for i, rule in enumerate(game.rules)}
    proof = networks.wiring.proof
    report["networks"] = [proof.goal_label(index) for index in range(len(proof.goals))]
    report["rules"] = [asdict(summary) for summary in summaries(rows, texts)]
    # Python's sort is stable: weights that drifted alike keep the order of the network.
    listed = sorted(rows, key=lambda row: -abs(row.drift))[:top]
    report["weights"] = [{**asdict(row), "drift": row.drift} for row in listed]
    return report


def print_weights_report(report: dict[str, Any]) -> None:
    """Print a report of :func:`weights_report` as tables."""
    counted = ", ".join(f"{name} {value}" for name, value in report["counters"].items())
    what = f"evaluator {report['kind']}" if report["kind"] else "no evaluator of states"
    print(f"{report['game']}, {what}" + (f" ({counted})" if counted else ""))
    if report["tensors"]:
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
    for judge in report["judges"]:
        print_judge_report(judge)

"""What a subject is, and how far its weights have moved: ``inspect``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from neurogame.gdl.write import rule_text
from neurogame.inspect.judges.report import judge_parts, judge_report
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Row, Table
from neurogame.inspect.unit_rules import unit_rules, unit_tables
from neurogame.inspect.weights import summaries, tensor_drifts, weight_table, weighted_networks
from neurogame.simulate.game import Game

_TENSORS = {
    "tables": "pattern tables",
    "embedding": "hidden units: what they read",
    "bias": "bias",
    "readout": "hidden units: what they add",
}
"""Tensors by their names, in words for people."""
_DRIFT = " | at first={initial:.4f} | drift={drift:.4f}"


def weights_report(subject: Subject, top: int) -> dict[str, Any]:
    """Return how far the weights of an evaluator moved, and what judges of moves know.

    Args:
        subject: what is looked at.
        top: how many weights, fluents and moves to list.
    """
    evaluator, initial = subject.values() if subject.has_evaluator else (None, None)
    report: dict[str, Any] = {
        "game": subject.game.name,
        "kind": None if evaluator is None else evaluator.describe().get("kind"),
        "counters": {} if subject.checkpoint is None else subject.checkpoint.counters,
        "units": {},
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
    report["units"] = unit_rules(evaluator, initial, subject.game)
    report["first_role"] = subject.game.roles[subject.game.players[0]]
    networks = weighted_networks(evaluator)
    if networks is None:
        return report
    rows, proof = weight_table(evaluator, initial), networks.wiring.proof
    report["networks"] = [proof.goal_label(index) for index in range(len(proof.goals))]
    report["rules"] = [asdict(summary) for summary in summaries(rows, rule_texts(subject.game))]
    # Python's sort is stable: weights that drifted alike keep the order of the network.
    listed = sorted(rows, key=lambda row: -abs(row.drift))[:top]
    report["weights"] = [{**asdict(row), "drift": row.drift} for row in listed]
    return report


def weights_parts(report: dict[str, Any]) -> list[Part]:
    """Return a report of :func:`weights_report` as people read it."""
    counted = ", ".join(f"{name} {round(value, 1):,}" for name, value in report["counters"].items())
    what = f"evaluator {report['kind']}" if report["kind"] else "no evaluator of states"
    weights = [{**row, "end": " (redirected)" * row["redirected"]} for row in report["weights"]]
    columns = "before={initial:+.4f} | now={current:+.4f} | drift={drift:+.4f}"
    columns += " | weight={network}: {unit} <- {child}{end}"
    networks = enumerate(report["networks"])
    return [
        f"{report['game']}, {what}" + (f" ({counted})" if counted else ""),
        *(unit_tables(report["units"], report["first_role"]) if report["units"] else ()),
        tensor_table(report["tensors"], with_drift=True),
        "\n".join(f"network {number}: {network}" for number, network in networks),
        rule_table(report["rules"], with_drift=True),
        Table(weights, columns, "weights that changed most"),
        *(part for judge in report["judges"] for part in judge_parts(judge)),
    ]


def rule_texts(game: Game) -> dict[int, str]:
    """Return the rules of a game by their numbers."""
    return {n: rule_text(rule, game.rules.spelling) for n, rule in enumerate(game.rules)}


def tensor_table(rows: Sequence[Row], *, with_drift: bool) -> Table:
    """Return how large the tensors of an evaluator are, and how far from where they began.

    Args:
        rows: fields of :class:`~neurogame.inspect.weights.TensorDrift`.
        with_drift: whether it is known where they began.
    """
    said = [{**row, "said": _said(row["name"])} for row in rows]
    columns = "tensor={said} | numbers={numbers:,} | norm={current:.4f}"
    return Table(said, columns + _DRIFT * with_drift, bars={"drift": ("drift", 0)})


def _said(tensor: str) -> str:
    return _TENSORS.get(tensor, tensor)


def rule_table(rows: Sequence[Row], *, with_drift: bool) -> Table:
    """Return the weights by network and rule.

    Args:
        rows: fields of :class:`~neurogame.inspect.weights.RuleSummary`.
        with_drift: whether it is known what they were before learning.
    """
    columns = "network={network} | weights={weights:,} | mean |weight|={current:.4f}"
    lines = [{**row, "line": " ".join(row["source"].split())} for row in rows]
    return Table(lines, f"{columns}{_DRIFT * with_drift} | rule or relation={{line}}", listed=12)

"""What a judge of moves knows, as JSON and as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.actions.role_circuit import RoleCircuit
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.evaluators.policy.policy import LearnedPolicy
from neurogame.inspect.attribution.of_moves import input_names
from neurogame.inspect.subject import Subject
from neurogame.kernels.leaves.move_scores import LOGITS, MoveJudge
from neurogame.simulate.game import Game

Row = dict[str, Any]


def judge_report(subject: Subject, name: str, top: int) -> Row:
    """Return what a judge of moves knows.

    Args:
        subject: whose judge.
        name: of the judge.
        top: how many fluents, moves and leaves to list of each role: those that count most.
    """
    judge = subject.judge(name)
    report: Row = {
        "judge": name,
        "scores": "logarithms of weights" if judge.scale == LOGITS else "0..1",
        "sizes": _sizes(judge),
        "fluents": [],
        "moves": [],
        "leaves": [],
    }
    if isinstance(judge, Knowledge):
        report["fluents"] = _fluents(subject.game, judge, top)
        worth = judge.move_values().tolist()
        more = [{"plays": int(own)} for own in judge.plays.tolist()]
        report["moves"] = _moves(subject.game, worth, more, top)
    elif isinstance(judge, LearnedPolicy):
        worth = judge.moves.detach().tolist()
        report["moves"] = _moves(subject.game, worth, [{}] * len(worth), top)
    elif isinstance(judge, ActionCircuit) and judge.config.trainable:
        for role, own in enumerate(judge.all_roles()):
            report["leaves"] += _leaves(subject.game, role, own, top)
        worth = [float(own) for part in judge.all_roles() for own in part.bias.detach()]
        report["moves"] = _moves(subject.game, worth, [{}] * len(worth), top)
    return report


def print_judge_report(report: Row) -> None:
    """Print a report of :func:`judge_report`."""
    sizes = ", ".join(f"{name} {value:,}" for name, value in report["sizes"].items())
    print(f"\njudge of moves {report['judge']} (scores: {report['scores']}; {sizes})")
    if report["fluents"]:
        print("\nfluents that count most: what they add to the log-odds of a state")
    for row in report["fluents"]:
        print(f"{row['weight']:+9.4f}  {row['role']}: {row['fluent']}")
    if report["moves"]:
        print("\nmoves that are liked and disliked most, whatever the state")
    for row in report["moves"]:
        times = f" (made {row['plays']:,} times)" if "plays" in row else ""
        print(f"{row['value']:+9.4f}  {row['role']}: {row['move']}{times}")
    if report["leaves"]:
        print("\ntruths that learning moved most: false and true, before and now")
    for row in report["leaves"]:
        print(
            f"{row['initial'][0]:6.3f} {row['initial'][1]:6.3f} -> {row['current'][0]:6.3f} "
            f"{row['current'][1]:6.3f}  {row['role']}: {row['leaf']}"
        )


def _sizes(judge: MoveJudge) -> dict[str, int]:
    """Return how large a judge is."""
    if isinstance(judge, Knowledge):
        return {"games": int(judge.games), "hidden units": judge.config.hidden}
    if isinstance(judge, LearnedPolicy):
        return {"hidden units": judge.bias.shape[1], "moves": len(judge.moves)}
    if isinstance(judge, ActionCircuit):
        graphs = judge.graphs
        return {
            "leaves": sum(own.leaf_count for own in graphs),
            "gates": sum(own.gate_count for own in graphs),
            "weighted edges": sum(own.edge_count for own in graphs) * judge.config.trainable,
        }
    return {}


def _fluents(game: Game, judge: Knowledge, top: int) -> list[Row]:
    """Return the fluents that count most for each role."""
    found: list[Row] = []
    for role, psi in zip(game.roles, judge.psi.detach().tolist(), strict=True):
        order = sorted(range(len(psi)), key=lambda fluent: -abs(psi[fluent]))
        found += [
            {"role": role, "fluent": game.fluents[fluent], "weight": psi[fluent]}
            for fluent in order[:top]
            if psi[fluent]
        ]
    return found


def _moves(game: Game, worth: list[float], more: list[Row], top: int) -> list[Row]:
    """Return the best and the worst moves of each role, at most ``top`` of them."""
    found: list[Row] = []
    for role, (name, texts) in enumerate(zip(game.roles, game.moves, strict=True)):
        begin = game.move_offsets[role]
        order = sorted(range(len(texts)), key=lambda move: -worth[begin + move])
        half = top // 2
        shown = order if len(order) <= top else [*order[: top - half], *order[len(order) - half :]]
        found += [
            {"role": name, "move": texts[move], "value": worth[begin + move], **more[begin + move]}
            for move in shown
        ]
    return found


def _leaves(game: Game, role: int, own: RoleCircuit, top: int) -> list[Row]:
    """Return the leaves whose truth learning moved most."""
    before = own.leaf_truth.double()
    now = torch.where(own.trained.unsqueeze(1), own.truths().detach().double(), before)
    moved = (now - before).abs().sum(dim=1).numpy()
    graph: ActionGraph = own.graph
    names = input_names(game)
    order = np.argsort(-moved, kind="stable")[:top]
    return [
        {
            "role": game.roles[role],
            "leaf": names[int(graph.leaf_input[leaf]) - 1],
            "initial": before[leaf].tolist(),
            "current": now[leaf].tolist(),
        }
        for leaf in order.tolist()
        if moved[leaf] > 0 and graph.leaf_input[leaf] > 0
    ]

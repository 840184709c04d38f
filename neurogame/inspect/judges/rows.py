"""Rows of reports of judges of moves: the moves that are liked most, the leaves that moved most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.kind import Row
from neurogame.inspect.attribution.of_actions import input_names
from neurogame.simulate.game import Game


def move_rows(
    game: Game, worth: Sequence[float], top: int, more: Sequence[Row] | None = None
) -> list[Row]:
    """Return the best and the worst moves of each role, at most ``top`` of them.

    Args:
        game: the game.
        worth: of the moves of all roles.
        top: how many to list of each role.
        more: what else to say of each of them.
    """
    rows: list[Row] = []
    for role, (name, texts) in enumerate(zip(game.roles, game.moves, strict=True)):
        begin = game.move_offsets[role]
        order = sorted(range(len(texts)), key=lambda move: -worth[begin + move])
        half = top // 2
        shown = order if len(order) <= top else [*order[: top - half], *order[len(order) - half :]]
        rows += [
            {
                **{"role": name, "move": texts[move], "value": worth[begin + move]},
                **({} if more is None else more[begin + move]),
            }
            for move in shown
        ]
    return rows


def leaf_rows(game: Game, judge: ActionCircuit, top: int) -> list[Row]:
    """Return the leaves of each role's formulas whose truth learning moved most.

    Args:
        game: the game.
        judge: its action heuristic, trained.
        top: how many to list of each role.
    """
    names = input_names(game)
    rows: list[Row] = []
    for role, formulas in enumerate(judge.all_roles()):
        before = formulas.leaf_truth.double()
        now = torch.where(
            formulas.trained.unsqueeze(1), formulas.truths().detach().double(), before
        )
        moved = (now - before).abs().sum(dim=1).numpy()
        inputs = formulas.graph.leaf_input
        order = np.argsort(-moved, kind="stable")[:top]
        rows += [
            {
                "role": game.roles[role],
                "leaf": names[int(inputs[leaf]) - 1],
                "initial": before[leaf].tolist(),
                "current": now[leaf].tolist(),
            }
            for leaf in order.tolist()
            if moved[leaf] > 0 and inputs[leaf] > 0
        ]
    return rows

"""What many tests use: games loaded once per process, exact values, checkpoints, experiments."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from neurogame.evaluators.base import Evaluator
from neurogame.learn.checkpoints.checkpoint import Checkpoint, empty_checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.simulate.game import Game, State
from tests.conftest import REPOSITORY

load = cache(Game.load)
Captured = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
Refused = Callable[..., str]
"""Runs a command that must be refused and returns its one line; see ``refused`` in conftest."""


@cache
def minimax(state: State) -> tuple[float, ...]:
    """Return each role's value where one role at a time has a choice, which it uses for itself."""
    if state.is_terminal:
        return tuple((goal or 0.0) / 100 for goal in state.goals)
    mover = max(range(len(state.legal_moves)), key=lambda role: len(state.legal_moves[role]))
    found = []
    for move in state.legal_moves[mover]:
        joint = [moves[0] for moves in state.legal_moves]
        joint[mover] = move
        found.append(minimax(state.next(joint)))
    return max(found, key=lambda values: values[mover])


def checkpoint_of(
    game: Game, evaluator: Evaluator, initial: Evaluator | None = None, **parts: Any
) -> Checkpoint:
    """Return a checkpoint with an evaluator, what it was at first (None: the same), and more."""
    weights, first = copied_weights(evaluator), copied_weights(initial or evaluator)
    held: dict[str, Any] = {"weights": weights, "initial_weights": first, **parts}
    return replace(empty_checkpoint(game), **{"description": evaluator.describe(), **held})


@cache
def experiment(name: str) -> ModuleType:
    """Return a script of the folder of experiments; it may import its neighbours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "experiments"))
        return importlib.import_module(name)

"""Rules and evaluators given by Python functions, in the form that compiled searches take."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.leaves.block import Block, make_block
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.python_rules import PythonRules

LANES = 64


class StateGame(Protocol):
    """A game whose states are numbers below ``2 ** fluents``, at most 64."""

    @property
    def fluents(self) -> int:
        """Number of fluents: the bits of a state."""

    @property
    def offsets(self) -> list[int]:
        """First move of each role, and the total."""

    def follow(self, state: int, joint: list[int]) -> int:
        """Return the next state; ``joint`` holds one move number per role."""

    def look(self, state: int) -> tuple[list[int], bool, list[float]]:
        """Return legal move numbers, whether the state is terminal, and goal / 100 per role."""

    def value(self, state: int) -> list[float]:
        """Return the estimates of a state."""


class CallbackLeaves:
    """What :class:`~neurogame.kernels.leaves.leaves.Leaves` is for a circuit."""

    def __init__(self, game: StateGame) -> None:
        self._game = game
        self.block: Block = make_block(
            leaves=LANES,
            fluents=game.fluents,
            moves=game.offsets[-1],
            roles=len(game.offsets) - 1,
            lane_words=1,
            depth=1,
            plies=0,
        )
        self._rules = PythonRules(self, self.block)
        self.rules: StateMachine = self._rules.machine

    def check(self) -> None:
        """Raise what a call has raised."""
        self._rules.check()

    def step(self, count: int) -> None:
        """Make the joint moves of the first leaves and look at what follows."""
        for lane in range(count):
            state, joint = int(self.block.parents[lane, 0]), self.block.joint[lane].tolist()
            self.block.states[lane, 0] = self._game.follow(state, joint)
        self.look(count)

    def look(self, count: int) -> None:
        """Look at the first leaves' states."""
        block = self.block
        for lane in range(count):
            legal, terminal, goals = self._game.look(int(block.states[lane, 0]))
            flags = np.zeros(64 * block.legal.shape[1], np.uint8)
            flags[legal] = 1
            block.legal[lane] = np.packbits(flags, bitorder="little").view(np.uint64)
            block.terminal[lane] = terminal
            block.goals[lane] = goals
            # A copy may be written to, as what the package calls it with.
            block.hashes[lane] = hash_row(block.states[lane].copy())

    def play(self, count: int, seed: int, plies: int) -> None:
        """Play on at random: not asked of these rules."""
        raise NotImplementedError


class GameValues:
    """The estimates of a game as an evaluator."""

    def __init__(self, game: StateGame) -> None:
        self._game = game

    def compiled_values(self) -> None:
        return None

    def parameters(self) -> Any:
        return iter(())

    def buffers(self) -> Any:
        return iter(())

    def __call__(self, fluents: Tensor) -> Tensor:
        bits = 1 << torch.arange(fluents.shape[1])
        states = (fluents.long() * bits).sum(dim=1).tolist()
        return torch.tensor([self._game.value(state) for state in states], dtype=torch.float64)


class _Sizes:
    """As much of a circuit as an evaluator's port asks for."""

    def __init__(self, game: StateGame) -> None:
        self.fluents, self.roles = range(game.fluents), game.offsets[1:]


def ports(game: StateGame) -> tuple[CallbackLeaves, Any]:
    """Return rules and values of a game."""
    sizes: Any = _Sizes(game)
    return CallbackLeaves(game), SearchEvaluator(GameValues(game), sizes)

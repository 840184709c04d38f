"""What can still come of states of a puzzle: the most that is in reach, and what can be done."""

from __future__ import annotations

from typing import final

import numpy as np
import torch

from neurogame.array_types import Int64s1
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.words.pack import lane_mask
from neurogame.regress.clockwork import clockwork
from neurogame.regress.relaxation import relaxed
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch


@final
class Outlook:
    """The relaxed game (:mod:`neurogame.regress.relaxation`), run to its fixpoint.

    Of fluents that run like a clock both values are possible from the start there, which saves as
    many rounds as a clock has values.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Make the relaxed game of a game of one role.

        Args:
            circuit: the game.
        """
        self._relaxed = relaxed(circuit)
        self._simulator = Simulator(self._relaxed, backend="auto")
        ticking = torch.from_numpy(np.flatnonzero(clockwork(circuit)))
        self._open = torch.cat([ticking, ticking + len(circuit.fluents)])
        self._goals = np.array([value for value, _ in circuit.goals[0]], np.int64)

    def of(self, states: StateBatch) -> tuple[Int64s1, Int64s1]:
        """Return the highest goal in reach, and the number of moves that can still be made.

        Args:
            states: ``B`` states that are not terminal.

        Returns:
            Goals 0..100, which are never too low, int64 ``[B]``; numbers of moves, int64 ``[B]``.
        """
        size, mask = len(states), lane_mask(len(states), states.device)
        words = torch.cat([states.words, ~states.words & mask])
        words[self._open] = mask
        moves = torch.zeros((size, len(self._relaxed.roles)), dtype=torch.int64)
        while True:
            following = self._simulator.step(StateBatch(words, size), moves, check=False).words
            if torch.equal(following, words):
                break
            words = following
        look = self._simulator.derive(StateBatch(words, size))
        goals = np.where(look.goal_flags.numpy(), self._goals, 0)
        return goals.max(axis=1, initial=0), look.legal.sum(dim=1).numpy()

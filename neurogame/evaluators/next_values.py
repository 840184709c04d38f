"""An evaluator of states as a judge of moves: what a move leads to is what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np
import torch

from neurogame.array_types import Bools, Float32s
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.replies import drawn_replies
from neurogame.judges.moves import LINEAR, CompiledScores
from neurogame.kernels.leaves.next_values import REPLIES, compile_next_values
from neurogame.simulate.states import StateBatch

if TYPE_CHECKING:
    from neurogame.simulate.game import Game


@final
class NextValues:
    """Scores moves by an evaluator's values, for their role, of the states that they lead to."""

    def __init__(self, game: Game, evaluator: Evaluator) -> None:
        """Take what judges.

        Args:
            game: the game.
            evaluator: of its states; its weights are read at each call.
        """
        self._game, self._evaluator = game, evaluator

    @property
    def scale(self) -> int:
        """``LINEAR``: scores are 0..1, the higher the better."""
        return LINEAR

    def compiled_scores(self) -> CompiledScores:
        """Return it for compiled code, with memory for one thread."""
        return compile_next_values(self._game.circuit, self._evaluator)

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return the scores of a role's moves; the definition.

        Args:
            fluents: which fluents hold in each state, none of which is terminal; bool ``[B, F]``.
            legal: which moves of the role are legal; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]`` in 0..1; 0 for moves that are not legal. Where other roles have a
            choice it is the mean over some of their replies, which follow from the state.
        """
        scores = np.zeros(legal.shape, np.float32)
        rows, move = legal.nonzero()
        if not len(rows):
            return scores
        simulator = self._game.simulator()
        states = torch.from_numpy(np.ascontiguousarray(fluents))
        joints = drawn_replies(simulator, states, role, REPLIES)
        for joint in joints:
            made = joint[rows]
            made[:, role] = torch.from_numpy(move)
            following = simulator.step(StateBatch.from_bool(states[rows]), made)
            look = simulator.look(following)
            with torch.no_grad():
                values = self._evaluator.values(following)[:, role].float().cpu()
            mine = torch.where(look.terminal, look.goals[:, role].float(), values)
            scores[rows, move] += mine.numpy() / np.float32(len(joints))
        return scores

"""Knowledge of states and moves as a torch module, and as a judge of moves."""

from __future__ import annotations

from functools import cached_property
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Bools, Float32s
from neurogame.circuit.circuit import HasCircuit
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.replies import drawn_replies
from neurogame.judges.moves import LINEAR, CompiledScores
from neurogame.kernels.knowledge.scores import ScoreWeights, compile_scores
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word


@final
class Knowledge(nn.Module):
    """What games have taught about the tuples of a state and about moves.

    ``F`` fluents, ``R`` roles, ``M`` moves of all roles. The value of a state is
    ``V(S) = sigmoid(sum of psi_t over the fluents t that hold)``, 0.5 before any learning; with
    hidden units, those of a network with rectified units on the same fluents are added to that
    sum. The value of a move is its mean weighted result, ``0..top`` (:attr:`KnowledgeConfig.top`);
    a move that was never made has the mean of its role's moves. A move's score is
    ``Psi = V(m) + V(S_m)``, ``S_m`` being the state that it leads to.

    A role from whose view nothing was learned finds all states equal.

    Args:
        game: the game, or its circuit.
        config: how it is learned and used.
        seed: of the initial weights of hidden units.

    *Reference:* Sharma, Kobti & Goodwin, "Knowledge generation for improving simulations in UCT
    for general game playing", 2008, equations (2) to (5).
    """

    returns: Tensor
    plays: Tensor
    games: Tensor

    kind = "knowledge"

    def __init__(
        self, game: HasCircuit, config: KnowledgeConfig | None = None, seed: int = 0
    ) -> None:
        super().__init__()
        self.circuit = game.circuit
        self.config = config or KnowledgeConfig()
        roles, fluents = len(self.circuit.roles), len(self.circuit.fluents)
        self.psi = nn.Parameter(torch.zeros(roles, fluents))
        moves = torch.zeros(self.circuit.move_count, dtype=torch.float64)
        self.register_buffer("returns", moves)
        self.register_buffer("plays", moves.clone())
        self.register_buffer("games", torch.zeros((), dtype=torch.int64))
        self.inner: nn.Linear | None = None
        self.outer: nn.Linear | None = None
        if self.config.hidden:
            self._add_hidden(self.config.hidden, seed)
        self.offsets = self.circuit.move_offsets
        self.fluent_count = fluents
        self.move_counts = tuple(len(moves) for moves in self.circuit.moves)

    def _add_hidden(self, units: int, seed: int) -> None:
        """Add hidden units whose sum is 0 at first."""
        roles, fluents = self.psi.shape
        generator = torch.Generator().manual_seed(seed_word(seed))
        self.inner, self.outer = nn.Linear(fluents, units), nn.Linear(units, roles)
        held = max(int(self.circuit.initial.sum()), 1)
        with torch.no_grad():
            weights = torch.randn(units, fluents, generator=generator)
            self.inner.weight.copy_(weights / held**0.5)
            self.inner.bias.zero_()
            self.outer.weight.zero_()
            self.outer.bias.zero_()

    @property
    def scale(self) -> int:
        """``LINEAR``: scores are 0..1, the higher the better."""
        return LINEAR

    def describe(self) -> dict[str, Any]:
        """Return the JSON-able configuration; with the state dict it is all there is."""
        return self.config.to_json()

    def logits(self, fluents: Tensor) -> Tensor:
        """Return the sums that are squashed to values.

        Args:
            fluents: which fluents hold; bool or floats, ``[B, F]``.

        Returns:
            ``[B, R]``.
        """
        held = fluents.to(self.psi.dtype)
        total = held @ self.psi.t()
        if self.inner is not None and self.outer is not None:
            total = total + self.outer(torch.relu(self.inner(held)))
        return total

    def state_values(self, fluents: Tensor) -> Tensor:
        """Return the values of states, equation (2).

        Args:
            fluents: which fluents hold; bool or floats, ``[B, F]``.

        Returns:
            ``[B, R]`` in 0..1.
        """
        return torch.sigmoid(self.logits(fluents))

    forward = state_values

    def move_values(self) -> Tensor:
        """Return the value of each move, equation (3); float64 ``[M]`` in ``0..top``."""
        values = self.returns / self.plays.clamp(min=1.0)
        for begin, end in zip(self.offsets, self.offsets[1:], strict=False):
            made = self.plays[begin:end].sum()
            mean = self.returns[begin:end].sum() / made if made else self.config.top / 2
            values[begin:end][self.plays[begin:end] == 0] = mean
        return values

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return the scores of a role's moves: ``Psi`` scaled to 0..1; the definition.

        The values are weighted by ``move_weight`` and ``state_weight`` and their sum divided by
        the highest there can be, ``move_weight * top + state_weight``: with both weights 1 and
        history ``early``, ``Psi / 3``.

        Args:
            fluents: which fluents hold in each state, none of which is terminal; bool ``[B, F]``.
            legal: which moves of the role are legal; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]``; 0 for moves that are not legal.
        """
        moves, factor = self.shares()
        begin, end = self.offsets[role], self.offsets[role + 1]
        scores = np.where(legal, moves[begin:end].numpy(), 0.0)
        rows, move = legal.nonzero()
        if factor > 0 and len(rows):
            states = torch.from_numpy(np.ascontiguousarray(fluents))
            total = torch.zeros(len(rows), dtype=torch.float64)
            joints = drawn_replies(self._simulator, states, role, self.config.replies)
            for joint in joints:
                made = joint[rows]
                made[:, role] = torch.from_numpy(move)
                total += self._following(states[rows], made, role)
            scores[rows, move] += factor * total.numpy() / len(joints)
        rounded_scores: Float32s = scores.astype(np.float32)
        return rounded_scores

    def _following(self, states: Tensor, joint: Tensor, role: int) -> Tensor:
        """Return the values for a role, float64 ``[K]``, of the states after joint moves."""
        following = self._simulator.step(StateBatch.from_bool(states), joint)
        with torch.no_grad():
            values = self.state_values(following.to_bool())[:, role].double()
        if not self.config.true_goals:
            return values
        look = self._simulator.look(following)
        return torch.where(look.terminal, look.goals[:, role].double(), values)

    @cached_property
    def _simulator(self) -> Simulator:
        return Simulator(self.circuit)

    def shares(self) -> tuple[Tensor, float]:
        """Return what each move adds to its score, float64 ``[M]``, and a state value's factor."""
        config = self.config
        most = config.move_weight * config.top + config.state_weight
        return self.move_values() * (config.move_weight / most), config.state_weight / most

    def compiled_scores(self) -> CompiledScores | None:
        """Return the judge with its present weights for compiled code, if it has that form."""
        moves, factor = self.shares()
        table, start, outer = self._tables()
        weights = ScoreWeights(
            table=table,
            start=start,
            outer=outer,
            moves=moves.float().numpy(),
            factor=factor,
            goals=self.config.true_goals,
            replies=self.config.replies,
        )
        return compile_scores(self.circuit, weights)

    def _tables(self) -> tuple[Float32s, Float32s, Float32s]:
        """Return the first three parts of :class:`ScoreWeights`."""
        psi, roles = self.psi.detach().numpy(), len(self.psi)
        if self.inner is None or self.outer is None:
            return (
                psi[:, :, None],
                np.zeros((roles, 1), np.float32),
                np.zeros((roles, 0), np.float32),
            )
        inner, bias = (tensor.detach().numpy() for tensor in (self.inner.weight, self.inner.bias))
        outer, outer_bias = (
            tensor.detach().numpy() for tensor in (self.outer.weight, self.outer.bias)
        )
        wide = np.broadcast_to(inner.T, (roles, *inner.T.shape))
        table = np.concatenate([psi[:, :, None], wide], axis=2)
        starts = [outer_bias[:, None], np.broadcast_to(bias, (roles, len(bias)))]
        return table, np.concatenate(starts, axis=1), outer

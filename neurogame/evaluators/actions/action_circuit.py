"""The action heuristics of all roles of a game: a judge of moves, and a torch module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Bools, Float32s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.evaluators.actions.role_circuit import RoleCircuit
from neurogame.graph.evaluate import holds
from neurogame.graph.prune import prune
from neurogame.judges.moves import LINEAR, LOGITS, CompiledScores
from neurogame.kernels.actions.limits import MOST_DOUBLINGS, SMALL


@final
class ActionCircuit(nn.Module):
    """Scores every move of a role in a state: how near it brings the role to its goals.

    Attributes:
        config: settings.

    Args:
        circuit: the game.
        graphs: formulas of the moves of each role.
        config: settings.

    Reference:
        Trutman and Schiffel, section "Evaluation".
    """

    kind = "action"

    def __init__(
        self, circuit: Circuit, graphs: Sequence[ActionGraph], config: ActionConfig
    ) -> None:
        super().__init__()
        self.config = config
        self.fluent_count, self.role_count = len(circuit.fluents), len(circuit.roles)
        self.move_counts = tuple(len(moves) for moves in circuit.moves)
        sizes = self.fluent_count, circuit.move_count
        self.roles = nn.ModuleList(RoleCircuit(graph, *sizes, config) for graph in graphs)
        asked = any((graph.leaf_input > self.fluent_count).any() for graph in graphs)
        legal = circuit.legal if asked else circuit.legal[:0]
        self.legal_graph = prune(circuit.graph.with_outputs(legal))

    @property
    def scale(self) -> int:
        """``LINEAR`` without parameters, else ``LOGITS``."""
        return LOGITS if self.config.trainable else LINEAR

    @property
    def graphs(self) -> tuple[ActionGraph, ...]:
        """Leaves and gates of each role."""
        return tuple(self.of_role(role).graph for role in range(self.role_count))

    def of_role(self, role: int) -> RoleCircuit:
        """Return the part that scores a role's moves."""
        return cast(RoleCircuit, self.roles[role])

    def all_roles(self) -> list[RoleCircuit]:
        """Return the parts that score the moves of each role."""
        return [self.of_role(role) for role in range(self.role_count)]

    def forward(self, fluents: Tensor, role: int, legal: Tensor | None = None) -> Tensor:
        """Return the scores of all moves of a role, whether or not they are legal.

        Args:
            fluents: which fluents hold; bool, or floats 0..1; ``[B, F]``.
            role: its index.
            legal: which moves of all roles are legal, bool ``[B, M]``; None to find out, from
                fluents above 0.5, where the formulas ask for it. Where all moves share a formula
                only the legal ones are scored, the others count as false; None: all moves, which
                takes an evaluation for each.

        Returns:
            ``[B, M_r]``, float32 or, where float32 would lose the smallest values, float64:
            truths in 0..1, or logarithms of weights if it is trainable.

        Raises:
            GameError: the fluents do not fit, or there is no such role.
        """
        if fluents.dim() != 2 or fluents.shape[1] != self.fluent_count:
            raise GameError(
                f"fluents of shape {list(fluents.shape)} do not fit this action heuristic, which "
                f"takes [B, {self.fluent_count}]: is it another game's?"
            )
        if not 0 <= role < self.role_count:
            raise GameError(f"there is no role {role}; roles are 0 to {self.role_count - 1}")
        mine = None if legal is None else torch.split(legal, list(self.move_counts), dim=1)[role]
        return self._scores(fluents, role, legal, mine)

    def _scores(
        self, fluents: Tensor, role: int, legal: Tensor | None, mine: Tensor | None
    ) -> Tensor:
        """Return the scores of a role's moves, of which some may be all that is needed."""
        circuit = self.of_role(role)
        scores: Tensor = circuit(self._inputs(fluents, circuit, legal), mine)
        return scores

    def row_truths(self, fluents: Tensor, role: int, move: int) -> Tensor:
        """Return the truths of all leaves and gates of a role's formulas, for one of its moves.

        Args:
            fluents: which fluents hold; bool ``[B, F]``.
            role: its index.
            move: the move, an index into the role's moves.

        Returns:
            0..1; ``[K + G, B]``: rows as in :class:`.ActionGraph`.
        """
        circuit = self.of_role(role)
        with torch.no_grad():
            return circuit.row_truths(self._inputs(fluents, circuit, None), move)

    def _inputs(self, fluents: Tensor, circuit: RoleCircuit, legal: Tensor | None) -> Tensor:
        """Return the inputs of the circuit, 0..1: constant, fluents, and moves if they count."""
        held = fluents if fluents.is_floating_point() else fluents.to(circuit.dtype)
        parts = [held.new_zeros(len(held), 1), held]
        if (circuit.graph.leaf_input > self.fluent_count).any():
            parts.append(self._chances(fluents, legal).to(held))
        return torch.cat(parts, dim=1)

    def _chances(self, fluents: Tensor, legal: Tensor | None) -> Tensor:
        """Return the probability of each move if its role chooses at random; ``[B, M]``."""
        if legal is None:
            held = (fluents.detach() > 0.5).cpu().numpy()
            inputs = np.zeros((len(held), self.legal_graph.input_count - 1), np.bool_)
            inputs[:, : self.fluent_count] = held
            legal = torch.from_numpy(holds(self.legal_graph, inputs)).to(fluents.device)
        parts = torch.split(legal.float(), list(self.move_counts), dim=1)
        return torch.cat(
            [part / part.sum(dim=1, keepdim=True).clamp_min(1) for part in parts], dim=1
        )

    def describe(self) -> dict[str, Any]:
        """Return the settings, which with the state dict are enough to rebuild it."""
        return self.config.to_json()

    def compiled_scores(self) -> CompiledScores | None:
        """Return the heuristic with its present weights for compiled code, for one thread."""
        from neurogame.evaluators.actions.exported import export_scores

        return export_scores(self.all_roles(), self.fluent_count, self.move_counts)

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return the scores of a role's moves, as torch computes them; see :class:`MoveJudge`.

        Args:
            fluents: bool ``[B, F]``.
            legal: which of the role's moves are legal; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]``; where the role's legal moves are all too small for float32, they
            are multiplied by the same power of two.
        """
        device = self.of_role(role).leaf_input.device
        with torch.no_grad():
            states, mine = (torch.from_numpy(flags).to(device) for flags in (fluents, legal))
            torch_scores = self._scores(states, role, None, mine).cpu().numpy()
        if self.scale == LINEAR:
            torch_scores = enlarged(torch_scores, legal)
        scores: Float32s = torch_scores.astype(np.float32)
        return scores


def enlarged(scores: np.ndarray, legal: Bools) -> np.ndarray:
    """Multiply the scores of states whose legal moves are all tiny by a power of two.

    Args:
        scores: at least 0; ``[B, M]``.
        legal: which moves count; bool ``[B, M]``.
    """
    best = np.where(legal, scores, 0).max(axis=1, initial=0)
    tiny = (best > 0) & (best < SMALL)
    doublings = np.where(tiny, np.minimum(-np.frexp(best)[1], MOST_DOUBLINGS), 0)
    # Moves that are not legal might become too large.
    counted = np.where(tiny[:, None] & ~legal, 0, scores)
    scaled_scores: np.ndarray = np.ldexp(counted, doublings[:, None])
    return scaled_scores

"""The protocol of everything that judges states: fluents in, one value per role out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from neurogame.errors import GameError
from neurogame.evaluators.origin import Origin
from neurogame.settings import check_kind
from neurogame.simulate.states import StateBatch
from neurogame.views import show_as

if TYPE_CHECKING:
    from neurogame.judges.states import CompiledValues


class Evaluator(nn.Module, ABC):
    """A torch module that maps states to values.

    Values are per role, in the role order of the game, in 0..1 (goal / 100): no current player,
    no sign tricks. An evaluator estimates non-terminal states; the value of a terminal state is
    its goal, which the caller takes from the simulator (see
    :func:`neurogame.evaluators.true_goal.state_values`).

    Args:
        fluent_count: number of fluents of the game, ``F``.
        role_count: number of roles, ``R``.
        description: JSON-able kind and configuration; with the state dict it is enough to
            rebuild the evaluator (:func:`neurogame.evaluators.rebuild.rebuild_evaluator`).

    Attributes:
        origin: where it comes from, if whoever made it has said so; for people alone.
        is_smooth: whether values have gradients by fluents that hold by shares.
    """

    origin: Origin | None = None
    is_smooth = True

    def __init__(self, fluent_count: int, role_count: int, description: dict[str, Any]) -> None:
        super().__init__()
        self.fluent_count = fluent_count
        self.role_count = role_count
        self._description = description

    @abstractmethod
    def forward(self, fluents: Tensor) -> Tensor:
        """Return the values of states.

        Args:
            fluents: which fluents hold; bool, or floats 0..1; ``[B, F]``.

        Returns:
            ``[B, R]`` in 0..1, in the dtype of the parameters (float32 unless converted).
        """

    def values(self, states: StateBatch) -> Tensor:
        """Return the values of packed states, ``[B, R]``; the same as of the unpacked ones."""
        values: Tensor = self(states.to_bool())
        return values

    def compiled_values(self) -> CompiledValues | None:
        """Return the evaluator with its present weights for compiled code, if it has that form.

        Each call returns one of its own, with memory for one thread.
        """
        return None

    def describe(self) -> dict[str, Any]:
        """Return the JSON-able kind and configuration."""
        return dict(self._description)

    def extra_repr(self) -> str:
        """Return kind and sizes, for the text form of the module."""
        of = "" if self.origin is None else f" of {self.origin.game.name}"
        numbers = sum(parameter.numel() for parameter in self.parameters())
        return (
            f"{self._description.get('kind', 'own')}{of}: {self.fluent_count} fluents, "
            f"{self.role_count} roles, {numbers:,} weights"
        )

    def _repr_html_(self) -> str:
        return show_as("html", self)

    def _checked(self, fluents: Tensor) -> Tensor:
        """Return the fluents, or raise an error where they are none, or of another game."""
        check_kind(fluents, Tensor, "fluents", "state.fluents[None]")
        if fluents.dim() != 2 or fluents.shape[1] != self.fluent_count:
            raise GameError(
                f"fluents of shape {list(fluents.shape)} do not fit this evaluator, which takes "
                f"[B, {self.fluent_count}]: is it another game's?"
            )
        return fluents

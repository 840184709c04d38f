"""A state as flags of the fluents of a circuit."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.simulate.state import State
from neurogame.simulate.states import StateBatch

if TYPE_CHECKING:
    from neurogame.simulate.game import Game


@final
class CircuitState(State):
    """A state of a game that has a circuit."""

    def __init__(self, game: Game, fluents: Tensor) -> None:
        """Make a state.

        Args:
            game: the game.
            fluents: which fluents hold; bool ``[F]`` on the CPU, not to be changed.

        Raises:
            GameError: these are no fluents of the game, or it has no circuit.
        """
        expected = (len(game.fluents),)
        if fluents.dtype != torch.bool or tuple(fluents.shape) != expected:
            raise GameError(
                f"a state of {game.name} is bool [{expected[0]}], "
                f"not {fluents.dtype} {list(fluents.shape)}"
            )
        self._game, self._fluents = game, fluents
        self._key = fluents.cpu().numpy().tobytes()

    def __repr__(self) -> str:
        """Return the game and what holds."""
        return f"CircuitState({self._game!r}, {' '.join(self.fluent_texts)})"

    def __eq__(self, other: object) -> bool:
        """Return whether the same fluents hold in a state of the same rules."""
        if not isinstance(other, CircuitState):
            return NotImplemented
        return self._key == other._key and self._game.circuit.key == other._game.circuit.key

    def __hash__(self) -> int:
        """Return a hash of the fluents that hold."""
        return hash(self._key)

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def fluents(self) -> Tensor:
        """Which fluents hold; bool ``[F]`` on the CPU, not to be changed."""
        return self._fluents

    @cached_property
    def batch(self) -> StateBatch:
        """This state as a batch of size 1."""
        return StateBatch.from_bool(self._fluents[None])

    @cached_property
    def fluent_texts(self) -> tuple[str, ...]:
        """The fluents that hold, as compact KIF, sorted by code point."""
        return tuple(self._game.fluents[i] for i in self._fluents.nonzero().view(-1).tolist())

    @cached_property
    def _derived(self) -> tuple[Tensor, bool, Tensor]:
        derived = self._game.simulator().derive(self.batch)
        return derived.legal[0], bool(derived.terminal[0]), derived.goal_flags[0]

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._derived[1]

    @cached_property
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Per role the indices of its legal moves, ascending; all empty in a terminal state."""
        if self.is_terminal:
            return tuple(() for _ in self._game.roles)
        offsets = self._game.move_offsets
        return tuple(
            tuple(self._derived[0][begin:end].nonzero().view(-1).tolist())
            for begin, end in pairwise(offsets)
        )

    @cached_property
    def goals(self) -> tuple[float | None, ...]:
        """Per role its goal on 0..100, the highest if several, None if none is derivable."""
        flags = iter(self._derived[2].tolist())
        result: list[float | None] = []
        for pairs in self._game.circuit.goals:
            held = [float(value) for value, _ in pairs if next(flags)]
            result.append(held[0] if held else None)
        return tuple(result)

    def _after(self, moves: list[int]) -> State:
        stepped = self._game.simulator().step(self.batch, torch.tensor([moves]))
        return CircuitState(self._game, stepped.to_bool()[0])

"""One state of a game, for people and for code that works state by state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from neurogame.errors import GameError
from neurogame.simulate.states import StateBatch
from neurogame.views import show_as

if TYPE_CHECKING:
    from neurogame.simulate.game import Game


class State(ABC):
    """One state of a game, on its circuit or, without one, known by proofs.

    Two states are equal if they belong to the same rules and the same fluents hold. In a
    terminal state nobody has a move. A state that is not terminal but in which some role has no
    legal move is stuck: :meth:`next` raises there, playouts and matches stop with its goals.
    """

    @abstractmethod
    def __eq__(self, other: object) -> bool:
        """Return whether the same fluents hold in a state of the same rules."""

    @abstractmethod
    def __hash__(self) -> int:
        """Return a hash of the fluents that hold."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game."""

    @property
    @abstractmethod
    def fluents(self) -> Tensor:
        """Which fluents hold; bool ``[F]`` on the CPU, not to be changed.

        Raises:
            GameError: the game has no circuit, so nobody knows all its fluents.
        """

    @property
    @abstractmethod
    def batch(self) -> StateBatch:
        """This state as a batch of size 1.

        Raises:
            GameError: the game has no circuit.
        """

    @property
    @abstractmethod
    def fluent_texts(self) -> tuple[str, ...]:
        """The fluents that hold, as compact KIF, sorted by code point."""

    @property
    @abstractmethod
    def is_terminal(self) -> bool:
        """Whether the game is over."""

    @property
    @abstractmethod
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Per role the indices of its legal moves; all empty in a terminal state.

        They come in code point order of the moves' texts, which is ascending on a circuit.
        """

    @property
    @abstractmethod
    def goals(self) -> tuple[float | None, ...]:
        """Per role its goal on 0..100, the highest if several, None if none is derivable."""

    def next(self, joint: Sequence[int | str]) -> State:
        """Return the state after one joint move.

        Args:
            joint: one move per role, as index within the role's moves or as text. A terminal
                state is returned unchanged, whatever the moves.

        Raises:
            GameError: a move is unknown or illegal, or some role has no legal move.
        """
        if self.is_terminal:
            return self
        for role, legal in zip(self.game.roles, self.legal_moves, strict=True):
            if not legal:
                raise GameError(
                    f"role {role} has no legal move in a state of {self.game.name} that is not "
                    "terminal: no step leads on; the rules should give every role a move"
                )
        if len(joint) != len(self.game.roles):
            raise GameError(
                f"a joint move of {self.game.name} has {len(self.game.roles)} moves, "
                f"one per role, not {len(joint)}"
            )
        moves = [
            self.game.move_index(role, move) if isinstance(move, str) else int(move)
            for role, move in zip(self.game.roles, joint, strict=True)
        ]
        return self._after(moves)

    @abstractmethod
    def _after(self, moves: list[int]) -> State:
        """Return the state after a joint move from a state in which every role has one."""

    def __str__(self) -> str:
        """Return boards as text and the other fluents as a list."""
        return show_as("text", self)

    def svg(self) -> str:
        """Return a picture of the state as SVG."""
        return show_as("svg", self)

    def _repr_svg_(self) -> str:
        return self.svg()

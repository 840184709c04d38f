"""States of a game: many packed into words, or one to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.kernels.twin.pack import gather_lanes, pack, unpack, word_count

if TYPE_CHECKING:
    from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, eq=False)
class StateBatch:
    """States of many games, 64 per word.

    Attributes:
        words: one row per fluent; int64 ``[F, W]``, ``W = ceil(B / 64)``. Lane ``b`` is bit
            ``b % 64`` of word ``b // 64``; the lanes beyond ``B`` are zero.
        size: number of states, ``B``.
    """

    words: Tensor
    size: int

    def __post_init__(self) -> None:
        """Refuse words that do not fit the size."""
        if self.words.dtype != torch.int64 or self.words.dim() != 2:
            raise GameError(
                f"the words of states must be int64 [F, W], not {self.words.dtype} "
                f"{list(self.words.shape)}; use StateBatch.from_bool for flags"
            )
        if self.words.shape[1] != word_count(self.size):
            raise GameError(
                f"{self.size} states take {word_count(self.size)} words per fluent, "
                f"not {self.words.shape[1]}"
            )

    @classmethod
    def from_bool(cls, fluents: Tensor) -> StateBatch:
        """Pack states.

        Args:
            fluents: which fluents hold in each state; bool ``[B, F]``.

        Raises:
            GameError: the tensor is not of this type and shape.
        """
        if fluents.dtype != torch.bool or fluents.dim() != 2:
            raise GameError(
                f"states are given as bool [B, F], not {fluents.dtype} {list(fluents.shape)}"
            )
        return cls(pack(fluents), len(fluents))

    def to_bool(self) -> Tensor:
        """Return which fluents hold in each state; bool ``[B, F]``."""
        return unpack(self.words, self.size)

    def select(self, index: Tensor) -> StateBatch:
        """Return some of the states, in any order, with repetition if wanted.

        Args:
            index: int64 ``[K]``, each in ``0..B-1``.

        Raises:
            GameError: an index is out of range.
        """
        if len(index) and not (int(index.min()) >= 0 and int(index.max()) < self.size):
            raise GameError(f"a state index must lie in 0..{self.size - 1}")
        return StateBatch(gather_lanes(self.words, index), len(index))

    @property
    def device(self) -> torch.device:
        """Where the words live."""
        return self.words.device

    def __len__(self) -> int:
        """Return the number of states, ``B``."""
        return self.size


@final
@dataclass(frozen=True, eq=False)
class State:
    """One state of a game, for people and for code that works state by state.

    Two states are equal if they belong to the same rules and the same fluents hold. In a
    terminal state nobody has a move. A state that is not terminal but in which some role has no
    legal move is stuck: :meth:`next` raises there, playouts and matches stop with its goals.

    Attributes:
        game: the game.
        fluents: which fluents hold; bool ``[F]`` on the CPU, not to be changed.
    """

    game: Game
    fluents: Tensor
    _key: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse fluents of another game."""
        expected = (len(self.game.fluents),)
        if self.fluents.dtype != torch.bool or tuple(self.fluents.shape) != expected:
            raise GameError(
                f"a state of {self.game.name} is bool [{expected[0]}], "
                f"not {self.fluents.dtype} {list(self.fluents.shape)}"
            )
        object.__setattr__(self, "_key", self.fluents.cpu().numpy().tobytes())

    def __eq__(self, other: object) -> bool:
        """Return whether the same fluents hold in a state of the same rules."""
        if not isinstance(other, State):
            return NotImplemented
        return self._key == other._key and self.game.circuit.key == other.game.circuit.key

    def __hash__(self) -> int:
        """Return a hash of the fluents that hold."""
        return hash(self._key)

    @cached_property
    def batch(self) -> StateBatch:
        """This state as a batch of size 1."""
        return StateBatch.from_bool(self.fluents[None])

    @cached_property
    def fluent_texts(self) -> tuple[str, ...]:
        """The fluents that hold, as compact KIF, sorted by code point."""
        return tuple(self.game.fluents[i] for i in self.fluents.nonzero().view(-1).tolist())

    @cached_property
    def _derived(self) -> tuple[Tensor, bool, Tensor]:
        derived = self.game.simulator().derive(self.batch)
        return derived.legal[0], bool(derived.terminal[0]), derived.goal_flags[0]

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._derived[1]

    @cached_property
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Per role the indices of its legal moves, ascending; all empty in a terminal state."""
        if self.is_terminal:
            return tuple(() for _ in self.game.roles)
        offsets = self.game.move_offsets
        return tuple(
            tuple(self._derived[0][begin:end].nonzero().view(-1).tolist())
            for begin, end in pairwise(offsets)
        )

    @cached_property
    def goals(self) -> tuple[float | None, ...]:
        """Per role its goal on 0..100, the highest if several, None if none is derivable."""
        flags = iter(self._derived[2].tolist())
        result: list[float | None] = []
        for pairs in self.game.circuit.goals:
            held = [float(value) for value, _ in pairs if next(flags)]
            result.append(held[0] if held else None)
        return tuple(result)

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
        stepped = self.game.simulator().step(self.batch, torch.tensor([moves]))
        return State(self.game, stepped.to_bool()[0])

    def __str__(self) -> str:
        """Return boards as text and the other fluents as a list."""
        from neurogame.show.state_text import state_text

        return state_text(self)

    def svg(self) -> str:
        """Return a picture of the state as SVG."""
        from neurogame.show.state_svg import state_svg

        return state_svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()

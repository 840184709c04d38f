"""A state as the set of its fluents, in a game that is played by proofs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

from torch import Tensor

from neurogame.errors import GameError
from neurogame.gdl.terms import Rules, Sentence
from neurogame.prover.game import ProverGame, ProverState
from neurogame.simulate.state import State
from neurogame.simulate.states import StateBatch

if TYPE_CHECKING:
    from neurogame.simulate.game import Game


@final
class Proofs:
    """What is known of a game without a circuit: its prover, and the moves seen so far.

    Nobody knows all moves of such a game; each is given the next number when it is first legal.
    """

    def __init__(self, rules: Rules) -> None:
        """Prepare proofs.

        Args:
            rules: they need not be such that they can be grounded.

        Raises:
            RulesError: the rules cannot be proved from, see :class:`ProverGame`.
            LimitError: see there.
        """
        self.prover = ProverGame(rules)
        self._moves: list[list[Sentence]] = [[] for _ in self.prover.roles]
        self._numbers: list[dict[Sentence, int]] = [{} for _ in self.prover.roles]

    @property
    def move_texts(self) -> tuple[tuple[str, ...], ...]:
        """Per role the moves seen so far, by number, as compact KIF."""
        return tuple(tuple(map(self.prover.text, own)) for own in self._moves)

    def move(self, role: int, number: int) -> Sentence:
        """Return a move by its number.

        Raises:
            GameError: no move has this number.
        """
        if not 0 <= number < len(self._moves[role]):
            raise GameError(
                f"role {self.prover.roles[role]} has no move {number}; so far "
                f"{len(self._moves[role])} were seen, numbered from 0"
            )
        return self._moves[role][number]

    def number(self, role: int, move: Sentence) -> int:
        """Return the number of a legal move, a new one if it was never seen."""
        number = self._numbers[role].setdefault(move, len(self._moves[role]))
        if number == len(self._moves[role]):
            self._moves[role].append(move)
        return number


@final
class ProvedState(State):
    """A state of a game without a circuit.

    Attributes:
        held: the fluents that hold, as terms.
    """

    def __init__(self, game: Game, proofs: Proofs, held: ProverState) -> None:
        """Make a state.

        Args:
            game: the game.
            proofs: of the game.
            held: the fluents that hold.
        """
        self._game, self._proofs, self.held = game, proofs, held

    def __repr__(self) -> str:
        """Return the game and what holds."""
        return f"ProvedState({self._game!r}, {' '.join(self.fluent_texts)})"

    def __eq__(self, other: object) -> bool:
        """Return whether the same fluents hold in a state of the same game."""
        if not isinstance(other, ProvedState):
            return NotImplemented
        return self._game is other._game and self.held == other.held

    def __hash__(self) -> int:
        """Return a hash of the fluents that hold."""
        return hash(self.held)

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def fluents(self) -> Tensor:
        """Raise: nobody knows all fluents of the game; see :attr:`held`."""
        raise self._game.without_circuit()

    @property
    def batch(self) -> StateBatch:
        """Raise: batches are for circuits."""
        raise self._game.without_circuit()

    @cached_property
    def fluent_texts(self) -> tuple[str, ...]:
        """The fluents that hold, as compact KIF, sorted by code point."""
        return tuple(sorted(map(self._proofs.prover.text, self.held)))

    @cached_property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._proofs.prover.terminal(self.held)

    @cached_property
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Per role the numbers of its legal moves, in code point order of their texts."""
        if self.is_terminal:
            return tuple(() for _ in self._game.roles)
        return tuple(
            tuple(self._proofs.number(role, move) for move in own)
            for role, own in enumerate(self._proofs.prover.choices(self.held))
        )

    def number(self, role: int, move: Sentence) -> int:
        """Return the number of a legal move."""
        return self._proofs.number(role, move)

    @cached_property
    def goals(self) -> tuple[float | None, ...]:
        """Per role its goal on 0..100, the highest if several, None if none is derivable."""
        found = (self._proofs.prover.goals(self.held, role) for role in range(len(self.game.roles)))
        return tuple(float(max(values)) if values else None for values in found)

    def _after(self, moves: list[int]) -> State:
        for role, (move, legal) in enumerate(zip(moves, self.legal_moves, strict=True)):
            if move not in legal:
                text = self._proofs.prover.text(self._proofs.move(role, move))
                raise GameError(
                    f"{text} is not legal for role {self._game.roles[role]}; take a move that "
                    "State.legal_moves shows as legal"
                )
        joint = [self._proofs.move(role, move) for role, move in enumerate(moves)]
        return ProvedState(self._game, self._proofs, self._proofs.prover.next(self.held, joint))

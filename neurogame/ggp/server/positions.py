"""Where a match stands, in either of two ways: compiled, or played straight from the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

from neurogame.errors import NeurogameError, RulesError
from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Sentence, Term
from neurogame.gdl.write import term_text
from neurogame.prover.game import ProverGame, ProverState
from neurogame.prover.limits import excess
from neurogame.prover.values import term_of, value_of

if TYPE_CHECKING:
    # A guard that loads all for itself shall be there at once: torch alone takes it seconds.
    from neurogame.simulate.game import Game, State

LONGEST_MOVE = 100_000
"""Characters of a received move; longer ones are not looked at, which would take seconds."""


@final
class CircuitPosition:
    """A state of a compiled game.

    Attributes:
        state: the state.
    """

    def __init__(self, state: State) -> None:
        """Look at a state."""
        self.state = state
        self._game: Game = state.game

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the rulesheet."""
        return self._game.roles

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.state.is_terminal

    def legal(self, role: int) -> tuple[str, ...]:
        """Return the legal moves of a role; none at the end."""
        return tuple(self._game.moves[role][move] for move in self.state.legal_moves[role])

    def any_legal(self, role: int) -> str | None:
        """Return the first legal move of a role."""
        return next(iter(self.legal(role)), None)

    def meant(self, role: int, text: str) -> str | None:
        """Return the legal move that a text means."""
        folded = _folded(text)
        if folded is None:
            return None
        try:
            index = self._game.move_index(self.roles[role], term_text(folded))
        except NeurogameError:
            return None
        return self._game.moves[role][index] if index in self.state.legal_moves[role] else None

    def after(self, joint: Sequence[str]) -> CircuitPosition:
        """Return the position after a joint move."""
        return CircuitPosition(self.state.next(joint))


@final
class InterpretedPosition:
    """A state of a game played straight from the rules.

    The prover is asked for no more moves than are wanted: there may be tens of thousands.
    """

    def __init__(self, game: ProverGame, state: ProverState | None = None) -> None:
        """Look at a state; the initial one if none is given."""
        self._game = game
        self.state = game.initial() if state is None else state
        self._legal: dict[int, dict[str, Sentence]] = {}
        self._some: dict[int, dict[str, Sentence]] = {}

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the rulesheet."""
        return self._game.roles

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._game.terminal(self.state)

    def legal(self, role: int) -> tuple[str, ...]:
        """Return the legal moves of a role, as derived, also at the end."""
        return tuple(self._moves(role))

    def any_legal(self, role: int) -> str | None:
        """Return the legal move of a role that is proved first, or is known."""
        known = self._legal.get(role) or self._some.get(role)
        if not known:
            for move in self._game.legal_moves(self.state, role):
                return self._noted(role, move)
        return next(iter(known or self._moves(role)), None)

    def meant(self, role: int, text: str) -> str | None:
        """Return the legal move that a text means."""
        folded = _folded(text)
        if role not in self._legal:
            move = None if folded is None else _ground(folded)
            if move is None or not self._game.is_legal(self.state, role, move):
                return None
            return self._noted(role, move)
        return next((name for name, move in self._moves(role).items() if move == folded), None)

    def after(self, joint: Sequence[str]) -> InterpretedPosition:
        """Return the position after a joint move."""
        moves = [
            self._some[role][name] if name in self._some.get(role, {}) else self._moves(role)[name]
            for role, name in enumerate(joint)
        ]
        return InterpretedPosition(self._game, self._game.next(self.state, moves))

    def goals(self) -> list[list[int]]:
        """Return all goal values of each role."""
        return [self._game.goals(self.state, role) for role in range(len(self.roles))]

    def _noted(self, role: int, move: Sentence) -> str:
        """Return the text of a legal move, under which it is known from now on."""
        text = self._game.text(move)
        self._some.setdefault(role, {})[text] = move
        return text

    def _moves(self, role: int) -> dict[str, Sentence]:
        if role not in self._legal:
            legal = self._game.legal(self.state, role)
            self._legal[role] = dict(sorted((self._game.text(move), move) for move in legal))
        return self._legal[role]


def _ground(term: Term) -> Sentence | None:
    """Return a term that a prover can be asked about; None if it has variables or no end."""
    try:
        value = value_of(term)
    except (RulesError, RecursionError):
        return None
    return term_of(value) if excess((value,)) is None else None


def _folded(text: str) -> Term | None:
    """Return the term that a text stands for, None if it is not one."""
    if len(text) > LONGEST_MOVE:
        return None
    try:
        return parse_term(text)
    except NeurogameError:
        return None

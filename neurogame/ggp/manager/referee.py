"""The positions of a match as the manager needs them: texts, from the circuit or the prover."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, final

from neurogame.errors import ConfigurationError, LimitError
from neurogame.gdl.library import load_rules
from neurogame.gdl.terms import Rules
from neurogame.prover.game import ProverGame, ProverState
from neurogame.simulate.game import Game, State

RefereeChoice: TypeAlias = Literal["auto", "circuit", "prover"]
REFEREES: tuple[RefereeChoice, ...] = ("auto", "circuit", "prover")


class MatchPosition(Protocol):
    """One state of a match; all texts are compact KIF in the rulesheet's spelling."""

    @property
    def fluents(self) -> tuple[str, ...]:
        """What holds, sorted by code point."""

    @property
    def legal(self) -> tuple[tuple[str, ...], ...]:
        """Per role its legal moves, sorted by code point; all empty where the match is over."""

    @property
    def is_terminal(self) -> bool:
        """Whether the match is over."""

    @property
    def goals(self) -> tuple[int | None, ...]:
        """Per role its goal in 0..100, the highest of several, None if there is none."""

    def after(self, joint: Sequence[str]) -> MatchPosition:
        """Return the position after a joint move.

        Args:
            joint: one legal move per role, in role order.
        """


class Referee(Protocol):
    """Knows the rules of one game."""

    @property
    def name(self) -> str:
        """Name of the game."""

    @property
    def rules(self) -> Rules:
        """The rulesheet."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the role facts."""

    def opening(self) -> MatchPosition:
        """Return the position in which every match begins."""


def load_referee(name_or_path: str | Path, choice: RefereeChoice = "auto") -> Referee:
    """Return the referee of a game.

    Args:
        name_or_path: a library game or a path.
        choice: ``circuit`` grounds the rules; ``prover`` proves what is asked, ready at once
            but slower on each move; ``auto`` is the circuit, or the prover where the rules are too
            large to ground.

    Raises:
        RulesError: there is no such rulesheet, or it is not valid.
        LimitError: the rules are too large for the circuit that was asked for.
        ConfigurationError: there is no such choice.
    """
    if choice not in REFEREES:
        raise ConfigurationError(f"referee={choice}; allowed are {', '.join(REFEREES)}")
    rules, name = load_rules(name_or_path), Path(name_or_path).stem
    if choice != "prover":
        try:
            return CircuitReferee(Game.from_rules(rules, name))
        except LimitError:
            if choice == "circuit":
                raise
    return ProverReferee(ProverGame(rules), name)


@final
class CircuitReferee:
    """A referee that computes with the compiled game."""

    def __init__(self, game: Game) -> None:
        """Judge by a game."""
        self._game = game

    @property
    def name(self) -> str:
        """Name of the game."""
        return self._game.name

    @property
    def rules(self) -> Rules:
        """The rulesheet."""
        return self._game.rules

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the role facts."""
        return tuple(self._game.roles)

    def opening(self) -> MatchPosition:
        """Return the position in which every match begins."""
        return _CircuitPosition(self._game.initial_state())


@final
class ProverReferee:
    """A referee that proves what is asked."""

    def __init__(self, game: ProverGame, name: str) -> None:
        """Judge by a game played by proofs, under a name."""
        self._game = game
        self._name = name

    @property
    def name(self) -> str:
        """Name of the game."""
        return self._name

    @property
    def rules(self) -> Rules:
        """The rulesheet."""
        return self._game.rules

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the role facts."""
        return self._game.roles

    def opening(self) -> MatchPosition:
        """Return the position in which every match begins."""
        return _ProverPosition(self._game, self._game.initial())


@final
class _CircuitPosition:
    """A state of a compiled game."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def fluents(self) -> tuple[str, ...]:
        return self._state.fluent_texts

    @property
    def legal(self) -> tuple[tuple[str, ...], ...]:
        by_role = zip(self._state.game.moves, self._state.legal_moves, strict=True)
        return tuple(tuple(texts[move] for move in moves) for texts, moves in by_role)

    @property
    def is_terminal(self) -> bool:
        return self._state.is_terminal

    @property
    def goals(self) -> tuple[int | None, ...]:
        return tuple(None if goal is None else round(goal) for goal in self._state.goals)

    def after(self, joint: Sequence[str]) -> MatchPosition:
        return _CircuitPosition(self._state.next(joint))


@final
class _ProverPosition:
    """A state of a game played by proofs."""

    def __init__(self, game: ProverGame, state: ProverState) -> None:
        self._game = game
        self._state = state

    @property
    def fluents(self) -> tuple[str, ...]:
        return tuple(sorted(map(self._game.text, self._state)))

    @property
    def legal(self) -> tuple[tuple[str, ...], ...]:
        if self.is_terminal:
            return tuple(() for _ in self._game.roles)
        everyone = range(len(self._game.roles))
        moves = (self._game.legal(self._state, role) for role in everyone)
        return tuple(tuple(sorted(map(self._game.text, terms))) for terms in moves)

    @property
    def is_terminal(self) -> bool:
        return self._game.terminal(self._state)

    @property
    def goals(self) -> tuple[int | None, ...]:
        everyone = range(len(self._game.roles))
        found = (self._game.goals(self._state, role) for role in everyone)
        return tuple(values[-1] if values else None for values in found)

    def after(self, joint: Sequence[str]) -> MatchPosition:
        terms = [self._game.term(move) for move in joint]
        return _ProverPosition(self._game, self._game.next(self._state, terms))

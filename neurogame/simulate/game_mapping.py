"""Where the roles, fluents and moves of a game stand in the same game under other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import final

from neurogame.circuit.circuit import Circuit
from neurogame.errors import CheckpointError
from neurogame.gdl.finding import NOWHERE
from neurogame.gdl.renaming import find_renaming, renamed_rule, renamed_text
from neurogame.gdl.terms import Rules
from neurogame.simulate.game import Game, State


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class GameMapping:
    """Where what one game, the home, has stands in another one of the same rules.

    Who has learned a game knows it as its home numbers it. What is played may be numbered
    otherwise, and is translated here, state by state: there is no other place for that.

    Attributes:
        home: the game that something was learned of; ``R`` roles, ``F`` fluents.
        game: the same game, with names and an order of its own.
        roles: for each role of the home its index in the other game; ``[R]``.
        fluents: for each fluent of the home its index in the other game; ``[F]``.
        moves: for each role and move of the home its index within the moves of the same role
            there.
        renaming: names of the home, folded, to those of the other game.
    """

    home: Game
    game: Game
    roles: tuple[int, ...]
    fluents: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    renaming: Mapping[str, str] = field(repr=False)

    @property
    def is_identity(self) -> bool:
        """Whether everything stands where it stood."""
        return all(
            places == tuple(range(len(places)))
            for places in (self.roles, self.fluents, *self.moves)
        )

    def home_state(self, state: State) -> State:
        """Return what a state of the other game is at home."""
        return State(self.home, state.fluents[list(self.fluents)])

    def home_role(self, role: int) -> int:
        """Return the index that a role of the other game has at home."""
        return self.roles.index(role)

    def joint(self, home_joint: Sequence[int]) -> tuple[int, ...]:
        """Return what a joint move of the home is in the other game.

        Args:
            home_joint: indices within each role's own moves; ``[R]``.
        """
        moves = [places[move] for places, move in zip(self.moves, home_joint, strict=True)]
        return tuple(moves[self.home_role(role)] for role in range(len(moves)))

    def values(self, home_values: Sequence[float]) -> tuple[float, ...]:
        """Return values per role of the home by the roles of the other game; ``[R]``."""
        return tuple(home_values[self.home_role(role)] for role in range(len(self.roles)))

    def home_values(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return values per role of the other game by the roles of the home; ``[R]``."""
        return tuple(values[role] for role in self.roles)

    @cached_property
    def namesake(self) -> Game:
        """The home with the names of the other game: for people, who know no others.

        Its circuit and its numbers are those of the home, so that what has learned at home is at
        home here too. Fluents and moves are not sorted by their texts.
        """
        if self.game.circuit.key == self.home.circuit.key:
            return self.game
        home, spelling = self.home, self.game.rules.spelling
        # Where a rule of the home stands is no line of the other game's file.
        renamed = (renamed_rule(rule, self.renaming, {}) for rule in home.rules)
        rules = Rules(
            tuple(replace(rule, position=NOWHERE) for rule in renamed),
            spelling,
            self.game.rules.source,
        )
        return Game(self.game.name, rules, self._renamed_circuit(spelling))

    def _renamed_circuit(self, spelling: Mapping[str, str]) -> Circuit:
        """Return the circuit of the home with the names of the other game."""
        circuit, game, renaming = self.home.circuit, self.game, self.renaming

        def named(names: Sequence[str]) -> tuple[str, ...]:
            new = (renaming.get(name.lower(), name) for name in names)
            return tuple(spelling.get(name, name) for name in new)

        terms = replace(circuit.atoms.terms, names=named(circuit.atoms.terms.names))
        return replace(
            circuit,
            roles=tuple(game.roles[role] for role in self.roles),
            fluents=tuple(game.fluents[fluent] for fluent in self.fluents),
            moves=tuple(
                tuple(game.moves[role][move] for move in moves)
                for role, moves in zip(self.roles, self.moves, strict=True)
            ),
            atoms=replace(circuit.atoms, terms=terms, predicates=named(circuit.atoms.predicates)),
        )


def map_game(home: Game, game: Game) -> GameMapping:
    """Return where what a checkpoint's game has stands in another game with the same rules.

    Args:
        home: the game that the checkpoint was trained on.
        game: the game to play; its names and the order of its rules may differ.

    Raises:
        CheckpointError: the rules differ in more than names and order.
    """
    renaming = {} if home.rules == game.rules else find_renaming(home.rules, game.rules)
    if renaming is None:
        raise CheckpointError(
            f"the checkpoint was trained on {home.name} ({', '.join(home.roles)}; "
            f"{len(home.fluents)} fluents), and {game.name} ({', '.join(game.roles)}; "
            f"{len(game.fluents)} fluents) has other rules; train one for it"
        )
    try:
        roles = _places(home.roles, game.roles, renaming)
        fluents = _places(home.fluents, game.fluents, renaming)
        moves = tuple(
            _places(texts, game.moves[other], renaming)
            for texts, other in zip(home.moves, roles, strict=True)
        )
    except KeyError as error:
        raise CheckpointError(
            f"{game.name} has the rules of {home.name}, on which the checkpoint was trained, but "
            f"in that order no {error.args[0]} was found reachable; train one for it"
        ) from None
    return GameMapping(
        home=home, game=game, roles=roles, fluents=fluents, moves=moves, renaming=renaming
    )


def _places(
    texts: Sequence[str], others: Sequence[str], renaming: Mapping[str, str]
) -> tuple[int, ...]:
    """Return where each renamed term stands in a list of terms."""
    place = {other.lower(): index for index, other in enumerate(others)}
    return tuple(place[renamed_text(text, renaming)] for text in texts)

"""The Boolean circuit of a game: what every later part of the package computes with.

It is a :class:`~neurogame.graph.graph.Graph` whose inputs are the fluents of the current state
(nodes ``1..F``) and the moves made (``does``; nodes ``F+1..F+M``), and whose outputs are what the
rules derive from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.chance import chance_role
from neurogame.gdl.keywords import clamped_goal
from neurogame.graph.graph import Graph
from neurogame.graph.groups import group_starts
from neurogame.ground.atoms import AtomTable


@dataclass(frozen=True, eq=False)
class Circuit:
    """The rules of a game as one graph of gates.

    ``R`` roles, ``F`` fluents, ``M`` moves of all roles together, ``V`` goal values of all roles
    together.

    Attributes:
        roles: role names in the order of the role facts; ``[R]``.
        fluents: compact KIF text of each fluent, sorted by code point; ``[F]``.
        moves: per role the compact KIF texts of its moves, sorted by code point.
        initial: the initial state; bool ``[F]``.
        graph: the gates, each with at least two inputs, which ascend without repetition. Its
            outputs are :attr:`legal`, :attr:`next`, :attr:`terminal` and the goals, in this
            order; ``[M + F + 1 + V]``. Its labels are indices into ``atoms`` and ``Rules.rules``.
        named_goals: per role the goal values that the rules name, highest first; any integers,
            since those outside 0..100 may never be met.
        atoms: the ground atoms, for names.
        key: hash of the rules' text; of rules made from another game's, that with what was made.
        origin: the game whose states these rules are given, if that is another one, in which more
            moves are legal or fewer states are terminal; else None.
    """

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    initial: Bools
    graph: Graph
    named_goals: tuple[tuple[int, ...], ...]
    atoms: AtomTable
    key: str
    origin: Circuit | None = None

    @cached_property
    def goal_values(self) -> tuple[tuple[int, ...], ...]:
        """Per role what its goal values count as, 0..100, highest first; some may be equal."""
        return tuple(tuple(map(clamped_goal, values)) for values in self.named_goals)

    @cached_property
    def chance(self) -> int | None:
        """The role that plays uniformly at random and wants nothing; None if there is none."""
        return chance_role(self.roles)

    @property
    def circuit(self) -> Circuit:
        """Itself: what takes a game takes its circuit, too."""
        return self

    @property
    def gate_count(self) -> int:
        """Number of gates."""
        return self.graph.gate_count

    @property
    def input_count(self) -> int:
        """Number of inputs, the constant included: ``1 + F + M``."""
        return self.graph.input_count

    @cached_property
    def move_count(self) -> int:
        """Number of moves of all roles together, ``M``."""
        return sum(map(len, self.moves))

    @cached_property
    def move_offsets(self) -> Int64s:
        """Where each role's moves begin among all moves, and ``M``; int64 ``[R + 1]``."""
        return group_starts(np.array(list(map(len, self.moves)), np.int64))

    @cached_property
    def role_of_move(self) -> Int64s:
        """The role that each move belongs to; int64 ``[M]``."""
        return np.repeat(np.arange(len(self.roles)), np.diff(self.move_offsets))

    @cached_property
    def goal_offsets(self) -> Int64s:
        """Where each role's values begin among all goal values, and ``V``; int64 ``[R + 1]``."""
        return group_starts(np.array(list(map(len, self.named_goals)), np.int64))

    def moves_of(self, role: int) -> slice:
        """Return where the moves of a role are among all moves."""
        return slice(*self.move_offsets[role : role + 2].tolist())

    @cached_property
    def best(self) -> tuple[float, ...]:
        """The highest value that each role can have, goal / 100; 0 where it has no goal."""
        return tuple(max((v for v, _ in pairs), default=0) / 100 for pairs in self.goals)

    @cached_property
    def worst(self) -> tuple[float, ...]:
        """The lowest value that each role can have, goal / 100; 0 where it has no goal."""
        return tuple(min((v for v, _ in pairs), default=0) / 100 for pairs in self.goals)

    @property
    def legal(self) -> Int64s:
        """Literal that says whether a move is legal, moves concatenated in role order; ``[M]``.

        As the rules derive it, in terminal states too.
        """
        return self.graph.outputs[: self.move_count]

    @property
    def next(self) -> Int64s:
        """Literal of each fluent in the next state; int64 ``[F]``."""
        return self.graph.outputs[self.move_count : self.move_count + len(self.fluents)]

    @property
    def terminal(self) -> int:
        """Literal that says whether the game is over."""
        return int(self.graph.outputs[self.move_count + len(self.fluents)])

    @property
    def goal_literals(self) -> Int64s:
        """Literal of each goal value, role by role; int64 ``[V]``."""
        return self.graph.outputs[self.move_count + len(self.fluents) + 1 :]

    @cached_property
    def goals(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Per role its ``(goal value, literal)`` pairs, highest value first."""
        literals = iter(self.goal_literals.tolist())
        return tuple(
            tuple((value, next(literals)) for value in values) for values in self.goal_values
        )


class HasCircuit(Protocol):
    """Anything with a circuit: a game, or the circuit itself."""

    @property
    def circuit(self) -> Circuit:
        """The circuit of the game."""

"""What a ply computes, as formulas: everything but the choice of moves.

In the formulas of a play netlist the moves are gone: what is left as inputs are the fluents, for
each slot of each choice whether it is the chosen one, for each choice whether it has a legal slot,
and the reset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph
from neurogame.graph.groups import group_starts
from neurogame.graph.prune import prune
from neurogame.graph.rewrite import rewrite
from neurogame.graph.store import GateStore
from neurogame.kernels.netlist.facts import Facts, Turn
from neurogame.kernels.netlist.move_sets import MoveSets, Owner, rewrite_next, role_moves


@final
@dataclass(frozen=True, eq=False)
class Logic:
    """The formulas of a ply; each field but the first few says where its outputs are.

    Attributes:
        graph: the gates; its outputs are those of all the fields below, one after the other.
        slots: number of slots of each choice.
        first_active: input node of the first slot of each choice.
        some: input node of each choice.
        reset: input node, or 0.
        terminal: position of the literal.
        stuck: position of the literal.
        several: position of the literal.
        goals: positions; ``[V]``.
        slot: per choice the positions of its slots' literals: which are legal.
        legal: positions; ``[M]``, of a step netlist alone.
        next: positions; ``[F]``.
        does: positions; ``[M]``, or none.
    """

    graph: Graph
    slots: tuple[int, ...]
    first_active: tuple[int, ...]
    some: tuple[int, ...]
    reset: int
    terminal: int
    stuck: int
    several: int
    goals: range
    slot: tuple[range, ...]
    legal: range
    next: range
    does: range


def step_logic(circuit: Circuit, most_named: int) -> Logic:
    """Return the formulas of a step netlist: the inputs are the fluents and the moves.

    Args:
        circuit: the game.
        most_named: moves that a set of moves may name.
    """
    store = GateStore(circuit.input_count)
    roots = _Roots()
    leaves = 2 * np.arange(circuit.input_count)
    made = rewrite(_before_moving(circuit), leaves, store)
    does = leaves[1 + len(circuit.fluents) :]
    owners = [Owner((moves,), (TRUE,), does[moves], TRUE) for moves in role_moves(circuit)]
    sets = MoveSets(store, owners, np.zeros(0, np.int64), does)
    following = rewrite_next(circuit, None, leaves, store, sets, most_named)
    goals = 1 + len(circuit.goal_literals)
    legal = made[goals : goals + circuit.move_count]
    terminal = roots.add(made[:1])[0]
    able = [legal[moves] for moves in role_moves(circuit)]
    stuck = roots.add(_stuck(store, made[0], able))[0]
    several = roots.add(np.array([FALSE]))[0]
    return Logic(
        goals=roots.add(made[1:goals]),
        legal=roots.add(legal),
        next=roots.add(following),
        graph=prune(store.graph(roots.literals())),
        slots=(),
        first_active=(),
        some=(),
        reset=0,
        terminal=terminal,
        stuck=stuck,
        several=several,
        slot=(),
        does=range(0),
    )


def play_logic(circuit: Circuit, facts: Facts, *, moves: bool, most_named: int) -> Logic:
    """Return the formulas of a play netlist.

    Args:
        circuit: the game.
        facts: proved of it.
        moves: whether the moves made are wanted.
        most_named: moves that a set of moves may name.
    """
    return _PlayLogic(circuit, facts).make(moves, most_named)


@final
class _Roots:
    """Collects the literals of a :class:`Logic`."""

    def __init__(self) -> None:
        self._parts: list[Int64s] = []
        self._count = 0

    def add(self, literals: Int64s) -> range:
        begin = self._count
        self._parts.append(literals)
        self._count += len(literals)
        return range(begin, self._count)

    def literals(self) -> Int64s:
        return np.concatenate(self._parts).astype(np.int64)


@final
class _PlayLogic:
    """Rewrites one circuit."""

    def __init__(self, circuit: Circuit, facts: Facts) -> None:
        self.circuit, self.facts = circuit, facts
        self.moves = role_moves(circuit)
        self.open = [moves[~facts.forced[moves]] for moves in self.moves]
        self.slots = tuple(max(len(self.open[role]) for role in roles) for roles in facts.shared)
        first = 1 + len(circuit.fluents) + group_starts(np.array(self.slots, np.int64))
        self.first_active = tuple(first[:-1].tolist())
        self.some = tuple(range(int(first[-1]), int(first[-1]) + len(self.slots)))
        self.reset = int(first[-1]) + len(self.slots)
        self.store = GateStore(self.reset + 1)

    def make(self, moves: bool, most_named: int) -> Logic:
        """See :func:`play_logic`."""
        circuit, store, roots = self.circuit, self.store, _Roots()
        leaves = np.zeros(circuit.input_count, np.int64)
        fluents = len(circuit.fluents)
        leaves[: 1 + fluents] = 2 * np.arange(1 + fluents)
        leaves[1:][:fluents][self.facts.never] = FALSE
        leaves[1:][:fluents][self.facts.always] = TRUE
        made = rewrite(_before_moving(circuit), leaves, store)
        turns = [self._turn(turn, leaves) for turn in self.facts.turn]
        values = 1 + len(circuit.goal_literals)
        legal = made[values:]
        does = self._does(legal, turns)
        leaves[1 + fluents :] = does
        following = self._reset(
            rewrite_next(
                circuit, self.facts.implied, leaves, store, self._sets(does, turns), most_named
            )
        )
        goals, several = self._goals(made[1:values])
        return Logic(
            terminal=roots.add(made[:1])[0],
            stuck=roots.add(_stuck(store, made[0], self._able(legal, turns)))[0],
            several=roots.add(several)[0],
            goals=roots.add(goals),
            slot=tuple(roots.add(self._legal_slots(roles, legal)) for roles in self.facts.shared),
            legal=range(0),
            next=roots.add(following),
            does=roots.add(does if moves else does[:0]),
            graph=prune(store.graph(roots.literals())),
            slots=self.slots,
            first_active=self.first_active,
            some=self.some,
            reset=self.reset,
        )

    def _turn(self, turn: Turn, leaves: Int64s) -> int:
        literals = np.array(turn.literals, np.int64)
        made = _one(self.store, AND, leaves[1 + (literals >> 1)] ^ (literals & 1))
        return made ^ int(turn.complement)

    def _does(self, legal: Int64s, turns: list[int]) -> Int64s:
        """Return the literals of the moves made."""
        does = legal.copy()
        for roles, first in zip(self.facts.shared, self.first_active, strict=True):
            for role in roles:
                moves = self.open[role]
                active = 2 * (first + np.arange(len(moves)))
                does[moves] = self.store.pairs(AND, active, turns[role])
        return does

    def _sets(self, does: Int64s, turns: list[int]) -> MoveSets:
        owners = [
            Owner(
                moves=tuple(self.open[role] for role in roles),
                turns=tuple(turns[role] for role in roles),
                active=2 * (first + np.arange(slots)),
                some=TRUE if sure else 2 * some,
            )
            for roles, slots, first, some, sure in zip(
                self.facts.shared,
                self.slots,
                self.first_active,
                self.some,
                self.facts.always_some,
                strict=True,
            )
        ]
        return MoveSets(self.store, owners, np.flatnonzero(self.facts.forced), does)

    def _legal_slots(self, roles: tuple[int, ...], legal: Int64s) -> Int64s:
        """Return the literals of a choice's slots."""
        parts = [legal[self.open[role]] for role in roles]
        most = max(map(len, parts))
        rows = np.full((most, len(roles)), FALSE, np.int64)
        for column, part in enumerate(parts):
            rows[: len(part), column] = part
        return self.store.rows(OR, rows)

    def _able(self, legal: Int64s, turns: list[int]) -> list[Int64s]:
        """Return per role literals of which one holds where it has a legal move.

        A choice that surely has a legal slot where it is not stuck is asked once for all roles.
        """
        able = []
        chosen: dict[int, tuple[int, int]] = {}
        for roles, some in zip(self.facts.shared, self.some, strict=True):
            for role in roles:
                chosen[role] = (2 * some, turns[role])
        for role in range(len(turns)):
            moves = self.moves[role]
            forced = legal[moves[self.facts.forced[moves]]]
            if role in chosen:
                pair = np.array(chosen[role], np.int64)
                forced = np.append(forced, _one(self.store, AND, pair))
            able.append(forced)
        return able

    def _reset(self, following: Int64s) -> Int64s:
        """Return the next state, or the initial state where the reset is set."""
        initial = self.circuit.initial
        reset = 2 * self.reset
        result = following.copy()
        result[~initial] = self.store.pairs(AND, following[~initial], reset ^ 1)
        result[initial] = self.store.pairs(OR, following[initial], reset)
        return result

    def _goals(self, literals: Int64s) -> tuple[Int64s, Int64s]:
        """Return the highest goal of each role, and whether a role has several."""
        result = literals.copy()
        several = []
        begin = 0
        for values in self.circuit.goals:
            higher = FALSE
            for index in range(begin, begin + len(values)):
                literal = int(literals[index])
                several.append(_one(self.store, AND, np.array([literal, higher])))
                result[index] = _one(self.store, AND, np.array([literal, higher ^ 1]))
                higher = _one(self.store, OR, np.array([literal, higher]))
            begin += len(values)
        return result, np.array([_one(self.store, OR, np.array(several, np.int64))])


def _before_moving(circuit: Circuit) -> Graph:
    """Return what is known before the moves: the end, the goals and the legal moves."""
    over = np.array([circuit.terminal])
    return circuit.graph.with_outputs(np.concatenate([over, circuit.goal_literals, circuit.legal]))


def _one(store: GateStore, kind: int, literals: Int64s) -> int:
    return int(store.rows(kind, literals))


def _stuck(store: GateStore, terminal: int, able: list[Int64s]) -> Int64s:
    """Return the literal that says: not terminal, but some role has no legal move."""
    roles = [_one(store, OR, literals) for literals in able]
    stuck = _one(store, OR, np.array([role ^ 1 for role in roles], np.int64))
    return np.array([_one(store, AND, np.array([stuck, int(terminal) ^ 1]))])

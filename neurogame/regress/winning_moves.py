"""Which moves win at once, as gates beside those of the game: what foresight and playouts share."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import final

import numpy as np

from neurogame.analysis.analyse import AnalysisLimits, analyse
from neurogame.analysis.turns import Control
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError, LimitError
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph
from neurogame.graph.levels import reading
from neurogame.graph.prune import prune_by_level
from neurogame.graph.rewrite import assuming, remade
from neurogame.graph.store import GateStore
from neurogame.regress.regress import regress
from neurogame.regress.specialise import WIDTH, formulas_of_moves
from neurogame.regress.unknowns import with_constants

_BUDGET = 400_000
"""Gates that may be made for single moves of a role, before sharing."""
_MOST_PHASES = 16
"""Fluents that say who moves, one by one: with more, such as the steps of a game, it takes long."""
_LIMITS = AnalysisLimits(states=0, games=64, proof_work=20_000_000)


@final
class WinningMoves:
    """The gates of what wins at once, in one store with those of the game.

    A move *wins* if it certainly leads to a terminal state in which its role has its best goal.

    Attributes:
        old: the game.
        store: the gates.
        analysis: of the game.
        outputs: its outputs in the store.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Take a game.

        Raises:
            GameError: several roles choose at the same time.
        """
        self.old, self.store = circuit, GateStore(circuit.input_count)
        self.analysis = analyse(circuit, limits=_LIMITS)
        if not self.analysis.turn_taking.holds:
            raise GameError("several roles choose at the same time")
        self.outputs = remade(circuit.graph, self.store)

    @cached_property
    def over(self) -> Int64s:
        """The literal of the end; int64 ``[1]``."""
        return self.outputs[[self.old.move_count + len(self.old.fluents)]]

    @cached_property
    def legal(self) -> dict[int, Int64s]:
        """Literals of each role's legal moves, chance left out; int64 ``[M]``."""
        return {role: self.outputs[self.old.moves_of(role)] for role in self._players}

    @cached_property
    def wins(self) -> dict[int, Int64s]:
        """Literals of each role's legal moves that win, none without goals; int64 ``[M]``.

        Raises:
            LimitError: they take too many gates.
        """
        goals = self.old.goal_offsets - len(self.old.goal_literals)
        pairs, wins = self.store.pairs, {}
        for role in self._players:
            best = self.outputs[[goals[role]]] if self.old.goals[role] else np.array([FALSE])
            # Most ends are ends because of the goal: they need not be asked for again.
            over = remade(self._assuming(best, self._formulas(self.over)), self.store)
            wins[role] = pairs(AND, self.legal[role], self.after(role, pairs(AND, best, over)))
        return wins

    def after(self, role: int, formula: Int64s) -> Int64s:
        """Return when a state formula certainly holds after each move of a role.

        Only where the state is not terminal and the move legal: formulas are smaller for that.

        Args:
            role: index of the role.
            formula: a literal of the store, over the fluents; int64 ``[1]``.

        Returns:
            Literals of the store; int64 ``[M]``.

        Raises:
            LimitError: they take too many gates.
        """
        old, analysis = self.old, self.analysis
        regressed = with_constants(regress(old, self._formulas(formula)), analysis)
        found = formulas_of_moves(old, regressed, role, analysis.noops, _BUDGET)
        if not found.specialised:
            raise LimitError(f"more than {_BUDGET:,}")
        after, waits = np.zeros(len(old.moves[role]), np.int64), self._others_wait(role)
        for facts, moves in self._phases[role]:
            graph = self._assuming(facts, found.of_moves(moves))
            # What others do at the same time is not known.
            unsure = reading(graph, np.arange(old.input_count) > len(old.fluents))
            sure = np.where(unsure[graph.outputs >> 1], FALSE, graph.outputs)
            after[moves] = remade(graph.with_outputs(sure), self.store)
            acts = np.setdiff1d(moves, analysis.noops[role])
            after[acts] = self.store.pairs(
                AND, after[acts], remade(self._assuming(facts, waits), self.store)
            )
        return after

    def _others_wait(self, role: int) -> Graph:
        """Return when each other role has a noop: else it may act, too, if only as it must."""
        waits = [TRUE]
        for other, noops in enumerate(self.analysis.noops):
            if other != role and noops:
                legal = self.outputs[self.old.moves_of(other)][list(noops)]
                waits.append(int(self.any_of(legal)[0]))
        return self._formulas(self.store.rows(AND, np.array([waits])))

    def moves_again(self, role: int) -> bool:
        """Return whether a role may have the next choice, too, after one of its moves."""
        if (control := self._control) is None:
            return False
        own = 2 * (1 + control.fluents[control.roles == role])
        after = self.after(role, self.any_of(own))
        return bool(np.delete(after != FALSE, list(self.analysis.noops[role])).any())

    def first(self, wanted: Int64s, others: Int64s) -> Int64s:
        """Return the moves that are wanted, where there is none the others; int64 ``[M]``."""
        none = self.any_of(wanted) ^ 1
        return self.store.pairs(OR, wanted, self.store.pairs(AND, others, none))

    def any_of(self, literals: Int64s) -> Int64s:
        """Return the disjunction of literals; int64 ``[1]``."""
        return self.store.rows(OR, literals[None])

    def circuit(self, outputs: Int64s) -> Circuit:
        """Return the game with other outputs, under a key of its own.

        Args:
            outputs: literals of the store, as those of the game.
        """
        graph = prune_by_level(self.store.graph(outputs))
        # What is compiled is kept under the key, and must not outlive what made the circuit.
        key = f"{self.old.key}-{graph.digest[:16]}"
        return replace(self.old, graph=graph, key=key, origin=self.old)

    @property
    def _control(self) -> Control | None:
        """What certainly says who moves, if that is told by few fluents."""
        control, verdict = self.analysis.control, self.analysis.control_verdict
        few = control is not None and len(control.fluents) <= _MOST_PHASES
        return control if few and verdict.certain else None

    @cached_property
    def _players(self) -> list[int]:
        return [role for role in range(len(self.old.roles)) if role != self.old.chance]

    @cached_property
    def _phases(self) -> dict[int, list[tuple[Int64s, Int64s]]]:
        """For each role what holds wherever some of its moves are legal, as literals, and these."""
        goes_on, control = self.over ^ 1, self._control
        turns = np.zeros(0, np.int64) if control is None else 2 * (1 + control.fluents)
        facts = [np.append(np.where(turns == turn, turn, turns ^ 1), goes_on) for turn in turns]
        phases = {}
        for role, literals in self.legal.items():
            legal = self._formulas(literals)
            possible = np.zeros((len(facts), len(literals)), np.bool_)
            for row, some in zip(possible, facts, strict=True):
                row[:] = self._assuming(some, legal).outputs != FALSE
            several = np.count_nonzero(possible, axis=0) != 1
            parts = zip([*facts, goes_on], [*(possible & ~several), several], strict=True)
            phases[role] = [(some, np.flatnonzero(here)) for some, here in parts if here.any()]
        return phases

    def _assuming(self, facts: Int64s, graph: Graph) -> Graph:
        """Return formulas as they are where some literals of the store hold."""
        return assuming(self._formulas(facts), graph, WIDTH)

    def _formulas(self, literals: Int64s) -> Graph:
        """Return literals of the store, with the gates that they need alone."""
        return prune_by_level(self.store.graph(literals))

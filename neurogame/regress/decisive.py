"""Rules for playouts that decide: who can win at once does so, and lets no opponent win at once.

The result is a circuit of the same fluents, goals and ends in which fewer moves are legal. So every
backend can play it, and its uniform games are the decisive and anti-decisive playouts of the game.

*Reference:* Teytaud and Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search
algorithms", 2010.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import final
from weakref import WeakKeyDictionary

import numpy as np

from neurogame.analysis.analyse import AnalysisLimits, analyse
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError, LimitError
from neurogame.graph.graph import AND, FALSE, OR, Graph
from neurogame.graph.groups import group_starts
from neurogame.graph.levels import levels
from neurogame.graph.prune import prune
from neurogame.graph.rewrite import rewrite
from neurogame.graph.store import GateStore
from neurogame.regress.regress import regress
from neurogame.regress.specialise import formulas_of_moves
from neurogame.regress.unknowns import with_constants

MOST_GATES, _MOST_CAREFUL = 60_000, 20_000
"""Gates of a circuit for playouts, and of one that looks for moves that lose: more of them are not
worth their time."""
_BUDGET = 400_000
"""Gates that may be made for single moves of a role, before sharing."""
_LIMITS = AnalysisLimits(states=0, games=64, proof_work=20_000_000)

_made: WeakKeyDictionary[Circuit, tuple[Circuit, bool]] = WeakKeyDictionary()


def decisive(circuit: Circuit) -> Circuit:
    """Return a game with fewer legal moves, made once for as long as its circuit is in use.

    A move *wins* if it certainly leads to a terminal state in which its role has its best goal. It
    *loses* if it certainly leads to a state in which another role has a legal move that wins.
    Legal are a role's moves that win; if there is none those that do not lose; if there is none
    either, all. Chance keeps all its moves. No move counts as one that loses where goals do not sum
    to a constant, or where telling them takes too many gates.

    Args:
        circuit: the game.

    Returns:
        A circuit with other legal moves in states that are not terminal, the rest being the same.

    Raises:
        GameError: several roles choose at the same time.
        LimitError: it would be too large.
    """
    return _known(circuit)[0]


def avoids_losing(circuit: Circuit) -> bool:
    """Return whether moves that lose are left out of what :func:`decisive` returns, too."""
    return _known(circuit)[1]


def _known(circuit: Circuit) -> tuple[Circuit, bool]:
    """Return the game in which playouts decide, and whether moves that lose are left out."""
    if circuit not in _made:
        _made[circuit] = _Decisive(circuit).affordable()
    return _made[circuit]


@final
class _Decisive:
    """The gates of what wins and loses, in one store with those of the game."""

    def __init__(self, circuit: Circuit) -> None:
        self.old, self.store = circuit, GateStore(circuit.input_count)
        self.analysis = analyse(circuit, limits=_LIMITS)
        if not self.analysis.turn_taking.holds:
            raise GameError(
                "playouts that decide are for games whose roles move in turn, and here several "
                "choose at the same time; choose playout=uniform"
            )
        self.outputs = self._made(circuit.graph)

    def affordable(self) -> tuple[Circuit, bool]:
        """Return the whole, and whether moves that lose are told, which may take too many gates.

        Raises:
            LimitError: it would be too large all the same.
        """
        if self.analysis.constant_sum.holds:
            try:
                made = self.circuit(careful=True)
            except LimitError:
                made = None
            if made is not None and made.gate_count <= _MOST_CAREFUL:
                return made, True
        made = self.circuit(careful=False)
        if made.gate_count > MOST_GATES:
            raise _too_large(self.old, f"{made.gate_count:,}")
        return made, False

    def circuit(self, *, careful: bool) -> Circuit:
        """Return the whole.

        Args:
            careful: whether moves that lose are avoided.

        Raises:
            LimitError: it would be too large.
        """
        old, pairs = self.old, self.store.pairs
        over = self.outputs[[old.move_count + len(old.fluents)]]
        goals = group_starts(np.array(list(map(len, old.goals)))) - len(old.goal_literals)
        best = {r: self.outputs[[goals[r]]] for r in range(len(old.roles)) if r != old.chance}
        legal = {role: self.outputs[self._moves(role)] for role in best}
        wins = {
            role: pairs(AND, legal[role], self._after(role, pairs(AND, own, over)))
            for role, own in best.items()
        }
        outputs = self.outputs.copy()
        for role, own in wins.items():
            rest = legal[role]
            if careful:
                others = [wins[other] for other in wins if other != role]
                threats = pairs(AND, self._any(np.concatenate([[FALSE], *others])), over ^ 1)
                rest = self._first(pairs(AND, rest, self._after(role, threats) ^ 1), rest)
            outputs[self._moves(role)] = self._first(own, rest)
        graph = prune(self.store.graph(outputs))
        # Compiled playouts are kept under the key, and must not outlive what made the circuit.
        gates = (graph.kind, graph.start, graph.inputs, graph.outputs)
        digest = hashlib.sha256(b"".join(part.tobytes() for part in gates)).hexdigest()
        return replace(old, graph=graph, key=f"{old.key}-{digest[:16]}", origin=old)

    def _after(self, role: int, formula: Int64s) -> Int64s:
        """Return when a state formula certainly holds after each move of a role.

        Args:
            role: index of the role.
            formula: a literal of the store, over the fluents; int64 ``[1]``.

        Returns:
            Literals of the store; int64 ``[M]``.
        """
        old, analysis = self.old, self.analysis
        regressed = with_constants(regress(old, prune(self.store.graph(formula))), analysis)
        found = formulas_of_moves(old, regressed, role, analysis.noops, _BUDGET)
        if not found.specialised:
            raise _too_large(old, f"more than {_BUDGET:,}")
        graph, first = found.graph, old.input_count
        # What others do at the same time is not known.
        unsure = np.arange(graph.node_count) > len(old.fluents)
        unsure[first:] = False
        for gates in levels(graph):
            inputs, start = graph.inputs_of(gates)
            unsure[first + gates] = np.logical_or.reduceat(unsure[inputs >> 1], start[:-1])
        sure = np.where(unsure[graph.outputs >> 1], FALSE, graph.outputs)
        return self._made(graph.with_outputs(sure))

    def _first(self, wanted: Int64s, others: Int64s) -> Int64s:
        """Return the moves that are wanted, where there is none the others; int64 ``[M]``."""
        none = self._any(wanted) ^ 1
        return self.store.pairs(OR, wanted, self.store.pairs(AND, others, none))

    def _any(self, literals: Int64s) -> Int64s:
        """Return the disjunction of literals; int64 ``[1]``."""
        return self.store.rows(OR, literals[None])

    def _moves(self, role: int) -> slice:
        """Return where the moves of a role are among all moves."""
        return slice(*self.old.move_offsets[role : role + 2].tolist())

    def _made(self, graph: Graph) -> Int64s:
        """Make the gates of a graph in the store, and return its outputs there."""
        return rewrite(graph, 2 * np.arange(graph.input_count), self.store)


def _too_large(circuit: Circuit, found: str) -> LimitError:
    return LimitError(
        f"playouts that decide would take {found} gates, where the game has "
        f"{circuit.gate_count:,} and {MOST_GATES:,} are allowed; choose playout=uniform"
    )

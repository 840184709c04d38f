"""Regression by several steps: what must hold now so that a formula holds some plies later.

A role makes a given move and then plays on as well as it can. Its own choice is a disjunction
over its legal moves. What the other roles do is a conjunction over their legal moves, so that
nothing they do prevents it, or is not known. Moves at the same time are treated as if the others
knew the role's own: what holds then holds whatever they do.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, LimitError
from neurogame.graph.graph import AND, OR, Graph
from neurogame.graph.prune import prune
from neurogame.graph.rewrite import remade
from neurogame.graph.store import GateStore
from neurogame.regress.regress import regress
from neurogame.regress.specialise import GATE_BUDGET, MoveFormulas, formulas_of_moves
from neurogame.regress.unknowns import with_constants, without_moves

OTHERS = ("least", "unknown")


def formulas_in_steps(
    circuit: Circuit,
    literals: Int64s,
    role: int,
    steps: int,
    analysis: GameAnalysis,
    *,
    others: str = "least",
    budget: int = GATE_BUDGET,
) -> MoveFormulas:
    """Return for each move of a role when state formulas hold some plies later.

    ``V[F, 0] = F``, and ``V[F, n]`` is the disjunction over the role's legal moves ``a`` of
    ``Q[F, n, a]``; in a terminal state it is ``F``, because no move is made there. ``Q[F, n, a]``
    is ``R[V[F, n - 1]]`` where the role makes move ``a``, for all that the others may do: with
    ``others="least"`` the conjunction over their legal moves.

    In a turn-taking game, no more than one role is taken to make a move other than its noops;
    with ``others="least"`` only where that is so in states without a choice, too.

    Args:
        circuit: the game.
        literals: state formulas as literals of the circuit; int64 ``[N]``.
        role: index of the role.
        steps: plies to look ahead, at least 1.
        analysis: of the game; its turn-taking, noops and constant fluents are relied upon.
        others: ``least``: all legal moves of the other roles are foreseen, and the formulas read
            no moves; ``unknown``: what they do is not known. Where their next moves matter they
            stay inputs; their later ones are left out (:mod:`~neurogame.regress.unknowns`).
        budget: gates that may be made for single moves, before sharing, at each step and role.

    Returns:
        Formulas of the moves; specialised, unless one step with unknown moves of others was asked
        for and takes more than the budget.

    Raises:
        ConfigurationError: an option has another value than those allowed.
        LimitError: the budget is not enough.

    Reference:
        Trutman and Schiffel, conclusion: "Another idea would be to regress the goal condition by
        more than one step."
    """
    if steps < 1:
        raise ConfigurationError(f"formulas look at least 1 step ahead, not {steps}")
    if others not in OTHERS:
        raise ConfigurationError(
            f"others of regression is {others!r}; choose one of {', '.join(OTHERS)}"
        )
    goals = circuit.graph.with_outputs(literals)
    ahead = _LookAhead(circuit, role, analysis, others, budget)
    formulas = ahead.moves(goals)
    for _ in range(steps - 1):
        formulas = ahead.checked(ahead.moves(ahead.choice(goals, formulas)))
    return formulas


@final
class _LookAhead:
    """One step of regression after another, for one role."""

    def __init__(
        self, circuit: Circuit, role: int, analysis: GameAnalysis, others: str, budget: int
    ) -> None:
        self.circuit = circuit
        self.role = role
        self.analysis = analysis
        self.others = others
        self.budget = budget
        # What others do is known exactly only where none of them acts while the role does.
        waits = analysis.turn_taking.holds and (others == "unknown" or analysis.one_acts.holds)
        self.noops = analysis.noops if waits else ()
        self.first = 1 + len(circuit.fluents) + circuit.move_offsets

    def moves(self, formulas: Graph) -> MoveFormulas:
        """Return what is left of the regression of state formulas for each own move."""
        regressed = with_constants(regress(self.circuit, formulas), self.analysis)
        if self.others == "unknown":
            return formulas_of_moves(self.circuit, regressed, self.role, self.noops, self.budget)
        return self._split(self._whatever_others_do(regressed), self.role)

    def choice(self, goals: Graph, moves: MoveFormulas) -> Graph:
        """Return when the role has a legal move of which its formula holds, or has reached it."""
        self.checked(moves)
        if self.others == "unknown":
            moves, _ = without_moves(self.circuit, moves)
        graph = self.circuit.graph
        new = GateStore(graph.input_count)
        below = remade(moves.graph, new).reshape(moves.shape)
        legal = self._legal(self.role, new)
        over = remade(graph.with_outputs(np.array([self.circuit.terminal])), new)
        best = new.rows(OR, new.pairs(AND, below, legal[None, :]))
        reached = new.pairs(AND, remade(goals, new), over)
        best = new.pairs(OR, reached, new.pairs(AND, best, over ^ 1))
        return prune(new.graph(best))

    def _whatever_others_do(self, formulas: Graph) -> Graph:
        """Return when formulas over moves hold for all legal moves of the other roles.

        The result reads the role's own moves only. ``free`` is for the case that nobody has moved
        yet but by a noop, ``still`` for the case that somebody has.
        """
        count, inputs = len(formulas.outputs), formulas.input_count
        both = formulas.with_outputs(np.tile(formulas.outputs, 2))
        for other in range(len(self.circuit.roles)):
            if other == self.role:
                continue
            split = self._split(both, other)
            new = GateStore(inputs)
            below = remade(split.graph, new).reshape(split.shape)
            illegal = self._legal(other, new) ^ 1
            free, still = below[:count], below[count:]
            idle = self._idle(other)
            if len(idle) == 1:
                guarded = still[:, idle]
            else:
                guarded = new.pairs(OR, still[:, idle], illegal[None, idle])
            mixed = still.copy()
            mixed[:, idle] = free[:, idle]
            free = new.rows(AND, new.pairs(OR, mixed, illegal[None, :]))
            both = prune(new.graph(np.concatenate([free, new.rows(AND, guarded)])))
        if not self.noops:
            return prune(both.with_outputs(both.outputs[:count]))
        new = GateStore(inputs)
        ends = remade(both, new)
        waits = new.rows(OR, 2 * (self.first[self.role] + self._idle(self.role))[None, :])
        quiet = new.pairs(AND, ends[count:], waits ^ 1)
        return prune(new.graph(new.pairs(OR, quiet, new.pairs(AND, ends[:count], waits))))

    def _idle(self, role: int) -> Int64s:
        """Return the moves of a role while another moves: its noops, or all if it has none."""
        noops = self.noops[role] if self.noops else ()
        return np.array(noops or range(len(self.circuit.moves[role])), np.int64)

    def _legal(self, role: int, store: GateStore) -> Int64s:
        """Return literals of a store that say which moves of a role are legal; int64 ``[M]``."""
        legal = self.circuit.legal[self.circuit.moves_of(role)]
        return remade(self.circuit.graph.with_outputs(legal), store)

    def _split(self, formulas: Graph, role: int) -> MoveFormulas:
        """Return what is left of formulas for each move of a role."""
        return self.checked(formulas_of_moves(self.circuit, formulas, role, (), self.budget))

    def checked(self, moves: MoveFormulas) -> MoveFormulas:
        """Return formulas of moves if they are specialised.

        Raises:
            LimitError: they are not: the budget was not enough.
        """
        if not moves.specialised:
            raise LimitError(
                f"formulas of {len(self.circuit.moves[moves.role]):,} moves take more than "
                f"{self.budget:,} gates in one step; look fewer steps ahead, take the other "
                "roles' moves as unknown, or give a larger budget"
            )
        return moves

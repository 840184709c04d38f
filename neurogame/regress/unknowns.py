"""Formulas without the inputs of which nothing, or everything, is known.

An unknown that survives the simplification of three-valued logic has no value. Here it is left
out of the gates that read it, as if it were their neutral element; a gate of nothing but unknowns
is unknown itself. Formulas that are the same for all moves become simple only when the move is
known. So gates over the role's moves tell whether a part would be true, false, or nothing but
unknowns then, and a gate reads its neutral element where it is the last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph, replaced
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.levels import reading, steps
from neurogame.graph.prune import needed, prune
from neurogame.graph.rewrite import substituted
from neurogame.graph.store import GateStore
from neurogame.regress.specialise import MoveFormulas

_MOST_FLAGS = 50_000_000


def without_moves(circuit: Circuit, moves: MoveFormulas) -> tuple[MoveFormulas, Bools]:
    """Leave the moves of all other roles out of the formulas of a role's moves.

    Args:
        circuit: the game.
        moves: ``N`` formulas for each of ``M`` moves.

    Returns:
        The formulas, and of which of them nothing is left; bool ``[N, M]``. Those that are not
        specialised have the values of the specialised ones, except that specialisation may make two
        parts of a gate equal, which then count once.
    """
    is_own = np.zeros(circuit.input_count, np.bool_)
    is_own[1 + len(circuit.fluents) :] = circuit.role_of_move == moves.role
    unknown = ~is_own
    unknown[: 1 + len(circuit.fluents)] = False
    used, place = np.unique(moves.literals, return_inverse=True)
    place = place.reshape(moves.literals.shape)
    known, lost = without_unknowns(moves.graph.with_outputs(used), unknown, is_own)
    nothing = _of_moves(lost, np.flatnonzero(is_own), place)
    literals = np.where(nothing, FALSE, known.outputs[place])
    return replace(moves, graph=known.with_outputs(literals.reshape(-1))), nothing


def without_unknowns(graph: Graph, unknown: Bools, chosen: Bools) -> tuple[Graph, Graph]:
    """Leave unknown inputs out of formulas, some of whose inputs will be known.

    Whether an unknown is negated makes no difference.

    Args:
        graph: the formulas; any; ``[N]``.
        unknown: which inputs are unknown; bool ``[I]``.
        chosen: which inputs will be constants, not known yet; bool ``[I]``.

    Returns:
        The formulas over the other inputs, and when nothing is left of each of them, over the
        chosen inputs; ``[N]`` each.

    Reference:
        Trutman and Schiffel, section "Algorithm", steps 2(c) and 3, which leave open what
        becomes of an unknown that remains.
    """
    rails = _Rails(graph, unknown, chosen)
    for kind, gates in steps(graph):
        rails.make(kind, gates)
    known = rails.store.graph(replaced(graph.outputs, rails.value))
    return prune(known), prune(known.with_outputs(rails.lost[graph.outputs >> 1]))


@final
class _Rails:
    """Literals of a store for each node: its value, and what becomes of it.

    ``sure``: when it is a constant, false and true, ``[2, I + G]``; ``lost``: when nothing is
    left of it, ``[I + G]``. The first is made for nodes below a gate that unknowns reach.
    """

    def __init__(self, graph: Graph, unknown: Bools, chosen: Bools) -> None:
        first = graph.input_count
        self.graph, self.store = graph, GateStore(first)
        self.value = np.zeros(graph.node_count, np.int64)
        self.value[:first] = np.where(unknown, FALSE, 2 * np.arange(first))
        self.lost = np.full(len(self.value), FALSE)
        self.lost[:first][unknown] = TRUE
        self.sure = np.full((2, len(self.value)), FALSE)
        inputs = np.flatnonzero(chosen)
        self.sure[:, inputs] = 2 * inputs + 1, 2 * inputs
        self.sure[0, 0] = TRUE
        self.is_asked = self._below_unknowns(unknown)

    def make(self, kind: int, gates: Int64s) -> None:
        """Make the rails of gates of a kind, whose inputs have theirs."""
        pairs = self.store.pairs
        inputs, start = self.graph.inputs_of(gates)
        below, sign = inputs >> 1, inputs & 1
        node = self.graph.input_count + gates
        lost = self.lost[below]
        value = replaced(inputs, self.value)
        value = pairs(OR, lost, value) if kind == AND else pairs(AND, lost ^ 1, value)
        self.value[node] = self.store.make(kind, value, start)
        asked = np.flatnonzero(self.is_asked[node])
        if not len(asked):
            return
        # The absorbing element of a conjunction is 0, the neutral one 1.
        neutral = 1 if kind == AND else 0
        some = gather_groups(start, np.arange(len(inputs)), asked)
        begin = group_starts(np.diff(start)[asked])
        lost = lost[some]
        ends = [self.sure[end ^ sign[some], below[some]] for end in (0, 1)]
        self.sure[neutral, node[asked]] = self.store.make(AND, ends[neutral], begin)
        self.sure[1 - neutral, node[asked]] = self.store.make(OR, ends[1 - neutral], begin)
        rest = self.store.make(AND, pairs(OR, lost, ends[neutral]), begin)
        self.lost[node[asked]] = pairs(AND, rest, self.store.make(OR, lost, begin))

    def _below_unknowns(self, unknown: Bools) -> Bools:
        """Return the nodes that a gate which depends on unknowns depends on, itself included."""
        reached = np.flatnonzero(reading(self.graph, unknown))
        return needed(self.graph.with_outputs(2 * reached))


def _of_moves(lost: Graph, inputs: Int64s, place: Int64s) -> Bools:
    """Return which formulas hold for each move.

    Args:
        lost: formulas over a role's moves; ``[n]``.
        inputs: nodes of the moves; int64 ``[M]``.
        place: which formula is meant; int64 ``[N, M]``.
    """
    nothing: Bools = (lost.outputs == TRUE)[place]
    open_moves = np.flatnonzero((lost.outputs > TRUE)[place].any(axis=0))
    step = max(_MOST_FLAGS // lost.input_count, 1)
    for begin in range(0, len(open_moves), step):
        some = open_moves[begin : begin + step]
        flags = np.zeros((len(some), lost.input_count - 1), np.bool_)
        flags[np.arange(len(some)), inputs[some] - 1] = True
        held = holds(lost, flags)
        nothing[:, some] = np.take_along_axis(held.T, place[:, some], axis=0)
    return nothing


def with_constants(graph: Graph, analysis: GameAnalysis) -> Graph:
    """Replace the fluents that certainly never or always hold by constants.

    Args:
        graph: over the inputs of the game's circuit.
        analysis: of the game.
    """
    leaves = 2 * np.arange(graph.input_count)
    leaves[1 + np.flatnonzero(analysis.never)] = FALSE
    leaves[1 + np.flatnonzero(analysis.always)] = TRUE
    return substituted(graph, leaves)

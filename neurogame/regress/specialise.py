"""Regressed formulas for one move each: what the other moves of the role leave of them.

All moves of a role share one *baseline*, the formulas with every move of the role false. A
single move differs from it only in the gates that this move reaches, so only these are made
again, for many moves at once, in the baseline's store, where equal gates are shared. Wide gates
are split into trees before that: a move that changes one of a thousand inputs of a gate then
costs a few small gates instead of a thousand edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph, replaced
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.levels import split_at_changes
from neurogame.graph.prune import prune
from neurogame.graph.rewrite import narrowed, rewrite, rewrite_nodes
from neurogame.graph.store import GateStore

GATE_BUDGET = 16_000_000
"""Gates made again for single moves, before sharing, of all roles together: about 2 GiB."""

_NEXT_BUDGET = 2_000_000
"""The same for what moves make of fluents; beyond that, moves are not told apart."""

WIDTH = 4
"""Inputs of a gate at most, after splitting."""

_MOVES_AT_ONCE = 4096
_SAMPLE = 16


@final
@dataclass(frozen=True, eq=False)
class MoveFormulas:
    """Formulas for each move of a role, all over the same shared gates.

    ``N`` formulas, ``M`` moves of the role.

    Attributes:
        role: index of the role.
        graph: its outputs are :attr:`literals`, row by row.
        shape: ``N`` and ``M``.
        specialised: whether every move has formulas of its own, in which no move of the role
            occurs. If not, they would have been too large, and all moves have the same ones (but
            for the role's only noop in a turn-taking game).
    """

    role: int
    graph: Graph
    shape: tuple[int, int]
    specialised: bool

    @property
    def literals(self) -> Int64s:
        """What is left of formula ``n`` when the role makes move ``m``; int64 ``[N, M]``.

        To be read with ``does(role, m)`` true and the role's other moves false.
        """
        return self.graph.outputs.reshape(self.shape)

    def of_moves(self, moves: Int64s) -> Graph:
        """Return the formulas of some moves: for each formula ``n`` these moves in turn.

        Args:
            moves: indices among the role's moves; int64 ``[K]``.
        """
        return self.graph.with_outputs(self.literals[:, moves].reshape(-1))


@lru_cache(maxsize=1)
def next_of_moves(circuit: Circuit) -> MoveFormulas:
    """Return what each move of the only role makes of each fluent; those of the last game are kept.

    Args:
        circuit: a game of one role.
    """
    following = circuit.graph.with_outputs(circuit.next)
    return formulas_of_moves(circuit, following, 0, budget=_NEXT_BUDGET)


def formulas_of_moves(
    circuit: Circuit,
    formulas: Graph,
    role: int,
    noops: Sequence[Sequence[int]] = (),
    budget: int = GATE_BUDGET,
) -> MoveFormulas:
    """Restrict regressed formulas to each move of a role.

    For a move ``a`` of the role, ``does(role, a)`` becomes true and every other move of the role
    false. In a turn-taking game another role's noop becomes true and its other moves false, but
    not where ``a`` is the role's own noop: then somebody else is to move. What another role does
    stays an input, hence unknown, wherever this does not say; so do several noops of one role.

    Args:
        circuit: the game.
        formulas: formulas over its fluents and moves, as :func:`~.regress.regress` gives them.
        role: index of the role.
        noops: for a turn-taking game the indices of each role's noops among its own moves (a
            role may have none); nothing for a game of simultaneous moves.
        budget: gates that may be made for single moves, before sharing. Where that is not
            enough, the moves of the role stay inputs (:attr:`MoveFormulas.specialised`).

    Reference:
        Trutman and Schiffel, section "Algorithm", steps 2 and 3; rule 2(c) holds only for moves
        other than the role's own noop.
    """
    first = 1 + len(circuit.fluents) + circuit.move_offsets
    cases = _cases(circuit, role, noops, first)
    result = np.zeros((len(formulas.outputs), len(circuit.moves[role])), np.int64)
    builder = _Builder(narrowed(formulas, WIDTH), budget)
    for leaves, moves in cases:
        alone = leaves.copy()
        alone[first[role] : first[role + 1]] = FALSE
        if not builder.specialise(alone, first[role] + moves, result, moves):
            break
    else:
        return _packed(role, builder.store, result, True)
    store = GateStore(circuit.input_count)
    for leaves, moves in cases:
        if len(moves) == 1:
            leaves[first[role] : first[role + 1]] = FALSE
            leaves[first[role] + moves] = TRUE
        result[:, moves] = rewrite(formulas, leaves, store)[:, None]
    return _packed(role, store, result, False)


def _packed(role: int, store: GateStore, literals: Int64s, specialised: bool) -> MoveFormulas:
    """Return literals of a store, ``[N, M]``, without the gates that none of them needs."""
    formulas, moves = literals.shape
    graph = prune(store.graph(literals.reshape(-1)))
    return MoveFormulas(role, graph, (formulas, moves), specialised)


def _cases(
    circuit: Circuit, role: int, noops: Sequence[Sequence[int]], first: Int64s
) -> list[tuple[Int64s, Int64s]]:
    """Return which of the role's moves go with which literals of the inputs.

    Args:
        circuit: the game.
        role: index of the role.
        noops: see :func:`formulas_of_moves`.
        first: node of each role's first move.
    """
    unknown = 2 * np.arange(circuit.input_count)
    moves = np.arange(len(circuit.moves[role]))
    quiet = unknown.copy()
    for other, waiting in enumerate(noops):
        if other != role and len(waiting):
            nodes = first[other] + np.array(waiting, np.int64)
            quiet[first[other] : first[other + 1]] = FALSE
            quiet[nodes] = TRUE if len(nodes) == 1 else unknown[nodes]
    idle = np.isin(moves, noops[role]) if len(noops) else moves < 0
    cases = [(quiet, moves[~idle]), (unknown, moves[idle])]
    return [(leaves, some) for leaves, some in cases if len(some)]


@final
class _Builder:
    """Makes the gates that single moves change, level by level for many moves at once."""

    def __init__(self, graph: Graph, budget: int) -> None:
        self.graph = graph
        self.left = budget
        self.store = GateStore(graph.input_count)
        self.fan_in = graph.fan_in
        self.owner = np.repeat(np.arange(graph.gate_count), self.fan_in)
        read = graph.inputs >> 1
        self.use_edges = np.argsort(read, kind="stable")
        self.use_start = np.searchsorted(read[self.use_edges], np.arange(graph.node_count + 1))
        self.is_root = np.zeros(graph.node_count, np.bool_)
        self.is_root[graph.outputs >> 1] = True

    def specialise(self, leaves: Int64s, inputs: Int64s, result: Int64s, columns: Int64s) -> bool:
        """Make the formulas for each of some inputs that alone is true.

        Args:
            leaves: literal of each input in the baseline; int64 ``[I]``.
            inputs: nodes of the inputs, false in the baseline; int64 ``[K]``.
            result: gets literals of the store; int64 ``[N, M]``.
            columns: column of the result for each input; int64 ``[K]``.

        Returns:
            Whether the budget was enough.
        """
        graph = self.graph
        self.base = rewrite_nodes(graph, leaves, self.store)
        self.base_edge = replaced(graph.inputs, self.base)
        roots = self.base[graph.outputs >> 1]
        before = self.left
        # A few moves tell what all will cost, before much is spent in vain.
        sample = min(_SAMPLE, 2 + len(inputs) // _SAMPLE)
        some = np.unique(np.linspace(0, len(inputs) - 1, sample).astype(np.int64))[: len(inputs)]
        scratch = np.repeat(roots[:, None], len(some), axis=1)
        self._propagate(inputs[some], scratch)
        if (before - self.left) * len(inputs) > before * len(some):
            return False
        for begin in range(0, len(inputs), _MOVES_AT_ONCE):
            part = slice(begin, begin + _MOVES_AT_ONCE)
            made = np.repeat(roots[:, None], len(inputs[part]), axis=1)
            if not self._propagate(inputs[part], made):
                return False
            result[:, columns[part]] = made ^ (graph.outputs & 1)[:, None]
        return True

    def _propagate(self, inputs: Int64s, result: Int64s) -> bool:
        """Write the root nodes' literals of each input into ``result``; ``[N, K]``."""
        count = len(inputs)
        waiting: dict[int, list[Int64s]] = {}
        self._announce(inputs, np.arange(count), np.full(count, TRUE), waiting, result)
        while waiting and self.left >= 0:
            edge, move, literal = np.concatenate(waiting.pop(min(waiting)), axis=1)
            gate, move, made = self._remade(edge, move, literal, count)
            node = self.graph.input_count + gate
            changed = made != self.base[node]
            self._announce(node[changed], move[changed], made[changed], waiting, result)
        return self.left >= 0

    def _announce(
        self,
        node: Int64s,
        move: Int64s,
        literal: Int64s,
        waiting: dict[int, list[Int64s]],
        result: Int64s,
    ) -> None:
        """Hand the new literals of nodes to the formulas and to the gates that read them."""
        ends = np.flatnonzero(self.is_root[node])
        for index, root in enumerate((self.graph.outputs >> 1).tolist() if len(ends) else ()):
            mine = ends[node[ends] == root]
            result[index, move[mine]] = literal[mine]
        uses = self.use_start[node + 1] - self.use_start[node]
        edge = gather_groups(self.use_start, self.use_edges, node)
        move, literal = np.repeat(move, uses), np.repeat(literal, uses)
        level = self.graph.level[self.owner[edge]]
        events = np.stack([edge, move, literal ^ (self.graph.inputs[edge] & 1)])
        order = np.argsort(level, kind="stable")
        for part in split_at_changes(order, level[order]):
            waiting.setdefault(int(level[part[0]]), []).append(events[:, part])

    def _remade(
        self, edge: Int64s, move: Int64s, literal: Int64s, count: int
    ) -> tuple[Int64s, Int64s, Int64s]:
        """Make the gates that read changed edges; return gate, move and literal of each."""
        graph = self.graph
        pairs, pair = np.unique(self.owner[edge] * count + move, return_inverse=True)
        self.left -= len(pairs)
        gate = pairs // count
        start = group_starts(self.fan_in[gate])
        inputs = gather_groups(graph.start, self.base_edge, gate)
        inputs[start[pair.reshape(-1)] + edge - graph.start[self.owner[edge]]] = literal
        made = np.zeros(len(gate), np.int64)
        for kind in (AND, OR):
            alike = np.flatnonzero(graph.kind[gate] == kind)
            some = gather_groups(start, inputs, alike)
            made[alike] = self.store.make(kind, some, group_starts(self.fan_in[gate[alike]]))
        return gate, pairs % count, made

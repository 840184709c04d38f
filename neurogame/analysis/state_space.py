"""All reachable states of a small game, by breadth-first enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.random_play import WordEvaluator
from neurogame.array_types import Bools, Int64s
from neurogame.circuit.joint_moves import list_legal_moves
from neurogame.graph.lanes import pack_lanes, unpack_lanes

_BLOCK = 1 << 12


@final
@dataclass(frozen=True, eq=False)
class StateSpace:
    """Every state that play can reach, and every step between two of them.

    ``S`` states, ``T`` steps, one per joint move in a state that is not terminal.

    Attributes:
        states: in the order found, the initial state first; bool ``[S, F]``.
        legal: moves that the rules derive, in terminal states too; bool ``[S, M]``.
        terminal: bool ``[S]``.
        goals: one column per role and goal value, in the order of ``Circuit.goals``;
            bool ``[S, V]``.
        source: state of each step; int64 ``[T]``.
        target: state that the step leads to; int64 ``[T]``.
    """

    states: Bools
    legal: Bools
    terminal: Bools
    goals: Bools
    source: Int64s
    target: Int64s


def enumerate_states(
    evaluator: WordEvaluator, *, states: int, steps: int, work: int
) -> StateSpace | None:
    """Return the state space, or None if it is larger than a limit.

    Args:
        evaluator: of the game.
        states: most states.
        steps: most steps.
        work: most input literals read.
    """
    circuit = evaluator.circuit
    frontier: Bools = circuit.initial[None].copy()
    index = {_key(circuit.initial): 0}
    layers: list[Bools] = [frontier]
    legals: list[Bools] = []
    ends: list[Bools] = []
    goals: list[Bools] = []
    sources: list[Int64s] = []
    targets: list[Int64s] = []
    first, total = 0, 0
    while len(frontier):
        work -= evaluator.work * (-(-len(frontier) // 64)) + 4 * len(frontier) * (
            len(circuit.fluents) + circuit.move_count
        )
        if work < 0:
            return None
        legal, terminal, goal = _look(evaluator, frontier)
        legals.append(legal)
        ends.append(terminal)
        goals.append(goal)
        listed = list_legal_moves(legal & ~terminal[:, None], circuit.move_offsets.tolist())
        counts = listed.joint_counts
        if counts.sum() > steps - total:
            return None
        source, _, ranks = listed.ranks(counts.astype(np.int64))
        moves = listed.moves(source, ranks) + circuit.move_offsets[:-1]
        total += len(source)
        work -= evaluator.work * (-(-len(source) // 64)) + len(source) * circuit.move_count
        if work < 0:
            return None
        following = _follow(evaluator, frontier, source, moves)
        target = np.zeros(len(source), np.int64)
        fresh: list[int] = []
        for i, key in enumerate(map(_key, following)):
            known = index.setdefault(key, len(index))
            if known == first + len(frontier) + len(fresh):
                fresh.append(i)
            target[i] = known
        if len(index) > states:
            return None
        sources.append(first + source)
        targets.append(target)
        first += len(frontier)
        frontier = following[fresh]
        layers.append(frontier)
    return StateSpace(
        np.concatenate(layers),
        np.concatenate(legals),
        np.concatenate(ends),
        np.concatenate(goals),
        np.concatenate(sources),
        np.concatenate(targets),
    )


def _look(evaluator: WordEvaluator, states: Bools) -> tuple[Bools, Bools, Bools]:
    """Return legal moves, ends and goals of states; bool ``[B, M]``, ``[B]``, ``[B, V]``."""
    parts = []
    for begin in range(0, len(states), _BLOCK):
        block = states[begin : begin + _BLOCK]
        legal, terminal, goals = evaluator.look(pack_lanes(block.T))
        rows = np.concatenate([legal, terminal[None], goals])
        parts.append(unpack_lanes(rows, len(block)).T)
    flags = np.concatenate(parts)
    count = evaluator.circuit.move_count
    return flags[:, :count], flags[:, count], flags[:, count + 1 :]


def _follow(evaluator: WordEvaluator, states: Bools, source: Int64s, moves: Int64s) -> Bools:
    """Return the states after joint moves; bool ``[T, F]``."""
    circuit = evaluator.circuit
    parts = [np.zeros((0, len(circuit.fluents)), np.bool_)]
    for begin in range(0, len(source), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        chosen = moves[block]
        made = np.zeros((len(chosen), circuit.move_count), np.bool_)
        made[np.arange(len(chosen))[:, None], chosen] = True
        words = evaluator.step(pack_lanes(states[source[block]].T), pack_lanes(made.T))
        parts.append(unpack_lanes(words, len(chosen)).T)
    return np.concatenate(parts)


def _key(state: Bools) -> bytes:
    return np.packbits(state).tobytes()

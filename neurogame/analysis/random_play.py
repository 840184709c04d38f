"""Random play on the circuit with numpy alone: the sampling instrument of the analysis.

64 games advance per word. It is small and has no torch; the fast simulator is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.cone import Cone, ConeFinder
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.lanes import ALL, any_lane, pack_lanes, unpack_lanes
from neurogame.splitmix import seed_word


@final
@dataclass(frozen=True, eq=False)
class RandomPly:
    """What the rules say about one state of each game, and the moves made in it.

    ``B`` games (lanes), ``W`` words of them.

    Attributes:
        playing: games that had not ended before this state; uint64 ``[W]``.
        state: fluents that hold; uint64 ``[F, W]``.
        legal: moves of all roles that the rules derive, in terminal states too;
            uint64 ``[M, W]``.
        terminal: uint64 ``[W]``.
        goals: one row per role and goal value, in the order of ``Circuit.goals``;
            uint64 ``[V, W]``.
        next: fluents after the moves made; only lanes of :attr:`moved` mean anything;
            uint64 ``[F, W]``.
        moved: games that went on: playing, not terminal, and every role had a move;
            uint64 ``[W]``.
    """

    playing: UInt64s
    state: UInt64s
    legal: UInt64s
    terminal: UInt64s
    goals: UInt64s
    next: UInt64s
    moved: UInt64s


@final
class WordEvaluator:
    """The circuit evaluated on states, 64 per word, with numpy."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        finder = ConeFinder(circuit.graph)
        goals = [literal for role in circuit.goals for _, literal in role]
        self._look = np.concatenate([circuit.legal, [circuit.terminal], goals]).astype(np.int64)
        self._before = finder.whole(self._look)
        self._after = finder.whole(circuit.next)

    @property
    def work(self) -> int:
        """Input literals read per word of games and ply."""
        return self._before.work + self._after.work

    def look(self, state: UInt64s) -> tuple[UInt64s, UInt64s, UInt64s]:
        """Return legal moves, end and goals of states.

        Args:
            state: uint64 ``[F, W]``.

        Returns:
            uint64 ``[M, W]``, ``[W]`` and ``[V, W]``.
        """
        moves = np.zeros((self.circuit.move_count, state.shape[1]), np.uint64)
        rows = self._run(self._before, state, moves)
        signals = rows[self._before.rows(self._look)]
        count = self.circuit.move_count
        return signals[:count], signals[count], signals[count + 1 :]

    def step(self, state: UInt64s, moves: UInt64s) -> UInt64s:
        """Return the fluents after one move of each role.

        Args:
            state: uint64 ``[F, W]``.
            moves: which moves are made; uint64 ``[M, W]``.

        Returns:
            uint64 ``[F, W]``.
        """
        rows = self._run(self._after, state, moves)
        following: UInt64s = rows[self._after.rows(self.circuit.next)]
        return following

    @staticmethod
    def _run(cone: Cone, state: UInt64s, moves: UInt64s) -> UInt64s:
        rows = cone.start(state.shape[1])
        fluents = len(state)
        end = 2 * (1 + fluents + len(moves))
        rows[2 : 2 + 2 * fluents : 2], rows[3 : 3 + 2 * fluents : 2] = state, ~state
        rows[2 + 2 * fluents : end : 2], rows[3 + 2 * fluents : end : 2] = moves, ~moves
        cone.evaluate(rows, known=True)
        return rows


def play(
    evaluator: WordEvaluator,
    *,
    seed: int,
    words: int,
    plies: int,
    work: int,
    order: Int64s | None = None,
) -> Iterator[RandomPly]:
    """Play games at random, all moves of a role equally likely; yield one ply after the other.

    It stops when all games have ended, at a number of plies, or when the work is used up.

    Args:
        evaluator: of the game.
        seed: of the choices.
        words: plays ``64 * words`` games, at least 1.
        plies: most plies, at least 1.
        work: most input literals read; at least one ply is played whatever it costs.
        order: of the moves in which choices are drawn, role by role; int64 ``[M]``, None: theirs.
    """
    circuit = evaluator.circuit
    drawn: Int64s = np.arange(circuit.move_count) if order is None else order
    random = np.random.default_rng(seed_word(seed))
    state: UInt64s = np.repeat(circuit.initial[:, None], words, axis=1).astype(np.uint64) * ALL
    playing: UInt64s = np.full(words, ALL)
    # Choosing reads each move's word about as often as a gate of eight inputs is read.
    cost = words * (evaluator.work + 8 * circuit.move_count)
    for _ in range(max(1, min(plies, work // cost))):
        legal, terminal, goals = evaluator.look(state)
        chosen, able = choose_moves(circuit, legal[drawn], random)
        moves = np.zeros_like(chosen)
        moves[drawn] = chosen
        moved: UInt64s = playing & ~terminal & able
        following = evaluator.step(state, moves)
        yield RandomPly(playing, state, legal, terminal, goals, following, moved)
        playing = moved
        state = (following & moved) | (state & ~moved)
        if not playing.any():
            return


def choose_moves(
    circuit: Circuit, legal: UInt64s, random: np.random.Generator
) -> tuple[UInt64s, UInt64s]:
    """Choose one legal move per role and game, all equally likely.

    Args:
        circuit: the game.
        legal: uint64 ``[M, W]``.
        random: advances by ``64 W`` numbers per role.

    Returns:
        The moves chosen, uint64 ``[M, W]``, and the games in which every role has a legal move,
        uint64 ``[W]``.
    """
    lanes = 64 * legal.shape[1]
    moves = np.zeros_like(legal)
    able = np.full(legal.shape[1], ALL)
    begin = 0
    for count in map(len, circuit.moves):
        draw = random.random(lanes)
        rows = begin + np.flatnonzero(any_lane(legal[begin : begin + count]))
        lane, index = np.nonzero(unpack_lanes(legal[rows], lanes).T)
        choices = np.bincount(lane, minlength=lanes)
        first = np.cumsum(choices) - choices
        having = np.flatnonzero(choices)
        picked = index[first[having] + (draw[having] * choices[having]).astype(np.int64)]
        chosen: Bools = np.zeros((len(rows), lanes), np.bool_)
        chosen[picked, having] = True
        moves[rows] = pack_lanes(chosen)
        able &= pack_lanes((choices > 0)[None])[0]
        begin += count
    return moves, able

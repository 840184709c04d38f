"""Whole games, played side by side and recorded state by state."""

from __future__ import annotations

from typing import final

import numpy as np
import torch

from neurogame.array_types import (
    Float64s,
    Float64s2,
    Int32s,
    Int32s2,
    Int64s,
    Int64s1,
    UInt64s,
    UInt64s2,
)
from neurogame.circuit.circuit import Circuit
from neurogame.judges.moves import MoveJudge, score_moves
from neurogame.kernels.knowledge.choices import choose_any, choose_best, count_choices, game_keys
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kernels.words.rows import pack_rows
from neurogame.native.struct import Struct

MOST_LANES = 4096
"""Games side by side where states are small."""


class RecordedGames(Struct):
    """Every state of ``N`` games, game by game, from the first to the last.

    Attributes:
        states: packed; bit ``f % 64`` of word ``f // 64`` says whether fluent ``f`` holds; uint64
            ``[S, Fw]``.
        moves: number of the move that each role makes in each state, among those of all roles; -1
            in the last state of a game; int32 ``[S, R]``.
        begins: first state of each game, and ``S``; int64 ``[N + 1]``.
        results: goal / 100 of each role in the last state; float64 ``[N, R]`` in 0..1.
    """

    states: UInt64s2
    moves: Int32s2
    begins: Int64s1
    results: Float64s2

    def __len__(self) -> int:
        """Return the number of games, ``N``."""
        return len(self.results)

    @property
    def lengths(self) -> Int64s:
        """Number of plies of each game; int64 ``[N]``."""
        return np.diff(self.begins) - 1


@final
class GameRecorder:
    """Plays games of uniformly random moves, or of a judge's best moves, and records them.

    Chance moves at random in any case. A game is a function of the seed, of its number, and of what
    the judge says.
    """

    def __init__(self, circuit: Circuit, *, plies: int = 1000) -> None:
        """Compile the rules, or load them.

        Args:
            circuit: the game.
            plies: games are cut after this many, with the goals of the state reached; at least 1.
        """
        self._circuit, self._plies = circuit, plies
        words = -(-len(circuit.fluents) // 64)
        self.lanes = min(MOST_LANES, max(256, (1 << 16) // max(words, 1)))
        self._leaves = Leaves(circuit, self.lanes, depth=1, playouts=0)
        self._initial = pack_rows(_flags(circuit))
        self._offsets = circuit.move_offsets

    def play(
        self,
        count: int,
        seed: int,
        *,
        first: int = 0,
        judge: MoveJudge | None = None,
        epsilon: float = 1.0,
    ) -> RecordedGames:
        """Play games.

        Args:
            count: number of games, 1 to :attr:`lanes`.
            seed: any integer.
            first: number of the first game.
            judge: whose best moves are made; None: all moves are random.
            epsilon: chance of a random move in spite of a judge, 0..1.
        """
        block = self._leaves.block
        roles = len(self._circuit.roles)
        port = None if judge is None or epsilon >= 1 else SearchJudge(judge, self._circuit)
        keys, lanes = np.zeros(count, np.uint64), np.arange(count)
        game_keys(seed & (1 << 62) - 1, first, keys)
        block.states[:count] = self._initial
        self._leaves.look(count)
        results = np.zeros((count, roles))
        parts: list[tuple[Int64s, UInt64s, Int32s]] = []
        for ply in range(self._plies + 1):
            self._leaves.check()
            left = len(lanes)
            counts = np.zeros((left, roles), np.int64)
            count_choices(block.legal[:left], self._offsets, counts)
            ended = block.terminal[:left] | (counts == 0).any(axis=1) | (ply == self._plies)
            results[lanes[ended]] = np.rint(100 * block.goals[:left][ended].astype(float)) / 100
            on = np.flatnonzero(~ended)
            joint = self._choose(on, counts[on], keys[lanes[on]], ply, port, epsilon)
            moves = np.full((left, roles), -1, np.int32)
            moves[on] = joint
            parts.append((lanes, block.states[:left].copy(), moves))
            if len(on) == 0:
                break
            block.parents[: len(on)], block.joint[: len(on)] = block.states[on], joint
            lanes = lanes[on]
            self._leaves.step(len(on))
        return _sorted(parts, results)

    def _choose(
        self,
        on: Int64s,
        counts: Int64s,
        keys: UInt64s,
        ply: int,
        port: SearchJudge | None,
        epsilon: float,
    ) -> Int32s:
        """Return the moves made in some states of the block; int32 ``[K, R]``."""
        legal = self._leaves.block.legal[on]
        joint = np.zeros(counts.shape, np.int32)
        choose_any(legal, self._offsets, counts, keys, ply, joint)
        for role in range(counts.shape[1]):
            rows = np.flatnonzero(counts[:, role] > 1)
            if port is None or len(rows) == 0 or role == self._circuit.chance:
                continue
            states = self._leaves.block.states[on]
            scores = np.zeros((len(rows), int(counts[:, role].max())), np.float32)
            score_moves(port.scores, states, legal, rows, len(rows), role, ply, scores)
            port.check()
            choose_best(legal, self._offsets, role, rows, scores, epsilon, keys, ply, joint)
        return joint


def _sorted(
    parts: list[tuple[Int64s, UInt64s, Int32s]],
    results: Float64s,
) -> RecordedGames:
    """Return games from what was noted ply by ply."""
    games, states, moves = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(games, kind="stable")
    begins = np.zeros(len(results) + 1, np.int64)
    np.cumsum(np.bincount(games, minlength=len(results)), out=begins[1:])
    return RecordedGames(states=states[order], moves=moves[order], begins=begins, results=results)


def _flags(circuit: Circuit) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(circuit.initial)).bool()[None]

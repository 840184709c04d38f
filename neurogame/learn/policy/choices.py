"""Where the choices come from that a policy learns from: games that an evaluator plays.

The evaluator plays itself in many games at once, with some random moves. Every state of these games
in which a role has a choice is judged by the teacher, each role's choices for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np
import torch

from neurogame.array_types import Bools, Float32s, Int64s, UInt64s
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.next_values import NextValues
from neurogame.judges.moves import score_moves
from neurogame.kernels.knowledge.recorded_games import GameRecorder
from neurogame.kernels.leaves.expander import Expander
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kernels.words.rows import unpack_rows
from neurogame.learn.choices import MoveChoices
from neurogame.learn.policy.config import PolicyConfig
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.simulate.game import Game

_GAMES, _ORDER = 1, 2
"""Uses of the seed."""
_LANES = 256
_AT_ONCE = 4096
"""States judged at once, at most."""
_CELLS = 1 << 24
"""Weights of all moves of the states judged at once, at most."""


@final
class ChoiceSource:
    """Choices of moves, judged by an evaluator; without end."""

    def __init__(self, game: Game, evaluator: Evaluator, config: PolicyConfig, seed: int) -> None:
        """Compile what is needed.

        Args:
            game: the game.
            evaluator: the teacher.
            config: how it plays and teaches.
            seed: decides the games.
        """
        self._game, self._config, self._seed = game, config, seed
        self._judge = NextValues(game, evaluator)
        self._recorder = GameRecorder(game.circuit, plies=config.plies)
        self._expander = Expander(game.circuit)
        self._scores = SearchJudge(self._judge, game.circuit)

    def choices(self) -> Iterator[tuple[int, MoveChoices]]:
        """Yield choices of a role, a few thousand at a time, with the role's index."""
        number = 0
        while True:
            seed = derived_seed(self._seed, _GAMES, number)
            games = self._recorder.play(
                min(_LANES, self._recorder.lanes),
                seed,
                judge=self._judge,
                epsilon=self._config.epsilon,
            )
            # What follows the last move of a game is not decided by anybody.
            states = games.states[games.moves[:, 0] >= 0]
            random = np.random.default_rng(derived_seed(self._seed, _ORDER, number))
            states = states[random.permutation(len(states))]
            step = max(min(_AT_ONCE, _CELLS // self._game.circuit.move_count), 1)
            for begin in range(0, len(states), step):
                yield from self._judged(states[begin : begin + step])
            number += 1

    def _judged(self, states: UInt64s) -> Iterator[tuple[int, MoveChoices]]:
        """Yield the choices of every role in some states."""
        seen, offsets = self._expander.look(states), self._game.move_offsets
        legal = unpack_rows(seen.legal, offsets[-1]).numpy()
        fluents = unpack_rows(states, len(self._game.fluents)).numpy()
        for role in self._game.players:
            role_legal = legal[:, offsets[role] : offsets[role + 1]]
            rows = np.flatnonzero(role_legal.sum(axis=1) > 1)
            if not len(rows):
                continue
            mine = role_legal[rows]
            shares = self._by_values(states, seen.legal, rows, mine, role)
            yield (
                role,
                MoveChoices(
                    fluents=torch.from_numpy(fluents[rows]),
                    all_legal=torch.from_numpy(legal[rows]),
                    legal=torch.from_numpy(mine),
                    shares=torch.from_numpy(shares),
                ),
            )

    def _by_values(
        self, states: UInt64s, packed: UInt64s, rows: Int64s, legal: Bools, role: int
    ) -> Float32s:
        """Return weights that follow from the values of what moves lead to."""
        counts = legal.sum(axis=1)
        values = np.zeros((len(rows), int(counts.max())), np.float32)
        score_moves(self._scores.scores, states, packed, rows, len(rows), role, 0, values)
        self._scores.check()
        there = np.arange(values.shape[1]) < counts[:, None]
        best = np.where(there, values, -np.inf).max(axis=1, keepdims=True)
        weights = np.where(there, np.exp((values - best) / self._config.temper), 0.0)
        weights /= weights.sum(axis=1, keepdims=True)
        shares = np.zeros(legal.shape, np.float32)
        shares[legal] = weights[there]
        return shares

"""One training match of the paper's rule: the learner in one role, its opponent in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trajectory import FORCED, SEVERAL, Trajectory, extend_proofs
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.lockstep.counter_random import derive, uniform
from neurogame.search.packing import state_keys
from neurogame.simulate.game import Game, State

_MOVE, _PLAYER = 12, 14
_NAN = float("nan")


def play_training_match(
    game: Game,
    config: PaperConfig,
    learner: Evaluator,
    opponent: Evaluator | None,
    number: int,
    seed: int,
) -> Trajectory:
    """Play a match to its end, or to the limit of its plies.

    Args:
        game: what is played.
        config: limits and openings.
        learner: its present weights.
        opponent: plays all other roles, searched alike; None: they move at random.
        number: of the match in the run; the learner takes the roles in turn.
        seed: decides every random choice.
    """
    learning = game.players[number % len(game.players)]
    searches = {}
    for role in range(len(game.roles)):
        drawn = int(derive(seed, _PLAYER, role)[0] >> np.uint64(33))
        evaluator = learner if role == learning else opponent
        if role != game.chance and evaluator is not None:
            # One ply is to be one ply, as in the paper.
            settings = SearchSettings(
                foresight=False, outlook="own" if role == learning else config.opponent_outlook
            )
            searches[role] = AlphaBeta(game, evaluator, settings=settings, seed=drawn)
    return _Match(game, config, searches, seed).play()


@final
class _Match:
    """A match while it is played."""

    def __init__(
        self, game: Game, config: PaperConfig, searches: Mapping[int, AlphaBeta], seed: int
    ) -> None:
        self._game, self._config, self._searches, self._seed = game, config, searches, seed
        seconds = config.move_seconds
        self._limit = Limit(depth=1) if seconds is None else Limit(seconds=seconds)

    def play(self) -> Trajectory:
        states = [self._game.initial_state()]
        moves: list[list[int]] = []
        movers: list[int] = []
        while not states[-1].is_terminal and len(moves) < self._config.max_plies:
            legal = states[-1].legal_moves
            deciding = [role for role, options in enumerate(legal) if len(options) > 1]
            movers.append(self._mover(deciding))
            ply = len(moves)
            moves.append([self._choose(states[-1], role, ply) for role in range(len(legal))])
            states.append(states[-1].next(moves[-1]))
        return self._trajectory(states, moves, movers)

    def _mover(self, deciding: Sequence[int]) -> int:
        """Return the only player with a choice; what chance decides is no player's move."""
        if not deciding:
            return FORCED
        return SEVERAL if len(deciding) > 1 or self._game.chance in deciding else deciding[0]

    def _choose(self, state: State, role: int, ply: int) -> int:
        legal = state.legal_moves[role]
        if len(legal) == 1:
            return legal[0]
        if role not in self._searches or ply < self._config.opening_plies:
            draw = float(uniform(derive(self._seed, ply, _MOVE, role))[0])
            return legal[int(draw * len(legal))]
        return self._searches[role].search(state, role, self._limit).move

    def _trajectory(
        self, states: list[State], moves: list[list[int]], movers: list[int]
    ) -> Trajectory:
        roles = len(self._game.roles)
        fluents = torch.stack([state.fluents for state in states])
        goals = torch.full((roles,), _NAN, dtype=torch.float64)
        if states[-1].is_terminal:
            goals[:] = torch.tensor(
                [(goal or 0.0) / 100 for goal in states[-1].goals], dtype=torch.float64
            )
        proved = self._proofs(fluents)
        proved[-1] = goals
        return Trajectory(
            fluents=fluents,
            goals=goals,
            proved=extend_proofs(
                proved,
                torch.tensor(movers, dtype=torch.int64),
                torch.tensor(self._game.circuit.best, dtype=torch.float64),
            ),
            moves=torch.tensor(moves, dtype=torch.int64).reshape(len(moves), roles),
        )

    def _proofs(self, fluents: Tensor) -> Tensor:
        """Return what the searches of this match proved of its states; no second search."""
        proved = torch.full((len(fluents), len(self._game.roles)), _NAN, dtype=torch.float64)
        if self._game.chance is not None:
            # Means of goals, which no network stands for.
            return proved
        tables = [search.proved_states for search in self._searches.values()]
        for row, key in enumerate(state_keys(fluents.numpy())):
            for table in tables:
                if key in table:
                    proved[row] = torch.tensor(table[key], dtype=torch.float64)
        return proved

"""Learning knowledge of a game from whole games, thousands side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import final

import numpy as np
import torch

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.errors import GameError
from neurogame.evaluators.knowledge.config import HISTORIES, KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.learning import learn_moves, learn_tuples
from neurogame.kernels.knowledge.recorded_games import RecordedGames
from neurogame.learn.knowledge.games import GameSource, PlayedGames
from neurogame.learn.knowledge.network import NetworkLearner

_FIRST = 64
"""Games learned from in any case: as many as are played side by side in one word."""
_GROWTH = 2
"""How many times as large as the last one a chunk of games may be."""


def learn_knowledge(
    game: HasCircuit,
    config: KnowledgeConfig | None = None,
    seed: int = 0,
    *,
    roles: Sequence[str] | None = None,
    source: GameSource | None = None,
    progress: Callable[[int], None] | None = None,
    deadline: float | None = None,
) -> Knowledge:
    """Return knowledge learned from games that are played for the purpose.

    The same seed gives the same knowledge. ``config.games`` is how many it takes, or with a
    deadline the most. Then chunks of games grow as long as they fit: none is begun that would end
    too late, judged by the last one. Unless a network learns or knowledge plays, what is learned
    is, but for rounding, what the same number of games teaches without a deadline.

    Args:
        game: the game, or its circuit.
        config: how to learn.
        seed: any integer.
        roles: names of the roles to learn for; None: all.
        source: where the games come from; None: they are played as the configuration says.
        progress: called with the number of games learned since it was last called.
        deadline: when to be ready, as ``time.monotonic`` tells it. The first chunk, of 64 games
            at most, is learned even if it is late. None: whenever all games are learned from.

    Raises:
        GameError: there is no such role.
    """
    knowledge = Knowledge(game, config, seed)
    learner = KnowledgeLearner(knowledge, roles)
    played = PlayedGames(knowledge.circuit, knowledge.config, seed)
    most, done = played.lanes, 0
    if deadline is not None:
        played.lanes = min(_FIRST, most)
    while done < knowledge.config.games:
        begun = time.monotonic()
        games = (source or played).play(knowledge, done)
        learner.learn(games)
        done += len(games)
        if progress is not None:
            progress(len(games))
        if deadline is not None:
            now = time.monotonic()
            fitting = int(len(games) * (deadline - now) / max(now - begun, 1e-9))
            if fitting < 1:
                break
            played.lanes = min(fitting, _GROWTH * len(games), most)
    return knowledge


@final
class KnowledgeLearner:
    """Adds what games teach to knowledge; the rate goes on decreasing from where it was."""

    def __init__(self, knowledge: Knowledge, roles: Sequence[str] | None = None) -> None:
        """Take what is to learn.

        Args:
            knowledge: changed by :meth:`learn`.
            roles: names of the roles to learn for; None: all.

        Raises:
            GameError: there is no such role.
        """
        self._knowledge = knowledge
        self._roles = _role_numbers(knowledge.circuit, roles)
        self._network = NetworkLearner(knowledge, self._roles) if knowledge.config.hidden else None

    def learn(self, games: RecordedGames) -> None:
        """Learn from games.

        Args:
            games: in the order in which they are learned.
        """
        knowledge, config = self._knowledge, self._knowledge.config
        done = int(knowledge.games)
        learn_moves(
            knowledge.returns.numpy(),
            knowledge.plays.numpy(),
            games,
            self._roles,
            HISTORIES.index(config.history),
            config.first,
        )
        if self._network is not None:
            self._network.learn(games)
        else:
            self._learn_tuples(games, done)
        knowledge.games += len(games)

    def _learn_tuples(self, games: RecordedGames, done: int) -> None:
        config = self._knowledge.config
        psi = self._knowledge.psi.detach().double().numpy()
        for _ in range(config.epochs):
            learn_tuples(psi, games, self._roles, config.alpha, config.settle, done, config.trace)
        with torch.no_grad():
            self._knowledge.psi.copy_(torch.from_numpy(psi))


def _role_numbers(circuit: Circuit, roles: Sequence[str] | None) -> Int64s:
    """Return the indices of roles, in any case of letters; int64 ``[K]``."""
    if roles is None:
        return np.arange(len(circuit.roles))
    known = {name.lower(): index for index, name in enumerate(circuit.roles)}
    missing = [role for role in roles if role.lower() not in known]
    if missing:
        raise GameError(f"there is no role {missing[0]!r}; roles are {', '.join(circuit.roles)}")
    return np.array(sorted({known[role.lower()] for role in roles}), np.int64)

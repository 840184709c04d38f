"""Learning knowledge of a game from whole games, thousands side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.errors import GameError
from neurogame.evaluators.knowledge.config import HISTORIES, KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.learning import learn_moves, learn_tuples
from neurogame.kernels.knowledge.recorded_games import RecordedGames
from neurogame.kernels.words.rows import pack_rows
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


def continue_learning(
    knowledge: Knowledge,
    states: Sequence[Tensor],
    moves: Sequence[Tensor],
    results: Sequence[Sequence[float]],
    *,
    roles: Sequence[str] | None = None,
) -> None:
    """Go on learning from games that were played, such as matches; the rate goes on decreasing.

    Args:
        knowledge: changed.
        states: of each game all states from the first to the last; bool ``[T + 1, F]``.
        moves: of each game what each role did, as an index within its own moves; int64 ``[T, R]``.
        results: of each game goal / 100 of each role; ``R`` numbers in 0..1.
        roles: names of the roles to learn for; None: all.

    Raises:
        GameError: there is no such role, or the numbers of states and moves do not fit.
    """
    if not len(states) == len(moves) == len(results):
        raise GameError(
            f"states of {len(states)}, moves of {len(moves)} and results of {len(results)} games; "
            "give all three of every game"
        )
    for game, (game_states, made) in enumerate(zip(states, moves, strict=True)):
        if len(game_states) != len(made) + 1:
            raise GameError(
                f"game {game} has {len(game_states)} states and {len(made)} joint moves; it needs "
                "one state more than moves"
            )
    if not states:
        return
    start = torch.from_numpy(knowledge.offsets[:-1])
    end = torch.full((1, len(start)), -1)
    joint = torch.cat([part for made in moves for part in (made + start, end)])
    games = RecordedGames(
        states=pack_rows(torch.cat(list(states)).bool()),
        moves=joint.numpy().astype(np.int32),
        begins=np.cumsum([0, *(len(game_states) for game_states in states)]).astype(np.int64),
        results=np.array(results, np.float64),
    )
    KnowledgeLearner(knowledge, roles).learn(games)


@final
class KnowledgeLearner:
    """Adds what games teach to knowledge."""

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
            games.moves,
            games.begins,
            games.results,
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
            learn_tuples(
                psi,
                games.states,
                games.begins,
                games.results,
                self._roles,
                config.alpha,
                config.settle,
                done,
                config.trace,
            )
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

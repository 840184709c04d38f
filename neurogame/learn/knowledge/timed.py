"""Learning knowledge of a game in the time that there is."""

from __future__ import annotations

import time

from neurogame.circuit.circuit import HasCircuit
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.learn.knowledge.games import PlayedGames
from neurogame.learn.knowledge.learning import KnowledgeLearner

_FIRST = 64
"""Games that are learned from in any case: as many as are played side by side in one word."""
_GROWTH = 2
"""How many times as large as the last one a chunk of games may be."""


def learn_knowledge_until(
    game: HasCircuit,
    config: KnowledgeConfig,
    seed: int,
    deadline: float,
) -> Knowledge:
    """Return knowledge learned from as many games as the time allows.

    Chunks of games grow as long as they fit: none is begun that would end too late, judged by the
    last one. Unless a network learns or knowledge plays, what is learned is, but for rounding, what
    :func:`~neurogame.learn.knowledge.learning.learn_knowledge` learns from that number of games.

    Args:
        game: the game, or its circuit.
        config: how to learn; ``games`` is the most that it takes.
        seed: any integer.
        deadline: when to be ready, as ``time.monotonic`` tells it. The first chunk, of 64 games
            at most, is learned even if it is late.
    """
    knowledge = Knowledge(game, config, seed)
    learner = KnowledgeLearner(knowledge)
    source = PlayedGames(knowledge.circuit, config, seed)
    source.lanes, most, done = min(_FIRST, source.lanes), source.lanes, 0
    while done < config.games:
        begun = time.monotonic()
        games = source.play(knowledge, done)
        learner.learn(games)
        done += len(games)
        now = time.monotonic()
        fitting = int(len(games) * (deadline - now) / max(now - begun, 1e-9))
        if fitting < 1:
            break
        source.lanes = min(fitting, _GROWTH * len(games), most)
    return knowledge

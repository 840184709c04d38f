"""FAST: values of pieces and of pieces on squares, for playouts.

A state is valued by a linear function of template features: how many pieces of each type there
are, and which piece stands on which square. The weights are learned by TD(lambda) from random
games, and a move is worth the value of the state that it leads to, which ranks moves as the change
of that value does. Playouts draw moves by it.

The learner is that of :class:`~neurogame.evaluators.knowledge.knowledge.Knowledge`, of which this
is a special case: without values of moves, with lambda below 1, and with a weight that all squares
of a type share.

What differs from the paper. It learns while it searches; here all is learned before the match. It
reads what a move does off its name (from, to, what is captured); here the rules tell. It takes the
types of pieces, or their squares where there is one type only; here both learn together. In games
without a board it does nothing; here all fluents learn as squares do.

*Reference:* Finnsson and Bjornsson, "Learning simulation control in general game-playing agents"
(2010), Features-to-action sampling.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.learn.knowledge.timed import learn_knowledge_until
from neurogame.simulate.game import Game

TRACE = 0.9
"""Lambda."""


def learn_fast(game: Game, games: int, seed: int, deadline: float | None = None) -> Knowledge:
    """Return the values of a game's pieces as a judge of moves.

    Args:
        game: the game.
        games: random games to learn from, at least 1.
        seed: of these games.
        deadline: when learning has to end, as ``time.monotonic`` tells it, with as many games as it
            allows; None: all of them are learned from, however long that takes.
    """
    config = KnowledgeConfig(games=games, trace=TRACE, move_weight=0.0, true_goals=False)
    kinds = piece_kinds(game)
    if deadline is None:
        return learn_knowledge(game, config, seed, kinds=kinds)
    return learn_knowledge_until(game, config, seed, deadline, kinds=kinds)


def piece_kinds(game: Game) -> Int64s:
    """Return which type of piece each fluent puts on a square, -1 for none; int64 ``[F]``."""
    kinds = np.full(len(game.fluents), -1)
    for number, marker in enumerate(game.relations.markers):
        board = marker.board
        kinds[board.relation.fluents[board.content_of == marker.content]] = number
    return kinds

"""A player that might be taken for a game: how it plays a match, and how it searches in trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

from neurogame.evaluators.base import Evaluator
from neurogame.judges.moves import MoveJudge
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.mcts_player import MctsPlayer
from neurogame.players.player import Player
from neurogame.players.race import CAPACITY, Searcher
from neurogame.players.search_player import FindHome
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.home_search import from_home
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import GameMapping

_MEMORY = 32
"""MiB of an alpha-beta's memory in trials."""


@final
@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A player that might be taken, with all that was made for it.

    Attributes:
        name: the player string that comes closest.
        player: for the match; not started.
        searcher: for trials, with little memory.
        expected: score against the plain search, 0..1, that its like had in other games.
    """

    name: str
    player: Player
    searcher: Searcher
    expected: float = 0.5


def mcts_candidate(
    game: Game,
    name: str,
    settings: MctsSettings,
    judges: Mapping[str, MoveJudge] | None = None,
    evaluator: Evaluator | None = None,
    *,
    seed: int,
    mapping: GameMapping | None = None,
) -> Candidate:
    """Return a Monte-Carlo tree search.

    Args:
        game: the game, as it is numbered by what has learned it.
        name: the player string.
        settings: how it searches.
        judges: of moves, by name, where the settings ask for them.
        evaluator: of states, where the settings ask for one.
        seed: of the trials.
        mapping: from there to the game that is played; None: that is the same.
    """
    small = replace(settings, capacity=CAPACITY, threads=1)
    return Candidate(
        name=name,
        player=MctsPlayer(
            None if evaluator is None else lambda game, seed: evaluator,
            judges=None if judges is None else lambda game, seed, seconds: judges,
            name=name,
            settings=settings,
            home=_found(mapping),
        ),
        searcher=from_home(
            Mcts(game, settings=small, evaluator=evaluator, judges=judges, seed=seed), mapping
        ),
    )


def alphabeta_candidate(
    game: Game,
    name: str,
    evaluator: Evaluator,
    settings: SearchSettings,
    *,
    seed: int,
    mapping: GameMapping | None = None,
) -> Candidate:
    """Return an alpha-beta search.

    Args:
        game: the game, as it is numbered by what has learned it.
        name: the player string.
        evaluator: of its states.
        settings: how it searches.
        seed: of the trials.
        mapping: from there to the game that is played; None: that is the same.
    """
    small = replace(settings, memory=_MEMORY)
    return Candidate(
        name=name,
        player=AlphaBetaPlayer(
            lambda game, seed: evaluator, name=name, settings=settings, home=_found(mapping)
        ),
        searcher=from_home(AlphaBeta(game, evaluator, settings=small, seed=seed), mapping),
    )


def _found(mapping: GameMapping | None) -> FindHome | None:
    """Return what finds a home that is known already."""
    if mapping is None:
        return None
    found = mapping
    return lambda game: found

"""neurogame: neural-symbolic learning for General Game Playing.

What users need has its name here, and is loaded at its first use; ``docs/api.md`` lists it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from neurogame.errors import NeurogameError, NeurogameWarning
from neurogame.version import __version__
from neurogame.views import set_view

if TYPE_CHECKING:
    from neurogame import data as data
    from neurogame import envs as envs
    from neurogame.arena.run import run_arena as run_arena
    from neurogame.arena.series import play_series as play_series
    from neurogame.arena.settings import ArenaSettings as ArenaSettings
    from neurogame.evaluators.base import Evaluator as Evaluator
    from neurogame.evaluators.build import make_evaluator as make_evaluator
    from neurogame.evaluators.config import EvaluatorConfig as EvaluatorConfig
    from neurogame.evaluators.true_goal import state_values as state_values
    from neurogame.learn.checkpoints.checkpoint import load_checkpoint as load_checkpoint
    from neurogame.learn.checkpoints.checkpoint import save_checkpoint as save_checkpoint
    from neurogame.learn.train_config import TrainConfig as TrainConfig
    from neurogame.learn.trainer import train as train
    from neurogame.players.match import play_match as play_match
    from neurogame.players.match_settings import MatchSettings as MatchSettings
    from neurogame.players.players import make_player as make_player
    from neurogame.search.alphabeta.alphabeta import AlphaBeta as AlphaBeta
    from neurogame.search.alphabeta.settings import SearchSettings as SearchSettings
    from neurogame.search.limit import Limit as Limit
    from neurogame.search.mcts.mcts import Mcts as Mcts
    from neurogame.search.mcts.settings import MctsSettings as MctsSettings
    from neurogame.simulate.game import Game as Game
    from neurogame.simulate.game import State as State
    from neurogame.simulate.playouts import playouts as playouts
    from neurogame.simulate.samples import sample_games as sample_games
    from neurogame.simulate.states import StateBatch as StateBatch

_HOMES = {
    "arena.run": ("run_arena",),
    "arena.series": ("play_series",),
    "arena.settings": ("ArenaSettings",),
    "evaluators.base": ("Evaluator",),
    "evaluators.build": ("make_evaluator",),
    "evaluators.config": ("EvaluatorConfig",),
    "evaluators.true_goal": ("state_values",),
    "learn.checkpoints.checkpoint": ("load_checkpoint", "save_checkpoint"),
    "learn.train_config": ("TrainConfig",),
    "learn.trainer": ("train",),
    "players.match": ("play_match",),
    "players.match_settings": ("MatchSettings",),
    "players.players": ("make_player",),
    "search.alphabeta.alphabeta": ("AlphaBeta",),
    "search.limit": ("Limit",),
    "search.mcts.mcts": ("Mcts",),
    "search.mcts.settings": ("MctsSettings",),
    "search.alphabeta.settings": ("SearchSettings",),
    "simulate.game": ("Game", "State"),
    "simulate.playouts": ("playouts",),
    "simulate.samples": ("sample_games",),
    "simulate.states": ("StateBatch",),
}
"""Module -> its public names, as type checkers read them above; torch takes a second to load, so
nothing is loaded before it is asked for."""

_ROOMS = ("data", "envs")
"""Rooms that are public themselves."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["NeurogameError", "NeurogameWarning", "__version__", *_ROOMS, *_HOME_OF]

if not TYPE_CHECKING:  # a type checker shall refuse names that are not there

    def __getattr__(name: str) -> object:
        """Load a public name at its first use."""
        if name in _ROOMS:
            return import_module(f"{__name__}.{name}")
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the names that are loaded and those that are not, yet."""
    return sorted({*globals(), *__all__})


def _shown_by(module: str, name: str) -> Callable[[object], str]:
    """Return a view whose module is loaded when it is first asked for."""
    return lambda thing: str(getattr(import_module(f"{__name__}.{module}"), name)(thing))


set_view("text", _shown_by("show.state_text", "state_text"))
set_view("svg", _shown_by("show.state_svg", "state_svg"))
set_view("html", _shown_by("inspect.html.view", "html_of"))

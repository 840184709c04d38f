"""Who plays against the learner in its training matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from neurogame.errors import ConfigurationError, PlayerError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import fresh_names
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.match import Guest, Opponent
from neurogame.simulate.game import Game

GuestMaker: TypeAlias = Callable[[str, Game, int], Guest]
"""Makes a player from a player string, for a game, with a seed; players lie beyond learning, so
whoever starts a training run says who makes them:
:func:`~neurogame.players.players.make_player`."""


def make_opponent(
    game: Game, config: PaperConfig, initial: Evaluator, guests: GuestMaker | None = None
) -> Opponent:
    """Return the opponent that a configuration names.

    Args:
        game: what is played.
        config: its field ``opponent`` is read.
        initial: the learner before any learning.
        guests: makes a player from a player string; None: such opponents are refused.

    Raises:
        ConfigurationError: nothing has this name, or the game has no other role.
    """
    name = config.opponent
    if len(game.players) == 1:
        raise ConfigurationError(
            f"opponent {name!r}: {game.name} has one player only, and the recipe paper learns from "
            "matches against an opponent; use the recipe fitted"
        )
    if name == "untrained":
        return Opponent(evaluator=initial)
    if name == "random":
        return Opponent()
    if name.lower() in fresh_names():
        evaluator = make_fresh(name, game, seed=config.seed + 1)
        return Opponent(evaluator=evaluator.requires_grad_(False).eval())
    if guests is None:
        raise ConfigurationError(
            f"opponent {name!r} is neither untrained, random, nor {', '.join(fresh_names())}; for "
            "a player string give the training run what makes players: guests=make_player"
        )
    try:
        guest = guests(name, game, config.seed)
    except PlayerError as error:
        raise ConfigurationError(
            f"opponent {name!r} is neither untrained, random, {', '.join(fresh_names())}, "
            f"nor a player: {error}"
        ) from None
    return Opponent(guest=guest)

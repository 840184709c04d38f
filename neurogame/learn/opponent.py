"""Who plays against the learner in its training matches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

from neurogame.errors import ConfigurationError, PlayerError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import FRESH, EvaluatorConfig
from neurogame.learn.config import TrainConfig
from neurogame.learn.deep_play import Guest
from neurogame.simulate.game import Game

GuestMaker: TypeAlias = Callable[[str, Game, int], Guest]
"""Makes a player from a player string, for a game, with a seed; players lie beyond learning, so
whoever starts a training run says who makes them:
:func:`~neurogame.players.players.make_player`."""


@final
@dataclass(frozen=True, eq=False)
class Opponent:
    """The other side of the training matches.

    Attributes:
        rival: whether there is one; otherwise the learner plays all roles.
        evaluator: the rival's evaluator, searched as deep as the learner's; None: it moves at
            random, or is a guest.
        guest: the rival as a player with limits of its own, or None.
    """

    rival: bool
    evaluator: Evaluator | None = None
    guest: Guest | None = None


def make_opponent(
    game: Game, config: TrainConfig, initial: Evaluator, guests: GuestMaker | None = None
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
    if name == "self":
        return Opponent(rival=False)
    if len(game.roles) == 1:
        raise ConfigurationError(
            f"opponent {name!r}: {game.name} has one role only; use opponent self"
        )
    if name == "untrained":
        return Opponent(rival=True, evaluator=initial)
    if name == "random":
        return Opponent(rival=True)
    if name.lower() in FRESH:
        fresh = EvaluatorConfig(kind=FRESH[name.lower()])
        evaluator = make_evaluator(game, fresh, config.seed + 1)
        return Opponent(rival=True, evaluator=evaluator.requires_grad_(False).eval())
    if guests is None:
        raise ConfigurationError(
            f"opponent {name!r} is neither self, untrained, random, nor {', '.join(FRESH)}; for a "
            "player string give the training run what makes players: guests=make_player"
        )
    try:
        guest = guests(name, game, config.seed)
    except PlayerError as error:
        raise ConfigurationError(
            f"opponent {name!r} is neither self, untrained, random, {', '.join(FRESH)}, "
            f"nor a player: {error}"
        ) from None
    return Opponent(rival=True, guest=guest)

"""The evaluator with which a player begins to learn from its matches."""

from __future__ import annotations

import time

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork, as_rules_network
from neurogame.learn.timed_learning import TimedLearner, is_too_slow
from neurogame.simulate.game import Game
from neurogame.waiting import during

NETWORKS = ("cilp", "cilp-paper")
SECONDS = 2.0
"""Of self-play, for what begins without having learned."""


def starting_network(game: Game, evaluator: Evaluator) -> RulesNetwork:
    """Return an evaluator that can learn from matches.

    Args:
        game: what it is of.
        evaluator: a rules network, which learns as it is; or goal networks, in whose place a
            rules network learns by :data:`SECONDS` of self-play first.

    Raises:
        ConfigurationError: it is neither.
    """
    network = as_rules_network(evaluator)
    if network is not None:
        return network
    kind = evaluator.describe().get("kind")
    if kind not in NETWORKS:
        raise ConfigurationError(
            f"an evaluator of the kind {kind!r} cannot learn from matches; it must be a "
            f"rules network, as 'neurogame train' makes it, or be {' or '.join(NETWORKS)}"
        )
    timed = TimedLearner(game)
    if not is_too_slow(game, SECONDS):
        with during(f"{game.name}: self-play before the first match", SECONDS):
            timed.learn(time.monotonic() + SECONDS)
    return timed.learner.averaged

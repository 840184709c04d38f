"""The evaluator with which a player begins to learn from its matches."""

from __future__ import annotations

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.build import make_parts
from neurogame.evaluators.parts.config import LOGIC, PartsConfig
from neurogame.evaluators.parts.evaluator import PartsEvaluator, parts_of
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game


def with_parts(game: Game, evaluator: Evaluator) -> PartsEvaluator:
    """Return an evaluator that can learn from matches, and at first values states alike.

    Args:
        game: what it is of.
        evaluator: made of parts, or goal networks, which become the logic below fresh parts.

    Raises:
        ConfigurationError: it is neither.
    """
    parts = parts_of(evaluator)
    if parts is not None:
        return parts
    given = dict(evaluator.describe())
    kind = str(given.get("kind"))
    usual = {}
    if kind in LOGIC:
        usual = dict(make_evaluator(game, EvaluatorConfig(kind=kind), 0).describe())
    given.pop("seed", None)
    usual.pop("seed", None)
    if given != usual:
        raise ConfigurationError(
            f"an evaluator of the kind {kind!r} with the settings {given} cannot learn from "
            f"matches; it must be made of parts, or be {', '.join(LOGIC[:-1])} with the usual "
            "settings"
        )
    made = make_parts(game, PartsConfig(logic=kind), opposed=opposed(game))
    assert made.networks is not None
    made.networks.load_state_dict(evaluator.state_dict())
    return made

"""Files of weighted rules as evaluators, of their game under whatever names it comes."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from neurogame.errors import CheckpointError, NeurogameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.origin import Origin
from neurogame.evaluators.rules.ground_rule import ground_rules
from neurogame.evaluators.rules.of_rules import rules_evaluator
from neurogame.evaluators.rules.read import read_weighted_rules
from neurogame.evaluators.rules.signature import rules_signature
from neurogame.evaluators.rules.weighted_rules import RuleSet
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import GameMapping, map_game


def load_weighted_rules(path: Path | str) -> RuleSet:
    """Read a file of weighted rules.

    Args:
        path: of the file.

    Raises:
        CheckpointError: there is no such file, or it is no text.
        RulesError: it does not hold weighted rules; every error by its place.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CheckpointError(
            f"{path}: no such file; expected weighted rules made by 'inspect --rules'"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path}: cannot be read as text ({error})") from None
    return read_weighted_rules(text, str(path))


def evaluator_of_rules(rules: RuleSet, game: Game) -> Evaluator:
    """Return the evaluator that values the states of a game by weighted rules.

    Args:
        rules: the weighted rules.
        game: to value, under the names that the rules were written for; see
            :func:`mapping_of_rules`.

    Raises:
        CheckpointError: they are for another game.
        RulesError: a role or fluent does not exist, with its place.
        LimitError: there are too many instances.
    """
    if rules_signature(game.rules) != rules.signature:
        raise _refusal(rules, game)
    instances = ground_rules(rules, game.circuit)
    evaluator = rules_evaluator(game, chain.from_iterable(instances), opposed=rules.opposed)
    evaluator.origin = Origin(game=game)
    return evaluator


def mapping_of_rules(rules: RuleSet, game: Game) -> GameMapping:
    """Return where what the game of weighted rules has stands in a game.

    Args:
        rules: the weighted rules.
        game: the game to play. Where its names are not those of the rules, their own game is taken
            from the library, and found in this one by structure.

    Raises:
        CheckpointError: they are for another game.
    """
    home = game if rules_signature(game.rules) == rules.signature else _home(rules, game)
    try:
        return map_game(home, game)
    except CheckpointError:
        raise _refusal(rules, game) from None


def _home(rules: RuleSet, game: Game) -> Game:
    """Return the game of the library that rules are for."""
    try:
        home = Game.load(rules.game)
    except NeurogameError:
        raise _refusal(rules, game) from None
    if rules_signature(home.rules) != rules.signature:
        raise _refusal(rules, game)
    return home


def _refusal(rules: RuleSet, game: Game) -> CheckpointError:
    return CheckpointError(
        f"{rules.source}: weighted rules for {rules.game} with signature {rules.signature}; "
        f"{game.name} has signature {rules_signature(game.rules)}, and is not that game of the "
        "library under other names; extract rules from an evaluator of this game, or play it under "
        "the names that they were written for"
    )

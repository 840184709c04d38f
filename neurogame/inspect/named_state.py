"""States that people name on the command line."""

from __future__ import annotations

import random

from neurogame.errors import GameError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.write import rule_text
from neurogame.simulate.game import Game, State

_INITIAL, _RANDOM = "initial", "random"
_TRIES = 100
"""Random games, one of which should last long enough."""


def named_state(game: Game, text: str) -> State:
    """Return the state that a text names.

    Args:
        game: the game.
        text: ``initial``; ``random:PLIES`` or ``random:PLIES:SEED``, a state after so many random
            moves of a game that lasts longer; or all fluents that hold, as KIF: ``(cell 1 1 b)
            (control white)``.

    Raises:
        GameError: the text names no state, a fluent does not exist, or no random game lasts so
            long.
        RulesError: the fluents are not well-formed.
    """
    word = text.strip().lower()
    if word == _INITIAL:
        return game.initial_state()
    if word.partition(":")[0] == _RANDOM:
        return _random(game, text.strip())
    fluents = [rule_text(rule) for rule in parse_rules(text, source="state")]
    if not fluents:
        raise GameError(
            f"{text!r} names no state; it may be 'initial', 'random:PLIES:SEED' or all fluents "
            "that hold, such as '(cell 1 1 b) (control white)'"
        )
    return game.state(fluents)


def _random(game: Game, text: str) -> State:
    """Return a state after random moves."""
    try:
        plies, seed = (int(part) for part in [*text.split(":")[1:], "0"][:2])
    except ValueError:
        plies, seed = -1, 0
    if plies < 0 or text.count(":") > 2:
        raise GameError(f"{text!r} names no state; say 'random:PLIES' or 'random:PLIES:SEED'")
    chance = random.Random(seed)
    longest = 0
    for _ in range(_TRIES):
        state = game.initial_state()
        for done in range(plies + 1):
            longest = max(longest, done)
            if not all(state.legal_moves):
                break
            if done == plies:
                return state
            state = state.next([chance.choice(legal) for legal in state.legal_moves])
    raise GameError(
        f"{text!r}: no random game of {game.name} out of {_TRIES} lasted so long; the longest one "
        f"had {longest} plies"
    )

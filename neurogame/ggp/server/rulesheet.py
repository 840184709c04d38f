"""From the text of a START message to a game, within limits."""

from __future__ import annotations

from neurogame.circuit.compile import compile_rules
from neurogame.gdl.check import valid_rules
from neurogame.ground.limits import GroundLimits
from neurogame.simulate.game import Game

_SECONDS = 600.0
_SHARE = 0.8


def game_of(rules: str, name: str, memory: int | None) -> Game:
    """Return the game of a rulesheet that nobody has looked at yet.

    Args:
        rules: the rulesheet's text.
        name: for messages.
        memory: bytes that this may take; None: what grounding takes at most by itself.

    Raises:
        RulesError: the text is not a valid rulesheet.
        GroundingError: the rules have no ground program.
        LimitError: grounding takes too much time or memory.
    """
    checked = valid_rules(rules, source=f"{name}.kif")
    limits = GroundLimits(seconds=_SECONDS)
    if memory is not None:
        limits = GroundLimits(
            seconds=_SECONDS, memory_mb=min(limits.memory_mb, _SHARE * memory / 2**20)
        )
    return Game(name, checked, compile_rules(checked, limits))

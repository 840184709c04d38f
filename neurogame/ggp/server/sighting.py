"""What a player of an imperfect-information match can tell of the joint moves from its percepts.

A manager of GDL-II sends no joint moves. It sends the number of the turn, the player's own last
move and what the player sees. From that the joint move is put together as far as it goes: the own
move, and every percept that names a role and a move of it, whatever stands in front of the two.

*Reference:* Thielscher, A General Game Description Language for Incomplete Information Games
(AAAI 2010); the GDL-II protocol of the Dresden game server.
"""

from __future__ import annotations

from typing import final

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.messages import Sight, split_terms
from neurogame.ggp.server.orders import Joint

UNSEEN = "()"
"""Stands for a move that is not known; no term is written like this."""


@final
class Sighting:
    """Turns what is seen in one match into joint moves.

    Args:
        rules: the rulesheet's text.
        role: the own role, in any case.

    Attributes:
        roles: as the ``role`` facts name them, in their order.
        turn: how many joint moves were told so far.
    """

    def __init__(self, rules: str, role: str) -> None:
        self.roles = _roles(rules)
        self.turn = 0
        self._role = role.lower()

    def joint(self, sight: Sight) -> Joint | None:
        """Return the last joint move; None before the first, and when it was told already.

        Args:
            sight: what the message says; unseen moves are :data:`UNSEEN` in the answer.
        """
        if sight.turn <= self.turn:
            return None
        self.turn = sight.turn
        folded = [role.lower() for role in self.roles]
        moves = [UNSEEN] * len(folded)
        for percept in sight.percepts:
            parts = split_terms(percept[1:-1]) if percept.startswith("(") else []
            if len(parts) == 3 and parts[1].lower() in folded:
                moves[folded.index(parts[1].lower())] = parts[2]
        if sight.own is not None and self._role in folded:
            moves[folded.index(self._role)] = sight.own
        return tuple(moves)


def _roles(rules: str) -> tuple[str, ...]:
    """Return the roles of a rulesheet; none where the text is no rulesheet."""
    roles: dict[str, None] = {}
    try:
        for rule in split_terms(rules):
            parts = split_terms(rule[1:-1]) if rule.startswith("(") else []
            if len(parts) == 2 and parts[0].lower() == "role":
                roles[parts[1]] = None
    except ProtocolError:
        return ()
    return tuple(roles)

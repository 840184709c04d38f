"""Keeps a position in step with the joint moves that a server reports, whatever it reports.

The rules, the same for everyone who follows a match, so that all arrive at the same position:

1. Moves may come in any case and spacing.
2. A joint move that is legal as a whole is made.
3. A joint move that is not, but equals the one before, which was, is a repeated message: nothing
   is made.
4. Else each move that is missing or not legal is replaced: by the only legal move of its role
   where there is one, by the first in code point order otherwise. Moves beyond the number of
   roles are ignored.
5. At the end of the game, and where some role has no legal move, nothing is made.

All but 1 and 2 are remarked.
"""

from __future__ import annotations

from typing import Generic, TypeVar, final

from neurogame.gdl.finding import shown
from neurogame.ggp.server.orders import Joint
from neurogame.ggp.server.positions import CircuitPosition, InterpretedPosition

P = TypeVar("P", CircuitPosition, InterpretedPosition)


@final
class Follower(Generic[P]):
    """Follows one match.

    Attributes:
        position: where the match stands.
        steps: joint moves made so far.
    """

    def __init__(self, position: P) -> None:
        """Begin a match.

        Args:
            position: where it begins.
        """
        self.position: P = position
        self.steps = 0
        self._last: Joint | None = None

    def follow(self, joint: Joint) -> list[str]:
        """Make a joint move, as far as it makes sense; see the module's documentation.

        Args:
            joint: one text per role in the order of the rulesheet.

        Returns:
            What was wrong with it; usually nothing.
        """
        here = self.position
        move = f"joint move {self.steps + 1}"
        if here.is_terminal:
            return [f"{move} came after the end of the game and was ignored"]
        roles = range(len(here.roles))
        stuck = [here.roles[role] for role in roles if here.any_legal(role) is None]
        if stuck:
            return [f"{move} was ignored: no step leads on, {stuck[0]} has no legal move"]
        meant = [here.meant(role, text) for role, text in zip(roles, joint, strict=False)]
        whole = [text for text in meant if text is not None]
        if len(whole) < len(roles) and joint == self._last:
            return [f"{move} equals the one before and is not legal: it was taken as a repetition"]
        remarks = []
        if len(joint) != len(roles):
            remarks.append(f"{move} has {len(joint)} moves for {len(roles)} roles")
        meant += [None] * (len(roles) - len(meant))
        made = []
        for role, text in enumerate(meant):
            if text is None:
                text = here.legal(role)[0]
                given = shown(joint[role]) if role < len(joint) else "nothing"
                role_name = here.roles[role]
                remarks.append(
                    f"{move}: {given} is not a legal move of {role_name}; went on with {text}"
                )
            made.append(text)
        self.position = here.after(made)
        self.steps += 1
        self._last = joint if len(whole) == len(roles) else None
        return remarks


def role_number(roles: tuple[str, ...], role: str) -> int | None:
    """Return which role is meant, in any case; None if there is no such role.

    Args:
        roles: the roles of the game.
        role: as received.
    """
    folded = [name.lower() for name in roles]
    return folded.index(role.lower()) if role.lower() in folded else None

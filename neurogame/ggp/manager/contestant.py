"""Who plays: players behind an address, asked whether they are there, and the manager's own."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from neurogame.chance import chance_role, playing_roles
from neurogame.errors import GameError, PlayerError
from neurogame.ggp.manager.address import Address
from neurogame.ggp.manager.client import Answer, Call, run_all
from neurogame.ggp.protocol.messages import Info, message_text

RANDOM = "random"
"""The player that the manager plays itself, as it does chance."""

_INFO_SECONDS = 3.0
_PAUSE_SECONDS = 0.25
_NAME = re.compile(r"\(\s*name\s+([\w.+-]{1,60})\s*\)", re.IGNORECASE | re.ASCII)
_BUSY = re.compile(r"\(\s*status\s+busy\s*\)|^\s*busy\s*$", re.IGNORECASE)


@final
@dataclass(frozen=True)
class Contestant:
    """A player of a match.

    Attributes:
        name: what it calls itself, else its address, or ``random``; for records and headers.
        address: where it listens; None for uniformly random legal moves by the manager.
    """

    name: str
    address: Address | None

    @classmethod
    def parse(cls, text: str) -> Contestant:
        """Read ``random`` or an address; see :meth:`Address.parse`.

        Raises:
            PlayerError: the text is neither.
        """
        if text == RANDOM:
            return cls(RANDOM, None)
        address = Address.parse(text)
        return cls(f"{address.host}:{address.port}", address)


def contact(contestants: Sequence[Contestant], patience: float) -> list[Contestant]:
    """Ask all players who they are and whether they are free.

    What they say decides nothing but their names: some players know no INFO.

    Args:
        contestants: the players.
        patience: how many seconds to wait for one that is busy.

    Returns:
        The players under the names that they give themselves.

    Raises:
        PlayerError: a player cannot be reached, or stays busy.
    """
    deadline = time.monotonic() + patience
    while True:
        calls = [
            None if c.address is None else Call(c.address, message_text(Info()), _INFO_SECONDS)
            for c in contestants
        ]
        answers = run_all(calls, _INFO_SECONDS)
        busy = [_is_busy(c, a) for c, a in zip(contestants, answers, strict=True)]
        if not any(busy) or time.monotonic() >= deadline:
            break
        time.sleep(_PAUSE_SECONDS)
    if any(busy):
        names = " and ".join(str(c.address) for c, b in zip(contestants, busy, strict=True) if b)
        raise PlayerError(
            f"{names}: busy with another match for {patience:g} s; wait until it is over, "
            "or start the player anew"
        )
    return [_named(c, a) for c, a in zip(contestants, answers, strict=True)]


def seats(roles: Sequence[str], contestants: Sequence[Contestant]) -> list[Contestant]:
    """Give every role its player.

    Args:
        roles: the roles of the game.
        contestants: one per role, in role order. That of chance may be left out: the manager
            plays it in any case.

    Raises:
        GameError: too many or too few players, one for chance, or one twice.
    """
    chance, given = chance_role(roles), list(contestants)
    if chance is not None and len(given) == len(roles) - 1:
        given.insert(chance, Contestant(RANDOM, None))
    if len(given) != len(roles):
        needed = [roles[role] for role in playing_roles(roles)]
        raise GameError(
            f"the game has {len(needed)} role{'s' * (len(needed) != 1)} to play "
            f"({', '.join(needed)}), but the players given are {len(contestants)}; give one "
            f"address per role, or {RANDOM!r}"
        )
    if chance is not None and given[chance].address is not None:
        raise GameError(
            f"the role {RANDOM!r} is played by the manager, not by {given[chance].address}; "
            f"leave its player out, or write {RANDOM!r}"
        )
    addresses = [c.address for c in given if c.address is not None]
    for address in addresses:
        if addresses.count(address) > 1:
            raise GameError(
                f"{address} was given twice; a player plays one role at a time: start a second "
                "one on another port"
            )
    return given


def _is_busy(contestant: Contestant, answer: Answer | None) -> bool:
    """Return whether a player says that it is busy.

    Raises:
        PlayerError: it cannot be reached.
    """
    if contestant.address is None or answer is None:
        return False
    if answer.problem == "connection" and not answer.connected:
        raise PlayerError(
            f"no player at {contestant.address}: {answer.detail}; start one there "
            f"('neurogame serve --port {contestant.address.port}'), or correct the address"
        )
    if answer.problem == "timeout" and not answer.connected:
        raise PlayerError(
            f"no player at {contestant.address}: no connection within {_INFO_SECONDS:g} s; is "
            "the address right, and does a firewall let it through?"
        )
    return bool(_BUSY.search(answer.text))


def _named(contestant: Contestant, answer: Answer | None) -> Contestant:
    match = _NAME.search(answer.text) if answer is not None else None
    return contestant if match is None else replace(contestant, name=match[1])

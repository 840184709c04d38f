"""Memory that the players of a command share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neurogame.errors import ConfigurationError
from neurogame.players.spec import PlayerSpec

_SHARING = ("mcts", "alphabeta")
"""Kinds of players whose memory can be set."""
OPTION_HELP = (
    "memory of the searches of all players that live at once; each has the same part, unless its "
    "player string says how much (default: mcts a quarter of what is free, alphabeta 256)"
)


def sharing(players: Sequence[str], mebibytes: int | None, *, at_once: int = 1) -> tuple[str, ...]:
    """Return player strings that say what each may take.

    Args:
        players: player strings.
        mebibytes: memory of all of them; MiB, None: nothing is said.
        at_once: matches that are played at the same time, at least 1.

    Raises:
        ConfigurationError: there is less than a mebibyte for each.
        PlayerError: a string is malformed.
    """
    if mebibytes is None:
        return tuple(players)
    lives = max(len(players) * at_once, 1)
    if mebibytes < lives:
        raise ConfigurationError(
            f"--memory {mebibytes}: {lives} searches may live at once, each needs at least 1 MiB; "
            "give more, or play fewer matches at once"
        )
    return tuple(_with_memory(text, mebibytes // lives) for text in players)


def _with_memory(text: str, mebibytes: int) -> str:
    """Return a player string with its memory, unless it says that itself or can say none."""
    spec = PlayerSpec.parse(text)
    if spec.kind not in _SHARING or "memory" in spec.options:
        return text
    return str(replace(spec, options={**spec.options, "memory": str(mebibytes)}))

"""Every error and warning that neurogame raises on bad input.

Each error is also a ``ValueError`` (the input is wrong) or a ``RuntimeError`` (a limit or a
resource was reached), so callers may catch either the family or the built-in.
"""

from __future__ import annotations

import textwrap

_LONGEST = 500
"""Characters of what an error says on one line."""


class NeurogameError(Exception):
    """The root of all errors raised on purpose; its text is one message for the user."""


class RulesError(NeurogameError, ValueError):
    """A rulesheet is not valid GDL; the text names file:line:column and what is allowed."""


class GroundingError(NeurogameError, ValueError):
    """A valid rulesheet cannot be grounded (for example unstratified negation on atoms)."""


class LimitError(NeurogameError, RuntimeError):
    """A limit on seconds, memory, rules or size was reached; the text names the limit."""


class GameError(NeurogameError, ValueError):
    """A game was used wrongly: an unknown role, an illegal move, a state of another game."""


class PlayerError(NeurogameError, ValueError):
    """A player string is malformed or names something that does not exist."""


class ConfigurationError(NeurogameError, ValueError):
    """A configuration field is out of its range or unknown."""


class CheckpointError(NeurogameError, ValueError):
    """A checkpoint file is damaged, of an unknown version, or belongs to another game."""


class ProtocolError(NeurogameError, ValueError):
    """A text is not a message of the GGP protocol, or a request is not what HTTP allows."""


class MissingExtraError(NeurogameError, RuntimeError):
    """An optional dependency is missing; the text holds the one-line install hint."""


class NeurogameWarning(UserWarning):
    """The root of all warnings raised by neurogame."""


class NonstandardWarning(NeurogameWarning):
    """A rulesheet breaks a rule of GDL and is played with the one sensible meaning that it has."""


def on_one_line(error: Exception) -> str:
    """Return what an error says, and what was noted on it before that, on one line.

    Its kind is said too, unless the text is a message for the user.

    Args:
        error: what was raised.
    """
    known = isinstance(error, NeurogameError)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    notes = getattr(error, "__notes__", [])
    return textwrap.shorten(": ".join([*notes, text]), _LONGEST, placeholder=" ...")

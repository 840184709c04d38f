"""How long a search may think: seconds, nodes, depth, simulations."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, final

from neurogame.errors import ConfigurationError

_WHOLE = ("nodes", "depth", "simulations")


@final
@dataclass(frozen=True, kw_only=True)
class Limit:
    """Bounds on one search; the first one reached ends it.

    A limit without any field set searches until the position is solved; players refuse it.

    Attributes:
        seconds: wall-clock time for one move; seconds, above 0.
        nodes: states generated and evaluated for one move; at least 1. A first search one ply
            deep is always completed, so that every move has been looked at once.
        depth: plies; at least 1.
        simulations: simulations of a Monte-Carlo search for one move; at least 1; ``sims`` in
            texts. Alpha-beta has none and refuses a limit that sets nothing else.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    simulations: int | None = None

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        seconds = self.seconds
        if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
            raise ConfigurationError(f"limit: seconds={seconds}; a finite number above 0 is needed")
        for name in _WHOLE:
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigurationError(
                    f"limit: {name}={value!r}; a whole number of at least 1 is needed"
                )

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Read a limit such as ``seconds=1,sims=3``; the reverse of ``str``.

        Args:
            text: comma-separated ``name=number``; empty for no limit.

        Raises:
            ConfigurationError: an unknown name, a repeated name, or not a number.

        >>> Limit.parse("seconds=1,sims=300")
        Limit(seconds=1.0, nodes=None, depth=None, simulations=300)
        """
        values: dict[str, str] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or name in values:
                raise ConfigurationError(
                    f"limit {text!r}: found {part!r}; write name=number, each name once"
                )
            values[name] = value
        return cls.from_texts(values)

    @classmethod
    def from_texts(cls, values: dict[str, str]) -> Limit:
        """Return the limit whose fields are given as texts.

        Args:
            values: name -> number as text.

        Raises:
            ConfigurationError: an unknown name, not a number, or out of range.
        """
        numbers: dict[str, Any] = {}
        for name, text in values.items():
            numbers[_FIELDS.get(name, name)] = _number(name, text)
        return cls(**numbers)

    def __bool__(self) -> bool:
        """Return whether anything is limited at all."""
        return any(getattr(self, entry.name) is not None for entry in fields(self))

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads."""
        pairs = ((name, getattr(self, _FIELDS.get(name, name))) for name in LIMIT_NAMES)
        return ",".join(f"{name}={_text(value)}" for name, value in pairs if value is not None)

    def merged(self, other: Limit) -> Limit:
        """Return the stricter of the two limits, field by field.

        Args:
            other: another limit.
        """
        merged: dict[str, Any] = {}
        for entry in fields(self):
            given = [
                value
                for value in (getattr(self, entry.name), getattr(other, entry.name))
                if value is not None
            ]
            merged[entry.name] = min(given, default=None)
        return Limit(**merged)


LIMIT_NAMES = ("seconds", "nodes", "depth", "sims")
"""The names that a limit's text may use."""

_FIELDS = {"sims": "simulations"}
"""Fields with another name in texts."""


def _text(value: float) -> str:
    """Return a number without a needless ``.0``, and with all its digits."""
    return str(int(value)) if value == int(value) else repr(value)


def _number(name: str, text: str) -> float | int:
    """Return the number that a limit's field is set to."""
    if name not in LIMIT_NAMES:
        raise ConfigurationError(
            f"limit: unknown name {name!r}; allowed are {', '.join(LIMIT_NAMES)}"
        )
    try:
        return float(text) if name == "seconds" else int(text)
    except ValueError:
        kind = "a number" if name == "seconds" else "a whole number"
        raise ConfigurationError(f"limit: {name}={text!r}; {kind} is needed") from None

"""How long a search may think: seconds, nodes, depth, simulations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, final

from neurogame.errors import ConfigurationError
from neurogame.settings import Settings, named_texts, setting, settings_of, spellings


@final
@dataclass(frozen=True, kw_only=True)
class Limit(Settings):
    """Bounds on one search; the first one reached ends it.

    A limit without any field set searches until the position is solved; players refuse it.
    """

    SUBJECT = "limit: "

    seconds: float | None = setting(None, "wall-clock time for one move; seconds", above=0)
    nodes: int | None = setting(
        None,
        "states generated and evaluated for one move. A first search one ply deep is always "
        "completed, so that every move has been looked at once.",
        least=1,
    )
    depth: int | None = setting(None, "plies", least=1)
    simulations: int | None = setting(
        None,
        "simulations of a Monte-Carlo search for one move; sims in texts. Alpha-beta has none and "
        "refuses a limit that sets nothing else.",
        least=1,
        spelling="sims",
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
        return cls.from_texts(named_texts(text, f"limit {text!r}"))

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> Limit:
        """Return the limit whose fields are given as texts.

        Args:
            texts: name -> number as text.

        Raises:
            ConfigurationError: an unknown name, not a number, or out of range.
        """
        for entry in settings_of(cls):
            number, text = entry.number or float, texts.get(entry.spelling, "0")
            try:
                number(text)
            except ValueError:
                kind = "a whole number" if number is int else "a number"
                raise ConfigurationError(
                    f"limit: {entry.spelling}={text!r}; {kind} is needed"
                ) from None
        return super().from_texts(texts)

    def __bool__(self) -> bool:
        """Return whether anything is limited at all."""
        return any(getattr(self, entry.name) is not None for entry in fields(self))

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads."""
        pairs = ((entry.spelling, getattr(self, entry.name)) for entry in settings_of(Limit))
        return ",".join(f"{name}={_text(value)}" for name, value in pairs if value is not None)

    def countable(self) -> Limit:
        """Return the limit in numbers that 64 bits can count: at most 95 years, and 2^55."""
        most = {"seconds": 3e9, "nodes": 1 << 55, "simulations": 1 << 55}
        beyond: dict[str, Any] = {
            name: end for name, end in most.items() if (getattr(self, name) or 0) > end
        }
        return replace(self, **beyond) if beyond else self

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


LIMIT_NAMES = spellings(Limit)
"""The names that a limit's text may use."""


def _text(value: float) -> str:
    """Return a number without a needless ``.0``, and with all its digits."""
    return str(int(value)) if value == int(value) else repr(value)

"""The numbers and flags of settings, as compiled code reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from neurogame.native.struct import Struct
from neurogame.settings import Setting, Settings, settings_of

Filled = TypeVar("Filled", bound=Struct)
Own = TypeVar("Own", bound=Settings)


def numbers_of(kind: type[Settings]) -> Callable[[type[Filled]], type[Filled]]:
    """Return what gives a struct a field for each number and each flag of settings.

    So such a setting is declared once, and compiled code reads it by its name. Words, and what may
    be None, stand for something else: whoever reads these says for what.

    Args:
        kind: the settings.
    """

    def fill(struct: type[Filled]) -> type[Filled]:
        fields = {entry.name: _type(entry) for entry in settings_of(kind) if _is_plain(entry)}
        struct.__annotations__ = {**fields}
        return struct

    return fill


def filled(struct: type[Own], settings: Own) -> Own:
    """Return the numbers and flags of settings in memory, flags as 0 and 1.

    Args:
        struct: made for these settings by :func:`numbers_of`; for the type checker it is their
            class.
        settings: the settings.
    """
    kind = cast("type[Struct]", struct)
    numbers = kind(**{name: getattr(settings, name) for name in kind.layout()})
    return cast("Own", numbers)


def _is_plain(entry: Setting) -> bool:
    """Say whether a setting is always a number, or always a flag."""
    is_number = entry.number is not None or entry.is_flag
    others = entry.words or entry.is_text or entry.is_optional or entry.is_many
    return is_number and not others


def _type(entry: Setting) -> type[int] | type[float]:
    return int if entry.number is None else entry.number

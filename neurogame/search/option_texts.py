"""Settings from texts: the ``name=value`` options of a player string."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from neurogame.errors import ConfigurationError

_FLAGS = {"on": True, "off": False}

_T = TypeVar("_T")


def option_names(settings: type) -> tuple[str, ...]:
    """Return the names of all settings of a dataclass."""
    return tuple(entry.name for entry in fields(settings))


def read_options(settings: type[_T], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values that texts give to the settings of a dataclass.

    A flag is ``on`` or ``off``; ``none`` unsets a setting that may be None.

    Args:
        settings: the dataclass.
        texts: setting name -> text.

    Raises:
        ConfigurationError: an unknown name, or a text that is not of the setting's type. Whether
            a number is in its range is for the dataclass to say.
    """
    hints = get_type_hints(settings)
    names = option_names(settings)
    unknown = [name for name in texts if name not in names]
    if unknown:
        raise ConfigurationError(f"unknown option {unknown[0]!r}; allowed are {', '.join(names)}")
    return {name: _read(name, text, hints[name]) for name, text in texts.items()}


def _read(name: str, text: str, hint: Any) -> Any:
    """Return the value of a text, by the first alternative of the type that it fits."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    allowed: list[str] = []
    for kind in sorted(kinds, key=_order):
        if get_origin(kind) is Literal:
            choices = dict(zip(map(str, get_args(kind)), get_args(kind), strict=True))
        elif kind is bool:
            choices = _FLAGS
        elif kind is NoneType:
            choices = {"none": None}
        else:
            number = _number(text, kind)
            if number is not None:
                return number
            allowed.append("a whole number" if kind is int else "a number")
            continue
        if text in choices:
            return choices[text]
        allowed += choices
    raise ConfigurationError(f"{name}={text!r}; allowed: {', '.join(allowed)}")


def _order(kind: Any) -> bool:
    """Words before numbers, whose reading could be more lenient."""
    return kind in (int, float)


def _number(text: str, kind: type) -> float | int | None:
    try:
        number: float | int = kind(text)
    except ValueError:
        return None
    return number

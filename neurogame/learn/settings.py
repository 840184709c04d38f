"""Fields of configuration dataclasses that carry their own documentation, range and unit.

One description serves the check in ``__post_init__``, the command-line option and the document.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

from neurogame.errors import ConfigurationError


def setting(
    default: Any,
    text: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """Return a dataclass field with its documentation and range.

    Args:
        default: the value where none is given.
        text: what the field means, with its unit.
        minimum: smallest allowed number, inclusive.
        maximum: largest allowed number, inclusive.
        choices: all allowed words.
    """
    metadata = {"text": text, "minimum": minimum, "maximum": maximum, "choices": choices}
    return dataclasses.field(default=default, metadata=metadata)


def check_settings(config: Any) -> None:
    """Check type and range of every field made by :func:`setting`.

    Raises:
        ConfigurationError: a field has the wrong type or is out of its range.
    """
    kinds = typing.get_type_hints(type(config))
    for field in dataclasses.fields(config):
        if "text" in field.metadata:
            _check_field(field, kinds[field.name], getattr(config, field.name))


def _check_field(field: dataclasses.Field[Any], kind: Any, value: Any) -> None:
    plain, optional = plain_type(kind)
    if value is None and optional:
        return
    allowed = (int, float) if plain is float else (plain,)
    wrong = not isinstance(value, allowed) or (plain is not bool and isinstance(value, bool))
    name = option_name(field.name)
    if wrong:
        raise ConfigurationError(f"{name} must be {plain.__name__}, found {value!r}")
    choices = field.metadata["choices"]
    if choices is not None and value not in choices:
        raise ConfigurationError(f"{name} must be one of {', '.join(choices)}, found {value!r}")
    if plain in (int, float) and not math.isfinite(value):
        raise ConfigurationError(f"{name} must be a finite number, found {value!r}")
    least, most = field.metadata["minimum"], field.metadata["maximum"]
    if least is not None and value < least:
        raise ConfigurationError(f"{name} must be at least {least:g}, found {value!r}")
    if most is not None and value > most:
        raise ConfigurationError(f"{name} must be at most {most:g}, found {value!r}")


def plain_type(kind: Any) -> tuple[type, bool]:
    """Return ``(T, True)`` for ``T | None`` and ``(T, False)`` for a plain type ``T``."""
    if isinstance(kind, types.UnionType):
        parts = [part for part in typing.get_args(kind) if part is not type(None)]
        return parts[0], True
    return kind, False


def option_name(field_name: str) -> str:
    """Return the spelling of a field in JSON and, with dashes, on the command line."""
    return field_name.rstrip("_").replace("_", "-")


def settings_to_json(config: Any) -> dict[str, Any]:
    """Return the fields made by :func:`setting` as a JSON-able dictionary."""
    return {
        field.name.rstrip("_"): getattr(config, field.name)
        for field in dataclasses.fields(config)
        if "text" in field.metadata
    }


def settings_from_json(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments for a configuration class; the inverse of :func:`settings_to_json`.

    Raises:
        ConfigurationError: a key is unknown.
    """
    names = {f.name.rstrip("_"): f.name for f in dataclasses.fields(kind) if "text" in f.metadata}
    unknown = sorted(set(data) - set(names))
    if unknown:
        allowed = ", ".join(sorted(names))
        raise ConfigurationError(
            f"unknown configuration key {', '.join(unknown)}; allowed are: {allowed}"
        )
    return {names[key]: value for key, value in data.items()}


def add_settings(parser: argparse._ArgumentGroup, kind: type, skip: tuple[str, ...] = ()) -> None:
    """Add one ``--option`` per field made by :func:`setting`; absent options stay None.

    Args:
        parser: where the options are added.
        kind: a configuration dataclass.
        skip: names of fields that get no option.
    """
    kinds = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if "text" not in field.metadata or field.name in skip:
            continue
        plain, _ = plain_type(kinds[field.name])
        flag = f"--{option_name(field.name)}"
        text = f"{field.metadata['text']} (default: {field.default})".replace("%", "%%")
        destination = f"set_{field.name}"
        if plain is bool:
            parser.add_argument(
                flag, dest=destination, action=argparse.BooleanOptionalAction, help=text
            )
        else:
            parser.add_argument(
                flag,
                dest=destination,
                type=plain,
                choices=field.metadata["choices"],
                metavar=None if field.metadata["choices"] else plain.__name__.upper(),
                help=text,
            )


def chosen_settings(options: argparse.Namespace, kind: type) -> dict[str, Any]:
    """Return the fields that the command line gave, as keyword arguments for ``kind``."""
    found = {}
    for field in dataclasses.fields(kind):
        value = getattr(options, f"set_{field.name}", None)
        if value is not None:
            found[field.name] = value
    return found

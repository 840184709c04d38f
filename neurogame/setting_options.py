"""Command-line options made from settings."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Collection
from typing import Any

from neurogame.errors import ConfigurationError
from neurogame.settings import Setting, Settings, settings_of


def add_settings(
    parser: argparse._ArgumentGroup | argparse.ArgumentParser,
    kind: type[Settings],
    prefix: str = "",
    only: Collection[str] | None = None,
    unnamed: str = "",
) -> None:
    """Add one option per setting; absent options stay None.

    Args:
        parser: where the options are added.
        kind: the settings; those that hold settings get no option.
        prefix: put before each name, and in place of the name ``kind``, such as ``evaluator``.
        only: names of the fields that get an option; None: all.
        unnamed: what there is where no ``kind`` is given, if it is not the default.
    """
    for entry in settings_of(kind):
        if entry.nested is not None or (only is not None and entry.name not in only):
            continue
        flag = _option(entry, prefix)
        default = (entry.name == "kind" and unnamed) or entry.default_text
        notes = [*filter(None, [entry.range]), f"default: {default}"]
        text = f"{entry.about.text} ({'; '.join(notes)})".replace("%", "%%")
        place = destination(entry.name, prefix)
        words = entry.words if entry.number is None else ()
        if entry.is_flag:
            parser.add_argument(flag, dest=place, action=argparse.BooleanOptionalAction, help=text)
        elif words:
            parser.add_argument(flag, dest=place, choices=words, help=text)
        else:
            metavar = "STR" if entry.is_text else "VALUE"
            if entry.number is not None and not entry.words and not entry.is_many:
                metavar = entry.number.__name__.upper()
            parser.add_argument(flag, dest=place, type=_reader(entry), metavar=metavar, help=text)


def settings_text(kind: type[Settings]) -> str:
    """Return a few lines for each setting: its name, default and meaning.

    Args:
        kind: the settings.
    """
    texts = [
        f"{setting.spelling}={setting.default_text}  {setting.about.text}"
        + (f" ({setting.range})" if setting.range else "")
        for setting in settings_of(kind)
    ]
    return "\n".join(
        textwrap.fill(text, 79, initial_indent="  ", subsequent_indent=" " * 6) for text in texts
    )


def chosen_settings(
    options: argparse.Namespace, kind: type[Settings], prefix: str = ""
) -> dict[str, Any]:
    """Return the settings that the command line gave, as keywords of their class.

    Args:
        options: what was read.
        kind: the settings.
        prefix: as for :func:`add_settings`.
    """
    values = {
        entry.name: getattr(options, destination(entry.name, prefix), None)
        for entry in settings_of(kind)
    }
    return {name: value for name, value in values.items() if value is not None}


def chosen_flags(options: argparse.Namespace, kind: type[Settings], prefix: str = "") -> list[str]:
    """Return the options by which the command line gave settings, as they are written.

    Args:
        options: what was read.
        kind: the settings.
        prefix: as for :func:`add_settings`.
    """
    given = chosen_settings(options, kind, prefix)
    return [_option(entry, prefix) for entry in settings_of(kind) if entry.name in given]


def _option(entry: Setting, prefix: str) -> str:
    if not prefix:
        return f"--{entry.option}"
    return f"--{prefix}" if entry.name == "kind" else f"--{prefix}-{entry.option}"


def destination(name: str, prefix: str = "") -> str:
    """Return the name under which what was read holds a setting.

    Args:
        name: of the setting.
        prefix: as for :func:`add_settings`.
    """
    return f"{prefix or 'set'}_{name}"


def _reader(entry: Setting) -> Callable[[str], object]:
    """Return what turns a text into a value."""
    if entry.number is not None and not entry.words and not entry.is_many:
        return entry.number

    def read(text: str) -> object:
        try:
            return entry.read(text)
        except (ConfigurationError, ValueError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return str if entry.is_text else read

"""Settings: frozen dataclasses whose fields say what they mean and what they may be.

One description of a field, made by :func:`setting`, serves the check, the JSON form, the texts of
``name=value`` options and the command line::

    @final
    @dataclass(frozen=True, kw_only=True)
    class Example(Settings):
        games: int = setting(64, "random games to play", least=1)
        policy: Literal["random", "greedy"] = setting("random", "who chooses the moves")
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
    cast,
    final,
    get_args,
    get_origin,
    get_type_hints,
)

from neurogame.errors import ConfigurationError

T = TypeVar("T")
Own = TypeVar("Own", bound="Settings")

Choices: TypeAlias = tuple[str, ...] | Callable[[], tuple[str, ...]]

_FLAGS = {"on": True, "off": False}


@final
@dataclass(frozen=True, kw_only=True)
class About:
    """What a field of settings means and may be.

    Attributes:
        text: its meaning and unit; the range is told by what follows.
        least: smallest number, inclusive.
        most: largest number, inclusive.
        above: numbers must lie above this.
        below: numbers must lie below this.
        choices: all words, where the type of the field does not list them; or a function that
            returns them, where others may add to them.
        spelling: the name in texts, JSON and options; None: that of the field without a ``_`` at
            its end.
        some: whether a tuple must not be empty.
    """

    text: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: Choices = ()
    spelling: str | None = None
    some: bool = False


class Bounds(TypedDict, total=False):
    """What a field may be; see :class:`About`."""

    least: float | None
    most: float | None
    above: float | None
    below: float | None
    choices: Choices
    spelling: str | None
    some: bool


def setting(default: T, text: str, **bounds: Unpack[Bounds]) -> T:
    """Return a field of :class:`Settings` with its default; all else as in :class:`About`."""
    about = About(text=text, **bounds)
    return field(default=default, metadata={"about": about})


def whole(value: object, what: str) -> int:
    """Return a whole number of any library as one of Python.

    Args:
        value: the number.
        what: it is, for the message.

    Raises:
        ConfigurationError: it is no whole number.
    """
    if not isinstance(value, Integral):
        raise ConfigurationError(f"{what}={value!r}; a whole number is needed")
    return int(value)


def check_kind(value: object, kind: type, what: str, such: str) -> None:
    """Refuse an object of another kind than is needed.

    Args:
        value: the object.
        kind: what it should be.
        what: it is, for the message.
        such: how to get a right one.

    Raises:
        ConfigurationError: it is of another kind.
    """
    if not isinstance(value, kind):
        raise ConfigurationError(
            f"{what}: found {type(value).__name__}; {kind.__name__} is needed, such as {such}"
        )


def texts(value: Iterable[str], what: str, such: str) -> Iterable[str]:
    """Return texts as they are given, but not a single one, whose letters would be taken for them.

    Args:
        value: the texts.
        what: they are, for the message.
        such: an example.

    Raises:
        ConfigurationError: it is one text.
    """
    if isinstance(value, str):
        raise ConfigurationError(f"{what}: found the text {value!r}; give a list, such as {such}")
    return value


def described(text: str) -> dict[str, About]:
    """Return the metadata of a field without a default: ``field(metadata=described(...))``."""
    return {"about": About(text=text)}


@final
@dataclass(frozen=True, kw_only=True)
class Setting:
    """A field of settings, with what its type says.

    Attributes:
        name: of the field.
        about: what it means and may be.
        default: where none is given; dataclasses' ``MISSING`` where one must be.
        literals: texts that its type lists.
        number: the type of numbers that it may be, or None.
        is_flag: whether it may be True and False.
        is_text: whether it may be any text.
        is_optional: whether it may be None.
        is_many: whether it is a tuple of all that.
        nested: settings that it holds, or None.
    """

    name: str
    about: About
    default: object
    literals: tuple[str, ...]
    number: type[int] | type[float] | None
    is_flag: bool
    is_text: bool
    is_optional: bool
    is_many: bool
    nested: type[Settings] | None

    @property
    def spelling(self) -> str:
        """The name in texts and JSON."""
        return self.about.spelling or self.name.rstrip("_")

    @property
    def words(self) -> tuple[str, ...]:
        """All texts that it may be."""
        choices = self.about.choices
        return (*self.literals, *(choices() if callable(choices) else choices))

    @property
    def option(self) -> str:
        """The name on the command line, without the leading dashes."""
        return self.spelling.replace("_", "-")

    @property
    def default_text(self) -> str:
        """The default as :meth:`read` takes it: ``none``, ``on``, ``64,32``; ``needed`` if none."""
        if self.default is MISSING:
            return "needed"
        values = self.default if isinstance(self.default, tuple) else (self.default,)
        return ",".join(_as_text(value) for value in values)

    @property
    def range(self) -> str:
        """The bounds of numbers, such as ``0..1`` or ``at least 1``; empty where there are none."""
        about = self.about
        if about.least is not None and about.most is not None:
            return f"{about.least:,}..{about.most:,}"
        ends = {"at least": about.least, "above": about.above}
        ends |= {"at most": about.most, "below": about.below}
        return " and ".join(f"{word} {end:,}" for word, end in ends.items() if end is not None)

    @property
    def allowed(self) -> str:
        """All that it may be but None, in words."""
        kinds = [f"one of {', '.join(self.words)}"] if self.words else []
        if self.number is not None:
            number = "a whole number" if self.number is int else "a finite number"
            kinds.append(f"{number} ({self.range})" if self.range else number)
        kinds += ["on or off"] if self.is_flag else []
        kinds += ["a text"] if self.is_text else []
        kinds += [self.nested.__name__] if self.nested else []
        each = f"{'one or more' if self.about.some else 'any number of'} values, each "
        return (each if self.is_many else "") + " or ".join(kinds)

    def refusal(self, value: object) -> str | None:
        """Return what is allowed if a value is not, else None."""
        if not self.is_many:
            fits = self._fits(value)
        else:
            enough = isinstance(value, tuple) and (value or not self.about.some)
            fits = bool(enough) and all(map(self._fits, cast(tuple[object, ...], value)))
        of = "" if isinstance(value, tuple) or not self.is_many else "a tuple of "
        return None if fits or (value is None and self.is_optional) else of + self.allowed

    def _fits(self, value: object) -> bool:
        """Return whether one value is allowed; all are where the type is none of those here."""
        if self.nested is not None:
            return isinstance(value, self.nested)
        if not (self.words or self.number or self.is_flag or self.is_text):
            return True
        if isinstance(value, bool):
            return self.is_flag
        if isinstance(value, str):
            return self.is_text or value in self.words
        if not isinstance(value, Integral if self.number is int else Real):
            return False
        return self.number is not None and self._is_within(float(value))

    def _is_within(self, value: float) -> bool:
        about = self.about
        return (
            math.isfinite(value)
            and (about.least is None or value >= about.least)
            and (about.most is None or value <= about.most)
            and (about.above is None or value > about.above)
            and (about.below is None or value < about.below)
        )

    def read(self, text: str) -> object:
        """Return the value that a text stands for.

        A flag is ``on`` or ``off``; ``none`` unsets a setting that may be None.

        Raises:
            ConfigurationError: the text is not of the setting's type. Whether a number is in its
                range is checked when the settings are made.
        """
        if self.is_many:
            return tuple(self._read(piece) for piece in text.split(","))
        return self._read(text)

    def _read(self, text: str) -> object:
        named: dict[str, object] = {word: word for word in self.words}
        named |= _FLAGS if self.is_flag else {}
        named |= {"none": None} if self.is_optional else {}
        if text in named:
            return named[text]
        if self.is_text:
            return text
        with contextlib.suppress(ValueError):
            if self.number is not None:
                return self.number(text)
        allowed = self.allowed + (" or none" if self.is_optional else "")
        raise ConfigurationError(f"{self.spelling}={text!r}; allowed: {allowed}")


class Settings:
    """Base of all settings: frozen dataclasses with keywords only, and fields of :func:`setting`.

    Attributes:
        SUBJECT: what refusals begin with, such as ``limits of patterns: ``.
    """

    SUBJECT: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check every field, then what several of them say together.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        for entry in settings_of(type(self)):
            allowed = entry.refusal(getattr(self, entry.name))
            if allowed is not None:
                raise self.refused(entry.name, allowed)
        self.check()

    def check(self) -> None:
        """Check what no single field says; for those who have more to check."""

    def refused(self, name: str, allowed: str) -> ConfigurationError:
        """Return the error for a field's value.

        Args:
            name: of the field.
            allowed: what its value may be.
        """
        words = {entry.name: entry.spelling for entry in settings_of(type(self))}
        value = getattr(self, name)
        return ConfigurationError(f"{self.SUBJECT}{words[name]}={value!r}; allowed: {allowed}")

    def to_json(self) -> dict[str, Any]:
        """Return all settings as a JSON-able dictionary."""
        return {e.spelling: _plain(getattr(self, e.name)) for e in settings_of(type(self))}

    @classmethod
    def from_json(cls: type[Own], data: Mapping[str, Any]) -> Own:
        """Return the settings with these values; the inverse of :meth:`to_json`.

        Args:
            data: values by name; all others are the defaults.

        Raises:
            ConfigurationError: a name is unknown or a value is out of its range.
        """
        known = {entry.spelling: entry for entry in settings_of(cls)}
        unknown = sorted(set(data) - set(known))
        if unknown:
            raise _unknown(cls, ", ".join(unknown))
        values = {known[name].name: _typed(known[name], value) for name, value in data.items()}
        return cls(**values)

    @classmethod
    def from_texts(cls: type[Own], texts: Mapping[str, str]) -> Own:
        """Return the settings that texts stand for; all others are the defaults.

        Args:
            texts: name -> text; see :meth:`Setting.read`.

        Raises:
            ConfigurationError: a name is unknown, a text is not of the setting's type, or a value
                is out of its range.
        """
        return cls(**cls.read(texts))

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return the values that texts give to settings, as keywords of the class.

        Args:
            texts: name -> text; see :meth:`Setting.read`.

        Raises:
            ConfigurationError: a name is unknown, or a text is not of the setting's type.
        """
        known = {entry.spelling: entry for entry in settings_of(cls)}
        unknown = [name for name in texts if name not in known]
        if unknown:
            raise _unknown(cls, repr(unknown[0]))
        return {known[name].name: known[name].read(text) for name, text in texts.items()}


def named_texts(text: str, subject: str) -> dict[str, str]:
    """Return the pieces ``name=value`` between commas, for :meth:`Settings.from_texts`.

    Args:
        text: the pieces; empty for none.
        subject: what a refusal begins with.

    Raises:
        ConfigurationError: a piece is another one, or has the name of one before it.
    """
    texts: dict[str, str] = {}
    for piece in filter(None, map(str.strip, text.split(","))):
        name, _, value = map(str.strip, piece.partition("="))
        if not value or name in texts:
            raise ConfigurationError(
                f"{subject}: found {piece!r}; write name=value, each name once"
            )
        texts[name] = value
    return texts


def spellings(kind: type[Settings]) -> tuple[str, ...]:
    """Return the names of all settings, as in texts."""
    return tuple(entry.spelling for entry in settings_of(kind))


_known: dict[type[Settings], tuple[Setting, ...]] = {}


def settings_of(kind: type[Settings]) -> tuple[Setting, ...]:
    """Return the fields of settings, in their order."""
    if kind not in _known:
        hints = get_type_hints(kind)
        # Every kind of settings is a dataclass, the base excepted.
        entries = fields(cast(Any, kind))
        _known[kind] = tuple(_setting(entry, hints[entry.name]) for entry in entries)
    return _known[kind]


def _setting(entry: Field[Any], hint: object) -> Setting:
    kinds = list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]
    many = [kind for kind in kinds if get_origin(kind) is tuple]
    if many:
        kinds = [*(kind for kind in kinds if kind is NoneType), get_args(many[0])[0]]
    about: About = entry.metadata["about"]
    literals = [kind for kind in kinds if get_origin(kind) is Literal]
    nested = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Settings)]
    return Setting(
        name=entry.name,
        about=about,
        default=entry.default,
        literals=tuple(str(word) for kind in literals for word in get_args(kind)),
        number=float if float in kinds else int if int in kinds else None,
        is_flag=bool in kinds,
        is_text=str in kinds and not about.choices,
        is_optional=NoneType in kinds,
        is_many=bool(many),
        nested=nested[0] if nested else None,
    )


def _as_text(value: object) -> str:
    """Return a value as :meth:`Setting.read` takes it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "on", False: "off"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _unknown(kind: type[Settings], names: str) -> ConfigurationError:
    known = ", ".join(spellings(kind))
    return ConfigurationError(f"{kind.SUBJECT}unknown option {names}; allowed are {known}")


def _plain(value: object) -> object:
    """Return a value as JSON knows it."""
    if isinstance(value, Settings):
        return value.to_json()
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def _typed(entry: Setting, value: object) -> object:
    """Return a value as it was before it became JSON."""
    if entry.is_many and isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_typed_one(entry, each) for each in value)
    return _typed_one(entry, value)


def _typed_one(entry: Setting, value: object) -> object:
    if entry.nested is not None and isinstance(value, Mapping):
        return entry.nested.from_json(value)
    # Whole numbers were once written as others where the command line gave them.
    whole = entry.number is int and isinstance(value, float) and value.is_integer()
    return int(cast(float, value)) if whole else value

"""What comes with neurogame: rulesheets and trained players; loading rulesheets by name or path."""

from __future__ import annotations

import difflib
from pathlib import Path

from neurogame.errors import RulesError
from neurogame.gdl.check import valid_rules
from neurogame.gdl.nodes import MAXIMUM_CHARACTERS
from neurogame.gdl.terms import Rules

CHECKPOINTS = Path("checkpoints")
"""What names the trained players that come with neurogame, where there is no such folder."""

_PACKAGE = Path(__file__).resolve().parent.parent
_SUFFIX = ".kif"


def library_folder(name: str = "games") -> Path:
    """Return a folder that comes with neurogame: in an installed package, else in the checkout."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def shipped(path: Path | str) -> Path:
    """Return a path; where nothing lies there, what comes with neurogame under that name.

    Args:
        path: such as ``checkpoints/pentago.pt``, or ``checkpoints`` for all of them.
    """
    own = Path(path)
    if own.exists() or own.parts[:1] != CHECKPOINTS.parts:
        return own
    found = library_folder(CHECKPOINTS.name).joinpath(*own.parts[1:])
    return found if found.exists() else own


def library_names() -> list[str]:
    """Return the names of all library games, sorted."""
    return sorted(path.stem for path in library_folder().glob(f"*{_SUFFIX}"))


def library_path(name: str) -> Path:
    """Return the file of a library game.

    Args:
        name: a name from :func:`library_names`, in any case.

    Returns:
        The path of its rulesheet.

    Raises:
        RulesError: there is no such game; the message lists similar names.
    """
    names = library_names()
    by_folded = {known.lower(): known for known in names}
    known = by_folded.get(name.lower())
    if known is None:
        close = difflib.get_close_matches(name.lower(), by_folded, n=3, cutoff=0.5)
        if close:
            hint = "did you mean " + " or ".join(by_folded[folded] for folded in close) + "?"
        elif names:
            hint = "the library has " + ", ".join(names) + "."
        else:
            hint = f"the library folder {library_folder()} holds no rulesheets."
        raise RulesError(
            f"there is no library game named {name!r}; {hint} "
            "Give a name from 'neurogame games', or the path of a .kif file."
        )
    return library_folder() / f"{known}{_SUFFIX}"


def library_summary(name: str) -> list[str]:
    """Return the header of a library rulesheet: its leading comment lines without the ``;``.

    Args:
        name: a name from :func:`library_names`.

    Returns:
        The lines, the first of the form ``Title: one-line summary``; empty if there are none.

    Raises:
        RulesError: there is no such game, or its file cannot be read.
    """
    lines: list[str] = []
    for line in read_text(library_path(name)).splitlines():
        if not line.startswith(";"):
            break
        lines.append(line.lstrip(";").strip())
    return lines


def rules_path(name_or_path: str | Path) -> Path:
    """Return the file that a RULES argument means.

    An existing path wins if it is written as one (a :class:`~pathlib.Path`, or text with a folder
    or a suffix); a bare word is looked up in the library first.

    Args:
        name_or_path: a library name, or the path of a rulesheet.

    Returns:
        The path of an existing file.

    Raises:
        RulesError: no such library game, no such file, a folder, or a pipe or device, whose
            reading might never end.
    """
    path, text = Path(name_or_path), str(name_or_path)
    if not text:
        raise RulesError("the name of the rulesheet is empty; give a library name or a path")
    looks_like_path = isinstance(name_or_path, Path) or path.name != text or bool(path.suffix)
    if "\n" in text or (text.lstrip().startswith("(") and not looks_like_path):
        found = f"{text[:40]!r} is no name, but the text of rules"
        raise RulesError(f"{found}: Game.from_text reads it, commands read files")
    if not looks_like_path and (text.lower() in map(str.lower, library_names())):
        return library_path(text)
    try:
        is_file, is_folder, is_other = path.is_file(), path.is_dir(), path.exists()
    except OSError as error:
        # For example a whole rulesheet given as its own name: too long for a path.
        raise RulesError(f"cannot look up {text[:80]!r}: {error.strerror or error}") from error
    if is_file:
        return path
    if is_folder:
        raise RulesError(f"{text} is a folder; give the path of one .kif file in it")
    if is_other:
        raise RulesError(f"{text} is no regular file; save the rulesheet in one and give its path")
    if looks_like_path:
        raise RulesError(
            f"there is no file {text}; give the path of a .kif file, "
            "or the name of a library game (see 'neurogame games')"
        )
    return library_path(text)


def read_text(path: Path) -> str:
    """Return the text of a rulesheet file.

    Args:
        path: a file in UTF-8, with or without a byte order mark, of at most
            :data:`~neurogame.gdl.nodes.MAXIMUM_CHARACTERS` bytes.

    Raises:
        RulesError: the file cannot be opened, is too long, or is not UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            # A character takes a byte or more, so what lies behind this would be refused anyway.
            data = file.read(MAXIMUM_CHARACTERS + 4)
    except OSError as error:
        raise RulesError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > MAXIMUM_CHARACTERS + 3:
        raise RulesError(
            f"{path}:1:1: the file has more than {MAXIMUM_CHARACTERS:,} bytes, the most that are "
            "allowed; is this a rulesheet?"
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RulesError(f"{path}:1:1: the file is UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        start = data.rfind(b"\n", 0, error.start) + 1
        # Columns count characters; all before the bad byte are good UTF-8.
        column = len(data[start : error.start].decode("utf-8-sig")) + 1
        raise RulesError(
            f"{path}:{line}:{column}: byte 0x{data[error.start]:02x} is not UTF-8 text; "
            "save the file as UTF-8"
        ) from error
    return text


def load_rules(name_or_path: str | Path, *, prover: bool = False) -> Rules:
    """Load, parse and check a rulesheet.

    Args:
        name_or_path: a library name, or the path of a rulesheet.
        prover: see :func:`~neurogame.gdl.check.valid_rules`.

    Returns:
        Valid rules; their ``source`` is the path.

    Raises:
        RulesError: there is no such rulesheet, or it has errors; the message lists all of them.
    """
    path = rules_path(name_or_path)
    return valid_rules(read_text(path), str(path), prover=prover)

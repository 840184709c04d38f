"""What fixes the results of an arena, as JSON-able values that can be compared."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neurogame.arena.settings import ArenaSettings
from neurogame.gdl.library import rules_path, shipped


def fingerprint(settings: ArenaSettings) -> dict[str, Any]:
    """Return the settings with the contents of all files that they name.

    Args:
        settings: what is measured.

    Returns:
        JSON-able values; ``matches`` is one of them. Files are given by their SHA-256.

    Raises:
        RulesError: there is no such rulesheet.
    """
    values = dataclasses.asdict(settings)
    values["limits"] = [str(limit) for limit in settings.limits]
    values["sprt"] = None if settings.sprt is None else str(settings.sprt)
    if not settings.prover:
        # Arenas of former versions had no such setting.
        del values["prover"]
    # Matches of former versions began with other openings.
    values["openings"] = "of one length, all different"
    values["files"] = {
        **{name: _hash(rules_path(name)) for name in settings.games},
        **{
            str(path): _hash(path)
            for text in settings.players
            # What a player learns in these matches changes the file of ``learn=`` with each.
            for source in map(Path, re.split("[:,=]", re.sub(r"[:,]\s*learn\s*=[^,]*", "", text)))
            for path in _files(source)
        },
    }
    return values


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what differs between two fingerprints, in words; more matches do not count.

    Args:
        before: the older one.
        now: the newer one.
    """
    differing = []
    for name in dict.fromkeys([*before, *now]):
        old, new = before.get(name), now.get(name)
        if name == "files":
            # Of those that were named both times.
            changed = (
                file for file, held in (new or {}).items() if (old or {}).get(file, held) != held
            )
            differing += [f"the file of {file} has changed" for file in changed]
        elif name == "matches" and isinstance(old, int) and isinstance(new, int):
            if new < old:
                differing.append(f"matches: {old} before, {new} now (more is allowed, fewer not)")
        elif old != new:
            differing.append(f"{name}: {_text(old)} before, {_text(new)} now")
    return differing


def _text(value: Any) -> str:
    """Return a value as a user would write it."""
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return "none" if value is None or value == "" else str(value)


def _files(source: Path) -> list[Path]:
    """Return what a word of a player string names: a file, a folder of checkpoints, or nothing."""
    source = shipped(source)
    if source.is_dir():
        return sorted(source.rglob("*.pt"))
    return [source] if source.is_file() else []


def _hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()

"""The on-disk cache of ground programs: one file per rulesheet, named by its hash."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from neurogame.ground.atoms import AtomTable, TermTable
from neurogame.ground.program import GroundProgram

VARIABLE = "NEUROGAME_CACHE"
"""Environment variable with the cache folder; empty switches the cache off."""


def cache_folder() -> Path | None:
    """Return the folder of the cache, or None if it is switched off."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neurogame"


def load_program(key: str) -> GroundProgram | None:
    """Return a cached program, or None if it is absent or its file is damaged."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        with np.load(folder / f"{key}.npz", allow_pickle=False) as data:
            return _unpack({name: data[name] for name in data.files}, key)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def save_program(program: GroundProgram) -> None:
    """Write a program into the cache: to a temporary file, then renamed.

    A cache that cannot be written (a full disk, a read-only home) is no error.
    """
    folder = cache_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, **_pack(program))
            os.replace(name, folder / f"{program.key}.npz")
        except BaseException:
            os.unlink(name)
            raise


def _pack(program: GroundProgram) -> dict[str, np.ndarray]:
    atoms, terms = program.atoms, program.atoms.terms
    texts = {
        "roles": program.roles,
        "fluents": program.fluents,
        "moves": program.moves,
        "terminal": program.terminal,
        "goals": program.goals,
        "predicates": atoms.predicates,
        "names": terms.names,
    }
    return {
        "texts": np.frombuffer(json.dumps(texts).encode(), np.uint8),
        "initial": program.initial,
        "rule_head": program.rule_head,
        "rule_start": program.rule_start,
        "rule_body": program.rule_body,
        "rule_source": program.rule_source,
        "legal": program.legal,
        "next": program.next,
        "predicate": atoms.predicate,
        "atom_start": atoms.start,
        "atom_arguments": atoms.arguments,
        "functor": terms.functor,
        "term_start": terms.start,
        "term_arguments": terms.arguments,
    }


def _unpack(data: dict[str, np.ndarray], key: str) -> GroundProgram:
    texts = json.loads(data["texts"].tobytes())
    terms = TermTable(
        tuple(texts["names"]), data["functor"], data["term_start"], data["term_arguments"]
    )
    atoms = AtomTable(
        terms,
        tuple(texts["predicates"]),
        data["predicate"],
        data["atom_start"],
        data["atom_arguments"],
    )
    return GroundProgram(
        roles=tuple(texts["roles"]),
        fluents=tuple(texts["fluents"]),
        moves=tuple(map(tuple, texts["moves"])),
        initial=data["initial"],
        rule_head=data["rule_head"],
        rule_start=data["rule_start"],
        rule_body=data["rule_body"],
        rule_source=data["rule_source"],
        legal=data["legal"],
        next=data["next"],
        terminal=int(texts["terminal"]),
        goals=tuple(tuple((int(v), int(a)) for v, a in role) for role in texts["goals"]),
        atoms=atoms,
        key=key,
    )

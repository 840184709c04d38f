"""The on-disk cache of circuits: one file per rulesheet, named by its hash."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.files import cache_folder, read_arrays, write_arrays
from neurogame.ground.atoms import AtomTable, TermTable

FORMAT = "circuit-1"
"""Changes whenever other circuits come out, so that old files are not used."""

_ARRAYS = (
    "initial",
    "gate_kind",
    "gate_start",
    "gate_inputs",
    "gate_level",
    "gate_atom",
    "gate_rule",
    "legal",
    "next",
)


def load_circuit(key: str) -> Circuit | None:
    """Return a cached circuit, or None if it is absent or its file is damaged."""
    folder = cache_folder()
    if folder is None:
        return None
    arrays = read_arrays(_file(folder, key))
    if arrays is None:
        return None
    try:
        return _unpack(arrays, key)
    except (ValueError, KeyError):
        return None


def save_circuit(circuit: Circuit) -> None:
    """Write a circuit into the cache; one that cannot be written to is no error."""
    folder = cache_folder()
    if folder is not None:
        write_arrays(_file(folder, circuit.key), _pack(circuit))


def _file(folder: Path, key: str) -> Path:
    return folder / f"{FORMAT}-{key}.npz"


def _pack(circuit: Circuit) -> dict[str, np.ndarray]:
    atoms, terms = circuit.atoms, circuit.atoms.terms
    texts = {
        "roles": circuit.roles,
        "fluents": circuit.fluents,
        "moves": circuit.moves,
        "terminal": circuit.terminal,
        "goals": circuit.goals,
        "predicates": atoms.predicates,
        "names": terms.names,
    }
    arrays = {name: getattr(circuit, name) for name in _ARRAYS}
    return {
        "texts": np.frombuffer(json.dumps(texts).encode(), np.uint8),
        **arrays,
        "predicate": atoms.predicate,
        "atom_start": atoms.start,
        "atom_arguments": atoms.arguments,
        "functor": terms.functor,
        "term_start": terms.start,
        "term_arguments": terms.arguments,
    }


def _unpack(data: dict[str, np.ndarray], key: str) -> Circuit:
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
    return Circuit(
        roles=tuple(texts["roles"]),
        fluents=tuple(texts["fluents"]),
        moves=tuple(map(tuple, texts["moves"])),
        terminal=int(texts["terminal"]),
        goals=tuple(tuple((int(v), int(a)) for v, a in role) for role in texts["goals"]),
        atoms=atoms,
        key=key,
        **{name: data[name] for name in _ARRAYS},
    )

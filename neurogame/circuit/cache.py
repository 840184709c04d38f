"""The on-disk cache of circuits: one file per rulesheet, named by its hash."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.files import cache_folder, read_arrays, write_arrays
from neurogame.graph.graph import Graph
from neurogame.ground.atoms import AtomTable, TermTable

FORMAT = "circuit-3"
"""Changes whenever other circuits come out, so that old files are not used."""

_ARRAYS = ("kind", "start", "inputs", "level", "outputs", "atom", "rule")
"""The arrays of the graph."""


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
        "named_goals": circuit.named_goals,
        "predicates": atoms.predicates,
        "names": terms.names,
    }
    arrays = {name: getattr(circuit.graph, name) for name in _ARRAYS}
    return {
        "texts": np.frombuffer(json.dumps(texts).encode(), np.uint8),
        "initial": circuit.initial,
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
    fluents, moves = tuple(texts["fluents"]), tuple(map(tuple, texts["moves"]))
    inputs = 1 + len(fluents) + sum(map(len, moves))
    return Circuit(
        roles=tuple(texts["roles"]),
        fluents=fluents,
        moves=moves,
        initial=data["initial"],
        graph=Graph(input_count=inputs, **{name: data[name] for name in _ARRAYS}),
        named_goals=tuple(tuple(map(int, values)) for values in texts["named_goals"]),
        atoms=atoms,
        key=key,
    )

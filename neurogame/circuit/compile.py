"""From rules to the circuit in one step, kept on disk for the next time."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.files import DAMAGED, cache_folder, read_arrays, write_arrays
from neurogame.gdl.terms import Rules
from neurogame.graph.graph import Graph
from neurogame.ground.atoms import AtomTable, TermTable
from neurogame.ground.ground import ground, rules_key
from neurogame.ground.limits import GroundLimits


def compile_rules(
    rules: Rules, limits: GroundLimits | None = None, *, cache: bool = True
) -> Circuit:
    """Return the circuit of a rulesheet.

    Args:
        rules: a rulesheet that passes the checks.
        limits: what grounding and building together may cost.
        cache: whether to use the on-disk cache, keyed by the rules' hash.

    Raises:
        GroundingError: if the rules have no ground program, or an atom depends on its negation.
        LimitError: if a limit is reached; nothing is cached then.
    """
    cached = load_circuit(rules_key(rules)) if cache else None
    if cached is not None:
        return cached
    limits = limits or GroundLimits()
    started = time.monotonic()
    program = ground(rules, limits)
    left = max(limits.seconds - (time.monotonic() - started), 1e-3)
    circuit = build_circuit(program, rules, replace(limits, seconds=left))
    if cache:
        save_circuit(circuit)
    return circuit


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
    except DAMAGED:
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

"""The on-disk cache of structures, beside that of circuits: one file per rulesheet."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.files import DAMAGED, Arrays, cache_folder, read_arrays, write_arrays
from neurogame.gdl.terms import Rules
from neurogame.graph.groups import group_starts
from neurogame.structure.geometry import Geometry
from neurogame.structure.mode import Mode
from neurogame.structure.structure import Structure, find_structure
from neurogame.structure.symmetries import Symmetry
from neurogame.structure.variables import StateVariable

FORMAT = "structure-5"
"""Changes whenever other structures come out, so that old files are not used."""

_EVIDENCE = tuple(Evidence)


def structure_of(circuit: Circuit, rules: Rules | None, *, cache: bool = True) -> Structure:
    """Return the structure of a game, as :func:`find_structure` does with its usual limits.

    Args:
        circuit: the game.
        rules: what the circuit was made from.
        cache: whether to use the on-disk cache, keyed by the rules' hash.
    """
    structure = load_structure(circuit) if cache else None
    if structure is None:
        structure = find_structure(circuit, rules)
        if cache:
            save_structure(circuit, structure)
    return structure


def load_structure(circuit: Circuit) -> Structure | None:
    """Return a cached structure, or None if it is absent or its file is damaged."""
    folder = cache_folder()
    arrays = None if folder is None else read_arrays(_file(folder, circuit.key))
    if arrays is None:
        return None
    try:
        return _unpacked(arrays, len(circuit.fluents))
    except DAMAGED:
        return None


def save_structure(circuit: Circuit, structure: Structure) -> None:
    """Write a structure into the cache; one that cannot be written to is no error."""
    folder = cache_folder()
    if folder is not None:
        write_arrays(_file(folder, circuit.key), _packed(structure))


def _file(folder: Path, key: str) -> Path:
    return folder / f"{FORMAT}-{key}.npz"


def _packed(structure: Structure) -> Arrays:
    none = np.zeros(0, np.int64)
    variables, symmetries = structure.variables, structure.symmetries
    lines = [np.array(line, np.int64) for line in structure.lines]
    conditions = [np.array(one, np.int64) for one in structure.conditions]
    mode = structure.mode
    return {
        "sizes": np.array([len(v.fluents) for v in variables], np.int64),
        "values": np.concatenate([none, *(v.fluents for v in variables)]),
        "exactly": np.array([v.exactly for v in variables], np.bool_),
        "evidence": np.array([_EVIDENCE.index(v.evidence) for v in variables], np.int64),
        "mode": np.array([-1 if mode is None else mode.variable], np.int64),
        "mode_roles": none if mode is None else mode.roles,
        "mode_known": none
        if mode is None
        else np.array([_EVIDENCE.index(mode.verdict.evidence), mode.verdict.count], np.int64),
        "geometry_start": structure.geometry.start,
        "geometry_other": structure.geometry.other,
        "geometry_weight": structure.geometry.weight,
        "line_sizes": np.array(list(map(len, lines)), np.int64),
        "lines": np.concatenate([none, *lines]),
        "condition_sizes": np.array(list(map(len, conditions)), np.int64),
        "conditions": np.concatenate([none, *conditions]),
        "fluents": np.stack([s.fluents for s in symmetries]),
        "moves": np.stack([s.moves for s in symmetries]),
        "roles": np.stack([s.roles for s in symmetries]),
        "initial": np.array([s.initial for s in symmetries], np.bool_),
        "known": np.array([_EVIDENCE.index(s.verdict.evidence) for s in symmetries], np.int64),
        "whole": np.array([structure.whole_group]),
        "counts": np.array([s.verdict.count for s in symmetries], np.int64),
    }


def _unpacked(data: Arrays, fluents: int) -> Structure:
    variables = tuple(
        StateVariable(values, bool(exactly), _EVIDENCE[int(evidence)])
        for values, exactly, evidence in zip(
            _split(data["values"], data["sizes"]), data["exactly"], data["evidence"], strict=True
        )
    )
    variable_of = np.full(fluents, -1, np.int64)
    variable_of[data["values"]] = np.repeat(np.arange(len(variables)), data["sizes"])
    mode = int(data["mode"][0])
    verdicts = [
        Verdict(True, _EVIDENCE[int(known)], int(count))
        for known, count in zip(data["known"], data["counts"], strict=True)
    ]
    parts = data["fluents"], data["moves"], data["roles"], data["initial"].tolist(), verdicts
    return Structure(
        variables=variables,
        variable_of=variable_of,
        mode=None if mode < 0 else _mode(mode, data["mode_roles"], data["mode_known"]),
        geometry=Geometry(data["geometry_start"], data["geometry_other"], data["geometry_weight"]),
        lines=tuple(tuple(line.tolist()) for line in _split(data["lines"], data["line_sizes"])),
        conditions=tuple(
            tuple(one.tolist()) for one in _split(data["conditions"], data["condition_sizes"])
        ),
        symmetries=tuple(Symmetry(*one) for one in zip(*parts, strict=True)),
        whole_group=bool(data["whole"][0]),
    )


def _mode(variable: int, roles: Int64s, known: Int64s) -> Mode:
    evidence, count = known.tolist()
    return Mode(variable, roles, Verdict(True, _EVIDENCE[evidence], count))


def _split(values: Int64s, sizes: Int64s) -> list[Int64s]:
    """Return the groups of values, one array each."""
    start = group_starts(sizes).tolist()
    return [values[a:b] for a, b in pairwise(start)]

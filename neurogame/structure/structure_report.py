"""The structure of a game in words and as a JSON object: variables, mode, lines, symmetries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from neurogame.analysis.report import verdict_record
from neurogame.analysis.verdict import Evidence
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.structure.structure import Structure
from neurogame.structure.symmetries import Symmetry

_KNOWN = {
    Evidence.PROVED: "proved by induction",
    Evidence.DECIDED: "decided on all states",
    Evidence.SAMPLED: "sampled",
}
_SIZES = 4
"""Sizes of variables and lines that are told apart in one line of text."""


def structure_lines(circuit: Circuit, structure: Structure) -> list[str]:
    """Return the structure of a game, one kind per line, by the names of its fluents.

    Args:
        circuit: the game.
        structure: of it.
    """
    variables, lines = structure.variables, structure.lines
    sizes = Counter(v.value_count for v in variables)
    text = f"variables: {len(variables):,}"
    if variables:
        known = Counter(_KNOWN[v.evidence] for v in variables)
        how = ", ".join(f"{number:,} {reason}" for reason, number in known.items())
        text += f" ({_sizes(sizes, 'values')}; {how})"
    texts = [text, f"mode: {_mode_text(circuit, structure)}"]
    degree = np.diff(structure.geometry.start)
    pairs = len(structure.geometry.other) // 2
    many = f" (a variable has {degree.min()} to {degree.max()} of them)" if pairs else ""
    texts.append(f"neighbours: {pairs:,} pairs of variables that conditions read together{many}")
    if lines:
        first = " ".join(_name(circuit, structure, one) for one in lines[0])
        lengths = _sizes(Counter(map(len, lines)), "variables")
        texts.append(f"lines: {len(lines):,} ({lengths}), such as {first}")
    else:
        texts.append("lines: none")
    return [*texts, f"symmetries: {_symmetries_text(structure)}"]


def structure_record(circuit: Circuit, structure: Structure) -> dict[str, Any]:
    """Return the structure of a game as a JSON object; fluents are given by their names.

    Args:
        circuit: the game.
        structure: of it.
    """
    mode, geometry = structure.mode, structure.geometry
    return {
        "variables": [
            {
                "fluents": [str(circuit.fluents[f]) for f in v.fluents.tolist()],
                "exactly_one": v.exactly,
                "evidence": v.evidence.value,
            }
            for v in structure.variables
        ],
        "mode": None
        if mode is None
        else {
            "variable": mode.variable,
            "roles": [None if r < 0 else circuit.roles[r] for r in mode.roles.tolist()],
        }
        | verdict_record(mode.verdict),
        "neighbours": [
            [geometry.other[a:b].tolist(), geometry.weight[a:b].tolist()]
            for a, b in zip(geometry.start[:-1], geometry.start[1:], strict=True)
        ],
        "lines": [list(line) for line in structure.lines],
        "symmetries": [
            {
                "fluents": one.fluents.tolist(),
                "moves": one.moves.tolist(),
                "roles": one.roles.tolist(),
                "initial_state_kept": one.initial,
            }
            | verdict_record(one.verdict)
            for one in structure.symmetries
        ],
        "whole_group": structure.whole_group,
    }


def _mode_text(circuit: Circuit, structure: Structure) -> str:
    mode = structure.mode
    if mode is None:
        return "none"
    values = [
        f"{circuit.fluents[f]} {_chooser(circuit, role)}"
        for f, role in zip(structure.mode_fluents.tolist(), mode.roles.tolist(), strict=True)
    ]
    return f"{', '.join(values)} ({mode.verdict.reason})"


def _chooser(circuit: Circuit, role: int) -> str:
    """Return who has a choice, for people."""
    if role < 0:
        return "nobody"
    return "chance" if role == circuit.chance else circuit.roles[role]


def _symmetries_text(structure: Structure) -> str:
    """Return how many symmetries there are beside the identity, of which kind, and how known."""
    others = [one for one in structure.symmetries if not _is_identity(one)]
    limit = "" if structure.whole_group else "; a limit left others out"
    if not others:
        return f"none{limit}"
    swaps = sum(not _keeps(one.roles) for one in others)
    moved = sum(not one.initial for one in others)
    parts = [f"{len(others) - swaps:,} that keep the roles, {swaps:,} that exchange them"]
    if moved:
        parts.append(f"{moved:,} of them move the initial state")
    return f"{len(others):,} ({'; '.join([*parts, _how_known(others)])}{limit})"


def _how_known(symmetries: Sequence[Symmetry]) -> str:
    """Return how symmetries are known: proofs are those of the circuit's edges."""
    sampled = [one.verdict for one in symmetries if not one.verdict.certain]
    if not sampled:
        return "proved on the circuit"
    least = min(verdict.count for verdict in sampled)
    proved = len(symmetries) - len(sampled)
    text = f"{len(sampled):,} tried on {least:,} states"
    return f"{proved:,} proved on the circuit, {text}" if proved else text


def _name(circuit: Circuit, structure: Structure, variable: int) -> str:
    """Return a variable by its fluents' names, with ``*`` where they differ."""
    names = [str(circuit.fluents[f]).split() for f in structure.variables[variable].fluents]
    if len({len(name) for name in names}) > 1:
        return " ".join(names[0])
    words = [
        parts[0] if len(set(parts)) == 1 else "*" + ")" * min(p.count(")") for p in parts)
        for parts in zip(*names, strict=True)
    ]
    return " ".join(words)


def _sizes(counted: Counter[int], noun: str) -> str:
    rows = [f"{number:,} of {size} {noun}" for size, number in counted.most_common(_SIZES)]
    rest = sum(counted.values()) - sum(number for _, number in counted.most_common(_SIZES))
    return ", ".join(rows) + (f", {rest:,} of other sizes" if rest else "")


def _keeps(image: Int64s) -> bool:
    return bool((image == np.arange(len(image))).all())


def _is_identity(symmetry: Symmetry) -> bool:
    return all(map(_keeps, (symmetry.fluents, symmetry.moves, symmetry.roles)))

"""Cycles among the atoms of a ground program: finding them, and refusing those with negation."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.definitions import Definitions, Progress
from neurogame.errors import GroundingError
from neurogame.gdl.finding import shown
from neurogame.gdl.graph import strong_components
from neurogame.gdl.terms import Rules
from neurogame.ground.program import GroundProgram

LONGEST_WAY = 10
"""Most atoms that a message lists of a cycle."""


def find_cycles(program: GroundProgram) -> list[list[int]]:
    """Return the sets of atoms that depend on themselves through each other, as lists."""
    definitions = Definitions(program)
    progress = Progress(definitions)
    ready = progress.first()
    while len(ready):
        ready = progress.release(ready)
    return [component.tolist() for component in open_cycles(definitions, progress)]


def open_cycles(definitions: Definitions, progress: Progress) -> list[Int64s]:
    """Return the strongly connected components that are cycles, dependencies first.

    Args:
        definitions: the rules.
        progress: the atoms that it has derived do not count.

    Returns:
        Components of more than one atom, or of one that depends on itself; their atoms,
        ascending, int64 ``[n]`` each.
    """
    left = set(np.flatnonzero(~progress.done).tolist())
    edges = {a: [b for b in definitions.needs(a) if b in left] for a in left}
    components = strong_components(sorted(left), edges)
    return [np.array(sorted(c)) for c in components if len(c) > 1 or c[0] in edges[c[0]]]


def refuse_negation(definitions: Definitions, component: Int64s, rules: Rules | None) -> None:
    """Raise if an atom of a component depends on its own negation.

    Args:
        definitions: the ground rules.
        component: a strongly connected component of atoms.
        rules: the rulesheet, to name the place.

    Raises:
        GroundingError: the message names the rule and the way around the cycle.
    """
    numbers, _ = definitions.rules(component)
    body, sizes = definitions.body(numbers)
    wrong = np.flatnonzero((body & 1 == 1) & np.isin(body >> 1, component))
    if len(wrong):
        rule = int(np.repeat(numbers, sizes)[wrong[0]])
        raise _unstratified(definitions, rule, int(body[wrong[0]]) >> 1, component, rules)


def _unstratified(
    definitions: Definitions, rule: int, negated: int, component: Int64s, rules: Rules | None
) -> GroundingError:
    """Say which rule negates what, and the way from there back to the rule's head."""
    program = definitions.program
    head = int(program.rule_head[rule])
    cycle = [
        atom
        for atom in _way(definitions, negated, head, set(component.tolist()))
        if not program.atoms.auxiliary[atom]
    ]
    way = [shown(program.atoms.text(a)) for a in (*cycle, negated)]
    way[-1] = f"(not {way[-1]})"
    if len(way) > LONGEST_WAY:
        way[LONGEST_WAY // 2 : -LONGEST_WAY // 2] = ["..."]
    place = ""
    if rules is not None:
        position = rules.rules[int(program.rule_source[rule])].position
        place = f"{rules.source}:{position.line}:{position.column}: "
    return GroundingError(
        f"{place}{way[0]} depends on its own negation: {' needs '.join(way)}; negation must "
        "be stratified on ground atoms: break this cycle"
    )


def _way(definitions: Definitions, start: int, goal: int, members: set[int]) -> list[int]:
    """Return a shortest way from one atom of a component to another."""
    before = {start: start}
    todo = [start]
    for atom in todo:
        if atom == goal:
            break
        for needed in definitions.needs(atom):
            if needed in members and needed not in before:
                before[needed] = atom
                todo.append(needed)
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]

"""Counters: fluents whose value moves on to the next one in every step.

*Reference:* Kuhlmann and Stone, "Results and Conclusion" (step counters).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.analysis.observe import count_lanes
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import FALSE
from neurogame.structure.coordinates import OrderedArgument
from neurogame.structure.evidence import GroupEvidence, split_groups


@final
@dataclass(frozen=True, eq=False)
class StepCounter:
    """A relation of the state that counts steps.

    For each value of its other arguments one value holds at the start, and never two. After a step
    its neighbour holds. Where a value has no neighbour, another or none may follow.

    Attributes:
        argument: the ordered argument that moves.
        upwards: whether it moves to the successor, not to the predecessor.
        verdict: how this is known.
    """

    argument: OrderedArgument
    upwards: bool
    verdict: Verdict


def find_counters(
    circuit: Circuit, ordered: Sequence[OrderedArgument], evidence: GroupEvidence
) -> tuple[StepCounter, ...]:
    """Return the counters among the ordered arguments.

    Args:
        circuit: the game.
        ordered: the ordered arguments.
        evidence: states and steps of the game.
    """
    counters = []
    for argument in ordered:
        relation = argument.relation
        groups = split_groups(
            np.arange(len(relation.fluents)), relation.groups(relation.others([argument.place]))
        )
        groups = [group for group in groups if evidence.held[relation.fluents[group]].any()]
        for upwards in (True, False):
            verdicts = [_moves(circuit, argument, group, upwards, evidence) for group in groups]
            if verdicts and all(verdict.holds for verdict in verdicts):
                weakest = max(verdicts, key=lambda v: list(Evidence).index(v.evidence))
                counters.append(StepCounter(argument, upwards, weakest))
                break
    return tuple(counters)


def _moves(
    circuit: Circuit,
    argument: OrderedArgument,
    members: Int64s,
    upwards: bool,
    evidence: GroupEvidence,
) -> Verdict:
    """Return whether one group of fluents counts.

    Args:
        circuit: the game.
        argument: the ordered argument.
        members: the places of the group in ``relation.fluents``; int64 ``[K]``.
        upwards: the direction.
        evidence: states and steps.
    """
    relation, order = argument.relation, argument.order
    refuted = Verdict(False, Evidence.SEEN)
    fluent_of = {
        int(code): int(fluent)
        for code, fluent in zip(
            relation.codes[members, argument.place], relation.fluents[members], strict=True
        )
    }
    ordered = order if upwards else order[::-1]
    places = argument.successor.chain_of
    values = relation.domains[argument.place]
    links: dict[int, int] = {}
    for one, other in pairwise(ordered):
        near = abs(places[values[one].lower()][1] - places[values[other].lower()][1]) == 1
        if near and one in fluent_of and other in fluent_of:
            links[fluent_of[one]] = fluent_of[other]
    if not links:
        return refuted
    fluents = np.array(list(fluent_of.values()), np.int64)
    if int(circuit.initial[fluents].sum()) != 1:
        return refuted
    if _is_shifted(circuit, fluents, links):
        return Verdict(True, Evidence.PROVED)
    before, after, moved = evidence.witnesses.steps(fluents)
    if (count_lanes(before)[1] & moved).any():
        return refuted
    row = {int(fluent): i for i, fluent in enumerate(fluents)}
    went = False
    for source, target in links.items():
        here = before[row[source]] & moved
        others = np.delete(after, row[target], axis=0)
        if (here & (~after[row[target]] | np.bitwise_or.reduce(others, axis=0))).any():
            return refuted
        went |= bool(here.any())
    return evidence.witnesses.verdict(True) if went else refuted


def _is_shifted(circuit: Circuit, fluents: Int64s, links: dict[int, int]) -> bool:
    """Return whether the circuit itself hands each value's bit on to the next one's.

    Then every step moves the only value, whatever else it does. A value that has no neighbour may
    be handed on to one that is nobody's neighbour.
    """
    source = {target: one for one, target in links.items()}
    ends = set(fluents.tolist()) - links.keys()
    for fluent in fluents.tolist():
        literal = int(circuit.next[fluent])
        if fluent in source:
            if literal != 2 * (1 + source[fluent]):
                return False
        elif literal != FALSE:
            if literal & 1 or literal // 2 - 1 not in ends:
                return False
            ends.remove(literal // 2 - 1)
    return True

"""Variables: groups of fluents of which at most one holds, such as the contents of a cell.

*Reference:* Helmert, "Concise finite-domain representations for PDDL planning tasks" (2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup, candidate_groups
from neurogame.analysis.induction import Candidates, prove
from neurogame.analysis.verdict import Evidence
from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.structure.sample import Sample


@final
@dataclass(frozen=True, eq=False)
class StateVariable:
    """Fluents of which at most one holds: the values of a variable.

    Attributes:
        fluents: ascending; int64 ``[K]``, at least one.
        exactly: one of them always holds; if not, the variable has one value more, that none does.
        evidence: how this is known: ``PROVED``, ``DECIDED`` on all states, or ``SAMPLED``. A
            variable of one fluent is proved unless it is exactly one.
    """

    fluents: Int64s
    exactly: bool
    evidence: Evidence

    @property
    def value_count(self) -> int:
        """Number of values: one for each fluent, and one for none where that can be."""
        return len(self.fluents) + (not self.exactly)


def find_variables(
    circuit: Circuit, sample: Sample, finder: ConeFinder, *, work: int
) -> tuple[StateVariable, ...]:
    """Return the variables of a game: each of its fluents that is not constant is in one.

    Args:
        circuit: the game.
        sample: states of it.
        finder: of the circuit's cones.
        work: most input literals read by proofs.
    """
    seen = sample.seen
    if sample.all:
        constant = ~seen.held | ~seen.missed
        groups = candidate_groups(circuit, seen.sample, ~constant, small=True)
        return _with_single(groups, [Evidence.DECIDED] * len(groups), constant)
    candidates = Candidates(
        ~seen.held, ~seen.missed, ~seen.ended, ~seen.began, seen.sample, small=True
    )
    proof = prove(circuit, finder, candidates, work)
    proved = {(g.fluents.tobytes(), g.exactly) for g in proof.groups}
    most = {g.fluents.tobytes() for g in proof.groups}
    groups, evidence = [], []
    for group in proof.tried:
        key = group.fluents.tobytes()
        sure = (key, group.exactly) in proved or (key in most and not group.exactly)
        groups.append(group)
        evidence.append(Evidence.PROVED if sure else Evidence.SAMPLED)
    return _with_single(groups, evidence, proof.never | proof.always)


def _with_single(
    groups: list[ExclusiveGroup], evidence: list[Evidence], constant: Bools
) -> tuple[StateVariable, ...]:
    """Return variables ordered by their first fluents, with the fluents that are in no group."""
    single = ~constant
    for group in groups:
        single[group.fluents] = False
    variables = [
        StateVariable(group.fluents, group.exactly, known)
        for group, known in zip(groups, evidence, strict=True)
    ]
    variables += [
        StateVariable(np.array([f], np.int64), False, Evidence.PROVED)
        for f in np.flatnonzero(single).tolist()
    ]
    return tuple(sorted(variables, key=lambda v: int(v.fluents[0])))

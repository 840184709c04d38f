"""Facts about all reachable states of a game, proved by induction over the ``next`` rules.

The facts are assumed together of a state that is not terminal; every role makes exactly one legal
move; then they must hold in the next state, too. What cannot be shown is given up and the rest is
tried again without it, until everything left follows from itself. What is given up may be true all
the same: the proof distinguishes cases only as far as its limits allow.

*Reference:* Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java" (2001), section 3
(the greatest set of candidates that is inductive); Haufe, Schiffel and Thielscher, "Automated
verification of state sequence invariants in general game playing" (2012), section 4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.case_cone import CaseCone, make_case_cone
from neurogame.analysis.cases import Wanted, find_constants, find_steps
from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup, candidate_groups
from neurogame.analysis.hypotheses import Hypotheses, find_hypotheses
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit

_MOST_ROUNDS = 8
_CUTTING = 8
"""Work of making a cone ready, per input literal of it; measured."""
_EACH = 5000
"""Work of any proof about a group, however small, besides one unit per fluent; measured."""


@final
@dataclass(frozen=True, eq=False)
class Candidates:
    """What play has not refuted and may be tried.

    Attributes:
        never: fluents never seen to hold; bool ``[F]``.
        always: fluents seen to hold in every state; bool ``[F]``.
        stays: fluents never seen to end; bool ``[F]``.
        stays_out: fluents never seen to begin; bool ``[F]``.
        states: states seen, the initial one first; they suggest the groups; bool ``[S, F]``.
        small: whether small groups are preferred to large ones.
    """

    never: Bools
    always: Bools
    stays: Bools
    stays_out: Bools
    states: Bools
    small: bool = False


@final
@dataclass(frozen=True, eq=False)
class Proof:
    """What holds in every reachable state, or in every step between two of them.

    Attributes:
        never: fluents that hold in no reachable state; bool ``[F]``.
        always: fluents that hold in every reachable state; bool ``[F]``.
        stays: fluents that hold for ever once they hold; bool ``[F]``.
        stays_out: fluents that never hold again once they do not; bool ``[F]``.
        groups: groups of which at most one fluent, or exactly one, holds.
        tried: the groups that were tried.
        changes: per group which value can follow which, see :func:`~.cases.find_steps`.
        known: what follows from facts under all this; None if the game is too large for it.
        work: input literals read.
    """

    never: Bools
    always: Bools
    stays: Bools
    stays_out: Bools
    groups: tuple[ExclusiveGroup, ...]
    tried: tuple[ExclusiveGroup, ...]
    changes: tuple[Bools, ...]
    known: Hypotheses | None
    work: int


def prove(
    circuit: Circuit,
    finder: ConeFinder,
    candidates: Candidates,
    limit: int,
    largest: int | None = None,
) -> Proof:
    """Prove as many of the candidates as possible.

    Args:
        circuit: the game.
        finder: of its cones.
        candidates: facts that hold in the initial state and were not refuted.
        limit: most input literals to read.
        largest: most input literals that the next values of a group may read; None: any number.
    """
    return _Prover(circuit, finder, candidates, limit, largest).run()


@final
class _Prover:
    """The rounds of one proof."""

    def __init__(
        self,
        circuit: Circuit,
        finder: ConeFinder,
        candidates: Candidates,
        limit: int,
        largest: int | None,
    ) -> None:
        self.circuit, self.finder, self.candidates = circuit, finder, candidates
        self.left = self.limit = limit
        self.largest = largest
        count = len(circuit.fluents)
        self.never, self.always = candidates.never.copy(), candidates.always.copy()
        self.stays, self.stays_out = np.zeros((2, count), np.bool_)
        # Per group (its fluents) what it was proved from, and the result.
        self.done: dict[bytes, tuple[bytes, Wanted, Bools]] = {}

    def run(self) -> Proof:
        """Prove constants, then groups, then persistence."""
        self._prove_constants()
        # Fluents never seen that may hold all the same must belong to their groups.
        tried = candidate_groups(
            self.circuit,
            self.candidates.states,
            ~self.never & ~self.always,
            small=self.candidates.small,
        )
        if self.largest is not None:
            reads = (self.finder.find(self.circuit.next[group.fluents]).work for group in tried)
            tried = [g for g, work in zip(tried, reads, strict=True) if work <= self.largest]
        groups, known = self._prove_groups(tried)
        changes: list[Bools] = []
        if known is not None:
            changes = self._prove_single(groups, known)
        self.stays_out |= self.never
        self.stays |= self.always | self.never
        self.stays_out |= self.always
        return Proof(
            self.never,
            self.always,
            self.stays,
            self.stays_out,
            tuple(groups),
            tuple(tried),
            tuple(changes),
            known,
            self.limit - self.left,
        )

    def _hypotheses(self, groups: Sequence[ExclusiveGroup]) -> Hypotheses | None:
        hypotheses = find_hypotheses(
            self.circuit, self.finder, groups, self.never, self.always, self.left
        )
        if hypotheses is not None:
            self.left -= hypotheses.work
        return hypotheses

    def _prove_constants(self) -> None:
        """Find the fluents that keep their initial value in every state."""
        while True:
            open_ = np.flatnonzero(self.never | self.always)
            if not len(open_):
                return
            known = self._hypotheses([])
            if known is not None:
                cone = make_case_cone(self.circuit, self.finder, known, self.circuit.next[open_])
                sure, work = find_constants(cone, known, self.always[open_], self.left // 4)
                self.left -= work
                if sure.all():
                    return
            if known is None or self.left <= 0:
                sure = np.zeros(len(open_), np.bool_)
            self.never[open_[~sure]] = False
            self.always[open_[~sure]] = False

    def _prove_groups(
        self, groups: list[ExclusiveGroup]
    ) -> tuple[list[ExclusiveGroup], Hypotheses | None]:
        """Return the groups that follow from themselves."""
        known = None
        for _ in range(_MOST_ROUNDS):
            known = self._hypotheses(groups)
            if known is None or self.left <= 0:
                break
            kept = []
            for group in groups:
                wanted, _ = self._steps(group, known)
                if wanted.most:
                    kept.append(ExclusiveGroup(group.fluents, wanted.exactly))
            if [g.exactly for g in kept] == [g.exactly for g in groups] and self.left > 0:
                return kept, known
            groups = kept
        # Without a round in which nothing had to be given up nothing is proved.
        return [], self._hypotheses([])

    def _prove_single(self, groups: Sequence[ExclusiveGroup], known: Hypotheses) -> list[Bools]:
        """Find the persistent fluents, those outside of groups one by one."""
        changes = []
        for group in groups:
            wanted, change = self._steps(group, known)
            self.stays[group.fluents] = wanted.stays
            self.stays_out[group.fluents] = wanted.stays_out
            changes.append(change)
        single = (known.group_of < 0) & ~self.never & ~self.always
        single &= self.candidates.stays | self.candidates.stays_out
        for fluent in np.flatnonzero(single):
            if self.left <= 0:
                break
            wanted, _ = self._steps(ExclusiveGroup(np.array([fluent]), False), known)
            self.stays[fluent], self.stays_out[fluent] = wanted.stays[0], wanted.stays_out[0]
        return changes

    def _steps(self, group: ExclusiveGroup, known: Hypotheses) -> tuple[Wanted, Bools]:
        """Return what one step can do to a group; found once while its premises stay."""
        if self.left <= 0:
            size = len(group.fluents)
            none = np.zeros(size, np.bool_)
            return Wanted(False, False, none, none), np.ones((size + 1, size + 1), np.bool_)
        cone = make_case_cone(self.circuit, self.finder, known, self.circuit.next[group.fluents])
        self.left -= _CUTTING * cone.cone.work + _EACH + len(self.never)
        premises = _digest(group, cone, known)
        key = group.fluents.tobytes()
        before = self.done.get(key)
        if before is not None and before[0] == premises:
            return before[1], before[2]
        wanted = Wanted(
            True,
            group.exactly,
            self.candidates.stays[group.fluents],
            self.candidates.stays_out[group.fluents],
        )
        changes, work = find_steps(group, cone, known, wanted, max(self.left, 0) // 20)
        self.left -= work
        self.done[key] = (premises, wanted, changes)
        return wanted, changes


def _digest(group: ExclusiveGroup, cone: CaseCone, known: Hypotheses) -> bytes:
    """Return a hash of all that the proof about a group rests on."""
    hasher = hashlib.blake2b(known.base.tobytes(), digest_size=16)
    hasher.update(bytes([group.exactly]))
    for role in cone.roles:
        hasher.update(role.facts.tobytes())
    for index in np.unique(known.group_of[np.append(cone.fluents, group.fluents)]).tolist():
        if index >= 0:
            members = known.groups[index]
            hasher.update(members.fluents.tobytes() + bytes([members.exactly]))
    return hasher.digest()

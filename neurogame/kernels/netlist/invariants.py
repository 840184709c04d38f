"""Groups of fluents that exclude each other, proved within a small budget.

The proof is that of :mod:`neurogame.analysis.induction`, without persistence, and with
the groups whose next values depend on too much of the circuit left out: on a large game these
would use up the budget and leave nothing proved, not even whose turn it is.

*Reference:* Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java" (2001), section 3
(the greatest set of candidates that is inductive).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.case_cone import CaseCone, make_case_cone
from neurogame.analysis.cases import Wanted, find_constants, find_steps
from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup, candidate_groups
from neurogame.analysis.hypotheses import Hypotheses, find_hypotheses
from neurogame.analysis.observe import observe_play
from neurogame.analysis.random_play import WordEvaluator
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit

_WORK = 200_000_000
_PLAY = 2_000_000
_PLIES = 40
_FEWEST_PLIES = 12
_GROUP = 4_000
"""Most input literals that the next values of a group may read."""
_CONSTANTS = 100_000_000
"""Input literals times fluents up to which fluents that never change are looked for."""
_ROUNDS = 8


@final
@dataclass(frozen=True, eq=False)
class Invariants:
    """What holds in every reachable state.

    Attributes:
        groups: disjoint groups of fluents of which at most one, or exactly one, holds.
        never: fluents that never hold; bool ``[F]``.
        always: fluents that always hold; bool ``[F]``.
        work_left: input literals that may be read for what follows.
    """

    groups: tuple[ExclusiveGroup, ...]
    never: Bools
    always: Bools
    work_left: int


def prove_groups(circuit: Circuit, finder: ConeFinder) -> Invariants:
    """Find and prove groups of fluents that exclude each other.

    Args:
        circuit: the game.
        finder: of its cones.
    """
    return _Prover(circuit, finder).run()


@final
class _Prover:
    """One proof: assume all candidates, drop what does not follow, and begin again."""

    def __init__(self, circuit: Circuit, finder: ConeFinder) -> None:
        self.circuit, self.finder = circuit, finder
        self.left = _WORK
        count = len(circuit.fluents)
        self.never, self.always = np.zeros((2, count), np.bool_)

    def run(self) -> Invariants:
        evaluator = WordEvaluator(self.circuit)
        work = max(_PLAY, _FEWEST_PLIES * (evaluator.work + 8 * self.circuit.move_count))
        if work > _WORK:
            return self._result([])
        seen = observe_play(evaluator, seed=0, games=64, plies=_PLIES, work=work)
        if evaluator.work * len(self.circuit.fluents) <= _CONSTANTS:
            self._prove_constants(~seen.held, ~seen.missed)
        tried = candidate_groups(self.circuit, seen.sample, ~self.never & ~self.always)
        return self._result(self._prove_groups(tried))

    def _result(self, groups: list[ExclusiveGroup]) -> Invariants:
        return Invariants(tuple(groups), self.never, self.always, self.left)

    def _hypotheses(self, groups: list[ExclusiveGroup]) -> Hypotheses | None:
        hypotheses = find_hypotheses(
            self.circuit, self.finder, groups, self.never, self.always, self.left // 4
        )
        self.left -= 0 if hypotheses is None else hypotheses.work
        return hypotheses

    def _prove_constants(self, never: Bools, always: Bools) -> None:
        """Find fluents that keep their initial value in every state."""
        self.never, self.always = never, always
        for _ in range(_ROUNDS):
            open_ = np.flatnonzero(self.never | self.always)
            if not len(open_):
                return
            known = self._hypotheses([])
            if known is None:
                break
            cone = make_case_cone(self.circuit, self.finder, known, self.circuit.next[open_])
            sure, work = find_constants(cone, known, self.always[open_], self.left // 16)
            self.left -= work
            if sure.all():
                return
            self.never[open_[~sure]] = False
            self.always[open_[~sure]] = False
        self.never, self.always = np.zeros((2, len(self.never)), np.bool_)

    def _prove_groups(self, groups: list[ExclusiveGroup]) -> list[ExclusiveGroup]:
        """Return the groups that follow from each other."""
        groups = [g for g in groups if self._size(g) <= _GROUP]
        for _ in range(_ROUNDS):
            known = self._hypotheses(groups)
            if known is None:
                return []
            kept = []
            for group in groups:
                cone = make_case_cone(
                    self.circuit, self.finder, known, self.circuit.next[group.fluents]
                )
                wanted = self._step(group, cone, known)
                if wanted.most:
                    kept.append(ExclusiveGroup(group.fluents, wanted.exactly))
            if [g.exactly for g in kept] == [g.exactly for g in groups]:
                return kept
            groups = kept
        return []

    def _size(self, group: ExclusiveGroup) -> int:
        return self.finder.find(self.circuit.next[group.fluents]).work

    def _step(self, group: ExclusiveGroup, cone: CaseCone, known: Hypotheses) -> Wanted:
        none = np.zeros(len(group.fluents), np.bool_)
        wanted = Wanted(True, group.exactly, none, none.copy())
        steps = find_steps(group, cone, known, wanted, max(self.left, 0) // 16)
        self.left -= steps.work
        return steps.wanted

"""Groups of fluents that exclude each other, proved within a small budget.

The proof is that of :mod:`neurogame.analysis.induction`, without persistence, and with
the groups whose next values depend on too much of the circuit left out: on a large game these
would use up the budget and leave nothing proved, not even whose turn it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.induction import Candidates, prove
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
    count = len(circuit.fluents)
    evaluator, none = WordEvaluator(circuit), np.zeros(count, np.bool_)
    work = max(_PLAY, _FEWEST_PLIES * (evaluator.work + 8 * circuit.move_count))
    if work > _WORK:
        return Invariants((), none, none, _WORK)
    seen = observe_play(evaluator, seed=0, games=64, plies=_PLIES, work=work)
    few = evaluator.work * count <= _CONSTANTS
    never, always = (~seen.held, ~seen.missed) if few else (none, none)
    candidates = Candidates(never, always, none, none, seen.sample)
    proof = prove(circuit, finder, candidates, _WORK, _GROUP)
    return Invariants(proof.groups, proof.never, proof.always, _WORK - proof.work)

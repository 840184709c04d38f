"""The mode: the variable that says which role has a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.turns import seen_control
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Int64s
from neurogame.structure.sample import Sample
from neurogame.structure.variables import StateVariable


@final
@dataclass(frozen=True, eq=False)
class Mode:
    """A variable of which one value always holds and says who has a choice.

    Attributes:
        variable: index of the variable.
        roles: per fluent of it the only role that has two or more legal moves while it holds, or
            -1 if nobody has; int64 ``[K]``.
        verdict: how this is known.
    """

    variable: int
    roles: Int64s
    verdict: Verdict


def find_mode(variables: Sequence[StateVariable], sample: Sample) -> Mode | None:
    """Return the smallest variable that tells which role has a choice.

    Args:
        variables: of the game.
        sample: states of the game.

    Returns:
        None if there is none, in simultaneous games, and where fewer than two roles ever have a
        choice.
    """
    groups = tuple(ExclusiveGroup(v.fluents, v.exactly) for v in variables)
    control = seen_control(groups, sample.seen)
    if control is None:
        return None
    first = int(control.fluents[0])
    index = next(i for i, v in enumerate(variables) if int(v.fluents[0]) == first)
    if sample.all:
        verdict = Verdict(True, Evidence.DECIDED, sample.seen.states)
    else:
        verdict = Verdict(True, Evidence.SAMPLED, sample.seen.games)
    return Mode(index, control.roles, verdict)

"""How a group of fluents can change in one step, found by distinguishing cases.

A *case* is a set of facts about the current state with a move for some of the roles; everything
else is unknown. The next values of the group are evaluated in three values in all cases at once,
and only the cases that leave a wanted property open are split further: by the moves of a role, then
by the values of other groups. A case whose facts contradict each other does not occur.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.case_cone import CaseCone
from neurogame.analysis.case_splits import UNKNOWN, Cases, Split, splits_of, values_of
from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.hypotheses import Hypotheses, facts_about
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.graph.lanes import pack_lanes, unpack_lanes


@final
@dataclass(eq=False)
class Wanted:
    """Properties of one group still hoped for; those that fail are cleared.

    Attributes:
        most: at most one fluent of the group holds in the next state.
        exactly: exactly one does.
        stays: fluents that hold in the next state if they hold now; bool ``[K]``.
        stays_out: fluents that do not hold in the next state if they do not now; bool ``[K]``.
    """

    most: bool
    exactly: bool
    stays: Bools
    stays_out: Bools


def find_steps(
    group: ExclusiveGroup, cone: CaseCone, known: Hypotheses, wanted: Wanted, limit: int
) -> tuple[Bools, int]:
    """Prove what can be proved about one step of a group.

    Args:
        group: of ``K`` fluents; that at most one holds now is assumed.
        cone: of the next values of its fluents.
        known: what follows from facts.
        wanted: the properties to prove; cleared where they fail, what is left is proved.
        limit: most input literals to read.

    Returns:
        ``changes[v, w]``: value ``w`` can follow value ``v``, where value ``K`` is that none of the
        fluents holds, bool ``[K + 1, K + 1]``; and the input literals read.
    """
    size = len(group.fluents)
    changes = np.zeros((size + 1, size + 1), np.bool_)
    cases = _first_cases(group, cone, known)
    splits = splits_of(group.fluents, cone, known)
    work = 0
    while len(cases):
        work += _work(cone, cases)
        can, must = _evaluate(cone, cases)
        settled = (can == must).all(axis=0)
        failing = _open(wanted, cases.value, can, must) & settled
        _clear(wanted, cases.value, can, must, failing)
        undecided = _open(wanted, cases.value, can, must) & ~settled
        _note(changes, cases.value, can, must, ~undecided)
        rest = cases.select(undecided)
        if not len(rest) or not wanted.most:
            break
        finer = next(splits, None)
        cases_then = None if finer is None else finer.apply(rest)
        if cases_then is None or work + _work(cone, cases_then) > limit:
            _note(changes, cases.value, can, must, undecided)
            _clear(wanted, cases.value, can, must, undecided)
            break
        cases = cases_then
    return changes, work


def find_constants(
    cone: CaseCone, known: Hypotheses, value: Bools, limit: int
) -> tuple[Bools, int]:
    """Return which outputs certainly have a value after any step, and the input literals read.

    Args:
        cone: of the outputs.
        known: what follows from facts.
        value: the value hoped for; bool ``[K]``.
        limit: most input literals to read; beyond it no moves are distinguished.
    """
    sure = np.zeros(len(value), np.bool_)
    work = 0
    base = _base_case(cone, known)
    for index in range(-1, len(cone.roles)):
        cases = base if index < 0 else Split(cone.roles[index].facts, index, known).apply(base)
        if cases is None or work + _work(cone, cases) > limit:
            break
        work += _work(cone, cases)
        can, must = _evaluate(cone, cases)
        sure |= np.where(value, must.all(axis=1), ~can.any(axis=1))
        if sure.all():
            break
    return sure, work


def holds_in_all_cases(
    cone: CaseCone,
    known: Hypotheses,
    holds: Callable[[UInt64s, Bools, Bools], Bools],
    limit: int,
) -> bool:
    """Return whether a property certainly holds of every step.

    Args:
        cone: of the outputs.
        known: what follows from facts.
        holds: in which cases the property is certain, bool ``[B]``, given the facts ``[B, 2, X]``
            and which outputs can, and must, be true; bool ``[K, B]`` each.
        limit: most input literals to read.
    """
    cases: Cases | None = _base_case(cone, known)
    splits = splits_of(np.zeros(0, np.int64), cone, known)
    while cases is not None:
        limit -= _work(cone, cases)
        can, must = _evaluate(cone, cases)
        cases = cases.select(~holds(cases.facts, can, must))
        if not len(cases):
            return True
        finer = next(splits, None)
        cases = None if finer is None else finer.apply(cases)
        if cases is not None and _work(cone, cases) > limit:
            return False
    return False


def _base_case(cone: CaseCone, known: Hypotheses) -> Cases:
    """Return the one case of which nothing is known."""
    choice = np.full((1, len(cone.roles)), UNKNOWN, np.int64)
    return Cases(np.zeros(1, np.int64), known.base[None], choice)


def _work(cone: CaseCone, cases: Cases) -> int:
    """Return the input literals that an evaluation reads, and what costs as much."""
    return cone.cone.work * -(-len(cases) // 64) + len(cases) * cone.cone.leaf_count // 4


def _first_cases(group: ExclusiveGroup, cone: CaseCone, known: Hypotheses) -> Cases:
    """Return one case per value of the group."""
    facts = values_of(group, known)
    choice = np.full((len(facts), len(cone.roles)), UNKNOWN, np.int64)
    cases = Cases(np.arange(len(facts)), facts, choice)
    return cases.select(~known.impossible(facts))


def _evaluate(cone: CaseCone, cases: Cases) -> tuple[Bools, Bools]:
    """Return which outputs can be true and which must be; bool ``[K, B]`` each."""
    plain = cone.cone
    can_hold = np.ones((plain.leaf_count, len(cases)), np.bool_)
    can_fail = np.ones((plain.leaf_count, len(cases)), np.bool_)
    count = len(cone.fluents)
    can_fail[:count] = ~facts_about(cases.facts[:, 0], cone.fluents).T
    can_hold[:count] = ~facts_about(cases.facts[:, 1], cone.fluents).T
    for index, role in enumerate(cone.roles):
        choice = cases.choice[:, index]
        split = choice != UNKNOWN
        if not split.any():
            continue
        leaves = np.flatnonzero(cone.role_of_leaf == role.role)
        made = leaves[:, None] == role.leaves[choice]
        can_hold[leaves] = made | ~split
        can_fail[leaves] = ~made | ~split
    rows = plain.start(-(-len(cases) // 64))
    rows[2 : 2 + 2 * plain.leaf_count : 2] = pack_lanes(can_hold)
    rows[3 : 3 + 2 * plain.leaf_count : 2] = pack_lanes(can_fail)
    plain.evaluate(rows)
    can = unpack_lanes(rows[cone.outputs], len(cases))
    must = ~unpack_lanes(rows[cone.outputs ^ 1], len(cases))
    return can, must


def _open(wanted: Wanted, value: Int64s, can: Bools, must: Bools) -> Bools:
    """Return the cases in which some wanted property may fail; bool ``[B]``."""
    open_cases = np.zeros(len(value), np.bool_)
    if wanted.most:
        open_cases |= can.sum(axis=0) > 1
    if wanted.exactly:
        open_cases |= ~must.any(axis=0)
    size = len(can)
    column = np.flatnonzero(value < size)
    open_cases[column] |= wanted.stays[value[column]] & ~must[value[column], column]
    entering = can & wanted.stays_out[:, None]
    entering[value[column], column] = False
    return open_cases | entering.any(axis=0)


def _clear(wanted: Wanted, value: Int64s, can: Bools, must: Bools, chosen: Bools) -> None:
    """Give up the properties that may fail in some cases, which are not split further."""
    value, can, must = value[chosen], can[:, chosen], must[:, chosen]
    size = len(can)
    if (can.sum(axis=0) > 1).any():
        wanted.most = False
    if (~must.any(axis=0)).any():
        wanted.exactly = False
    column = np.flatnonzero(value < size)
    gone = column[~must[value[column], column]]
    wanted.stays[value[gone]] = False
    entering = can.copy()
    entering[value[column], column] = False
    wanted.stays_out &= ~entering.any(axis=1)


def _note(changes: Bools, value: Int64s, can: Bools, must: Bools, chosen: Bools) -> None:
    """Enter which values can follow which in some cases."""
    value, can, must = value[chosen], can[:, chosen], must[:, chosen]
    output, column = np.nonzero(can)
    changes[value[column], output] = True
    changes[value[~must.any(axis=0)], len(can)] = True

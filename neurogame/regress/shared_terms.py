"""Terms that the formulas of most moves share, and that say little about which move is best.

A disjunct that the formulas of all moves have is the same for all of them: without it, their
values shift and stretch alike, and the ranking stays. If a move changes the disjunct into another
one, that is where the moves differ, and it is kept. The same holds for conjuncts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.circuit.circuit import AND, OR
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.lanes import Bits
from neurogame.graph.positive import PositiveFormulas, positive
from neurogame.ground.atoms import IntArray
from neurogame.regress.action_formulas import ActionFormulas

_MOST_TERMS = 1_000_000


def without_shared_terms(own: ActionFormulas, kind: int, share: float) -> ActionFormulas | None:
    """Leave the terms out that many moves have in common.

    Args:
        own: formulas of a role's moves.
        kind: ``OR`` for disjuncts, ``AND`` for conjuncts of whole formulas.
        share: terms of at least this share of the moves' formulas are left out, 0..1; the moves
            whose formulas are constant do not count.

    Returns:
        The smaller formulas; None if there are no such terms, or too many terms to look at.
    """
    formulas = own.formulas
    used, place = np.unique(own.outputs, return_inverse=True)
    terms = _terms(formulas, used, kind)
    if terms is None:
        return None
    weight = np.bincount(place.reshape(-1), minlength=len(used))
    weight[_is_constant(formulas, used)] = 0
    count = np.zeros(formulas.leaf_count + formulas.gate_count, np.int64)
    for members, number in zip(terms, weight.tolist(), strict=True):
        count[members] += number
    dropped = (count >= share * weight.sum()) & (count > 1)
    if not dropped.any():
        return None
    store, literal = remade(formulas, np.zeros(len(formulas.inputs), np.bool_))
    kept = [members[~dropped[members]] for members in terms]
    start = group_starts(np.array([len(members) for members in kept]))
    made = store.make(kind, literal[np.concatenate(kept)], start)
    return packed(own, store, made[place].reshape(own.outputs.shape))


def remade(formulas: PositiveFormulas, gone: Bits) -> tuple[GateStore, IntArray]:
    """Make all gates again without some of their inputs, simplified.

    Args:
        formulas: any.
        gone: which edges are left out; bool ``[E]``.

    Returns:
        The store, and the literal of every node in it.
    """
    store = GateStore(int((formulas.leaves >> 1).max(initial=0)) + 1)
    literal = np.zeros(formulas.leaf_count + formulas.gate_count, np.int64)
    literal[: formulas.leaf_count] = formulas.leaves
    bounds = np.flatnonzero(np.diff(formulas.level, prepend=0))
    for gates in np.split(np.arange(formulas.gate_count), bounds[1:]) if len(bounds) else []:
        for kind in (AND, OR):
            some = gates[formulas.kind[gates] == kind]
            if len(some):
                edges = gather_groups(formulas.start, np.arange(len(formulas.inputs)), some)
                group = np.repeat(np.arange(len(some)), np.diff(formulas.start)[some])
                kept = ~gone[edges]
                start = group_starts(np.bincount(group[kept], minlength=len(some)))
                inputs = literal[formulas.inputs[edges[kept]]]
                literal[formulas.leaf_count + some] = store.make(kind, inputs, start)
    return store, literal


def packed(own: ActionFormulas, store: GateStore, literals: IntArray) -> ActionFormulas:
    """Return formulas with these literals of a store, ``[N, M]``, in place of their own."""
    whole = positive(Formulas.of_store(store, literals.reshape(-1)))
    return replace(own, formulas=whole, outputs=whole.outputs.reshape(literals.shape))


def _is_constant(formulas: PositiveFormulas, nodes: IntArray) -> Bits:
    """Return which nodes are leaves of the constant; bool ``[n]``."""
    constant = np.zeros(formulas.leaf_count + formulas.gate_count, np.bool_)
    constant[: formulas.leaf_count] = formulas.leaves < 2
    found: Bits = constant[nodes]
    return found


def _terms(formulas: PositiveFormulas, nodes: IntArray, kind: int) -> list[IntArray] | None:
    """Return the nodes that nested gates of one kind combine, for each of some nodes."""
    own = np.zeros(formulas.leaf_count + formulas.gate_count, np.bool_)
    own[formulas.leaf_count :] = formulas.kind == kind
    found, total = [], 0
    for node in nodes:
        terms, below = [], np.array([node])
        while len(below):
            terms.append(below[~own[below]])
            gates = below[own[below]] - formulas.leaf_count
            below = np.unique(gather_groups(formulas.start, formulas.inputs, gates))
        found.append(np.unique(np.concatenate(terms)))
        total += len(found[-1])
        if total > _MOST_TERMS:
            return None
    return found

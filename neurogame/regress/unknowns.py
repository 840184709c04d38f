"""Formulas without the inputs of which nothing, or everything, is known.

An unknown that survives the simplification of three-valued logic has no value. Here it is left
out of the gates that read it, as if it were their neutral element.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.circuit.circuit import AND, FALSE, OR, TRUE, Circuit
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.lanes import Bits
from neurogame.graph.rewrite import rewrite
from neurogame.regress.specialise import MoveFormulas


def without_unknowns(formulas: Formulas, unknown: Bits) -> tuple[Formulas, Bits]:
    """Leave unknown inputs out of formulas.

    A gate of nothing but unknowns is unknown itself. Whether an unknown is negated makes no
    difference.

    Args:
        formulas: any.
        unknown: which inputs are unknown; bool ``[I]``.

    Returns:
        The same number of formulas, over the known inputs only, and which of them are unknown
        themselves, and false here; bool ``[N]``.

    Reference:
        Trutman and Schiffel, section "Algorithm", steps 2(c) and 3, which leave open what
        becomes of an unknown that remains.
    """
    first = formulas.input_count
    store = GateStore(first)
    signal = np.zeros(first + formulas.gate_count, np.int64)
    signal[:first] = 2 * np.arange(first)
    dropped = np.zeros(len(signal), np.bool_)
    dropped[:first] = unknown
    for gates in formulas.levels():
        for kind, neutral in ((AND, TRUE), (OR, FALSE)):
            own = gates[formulas.kind[gates] == kind]
            if not len(own):
                continue
            start = group_starts(np.diff(formulas.start)[own])
            inputs = gather_groups(formulas.start, formulas.inputs, own)
            gone = dropped[inputs >> 1]
            literals = np.where(gone, neutral, signal[inputs >> 1] ^ (inputs & 1))
            signal[first + own] = store.make(kind, literals, start)
            dropped[first + own] = np.logical_and.reduceat(gone, start[:-1])
    node = formulas.literals >> 1
    literals = np.where(dropped[node], FALSE, signal[node] ^ (formulas.literals & 1))
    return Formulas.of_store(store, literals), dropped[node]


def without_moves(circuit: Circuit, moves: MoveFormulas) -> tuple[MoveFormulas, Bits]:
    """Leave the moves of all other roles out of the formulas of a role's moves.

    Args:
        circuit: the game.
        moves: ``N`` formulas for each of ``M`` moves.

    Returns:
        The formulas, and of which of them nothing is left; bool ``[N, M]``.
    """
    role_of = np.repeat(np.arange(len(circuit.roles)), [len(own) for own in circuit.moves])
    unknown = np.zeros(circuit.first_gate, np.bool_)
    unknown[1 + len(circuit.fluents) :] = role_of != moves.role
    whole = replace(moves.formulas, literals=moves.literals.reshape(-1))
    known, nothing = without_unknowns(whole, unknown)
    shape = moves.literals.shape
    found = replace(moves, formulas=known, literals=known.literals.reshape(shape))
    return found, nothing.reshape(shape)


def with_constants(formulas: Formulas, analysis: GameAnalysis) -> Formulas:
    """Replace the fluents that certainly never or always hold by constants.

    Args:
        formulas: over the inputs of the game's circuit.
        analysis: of the game.
    """
    leaves = 2 * np.arange(formulas.input_count)
    leaves[1 + np.flatnonzero(analysis.never)] = FALSE
    leaves[1 + np.flatnonzero(analysis.always)] = TRUE
    store = GateStore(formulas.input_count)
    signal = rewrite(formulas, leaves, store)
    return Formulas.of_store(store, signal[formulas.literals >> 1] ^ (formulas.literals & 1))

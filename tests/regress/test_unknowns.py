"""Unknowns in formulas some of whose inputs will be known: what is left once they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.analyse import analyse
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, Graph
from neurogame.graph.prune import needed
from neurogame.regress.action_formulas import action_formulas
from neurogame.regress.unknowns import without_unknowns
from tests.evaluators.hand_made import random_circuit, random_states
from tests.graph.test_graph import FLUENTS, goals_of
from tests.library import load as library_game


@given(seed=st.integers(0, 10**6), share=st.sampled_from((0.0, 0.4)))
def test_gates_leave_out_what_is_unknown_once_the_rest_is_chosen(seed: int, share: float) -> None:
    formulas = goals_of(random_circuit(seed, FLUENTS))
    draw = np.random.default_rng(seed).random(formulas.input_count)
    unknown, chosen = draw < 0.3, draw > 1 - share
    unknown[0] = chosen[0] = False
    known, lost = without_unknowns(formulas, unknown, chosen)
    assert not needed(known)[: formulas.input_count][unknown].any()
    assert not needed(lost)[1 : formulas.input_count][~chosen[1:]].any()
    states = random_states(20, FLUENTS, seed)
    rows = zip(states, holds(known, states), holds(lost, states), strict=True)
    for state, values, gone in rows:
        expected = [_slow(formulas, unknown, chosen, state, int(x)) for x in formulas.outputs]
        assert gone.tolist() == [part is None for part in expected]
        kept = [value for value, part in zip(values.tolist(), expected, strict=True) if part]
        assert kept == [part.holds for part in expected if part]


@pytest.mark.parametrize("name", ["bidding_tictactoe", "rockpaperscissors", "pursuit"])
def test_of_shared_formulas_the_same_moves_are_unknown(name: str) -> None:
    game = library_game(name)
    analysis = analyse(game.circuit)
    single = action_formulas(game.circuit, analysis, goals="all")
    shared = action_formulas(game.circuit, analysis, goals="all", budget=0)
    for own, whole in zip(single, shared, strict=True):
        assert (own.unknown == whole.unknown).all()
        first = 1 + len(game.fluents) + game.move_offsets[own.role]
        moves = np.unique(whole.leaves[whole.leaves > 2 * first - 1] >> 1)
        assert (moves < first + len(game.moves[own.role])).all()
        assert whole.specialised == (not len(moves))


class _Part(NamedTuple):
    holds: bool
    sure: bool


def _slow(
    formulas: Graph, unknown: np.ndarray, chosen: np.ndarray, state: np.ndarray, literal: int
) -> _Part | None:
    """Return the truth of a literal, and whether the choice alone decides it; None if lost."""
    node = literal >> 1
    if node < formulas.input_count:
        if unknown[node]:
            return None
        return _Part(bool(node and state[node - 1]) != bool(literal & 1), not node or chosen[node])
    gate = node - formulas.input_count
    read = formulas.inputs[formulas.start[gate] : formulas.start[gate + 1]].tolist()
    parts = [_slow(formulas, unknown, chosen, state, x) for x in read]
    neutral = bool(formulas.kind[gate] == AND)
    left = [part for part in parts if part is not None and part != (neutral, True)]
    if (not neutral, True) in left:
        found = _Part(not neutral, True)
    elif left:
        found = _Part((all if neutral else any)(part.holds for part in left), False)
    elif None in parts:
        return None
    else:
        found = _Part(neutral, True)
    return _Part(found.holds != bool(literal & 1), found.sure)

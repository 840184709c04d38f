"""Trimmed formulas are smaller and rank moves as before, within the bound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from ranking import ranking_change
from shared_terms import without_shared_terms
from trim import Samples, TrimConfig, action_values, trim

from neurogame.analysis.analyse import GameAnalysis, analyse
from neurogame.array_types import Float64s, Int64s
from neurogame.errors import ConfigurationError
from neurogame.graph.graph import AND, OR
from neurogame.regress.action_formulas import ActionFormulas, action_formulas
from neurogame.regress.clockwork import clockwork
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import sample_states
from tests.regress.test_fuzzy_truth import slow_truth
from tests.regress.test_regress import library_game, shared_game


def samples_of(game: Game, role: int, count: int, seed: int) -> Samples:
    states = sample_states(game.simulator(), count, seed)
    legal = game.simulator().status(states)[0].numpy()
    inputs = np.concatenate([states.to_bool().numpy(), np.zeros_like(legal)], axis=1)
    own = slice(game.move_offsets[role], game.move_offsets[role + 1])
    return Samples(inputs=inputs, legal=legal[:, own])


def truth_of(analysis: GameAnalysis) -> Callable[[Int64s], Float64s]:
    """Return the paper's truth of leaves, fluents that persist counted as certain."""

    def truth(leaves: Int64s) -> Float64s:
        found = np.tile([0.03, 0.97], (len(leaves), 1))
        own = np.flatnonzero(leaves > 1)
        place = (leaves[own] >> 1) - 1
        found[own[analysis.persistent_false_certain[place]], 0] = 0
        found[own[analysis.persistent_true_certain[place]], 1] = 1
        found[leaves <= 1] = 0
        found[leaves & 1 == 1] = 1 - found[leaves & 1 == 1]
        return found

    return truth


def slow_values(own: ActionFormulas, truth: Float64s, inputs: np.ndarray) -> np.ndarray:
    rows = [slow_truth(own.graph, own.leaves, truth, row) for row in inputs]
    return np.array(rows).reshape(len(inputs), own.outputs.size)


def leaves_below(own: ActionFormulas, node: int) -> set[int]:
    graph, gate = own.graph, node - own.graph.input_count
    if gate < 0:
        return {int(own.leaves[node - 1])}
    below = graph.inputs[graph.start[gate] : graph.start[gate + 1]].tolist()
    return set().union(*(leaves_below(own, child >> 1) for child in below))


def test_values_of_several_goals_are_a_disjunction_by_their_worth() -> None:
    game = library_game("tictactoe")
    analysis = analyse(game.circuit)
    truth = truth_of(analysis)
    for own in action_formulas(game.circuit, analysis, goals="all"):
        samples = samples_of(game, own.role, 6, 1)
        leaves = truth(own.leaves)
        parts = slow_values(own, leaves, samples.inputs).reshape(6, *own.outputs.shape)
        expected = 1 - (1 - parts * own.goals[None, :, None] / 100).prod(axis=1)
        expected[:, own.unknown.all(axis=0)] = 0.5
        np.testing.assert_allclose(action_values(own, leaves, samples.inputs), expected, 1e-12)


@pytest.mark.parametrize(("name", "least"), [("nineBoardTicTacToe", 2.0)])
def test_trimmed_formulas_rank_new_states_alike(name: str, least: float) -> None:
    game = shared_game(name)
    analysis = analyse(game.circuit)
    truth = truth_of(analysis)
    config = TrimConfig(rounds=2, draws=2)
    own = action_formulas(game.circuit, analysis)[0]
    clock = clockwork(game.circuit)
    small, change = trim(own, truth, samples_of(game, 0, 160, 1), clock, config)
    assert change.best <= config.best
    assert change.shift <= config.shift
    assert small.graph.edge_count * least <= own.graph.edge_count
    fresh = samples_of(game, 0, 128, 2)
    after = slow_values(small, truth(small.leaves), fresh.inputs)
    before = action_values(own, truth(own.leaves), fresh.inputs)
    # Other states than those of the bound: somewhat more is allowed.
    found = ranking_change(before, after, fresh.legal)
    assert found.best <= 3 * config.best
    assert found.shift <= 3 * config.shift


def test_nothing_changes_where_nothing_may() -> None:
    game = library_game("tictactoe")
    analysis = analyse(game.circuit)
    truth = truth_of(analysis)
    own = action_formulas(game.circuit, analysis)[0]
    samples = samples_of(game, 0, 128, 3)
    config = TrimConfig(best=0.0, shift=0.0, rounds=1)
    none = np.zeros(len(game.fluents), np.bool_)
    small, change = trim(own, truth, samples, none, config)
    assert (change.best, change.shift, change.tau) == (0.0, 0.0, 1.0)
    half = samples.part(np.flatnonzero(samples.legal.sum(axis=1) > 1))
    half = half.part(np.arange(len(half.legal)) >= len(half.legal) // 2)
    before, after = (action_values(f, truth(f.leaves), half.inputs) for f in (own, small))
    assert ranking_change(before, after, half.legal).largest < 1e-9


def test_disjuncts_that_all_moves_share_are_left_out() -> None:
    """In tic-tac-toe a line that a move does not touch is the same for it and most others."""
    game = library_game("tictactoe")
    analysis = analyse(game.circuit)
    own = action_formulas(game.circuit, analysis)[0]
    small = without_shared_terms(own, OR, 0.25)
    assert small is not None
    assert small.graph.edge_count < own.graph.edge_count
    corner = int(small.outputs[0, game.move_index(game.roles[0], "(mark 1 1)")])
    read = leaves_below(small, corner)
    cells = {game.fluents[(leaf >> 1) - 1] for leaf in read}
    through = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (2, 2), (3, 3)]
    assert cells
    assert cells <= {f"(cell {m} {n} {c})" for m, n in through for c in "xob"}
    assert without_shared_terms(own, AND, 1.0) is None


def test_formulas_that_all_moves_share_are_refused() -> None:
    game = library_game("tictactoe")
    analysis = analyse(game.circuit)
    own = action_formulas(game.circuit, analysis, budget=0)[0]
    with pytest.raises(ConfigurationError, match="specialised"):
        trim(own, truth_of(analysis), samples_of(game, 0, 64, 1), clockwork(game.circuit))


@pytest.mark.parametrize(
    ("after", "best", "shift", "tau"),
    [
        ([0.1, 0.2, 0.4, 0.9], 0.0, 0.0, 1.0),
        ([0.01, 0.02, 0.04, 0.9], 0.0, 0.0, 1.0),
        ([0.4, 0.3, 0.1, 0.9], 1.0, 7 / 9, -1.0),
        ([0.3, 0.3, 0.3, 0.9], 2 / 3, 7 / 18, 0.0),
    ],
)
def test_changes_of_rankings(after: list[float], best: float, shift: float, tau: float) -> None:
    before = np.array([[0.1, 0.2, 0.4, 0.0], [0.5, 0.5, 0.5, 0.5]])
    legal = np.array([[True, True, True, False], [True, False, False, False]])
    found = ranking_change(before, np.array([after, after]), legal)
    assert found.states == 1
    assert found.best == pytest.approx(best)
    assert found.shift == pytest.approx(shift)
    assert found.tau == pytest.approx(tau)

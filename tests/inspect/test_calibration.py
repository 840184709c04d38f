"""Calibration: Brier score, expected error and bins by hand, and what perfect forecasts get."""

from __future__ import annotations

import copy
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.arena.positions import played_positions, values_of
from neurogame.arena.reliability import fit_recalibration, reliability, spread_over_games
from neurogame.errors import GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_plain import PlainNetworks
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.true_goal import state_values
from neurogame.inspect.attribution.by_rules import rule_effects
from neurogame.inspect.calibration import by_distance, calibrate, calibration_of
from neurogame.inspect.move_values import move_values
from neurogame.inspect.named_state import named_state
from neurogame.inspect.weights import weighted_networks
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

SHARES = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40
)


def test_by_hand() -> None:
    forecasts, outcomes = np.array([0.1, 0.15, 0.6, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
    found = reliability(forecasts, outcomes, 5)
    assert found.brier == pytest.approx((0.01 + 0.7225 + 0.16 + 0) / 4)
    assert found.absolute == pytest.approx((0.1 + 0.85 + 0.4 + 0) / 4)
    assert found.constant == pytest.approx(3 / 16)
    # Bins 0.0-0.2 with two, 0.6-0.8 with one, 0.8-1.0 with one.
    assert [(b.low, b.count) for b in found.bins] == [(0.0, 2), (0.6, 1), (0.8, 1)]
    assert [b.forecast for b in found.bins] == pytest.approx([0.125, 0.6, 1.0])
    assert [b.outcome for b in found.bins] == pytest.approx([0.5, 1.0, 1.0])
    assert found.error == pytest.approx((2 * 0.375 + 0.4 + 0) / 4)


@given(SHARES, st.integers(1, 12))
def test_the_same_as_a_slow_twin(pairs: list[tuple[float, float]], bins: int) -> None:
    forecasts, outcomes = (np.array(column) for column in zip(*pairs, strict=True))
    found = reliability(forecasts, outcomes, bins)
    groups: dict[int, list[tuple[float, float]]] = {}
    for one in pairs:
        groups.setdefault(min(int(one[0] * bins), bins - 1), []).append(one)
    gaps = [abs(sum(f - o for f, o in group)) for group in groups.values()]
    assert found.error == pytest.approx(sum(gaps) / len(pairs), abs=1e-9)
    assert sum(b.count for b in found.bins) == len(pairs)
    assert found.error**2 <= found.brier + 1e-12


def test_perfect_forecasts_have_no_error_and_need_no_correction() -> None:
    random = np.random.default_rng(1)
    forecasts = random.random(100_000)
    outcomes = (random.random(len(forecasts)) < forecasts).astype(np.float64)
    assert reliability(forecasts, outcomes).error < 0.01
    fitted = fit_recalibration(forecasts, outcomes)
    assert fitted.slope == pytest.approx(1, abs=0.03)
    assert fitted.shift == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize(("slope", "shift"), [(0.5, 0.3), (2.0, -1.0)])
def test_a_known_distortion_is_found_and_undone(slope: float, shift: float) -> None:
    random = np.random.default_rng(2)
    forecasts = 0.01 + 0.98 * random.random(100_000)
    truth = 1 / (1 + np.exp(-(slope * np.log(forecasts / (1 - forecasts)) + shift)))
    outcomes = (random.random(len(truth)) < truth).astype(np.float64)
    fitted = fit_recalibration(forecasts, outcomes)
    assert fitted.slope == pytest.approx(slope, rel=0.05)
    assert fitted.shift == pytest.approx(shift, abs=0.05)
    assert reliability(forecasts, outcomes).error > 0.05
    assert reliability(fitted(forecasts), outcomes).error < 0.01


def test_a_correction_of_forecasts_that_know_everything_is_finite() -> None:
    outcomes = np.array([0.0, 1.0, 1.0, 0.0])
    fitted = fit_recalibration(outcomes, outcomes)
    assert np.isfinite([fitted.slope, fitted.shift]).all()
    assert reliability(fitted(outcomes), outcomes).brier < 1e-6


def test_a_correction_of_forecasts_that_are_far_too_sure() -> None:
    random = np.random.default_rng(4)
    forecasts = np.where(random.random(2000) < 0.5, 0.0, 1.0)
    outcomes = (random.random(2000) < np.where(forecasts > 0, 0.7, 0.3)).astype(np.float64)
    fitted = fit_recalibration(forecasts, outcomes)
    assert fitted(np.array([0.0, 1.0])) == pytest.approx([0.3, 0.7], abs=0.05)


def test_spread_is_that_of_games_not_of_positions() -> None:
    random = np.random.default_rng(3)
    outcome = random.integers(0, 2, 100).astype(np.float64)
    once, games = np.full(100, 0.4), np.arange(100)
    alone, _ = spread_over_games(once, outcome, games)
    copied, _ = spread_over_games(np.repeat(once, 9), np.repeat(outcome, 9), np.repeat(games, 9))
    # Nine positions of one game say no more than one.
    assert copied == pytest.approx(alone)
    assert alone == pytest.approx(0.2 * outcome.std() / 10, rel=0.3)


def test_distances_partition_the_forecasts() -> None:
    plies = np.array([1, 1, 2, 5, 40])
    found = by_distance(np.full(5, 0.5), np.array([1.0, 0, 1, 1, 1]), plies)
    assert [(row.first, row.last, row.found.count) for row in found] == [
        (1, 1, 2),
        (2, 2, 1),
        (5, 5, 1),
        (40, 40, 1),
    ]


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("tictactoe")


def test_games_are_played_and_replayed_alike(game: Game) -> None:
    evaluator = make_evaluator(game, "fuzzy")
    played = played_positions(game, evaluator, matches=20, seed=4, epsilon=0.3)
    assert played.games.tolist() == sorted(played.games.tolist())
    # Every game begins with the initial state and fills a cell per ply.
    held = played.states.to_bool()
    begins = torch.from_numpy(played.plies == 0)
    assert int(begins.sum()) == 20
    assert (held[begins] == game.initial_state().fluents).all()
    steps = (held[1:] != held[:-1]).sum(dim=1)[~begins[1:]]
    # A cell and the turn change: two fluents that hold no more, two that hold now.
    assert set(steps.tolist()) == {4}
    assert set(played.outcomes.sum(axis=1).tolist()) == {1.0}
    for number in range(20):
        own = played.games == number
        assert (played.plies + played.to_end)[own].tolist() == [int(own.sum())] * int(own.sum())
    calm = played_positions(game, evaluator, matches=20, seed=4, epsilon=0.0)
    wild = played_positions(game, None, matches=20, seed=4)
    assert len({calm.states.words.numpy().tobytes(), wild.states.words.numpy().tobytes()}) == 2


def test_calibration_against_outcomes(game: Game) -> None:
    evaluator = make_evaluator(game, "fuzzy")
    found = calibrate(game, evaluator, matches=60, seed=5)
    assert found.games == 60
    assert sum(row.found.count for row in found.by_distance) == found.whole.count
    total = sum(row.found.brier * row.found.count for row in found.by_distance)
    assert found.whole.brier == pytest.approx(total / found.whole.count)
    assert found.before.count == found.after.count < found.whole.count
    assert asdict(found)["whole"]["brier"] == found.whole.brier
    single = played_positions(game, evaluator, matches=1, seed=5)
    with pytest.raises(GameError, match="single game"):
        calibration_of(values_of(evaluator, single.states), single)
    # Of two games that ended one is for the correction, one for its trial, whatever their numbers.
    two = played_positions(game, evaluator, matches=2, seed=5)
    values = values_of(evaluator, two.states)
    found = calibration_of(values, replace(two, games=2 * two.games))
    assert 0 < found.before.count < found.whole.count


def test_no_games_have_no_outcomes(game: Game) -> None:
    with pytest.raises(GameError, match="matches=0; at least 1"):
        calibrate(game, make_evaluator(game, seed=1), matches=0)


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper"])
def test_effects_are_those_of_larger_weights(kind: str) -> None:
    game = Game.load("tictactoe")
    evaluator = make_fresh(kind, game).double()
    state = named_state(game, "random:5:3")
    effects = rule_effects(evaluator, state, 1)
    assert len(effects) > 3
    assert [abs(e.amount) for e in effects] == sorted(
        (abs(e.amount) for e in effects), reverse=True
    )
    by_rule = {effect.rule: effect.amount for effect in effects}
    for rule in range(len(game.rules)):
        slope = _slope(evaluator, state.fluents, rule)
        assert by_rule.get(rule, 0.0) == pytest.approx(slope, abs=2e-4)


def _slope(evaluator: torch.nn.Module, fluents: torch.Tensor, rule: int) -> float:
    """Return the change of the value by the logarithm of a rule's weights, by differences."""
    step, values = 1e-3, []
    for sign in (1, -1):
        own = copy.deepcopy(evaluator)
        assert isinstance(own, PlainNetworks | SoundNetworks)
        wiring = own.wiring
        edges = np.concatenate(
            [
                np.arange(wiring.start[unit], wiring.start[unit + 1])
                for unit in range(len(wiring.start) - 1)
                if wiring.graph.rule[unit] == rule
            ]
            or [np.zeros(0, int)]
        )
        with torch.no_grad():
            if isinstance(own, SoundNetworks):
                own.rho[edges] += sign * step
            else:
                own.weight[edges] *= np.exp(sign * step)
            values.append(float(own(fluents[None])[0, 1]))
    return (values[0] - values[1]) / (2 * step)


def test_evaluators_without_rules_are_refused() -> None:
    game = Game.load("tictactoe")
    evaluator = make_fresh("fuzzy", game)
    assert weighted_networks(evaluator) is None
    with pytest.raises(GameError, match="no weights that come from"):
        rule_effects(evaluator, game.initial_state(), 0)


@pytest.mark.parametrize("text", ["initial", "random:5:1", "random:7:3"])
def test_values_are_those_of_the_states_that_follow(text: str) -> None:
    game = Game.load("tictactoe")
    evaluator, state = make_evaluator(game, seed=1), named_state(game, text)
    found = move_values(evaluator, state)
    mover = next(r for r, own in enumerate(state.legal_moves) if len(own) > 1)
    for own in found[mover]:
        joint = [moves[0] for moves in state.legal_moves]
        joint[mover] = own.move
        after = state.next(joint)
        batch = StateBatch.from_bool(after.fluents[None])
        value = state_values(game.simulator(), evaluator, batch)[0, mover].item()
        assert own.value == pytest.approx(value, abs=1e-6)
        assert game.moves[mover][own.move] == own.text
    values = [own.value for own in found[mover]]
    assert values == sorted(values, reverse=True)
    assert sorted(own.move for own in found[mover]) == list(state.legal_moves[mover])


def test_others_at_the_same_time_answer_to_ones_harm() -> None:
    game = Game.load("rockpaperscissors")
    evaluator, state = make_evaluator(game, seed=1), game.initial_state()
    mine, _ = move_values(evaluator, state)
    for own in mine:
        after = [state.next([own.move, other]) for other in state.legal_moves[1]]
        batch = StateBatch.from_bool(torch.stack([other.fluents for other in after]))
        values = state_values(game.simulator(), evaluator, batch)[:, 0]
        assert own.value == pytest.approx(values.min().item(), abs=1e-6)


def test_nobody_moves_when_the_game_is_over() -> None:
    game = Game.load("tictactoe")
    lines = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 2 o) (cell 3 3 o) (control oplayer)"
    state = named_state(game, lines)
    assert state.is_terminal
    assert move_values(make_evaluator(game, seed=1), state) == ((), ())

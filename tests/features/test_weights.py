"""Evidence of random games, weights of features, their evaluator, and what people are shown."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from neurogame.arena.yardstick import Yardstick
from neurogame.cli.main import main
from neurogame.errors import GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.of_features import feature_evaluator, make_feature_evaluator
from neurogame.features.candidates import find_candidates
from neurogame.features.correlation import Correlations, fisher_interval
from neurogame.features.evidence import FeatureEvidence, find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import FeatureKind
from neurogame.features.play import PHASES, block_sizes, seen_games
from neurogame.features.selection import select
from neurogame.features.values import FeatureValues
from neurogame.features.weights import weigh
from neurogame.gdl.parse import parse_rules
from neurogame.kernels.playout import GivenLanes
from neurogame.players.heuristic.player import ranked_heuristics
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.states import StateBatch
from tests.features.twin import value, walked

FEW = EvidenceConfig(games=4096, seconds=60)


@cache
def evidence(name: str, seed: int = 0) -> FeatureEvidence:
    return find_evidence(Game.load(name), FEW, seed=seed)


def strength(found: FeatureEvidence, text: str, role: int) -> float:
    (number,) = [k for k, one in enumerate(found.features) if one.text == text]
    return float(found.strength[number, role])


def test_games_are_seen_as_they_were_played() -> None:
    game = Game.load("tictactoe")
    simulator, features = game.simulator(), find_candidates(game)
    values = FeatureValues(features)
    (seen,) = seen_games(simulator, values, 64, 5, stride=1, most=20, block=64)
    # The same games step by step: what random playouts do in one step depends on its number alone.
    kernel = simulator.playout_kernel()
    words, states = simulator.initial(64).words, []
    numbers = torch.arange(1)
    for ply in range(10):
        states.append(StateBatch(words, 64))
        words = kernel.finish(GivenLanes(words, numbers, 5, step=ply, steps=1)).words
    looks = np.stack([values.of(own, simulator.look(own)) for own in states])
    over = np.stack([simulator.look(own).terminal.numpy() for own in states])
    assert over[-1].all()
    lengths = (~over).sum(axis=0)
    assert (seen.lengths == lengths).all()
    for lane, length in enumerate(lengths.tolist()):
        assert seen.ends[lane] == pytest.approx(looks[length, lane], abs=1e-5)
        drawn = seen.phases[:, lane]
        there = ~np.isnan(drawn[:, 0])
        assert seen.means[lane] == pytest.approx(drawn[there].mean(axis=0), rel=1e-4, abs=1e-4)
        for phase in range(PHASES):
            first = -(-phase * length // PHASES)
            last = -(-(phase + 1) * length // PHASES)
            own = seen.phases[phase, lane]
            assert there[phase] == (last > first)
            if there[phase]:
                assert any(np.allclose(own, looks[t, lane], atol=1e-5) for t in range(first, last))
    # A step is one between neighbouring states, whichever were drawn.
    steps = [np.square(looks[1:n, lane] - looks[: n - 1, lane]) for lane, n in enumerate(lengths)]
    assert (seen.steps <= np.concatenate(steps).max(axis=0) + 1e-5).all()
    assert (seen.steps >= np.concatenate(steps).min(axis=0) - 1e-5).all()
    assert (seen.steps > 0).any()
    goals = simulator.look(StateBatch(words, 64)).goals.numpy()
    assert (seen.results == goals).all()


def test_pieces_win_breakthrough_and_lose_nothello() -> None:
    found = evidence("breakthrough6")
    assert strength(found, "number of (cell * * black), less that of white", 1) > 0.08
    assert strength(found, "number of (cell * * black), less that of white", 0) < -0.08
    found = evidence("nothello")
    (number,) = [k for k, f in enumerate(found.features) if f.text == "number of (cell * * black)"]
    role = found.features[number].owner
    assert role is not None
    assert found.high[number, role] < -0.06
    assert found.phases[-1, number, role] < found.phases[0, number, role]


def test_heuristics_want_few_pieces_in_nothello_and_many_in_breakthrough() -> None:
    """In Nothello above all none in the corners, where they can never be turned."""
    for name, wants_own in (("nothello", False), ("breakthrough6", True)):
        for role in (0, 1):
            ranked = ranked_heuristics(Game.load(name), evidence(name), role)
            kinds = FeatureKind.COUNT, FeatureKind.REGION
            counts = [one.heuristic for one in ranked[:6] if one.heuristic.feature.kind in kinds]
            assert FeatureKind.COUNT in {one.feature.kind for one in counts}
            assert ranked[0].heuristic is counts[0]
            for own in counts:
                # Whose pieces they are, and so whether more of them is more for the role.
                assert own.maximise == ((own.feature.owner == role) == wants_own), str(own)


def corners(found: FeatureEvidence, size: int, role: int) -> float:
    """What corners less those of the other are worth, for a role."""
    (number,) = [
        k
        for k, one in enumerate(found.features)
        if one.kind is FeatureKind.REGION
        and one.against is not None
        and {i for i, weight in enumerate(one.fluents) if weight}
        == {
            Game.load(f"reversi{size}").fluents.index(f"(cell {x} {y} {colour})")
            for x in (1, size)
            for y in (1, size)
            for colour in ("black", "red")
        }
    ]
    return float(found.strength[number, role])


def test_corners_of_reversi_are_found_and_worth_most() -> None:
    found = evidence("reversi6")
    assert corners(found, 6, 0) > 0.28
    assert corners(found, 6, 0) == pytest.approx(np.abs(found.strength).max())
    first = found.features[found.chosen[0]]
    assert first.kind is FeatureKind.REGION
    assert len(first.fluents.nonzero()[0]) == 8


def test_coins_are_worth_holding_beside_what_they_buy() -> None:
    found = evidence("bidding_tictactoe")
    adds = dict(zip(found.chosen, found.adds, strict=True))
    coins = [k for k, f in enumerate(found.features) if f.text == "n in (coins o n)"]
    assert len(coins) == 1
    # Who holds them has not bought squares with them: by themselves they say next to nothing.
    assert abs(found.strength[coins[0], 1]) < 0.1
    # The sign is that of the first role, whose goal is the reverse.
    assert adds[coins[0]] < -0.08


def test_the_same_seed_sees_the_same_games_and_others_agree() -> None:
    one, other = evidence("tictactoe", 3), evidence("tictactoe", 4)
    same = find_evidence(Game.load("tictactoe"), FEW, seed=3)
    assert (one.strength == same.strength).all()
    assert one.chosen == same.chosen
    assert not (one.strength == other.strength).all()
    # The intervals hold for all features at once: another sample lies within twice their width.
    assert (other.strength > 2 * one.low - one.high).all()
    assert (other.strength < 2 * one.high - one.low).all()


def test_numbers_are_in_their_ranges() -> None:
    found = evidence("reversi6")
    assert found.games == 4096
    assert (np.abs(found.phases) <= 1).all()
    assert ((found.low <= found.strength) & (found.strength <= found.high)).all()
    assert ((found.stability >= 0) & (found.stability <= 1)).all()
    assert set(found.chosen) == {k for k, reason in enumerate(found.reasons) if not reason}
    assert len(found.adds) == len(found.chosen)


def test_features_are_chosen_by_what_they_add() -> None:
    """Against regressions of rows: the first says most, the second is its copy with noise."""
    random = np.random.default_rng(4)
    rows = random.normal(size=(50_000, 5))
    rows[:, 1] = rows[:, 0] + 0.1 * rows[:, 1]
    # The third says nothing by itself, but takes away what disturbs the first.
    rows[:, 0] += rows[:, 2]
    goal = rows[:, 0] - rows[:, 2] + 2 * random.normal(size=len(rows))
    covariance = np.cov(np.concatenate([rows, goal[:, None]], axis=1), rowvar=False)
    features = find_candidates(Game.load("breakthrough6"))[:5]
    found = select(features, covariance, len(rows), EvidenceConfig())
    assert found.chosen == (1,)
    assert found.adds[0] == pytest.approx(float(np.corrcoef(rows[:, 1], goal)[0, 1]))
    assert found.reasons[3] == "adds too little, or by luck"
    without = select(features, covariance, len(rows), EvidenceConfig(), lambda f: f != features[1])
    assert without.chosen == (0, 2)
    assert without.reasons[1] == "cannot be used here"
    residual = [
        column - np.polyval(np.polyfit(rows[:, 0], column, 1), rows[:, 0])
        for column in (rows[:, 2], goal)
    ]
    assert without.adds[1] == pytest.approx(
        float(np.corrcoef(residual[0], residual[1])[0, 1]), abs=1e-3
    )
    few = select(features, covariance, 5, EvidenceConfig())
    assert few.chosen == ()


def test_where_every_game_ends_alike_nothing_is_chosen() -> None:
    features = find_candidates(Game.load("breakthrough6"))[:3]
    covariance = np.diag([1.0, 2.0, 0.0, 0.0])
    found = select(features, covariance, 1000, EvidenceConfig())
    assert found.chosen == ()
    assert found.reasons[2] == "never changes"


def test_what_the_chosen_say_is_not_chosen() -> None:
    random = np.random.default_rng(5)
    rows = random.normal(size=(20_000, 3))
    rows[:, 2] = rows[:, 0] - rows[:, 1] + 0.01 * rows[:, 2]
    goal = rows[:, 0] + rows[:, 1] + random.normal(size=len(rows))
    covariance = np.cov(np.concatenate([rows, goal[:, None]], axis=1), rowvar=False)
    features = find_candidates(Game.load("breakthrough6"))[:3]
    found = select(features, covariance, len(rows), EvidenceConfig())
    assert set(found.chosen) == {0, 1}
    assert found.reasons[2] == "those chosen say it"


def test_a_game_that_never_ends_is_refused() -> None:
    rules = """
    (role r) (init (on 0)) (init (kept a))
    (legal r (turn x)) (legal r (turn y))
    (<= (next (on 1)) (true (on 0))) (<= (next (on 0)) (true (on 1)))
    (<= (next (kept ?k)) (does r (turn ?x)) (true (kept ?k)))
    (<= terminal (true (on 0)) (true (on 1)))
    (goal r 50)
    """
    game = Game.from_rules(parse_rules(rules), "endless")
    with pytest.raises(GameError, match="endless"):
        find_evidence(game, EvidenceConfig(games=64))


def test_blocks_grow_and_hold_every_game_once() -> None:
    for games, most in ((64, 4096), (65, 4096), (16_384, 4096), (1000, 128)):
        next_game, sizes = 0, []
        for first, size in block_sizes(games, most):
            assert first == next_game
            assert size % 64 == 0
            sizes.append(size)
            next_game += size
        assert next_game == -(-games // 64) * 64
        assert sizes[0] == min(512, most, next_game)
        assert max(sizes) <= most
        # So that a limit of time is obeyed: no block is larger than all before it.
        assert all(size <= max(512, sum(sizes[:k])) for k, size in enumerate(sizes))


def test_without_time_few_games_are_played() -> None:
    config = EvidenceConfig(games=4096, seconds=0)
    found = find_evidence(Game.load("tictactoe"), config)
    assert found.games <= 1024


def test_the_weights_are_those_of_the_logistic_that_drew_the_goals() -> None:
    random = np.random.default_rng(1)
    found = evidence("breakthrough6")
    plain = [f for f in found.features if not (f.moves.any() or f.goals.any())][:5]
    rows = random.normal(size=(200_000, 5))
    odds = 0.4 * rows[:, 0] - 0.3 * rows[:, 1] + 0.2
    goal = (random.random(len(rows)) < 1 / (1 + np.exp(-odds))).astype(float)
    both = np.concatenate([rows, goal[:, None], 1 - goal[:, None]], axis=1)
    covariance = np.cov(both, rowvar=False, bias=True)
    made = replace(
        found, features=tuple(plain), mean=both.mean(axis=0), covariance=covariance, games=len(rows)
    )
    weighted = weigh(made)
    assert weighted.opposed
    assert weighted.features == tuple(plain[:2])
    assert weighted.weights[0] == pytest.approx([0.4, -0.3], abs=0.03)
    assert weighted.constants[0] == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("name", ["breakthrough6", "reversi6", "bidding_tictactoe", "tictactoe3p"])
def test_the_evaluator_adds_what_features_are_worth(name: str) -> None:
    game = Game.load(name)
    weighted = weigh(evidence(game.name))
    assert weighted.opposed == (name not in ("tictactoe3p",))
    evaluator = feature_evaluator(game, weighted)
    for state in [state for own in walked(game, 2, 2) for state in own][::4]:
        values = np.array([value(feature, game, state) for feature in weighted.features])
        odds = weighted.weights @ values + weighted.constants
        if weighted.opposed:
            odds = np.array([odds[0], -odds[0]])
        found = evaluator(state.fluents[None])[0].detach().numpy()
        assert found == pytest.approx(1 / (1 + np.exp(-odds)), abs=2e-4)


def test_expected_goals_come_true() -> None:
    game = Game.load("breakthrough6")
    evaluator = make_feature_evaluator(game, seed=1)
    simulator = game.simulator()
    # Fresh games, some plies on, with either role to move.
    kernel = simulator.playout_kernel()
    values, goals = [], []
    for steps in (14, 15):
        start = simulator.initial(4096)
        words = kernel.finish(
            GivenLanes(start.words, torch.arange(64), 77, step=0, steps=steps)
        ).words
        states = StateBatch(words, 4096)
        playing = ~simulator.look(states).terminal
        values.append(evaluator.values(states)[:, 0].detach()[playing])
        goals.append(play_out(simulator, states, 78).goals[:, 0][playing])
    expected, results = torch.cat(values), torch.cat(goals)
    high, low = expected > expected.quantile(0.75), expected < expected.quantile(0.25)
    assert results[high].mean() > results[low].mean() + 0.1
    for part in (high, low):
        assert float(results[part].mean()) == pytest.approx(float(expected[part].mean()), abs=0.08)


@pytest.mark.parametrize("name", ["breakthrough6", "connectfour"])
def test_features_beat_what_goals_say(name: str) -> None:
    game = Game.load(name)
    yardstick = Yardstick(game=game, matches=20, seed=5)
    found = yardstick.measure(make_feature_evaluator(game), make_evaluator(game))
    assert found.score > 0.6


def test_no_feature_is_worth_anything() -> None:
    game = Game.load("tictactoe")
    found = evidence(game.name)
    none = replace(found, covariance=np.diag(np.diagonal(found.covariance)))
    with pytest.raises(GameError, match="tells who wins; take another"):
        weigh(none)


def test_values_in_batches_are_those_of_the_features() -> None:
    game = Game.load("reversi6")
    weighted = weigh(evidence(game.name))
    evaluator = feature_evaluator(game, weighted)
    simulator = game.simulator()
    words = (
        simulator.playout_kernel()
        .finish(GivenLanes(simulator.initial(64).words, torch.arange(1), 3, step=0, steps=12))
        .words
    )
    states = StateBatch(words, 64)
    features = FeatureValues(weighted.features).of(states, simulator.look(states))
    odds = features @ weighted.weights[0] + weighted.constants[0]
    found = evaluator.values(states)[:, 0].detach().numpy()
    assert found == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-3)


@example(seed=7135347, rows=2, blocks=1)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 5))
def test_blocks_add_up_to_numpys_correlation(seed: int, rows: int, blocks: int) -> None:
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(5, 5)) + 3 * np.eye(5)
    data = (random.normal(size=(rows, 5)) @ mixed + 1000 * random.normal(size=5)).astype(np.float32)
    # What hardly varies beside its size is taken for rounding.
    assume((data.std(axis=0) > 0.02).all())
    found = Correlations(3, 2)
    for block in np.array_split(data, blocks):
        found.add(block[:, :3], block[:, 3:])
    whole = np.atleast_2d(np.corrcoef(data.astype(np.float64), rowvar=False))
    assert found.with_results() == pytest.approx(whole[:3, 3:], abs=1e-6)
    assert found.correlations()[:3, :3] == pytest.approx(whole[:3, :3], abs=1e-6)
    assert found.mean() == pytest.approx(data.mean(axis=0, dtype=np.float64), rel=1e-6)
    covariance = np.cov(data.astype(np.float64), rowvar=False, bias=True)
    assert found.covariance() == pytest.approx(covariance, rel=1e-6, abs=1e-6)


def test_what_never_changes_has_no_correlation() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(100, 2)).astype(np.float32)
    rows[:, 0] = 0.1
    found = Correlations(1, 1)
    found.add(rows[:, :1], rows[:, 1:])
    assert found.with_results() == 0


def test_nothing_was_seen() -> None:
    found = Correlations(2, 1)
    found.add(np.zeros((0, 2), np.float32), np.zeros((0, 1), np.float32))
    assert found.count == 0
    assert (found.with_results() == 0).all()


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random, held, turns = np.random.default_rng(2), 0, 400
    for _ in range(turns):
        x = random.normal(size=80)
        y = 0.6 * x + 0.8 * random.normal(size=80)
        low, high = fisher_interval(np.array([np.corrcoef(x, y)[0, 1]]), 80, 1.645)
        held += int(low[0] <= 0.6 <= high[0])
    # 90 % of 400, give or take four standard deviations.
    assert 336 <= held <= 384
    low, high = fisher_interval(np.array([0.9]), 3, 1.645)
    assert (low[0], high[0]) == (-1, 1)


LINE = ["features", "breakthrough6", "--games", "4096"]


def test_people_see_the_chosen_ones_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "--all"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert "20 features" in lines[0]
    assert "4,096 random games" in lines[0]
    rows = lines[3:]
    assert len(rows) == 20
    stars = [row.startswith("* ") for row in rows]
    assert stars == sorted(stars, reverse=True)
    assert any(stars)
    assert all(row.endswith("]") != star for row, star in zip(rows, stars, strict=True))


def test_machines_get_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "--json", "--quiet", "--seed", "3"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    record = json.loads(shown.out)
    assert record["games"] == 4096
    assert len(record["features"]) == 20
    for feature in record["features"]:
        assert feature["chosen"] == (feature["reason"] == "") == (feature["adds"] is not None)
        for role in ("white", "black"):
            own = feature["roles"][role]
            assert own["interval"][0] <= own["strength"] <= own["interval"][1]
            assert len(own["by quarter"]) == 4


def test_impossible_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["features", "tictactoe", "--games", "1"]) == 1
    assert "games=1; allowed: a whole number (at least 64)" in capsys.readouterr().err

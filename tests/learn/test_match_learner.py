"""Learning across matches: into a file, whole at every moment, whoever plays."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.errors import CheckpointError, ConfigurationError, GameError, PlayerError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.gdl.scramble import scramble
from neurogame.kernels.self_play.recorded import value_recorded
from neurogame.learn.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.matches import learner as match_learner
from neurogame.learn.matches.config import MatchLearning
from neurogame.learn.matches.learner import MatchLearner, PlayedMatch
from neurogame.learn.matches.replay import LearnedMatch, MatchReplay
from neurogame.native.entries import entry
from neurogame.native.struct import array_of
from neurogame.players.match import play_match
from neurogame.players.players import make_player
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game, State

CONFIG = MatchLearning(steps=LaneConfig(step_every=16, table_rate=0.1), replayed=4)


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("tictactoe")


def fresh(game: Game) -> Evaluator:
    return make_rules_network(game, RulesNetworkConfig(), opposed=opposed(game))


def learner(path: Path, game: Game, config: MatchLearning = CONFIG) -> MatchLearner:
    return MatchLearner(path, game, lambda: fresh(game), config)


def random_match(game: Game, seed: int) -> list[State]:
    random = np.random.default_rng(seed)
    states = [game.initial_state()]
    while not states[-1].is_terminal:
        joint = [int(random.choice(moves)) for moves in states[-1].legal_moves]
        states.append(states[-1].next(joint))
    return states


def won_match(game: Game) -> list[State]:
    return next(s for n in range(100) if (s := random_match(game, n))[-1].goals[0] == 100)


def values(evaluator: Evaluator, states: list[State]) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = evaluator(torch.stack([state.fluents for state in states]))
    return found


def test_values_move_towards_the_result(tmp_path: Path, game: Game) -> None:
    own, states = learner(tmp_path / "my.pt", game), won_match(game)
    before = values(own.evaluator, states[:-1])
    assert torch.equal(before, values(fresh(game), states[:-1]))
    for _ in range(20):
        own.observe(PlayedMatch(states=states))
        own.learn()
    after = values(own.evaluator, states[:-1])
    assert (after[:, 0] > before[:, 0]).all()
    assert after[-1, 0] > 0.9
    stored = load_checkpoint(tmp_path / "my.pt")
    assert torch.equal(values(stored.evaluator(game), states[:-1]), after)
    assert torch.equal(values(stored.initial_evaluator(game), states[:-1]), before)
    assert stored.counters["matches"] == 20


def test_going_on_with_a_file_is_the_same_as_never_stopping(tmp_path: Path, game: Game) -> None:
    straight = learner(tmp_path / "one.pt", game)
    for number in range(8):
        straight.observe(PlayedMatch(states=random_match(game, number)))
        straight.learn()
        again = learner(tmp_path / "two.pt", game)
        again.observe(PlayedMatch(states=random_match(game, number)))
        again.learn()
    one, two = load_checkpoint(tmp_path / "one.pt"), load_checkpoint(tmp_path / "two.pt")
    assert one.counters["updates"] == two.counters["updates"] > 0
    for name, tensor in one.weights.items():
        assert torch.equal(tensor, two.weights[name]), name


def test_a_file_of_an_older_form_is_gone_on_with(tmp_path: Path, game: Game) -> None:
    """Biases and readouts were shared, so step sizes do not fit: weights and matches stay."""
    path = tmp_path / "my.pt"
    own = learner(path, game)
    own.observe(PlayedMatch(states=random_match(game, 0)))
    own.learn()
    kept = load_checkpoint(path)
    assert kept.buffer is not None
    name = "matches.learning.bias_gradient"
    buffer = {**kept.buffer, name: kept.buffer[name][:1]}
    shared = ("bias", "readout")
    older = {n: w[:1] if n in shared else w for n, w in kept.weights.items()}
    save_checkpoint(path, replace(kept, buffer=buffer, weights=older))
    again = learner(path, game)
    assert torch.equal(again.evaluator.state_dict()["tables"], kept.weights["tables"])
    again.observe(PlayedMatch(states=random_match(game, 1)))
    again.learn()
    found = load_checkpoint(path)
    assert found.counters["matches"] == 2
    assert found.weights["bias"].shape == kept.weights["bias"].shape


def test_targets_follow_their_definition(tmp_path: Path, game: Game) -> None:
    own, random = learner(tmp_path / "my.pt", game), np.random.default_rng(1)
    lengths, kept = (5, 3), CONFIG.steps.lambda_
    words = -(-len(game.fluents) // 64)

    def some(*shape: int) -> np.ndarray:
        return random.random(shape, np.float32)

    matches = [
        LearnedMatch(states=np.zeros((n, words), np.uint64), targets=some(n, 2)) for n in lengths
    ]
    games = own._recorded(matches, random)
    searched, goals = array_of(games, "searched"), array_of(games, "goals")
    searched[:], goals[:] = some(8, 2), some(2, 2)
    array_of(games, "cut")[2] = 1
    array_of(games, "ended")[1] = 0
    entry(value_recorded)(games)
    wanted = np.zeros((8, 2), np.float32)
    for row in (4, 3, 2, 1, 0):
        following = goals[0] if row == 4 else wanted[row + 1]
        wanted[row] = (1 - kept) * searched[row] + kept * following
        if row == 2:
            wanted[row] = searched[row]
    wanted[7] = searched[7]
    for row in (6, 5):
        wanted[row] = (1 - kept) * searched[row] + kept * wanted[row + 1]
    np.testing.assert_allclose(array_of(games, "targets"), wanted, rtol=1e-5)


def test_search_values_count_where_there_are_any(tmp_path: Path, game: Game) -> None:
    states = random_match(game, 3)
    without = learner(tmp_path / "a.pt", game)._valued(PlayedMatch(states=states)).targets
    found = {states[0]: (1.0, 0.0), states[1]: (float("nan"), 0.0)}
    targets = learner(tmp_path / "b.pt", game)._valued(PlayedMatch(states=states, values=found))
    assert targets.targets[0, 0] > without[0, 0]
    np.testing.assert_array_equal(targets.targets[1:], without[1:])


def test_a_file_of_another_game_is_refused_and_stays(tmp_path: Path, game: Game) -> None:
    path, other = tmp_path / "my.pt", Game.load("nim")
    own = learner(path, game)
    own.observe(PlayedMatch(states=random_match(game, 1)))
    own.learn()
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"cannot learn nim into it.*learn into another file"):
        learner(path, other)
    with pytest.raises(CheckpointError, match="there is no folder"):
        learner(tmp_path / "none" / "my.pt", game)
    assert path.read_bytes() == before
    assert not (tmp_path / "none").exists()


def test_a_training_run_is_not_overwritten(tmp_path: Path, game: Game) -> None:
    source, path = tmp_path / "run.pt", tmp_path / "my.pt"
    own = learner(source, game)
    own.observe(PlayedMatch(states=random_match(game, 1)))
    own.learn()
    held = load_checkpoint(source)
    save_checkpoint(source, replace(held, optimiser={"a": 1}, config={"b": 2}, buffer=None))
    with pytest.raises(CheckpointError, match="a training run goes on from this file"):
        learner(source, game)
    player = make_player(f"alphabeta:{source},depth=1,learn={path}", game)
    play_match(game, [player, make_player("random")], seed=1)
    made = load_checkpoint(path)
    assert (made.config, made.optimiser) == ({"b": 2}, None)
    assert made.parent == load_checkpoint(source).hash
    assert made.counters["matches"] == 1
    assert learner(path, game).counters.matches == 1


def test_a_failed_save_leaves_the_old_file(
    tmp_path: Path, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my.pt"
    own = learner(path, game)
    own.observe(PlayedMatch(states=random_match(game, 1)))
    own.learn()
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", full)
    own.observe(PlayedMatch(states=random_match(game, 2)))
    with pytest.raises(ConfigurationError, match=r"cannot write .*my\.pt: no space left"):
        own.learn()
    assert path.read_bytes() == before


def test_several_learners_of_one_file_lose_nothing(tmp_path: Path, game: Game) -> None:
    path, problems = tmp_path / "my.pt", []

    def learn(own: MatchLearner, first: int) -> None:
        try:
            for number in range(first, first + 5):
                own.observe(PlayedMatch(states=random_match(game, number)))
                own.learn()
        except Exception as error:
            problems.append(error)

    owns = [learner(path, game) for _ in range(3)]
    threads = [threading.Thread(target=learn, args=(o, 10 * n)) for n, o in enumerate(owns)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert load_checkpoint(path).counters["matches"] == 15


def test_who_keeps_a_file_for_too_long_is_reported_and_no_match_is_lost(
    tmp_path: Path, game: Game
) -> None:
    path = tmp_path / "my.pt"
    own = learner(path, game, MatchLearning(patience=0.05))
    own.observe(PlayedMatch(states=random_match(game, 1)))
    with (
        match_learner._only_one(path, 1.0),
        pytest.raises(CheckpointError, match="another player has been learning"),
    ):
        own.learn()
    assert not path.exists()
    own.learn()
    assert load_checkpoint(path).counters["matches"] == 1


def test_other_names_learn_the_same(tmp_path: Path, game: Game) -> None:
    path = tmp_path / "my.pt"
    own = learner(path, game)
    own.observe(PlayedMatch(states=random_match(game, 1)))
    own.learn()
    other = Game.from_rules(scramble(game.rules, seed=3).rules, "other")
    states = random_match(other, 5)
    mapped = MatchLearner(path, other, lambda: fresh(other), CONFIG)
    states = [mapped.mapping.home_state(state) for state in states]
    first = values(mapped.evaluator, states[:-1])
    for _ in range(20):
        mapped.observe(PlayedMatch(states=states))
        mapped.learn()
    goals = torch.tensor([float(goal or 0) / 100 for goal in states[-1].goals])
    after = values(mapped.evaluator, states[:-1])
    assert (after[-1] - goals).abs().max() < (first[-1] - goals).abs().max()
    assert load_checkpoint(path).counters["matches"] == 21
    assert torch.equal(values(load_checkpoint(path).evaluator(game), states[:-1]), after)


def test_the_store_is_bounded_and_forgets_the_oldest() -> None:
    store = MatchReplay(10)
    for number in range(6):
        rows = np.full((4, 2), number, np.float32)
        states = np.full((4, 1), 2**63 + number, np.uint64)
        store.add(LearnedMatch(states=states, targets=rows))
    assert (len(store), len(store.state()["states"])) == (2, 8)
    again = MatchReplay(10)
    again.restore(store.state())
    drawn = again.draw(5, np.random.default_rng(0))
    assert {int(match.states[0, 0] - np.uint64(2**63)) for match in drawn} == {4, 5}


def test_players_learn_after_each_match(tmp_path: Path, game: Game) -> None:
    path = tmp_path / "my.pt"
    player = make_player(f"alphabeta:cilp,depth=1,learn={path}", game)
    assert not path.exists()
    for number in range(3):
        play_match(game, [player, make_player("random")], seed=number)
        assert load_checkpoint(path).counters["matches"] == number + 1
    tree = make_player(f"mcts:cilp,cutoff=2,sims=10,learn={path}", game)
    play_match(game, [tree, player], seed=9)
    assert load_checkpoint(path).counters["matches"] == 5
    play_match(game, [make_player(f"alphabeta:{path},depth=1"), make_player("random")], seed=3)
    assert load_checkpoint(path).counters["matches"] == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mcts:learn=my.pt", "no evaluator that could learn"),
        ("alphabeta:cilp,noise=0.1,learn=my.pt", "learn and noise do not go together"),
        ("alphabeta:cilp,refine=1,learn=my.pt", "learn and refine do not go together"),
        ("random:learn=my.pt", "random takes neither"),
    ],
)
def test_what_cannot_learn_is_refused(text: str, message: str, tmp_path: Path, game: Game) -> None:
    with pytest.raises(PlayerError, match=message):
        make_player(text)
    with pytest.raises(ConfigurationError, match="cannot learn from matches"):
        make_player(f"alphabeta:mlp,learn={tmp_path / 'my.pt'}", game)


def test_in_place_of_goal_networks_a_rules_network_learns_first(tmp_path: Path, game: Game) -> None:
    begun = MatchLearner(tmp_path / "my.pt", game, lambda: make_evaluator(game, EvaluatorConfig()))
    assert values(begun.evaluator, won_match(game)[:-1]).std() > 0.02


def test_a_game_that_is_over_before_it_begins_is_told_so(tmp_path: Path) -> None:
    over = Game.from_text(
        "(role a) (role b) (init p) (next p) (legal a x) (legal b x) terminal "
        "(goal a 100) (goal b 0)"
    )
    text = f"alphabeta:cilp,depth=1,learn={tmp_path / 'over.pt'}"
    with pytest.raises(GameError, match="its initial state is terminal, so there is nothing"):
        play_match(over, [make_player(text, over), make_player("random")], seed=1)

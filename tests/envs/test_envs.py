"""Games as environments: the libraries' own checks, and matches that are the game's."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

import neurogame as ng
from neurogame.envs.lane_env import LaneEnv
from neurogame.envs.observation import Observation
from neurogame.envs.turns_env import TogetherEnv
from neurogame.errors import ConfigurationError, GameError
from neurogame.inspect.calibration import calibrate
from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY
from tests.library import load as library

GAMES = ("tictactoe", "connectfour", "bidding_tictactoe", "pig")
"""Turns, moves at the same time, chance."""


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_them(name: str) -> None:
    api_test(ng.envs.pettingzoo(library(name)), num_cycles=100)
    parallel = ng.envs.pettingzoo(library(name), parallel=True)
    for agent in parallel.possible_agents:
        parallel.action_space(agent).seed(1)
    parallel_api_test(parallel, num_cycles=100)


@pytest.mark.filterwarnings("ignore")
def test_gymnasium_accepts_them() -> None:
    # The check draws moves without a mask: here all are legal.
    check_env(ng.envs.gymnasium(library("rockpaperscissors")), skip_render_check=True)


@pytest.mark.parametrize("name", GAMES)
def test_a_match_of_agents_is_a_match_of_the_rules(name: str) -> None:
    """Followed by states of the game, all that is told and given is theirs."""
    game: Game = library(name)
    env: Any = ng.envs.pettingzoo(game)
    random = np.random.default_rng(3)
    for seed in range(5):
        env.reset(seed=seed)
        asked: list[str] = []
        for agent in env.agent_iter():
            told, reward, ended, _, _ = env.last()
            state = env._match.state
            role = game.role_index(agent)
            if ended:
                assert state.is_terminal
                assert reward == (state.goals[role] or 0) / 50 - 1
                env.step(None)
                continue
            assert reward == 0
            assert np.flatnonzero(told["action_mask"]).tolist() == list(state.legal_moves[role])
            assert (told["observation"] == state.fluents.numpy()).all()
            asked.append(agent)
            env.step(int(random.choice(state.legal_moves[role])))
        assert set(asked) == {game.roles[role] for role in game.players}


def test_an_opponent_plays_the_other_role() -> None:
    """A tree search of a hundred simulations loses hardly ever to random moves."""
    env = ng.envs.gymnasium(library("tictactoe"), "oplayer", "mcts:sims=100", render_mode="ansi")
    random, rewards = np.random.default_rng(1), []
    for seed in range(20):
        _, info = env.reset(seed=seed)
        assert "x" in str(env.render())
        ended = False
        while not ended:
            move = random.choice(np.flatnonzero(info["action_mask"]))
            _, reward, ended, _, info = env.step(move)
        rewards.append(reward)
    env.close()
    assert sum(reward == -1 for reward in rewards) > 12
    repeated = [env.reset(seed=5)[0].tolist() for _ in range(2)]
    assert repeated[0] == repeated[1]


def test_a_seed_is_any_whole_number() -> None:
    env = ng.envs.gymnasium(library("tictactoe"), "oplayer")
    seeds: Any = (np.int64(3), 3, -5)
    one, two, _ = (env.reset(seed=seed)[0].tolist() for seed in seeds)
    assert one == two


def test_an_illegal_move_says_what_is_legal() -> None:
    env = ng.envs.gymnasium(library("tictactoe"))
    env.reset(seed=1)
    env.step(0)
    with pytest.raises(GameError, match=r"action 0 is not legal here; legal are \d+ \(mark"):
        env.step(0)
    wrong: Any
    for wrong, told in ((1.5, "1.5"), ("1", "'1'"), (np.array([1]), "[1]"), (None, "None")):
        with pytest.raises(GameError, match=rf"action {re.escape(told)} is not legal here"):
            env.step(wrong)
    ended = False
    while not ended:
        _, _, ended, _, _ = env.step(int(env.action_masks().argmax()))
    with pytest.raises(GameError, match="legal are none: reset"):
        env.step(0)
    with pytest.raises(ConfigurationError, match="render_mode='human'; allowed: ansi, svg"):
        ng.envs.gymnasium(library("tictactoe"), render_mode="human")
    agents: Any = ng.envs.pettingzoo(library("tictactoe"))
    agents.reset()
    with pytest.raises(GameError, match=r"action 9 of xplayer is not legal here"):
        agents.step(9)


def test_planes_are_the_squares() -> None:
    game = library("connectfour")
    observation = Observation(game, planes=True)
    state = game.initial_state().next(["(drop 3)", "noop"])
    told = observation.of(state.fluents.numpy()[None])[0]
    assert told.shape[1:] == (6, 7)
    # 41 squares are blank or say nothing, one holds a disc in the lowest row of column 3.
    discs = [plane for plane in told if plane.sum() == 1]
    assert len(discs) == 1
    row, column = np.argwhere(discs[0])[0].tolist()
    assert (row, column) == (0, 2)
    with pytest.raises(GameError, match="has no board"):
        Observation(library("rockpaperscissors"), planes=True)


@pytest.mark.parametrize(
    ("name", "player"), [("tictactoe", 0), ("connectfour", 0), ("pig", 0), ("breakthrough6", 1)]
)
def test_lanes_are_games_of_the_rules(name: str, player: int) -> None:
    """A lane is followed by the plain rules: what it is told, its legal moves, its ends."""
    game: Game = library(name)
    role = game.players[player]
    env, random = LaneEnv(game, 70, game.roles[role]), np.random.default_rng(2)
    states, info = env.reset(seed=4)
    ends = 0
    for _ in range(60):
        before = [game.state([game.fluents[f] for f in np.flatnonzero(row)]) for row in states]
        masks = info["action_mask"]
        assert [np.flatnonzero(mask).tolist() for mask in masks] == [
            list(state.legal_moves[role]) for state in before
        ]
        moves = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
        states, rewards, ended, cut, info = env.step(moves)
        assert not cut.any()
        for lane in np.flatnonzero(ended):
            assert (states[lane] == game.initial_state().fluents.numpy()).all()
            assert -1 <= rewards[lane] <= 1
            goals = {float(value) for value, _ in game.circuit.goals[role]}
            assert (rewards[lane] + 1) * 50 in goals
        assert (rewards[~ended] == 0).all()
        ends += int(ended.sum())
    assert ends > 20
    assert len(np.unique(states, axis=0)) > 10
    again, _ = env.reset(seed=4)
    assert (again == game.initial_state().fluents.numpy()).all()


def test_the_seed_decides_the_moves_of_others_in_each_lane() -> None:
    """Whatever the number of lanes; and another seed decides otherwise."""

    def played(seed: int, size: int) -> Any:
        env = ng.envs.vector(library("connectfour"), size, "black")
        told, info = env.reset(seed=seed)
        for _ in range(9):
            told, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
        return told[:100]

    assert (played(1, 100) == played(1, 2100)).all()
    numpy_seed: Any = np.int64(1)
    assert (played(1, 100) == played(numpy_seed, 100)).all()
    assert (played(1, 100) != played(2, 100)).any()


def test_lanes_say_which_move_is_not_legal_and_stay_as_they_are() -> None:
    env = ng.envs.vector(library("tictactoe"), 3)
    env.reset(seed=1)
    *_, info = env.step(np.array([4, 5, 6]))
    waits = info["action_mask"].argmax(axis=1)
    for wrong in (4, -1, 99):
        with pytest.raises(GameError, match=rf"action {wrong} of game 1 is not legal here; legal"):
            env.step(np.array([waits[0], wrong, waits[2]]))
        assert (env.action_masks() == info["action_mask"]).all()
    for shape in (waits[:2], np.full(3, 0.7)):
        with pytest.raises(GameError, match=r"actions are int64 \[3\], not "):
            env.step(shape)
    marks = env.step(waits)[0].sum(axis=1)
    assert (marks == marks[0]).all()


def test_lanes_are_at_least_one() -> None:
    with pytest.raises(ConfigurationError, match="num_envs=0"):
        ng.envs.vector("tictactoe", 0)
    several: Any = np.int64(3)
    assert ng.envs.vector("tictactoe", several).num_envs == 3
    with pytest.raises(ConfigurationError, match=r"num_envs=2\.5; a whole number is needed"):
        ng.envs.vector("tictactoe", 2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("parallel", [False, True])
def test_moves_before_a_reset_and_moves_that_are_missing_are_refused(parallel: bool) -> None:
    for env in (
        ng.envs.pettingzoo("tictactoe", parallel=parallel),
        ng.envs.gymnasium("tictactoe"),
    ):
        move: Any = {"xplayer": 0, "oplayer": 9} if isinstance(env, TogetherEnv) else 0
        with pytest.raises(GameError, match="no match is going on"):
            env.step(move)
        env.reset(seed=1)
        env.step(move)
    if parallel:
        together: Any = ng.envs.pettingzoo("tictactoe", parallel=True)
        together.reset()
        with pytest.raises(GameError, match="action None of oplayer is not legal"):
            together.step({"xplayer": 0})


def test_a_match_in_which_nobody_chooses_is_rewarded() -> None:
    game = Game.from_text(
        "(role a) (role b) (init (s 0)) (<= (legal ?r noop) (role ?r)) (<= (next (s 1)) "
        "(true (s 0))) (<= terminal (true (s 1))) (goal a 100) (goal b 0)"
    )
    env: Any = ng.envs.pettingzoo(game, render_mode="ansi")
    env.reset(seed=-1)
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], ended, *_ = env.last()
        assert ended
        env.step(None)
    assert rewards == {"a": 1.0, "b": -1.0}
    assert "s" in env.render()


def test_a_game_that_is_over_before_it_begins_has_no_matches() -> None:
    """It was an empty mask, and a move was told to reset, for ever."""
    game = Game.from_text(
        "(role a) (role b) (init on) (<= (legal ?r noop) (role ?r)) (<= (next on) (true on)) "
        "(<= terminal (true on)) (goal a 100) (goal b 0)"
    )
    evaluator: Any = ng.make_evaluator(game)
    calls: list[Callable[[], object]] = [
        lambda: ng.envs.gymnasium(game),
        lambda: ng.envs.vector(game, 3),
        lambda: ng.envs.pettingzoo(game),
        lambda: ng.envs.pettingzoo(game, parallel=True),
        lambda: ng.data.positions(game, 5),
        lambda: ng.data.positions(game, 5, evaluator=evaluator),
        lambda: calibrate(game, evaluator),
    ]
    for call in calls:
        with pytest.raises(GameError, match="initial state is terminal"):
            call()


def test_who_cannot_learn_is_told_who_can() -> None:
    pig = library("pig")
    for make in (ng.envs.gymnasium, partial(ng.envs.vector, num_envs=3)):
        call: Any = make
        with pytest.raises(GameError, match=r"random is chance, .* can learn are first, second"):
            call(pig, role="random")
    alone = Game.from_text(
        "(role a) (role b) (init on) (legal a x) (legal a y) (<= (next off) (true on)) "
        "(<= terminal (true off)) (goal a 100) (goal b 0)"
    )
    calls: list[Callable[[], object]] = [
        lambda: ng.envs.gymnasium(alone, "b"),
        lambda: ng.envs.vector(alone, 3, "b"),
        lambda: ng.envs.pettingzoo(alone),
        lambda: ng.envs.pettingzoo(alone, parallel=True),
    ]
    for make_env in calls:
        with pytest.raises(GameError, match="b never has a move"):
            make_env()


def test_a_match_that_goes_on_for_ever_without_a_choice_is_cut() -> None:
    game = Game.from_text(
        "(role a) (role b) (init on) (<= (legal a ?m) (true on) (either ?m)) (either go) "
        "(either stay) (<= (legal a noop) (not (true on))) (legal b noop) (<= (next lost) "
        "(not (true on))) (<= (next lost) (does a go)) (<= (next on) (does a stay)) "
        "(<= terminal (true never)) (base never) (goal a 100) (goal b 0)"
    )
    one = ng.envs.gymnasium(game)
    one.reset(seed=1)
    go, stay = (game.move_index("a", text) for text in ("go", "stay"))
    assert one.step(stay)[2:4] == (False, False)
    assert one.step(go)[1:4] == (0.0, False, True)
    turns: Any = ng.envs.pettingzoo(game)
    turns.reset(seed=1)
    for move in (stay, go):
        assert turns.agent_selection == "a"
        assert not any(turns.truncations.values())
        turns.step(move)
    assert turns.truncations == {"a": True, "b": True}
    assert turns.terminations == {"a": False, "b": False}
    for _ in turns.agent_iter():
        assert turns.last()[1] == 0
        turns.step(None)
    assert not turns.agents


def test_agents_that_move_together_are_told_who_has_no_move() -> None:
    game = Game.from_text(
        "(role a) (role b) (init on) (base on) (base off) (legal a x) (<= (legal b x) (true on)) "
        "(<= (next off) (true on)) (<= (next off) (true off)) (<= terminal (true on) (true off)) "
        "(goal a 50) (goal b 50)"
    )
    env: Any = ng.envs.pettingzoo(game, parallel=True)
    env.reset(seed=1)
    env.step({"a": 0, "b": 0})
    with pytest.raises(GameError, match="b has no legal move: no match goes on"):
        env.step({"a": 0, "b": 0})


def test_the_page_runs_as_printed() -> None:
    page = (REPOSITORY / "docs" / "environments.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    exec(compile(block, "environments.md", "exec"), {})

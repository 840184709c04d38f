"""Games and players in OpenSpiel: its own checks, and matches that are the game's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import neurogame as ng
from neurogame.errors import GameError
from tests.conftest import REPOSITORY
from tests.library import load as library

pyspiel = pytest.importorskip("pyspiel")

GAMES = {
    "tictactoe": ("SEQUENTIAL", "DETERMINISTIC", "ZERO_SUM", 9),
    "rockpaperscissors": ("SIMULTANEOUS", "DETERMINISTIC", "ZERO_SUM", 7),
    "bidding_tictactoe": ("SIMULTANEOUS", "DETERMINISTIC", "ZERO_SUM", 1000),
    "tictactoe3p": ("SEQUENTIAL", "DETERMINISTIC", "GENERAL_SUM", 25),
    "pig": ("SEQUENTIAL", "EXPLICIT_STOCHASTIC", "GENERAL_SUM", 1000),
    "eightpuzzle": ("SEQUENTIAL", "DETERMINISTIC", "GENERAL_SUM", 30),
}


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_accepts_them(name: str) -> None:
    made = ng.envs.openspiel(library(name))
    kind = made.get_type()
    found = (kind.dynamics.name, kind.chance_mode.name, kind.utility.name, made.max_game_length())
    assert found == GAMES[name]
    pyspiel.random_sim_test(made, num_sims=2, serialize=True, verbose=False)
    again = pyspiel.load_game(f"neurogame_{name}")
    assert str(again.new_initial_state()) == str(made.new_initial_state())


def test_states_are_those_of_the_rules() -> None:
    """Followed by states of the game; copies go their own ways."""
    game, random = library("connectfour"), np.random.default_rng(1)
    spiel, ours = ng.envs.openspiel(game).new_initial_state(), game.initial_state()
    while not spiel.is_terminal():
        player = spiel.current_player()
        assert spiel.legal_actions() == list(ours.legal_moves[player])
        assert np.array_equal(spiel.observation_tensor(player), ours.fluents.float().numpy())
        before, copied = str(spiel), spiel.clone()
        copied.apply_action(copied.legal_actions()[0])
        assert str(spiel) == before != str(copied)
        action = int(random.choice(spiel.legal_actions()))
        joint: list[int | str] = ["noop", "noop"]
        joint[player] = action
        spiel.apply_action(action)
        ours = ours.next(joint)
    assert spiel.returns() == [goal / 50 - 1 for goal in ours.goals if goal is not None]


@pytest.mark.parametrize("theirs", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("number", [0, 1])
def test_players_play_openspiels_games(theirs: str, number: int) -> None:
    """A tree search of two hundred simulations hardly ever loses to random moves."""
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

    game, random = pyspiel.load_game(theirs), np.random.RandomState(1)
    bots = [pyspiel.make_uniform_random_bot(player, 3) for player in range(2)]
    bots[number] = ng.envs.openspiel_bot("mcts:sims=200", game, number, seed=2)
    returns = [evaluate_bots(game.new_initial_state(), bots, random)[number] for _ in range(5)]
    assert sum(returns) >= 3


def test_other_games_are_refused() -> None:
    with pytest.raises(GameError, match="chess is not a game that both have"):
        ng.envs.openspiel_bot("random", pyspiel.load_game("chess"), 0)
    other = ng.Game.from_text((REPOSITORY / "games" / "nim.kif").read_text(), "tictactoe")
    ng.envs.openspiel(library("tictactoe"))
    with pytest.raises(GameError, match="registered with other rules"):
        ng.envs.openspiel(other)


def test_the_page_runs_as_printed() -> None:
    page = (REPOSITORY / "docs" / "environments.md").read_text(encoding="utf-8")
    [section] = re.findall(r"^## OpenSpiel\n(.*)", page, flags=re.MULTILINE | re.DOTALL)
    [block] = re.findall(r"^```py\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
    exec(compile(block, "environments.md", "exec"), {})

"""Matches without a circuit, against the circuit where there is one, and where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurogame.arena.series import play_proved_series
from neurogame.cli.main import main
from neurogame.errors import GameError, PlayerError
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.players.match_settings import MatchSettings
from neurogame.players.proved.match import play_proved_match
from neurogame.players.proved.player import ProofPlayer
from neurogame.players.record import MatchRecord
from neurogame.prover.game import ProverGame
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from tests.prover.heavy import HEAVY


def _players(*texts: str) -> list[ProofPlayer]:
    return [ProofPlayer(text) for text in texts]


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe", "pegs", "pursuit"])
def test_matches_are_those_of_the_circuit(name: str) -> None:
    game = Game.load(name)
    settings = MatchSettings(opening_plies=3, record_states=True, max_plies=30)
    players = _players("mcts:sims=3", *["random"] * (len(game.roles) - 1))
    for seed in range(3):
        record = play_proved_match(game.rules, players, seed, name=name, settings=settings)
        assert record.opening_plies == 3
        assert record.roles == game.roles
        assert record.states is not None
        state = game.initial_state()
        for joint, fluents in zip(record.moves, record.states[1:], strict=True):
            state = state.next(joint)
            assert state.fluent_texts == fluents
        assert record.ending == ("terminal" if state.is_terminal else "step limit")
        assert record.goals == tuple(float(goal or 0) for goal in state.goals)


def test_the_same_seed_plays_the_same_match() -> None:
    rules = load_rules("connectfour5")
    settings = MatchSettings(limit=Limit(simulations=5), opening_plies=2)
    records = [
        play_proved_match(rules, _players("mcts", "random"), seed, settings=settings)
        for seed in (4, 4, 5)
    ]
    assert records[0].moves == records[1].moves != records[2].moves
    assert MatchRecord.from_json(records[0].to_json()) == records[0]


def test_search_beats_chance_in_both_roles() -> None:
    result = play_proved_series(
        load_rules("tictactoe"),
        _players("mcts:sims=60", "random"),
        20,
        seed=1,
        name="tictactoe",
        settings=MatchSettings(opening_plies=2),
    )
    assert result.as_dict()["scores"][0] >= 75


@pytest.mark.parametrize("name", HEAVY)
def test_what_can_hardly_be_grounded_is_played(name: str) -> None:
    rules = parse_rules(HEAVY[name], name)
    roles = len(ProverGame(rules).roles)
    settings = MatchSettings(limit=Limit(simulations=2), max_plies=12)
    record = play_proved_match(rules, _players(*["mcts"] * roles), settings=settings)
    assert record.length > 0
    assert record.ending in ("terminal", "step limit")


def test_who_is_late_loses_the_move() -> None:
    settings = MatchSettings(play_clock=1e-9, max_plies=6)
    record = play_proved_match(
        load_rules("tictactoe"), _players("mcts:sims=2", "random"), settings=settings
    )
    assert record.timeouts == record.decisions == (3, 3)


@pytest.mark.parametrize("text", ["auto", "alphabeta:cilp", "mcts:cilp", "mcts:tree=rave", "human"])
def test_players_that_need_the_circuit_are_refused(text: str) -> None:
    with pytest.raises(PlayerError, match="needs the circuit of the game"):
        ProofPlayer(text)


def test_a_wrong_number_of_players_is_refused() -> None:
    rules = load_rules("tictactoe")
    with pytest.raises(GameError, match="has 2 roles"):
        play_proved_match(rules, _players("random"))
    with pytest.raises(GameError, match="has 2 roles"):
        play_proved_series(rules, _players("random"), 2)


def test_the_command_plays_without_a_circuit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "heavy.kif"
    rules.write_text(HEAVY["exactly one"], encoding="utf-8")
    arguments = ["match", str(rules), "--players", "random", "--matches", "2", "--json"]
    assert main([*arguments, "--prover", "--record", str(tmp_path / "records")]) == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 2
    (first, second) = sorted((tmp_path / "records").glob("*.json"))
    assert MatchRecord.from_json(first.read_text()).states
    assert second.name == "match-00001.json"

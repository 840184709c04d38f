"""One match: rules are kept, clocks are watched, faults are counted, records are complete."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from neurogame.errors import ConfigurationError, GameError
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import MatchAbandoned
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from tests.players.scripted import Scripted, first_legal, last_legal

STUCK = """
(role one) (init (p a)) (<= (legal one go) (true (p a)))
(<= (next (p b)) (does one go)) (<= terminal (true (p z))) (goal one 30)
"""


@pytest.mark.parametrize(
    "name", ["tictactoe", "tictactoe3p", "connectfour_simultaneous", "lightsout", "prisoners"]
)
def test_records_replay_to_the_same_goals(name: str) -> None:
    game = Game.load(name)
    players = [make_player("random") for _ in game.roles]
    settings = MatchSettings(record_states=True, opening_plies=1)
    record = play_match(game, players, seed=5, settings=settings)
    state = game.initial_state()
    assert record.states is not None
    assert record.states[0] == state.fluent_texts
    for joint, fluents in zip(record.moves, record.states[1:], strict=True):
        state = state.next(joint)
        assert state.fluent_texts == fluents
    assert state.is_terminal
    assert record.ending == "terminal"
    assert record.goals == state.goals
    assert record.length == len(record.moves)
    assert record.roles == game.roles
    assert MatchRecord.from_json(record.to_json()) == record
    assert record.played is game
    sent = pickle.loads(pickle.dumps(record))
    assert sent == record
    assert sent.played is None


def test_same_seed_same_match(tictactoe: Game) -> None:
    def moves(seed: int) -> tuple[tuple[str, ...], ...]:
        players = [make_player("random"), make_player("alphabeta:cilp-paper", tictactoe)]
        return play_match(tictactoe, players, Limit(depth=1), seed).moves

    assert moves(1) == moves(1)
    assert len({moves(seed) for seed in range(6)}) > 1


def test_players_are_told_seed_role_and_limit_and_are_stopped(tictactoe: Game) -> None:
    players = [Scripted(first_legal), Scripted(last_legal)]
    play_match(tictactoe, players, Limit(nodes=7), seed=3)
    assert [player.role for player in players] == [0, 1]
    assert players[0].seeds != players[1].seeds
    for player in players:
        assert player.stops == 1
        assert set(player.limits) == {Limit(nodes=7)}


def test_forced_moves_are_made_without_asking(tictactoe: Game) -> None:
    def picky(state: State, role: int) -> int:
        assert len(state.legal_moves[role]) > 1
        return first_legal(state, role)

    players = [Scripted(picky), Scripted(picky)]
    record = play_match(tictactoe, players)
    assert record.ending == "terminal"
    assert record.decisions == tuple(len(player.limits) for player in players)
    assert sum(record.decisions) < 2 * record.length


def test_illegal_moves_are_replaced_and_counted(tictactoe: Game) -> None:
    for nonsense in (lambda state, role: -1, lambda state, role: 10**6):
        players = [Scripted(first_legal), Scripted(nonsense)]
        record = play_match(tictactoe, players, seed=2)
        assert record.ending == "terminal"
        asked = len(players[1].limits)
        assert record.illegal_moves == (0, asked)
        assert asked >= 2
        again = play_match(tictactoe, players, seed=2)
        assert again.moves == record.moves


def test_late_moves_are_replaced_and_counted(
    tictactoe: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("neurogame.players.match.time.perf_counter", lambda: now[0])

    def slow(state: State, role: int) -> int:
        now[0] += 3.0
        return first_legal(state, role)

    players = [Scripted(slow), Scripted(first_legal)]
    record = play_match(tictactoe, players, seed=1, settings=MatchSettings(play_clock=2.0))
    asked = len(players[0].limits)
    assert record.timeouts == (asked, 0)
    assert record.slowest_seconds == (3.0, 0.0)
    assert record.move_seconds == (3.0 * asked, 0.0)
    # Players are told to keep well within the clock.
    assert {limit.seconds for limit in players[0].limits} == {1.8}
    patient = play_match(tictactoe, players, seed=1, settings=MatchSettings(play_clock=3.0))
    assert patient.timeouts == (0, 0)


def test_late_starts_are_counted(tictactoe: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("neurogame.players.match.time.perf_counter", lambda: now[0])

    class Sleepy(Scripted):
        def start(self, match: MatchStart) -> None:
            now[0] += 5.0

    players = [Scripted(first_legal), Sleepy(first_legal)]
    record = play_match(tictactoe, players, settings=MatchSettings(start_clock=1.0))
    assert record.start_timeouts == (0, 1)
    assert record.start_seconds == (0.0, 5.0)
    # Players are told to keep well within the clock, or not to hurry where there is none.
    assert players[0].start_clocks == [0.9]
    play_match(tictactoe, [players[0], Scripted(first_legal)])
    assert players[0].start_clocks == [0.9, None]


def test_leaving_ends_the_match_and_stops_everybody(tictactoe: Game) -> None:
    def leave(state: State, role: int) -> int:
        raise MatchAbandoned

    players = [Scripted(first_legal), Scripted(leave)]
    record = play_match(tictactoe, players)
    assert (record.ending, record.length) == ("abandoned", 1)
    assert [player.stops for player in players] == [1, 1]


def test_players_are_stopped_when_one_breaks(tictactoe: Game) -> None:
    def break_down(state: State, role: int) -> int:
        raise ZeroDivisionError

    players = [Scripted(first_legal), Scripted(break_down)]
    with pytest.raises(ZeroDivisionError) as raised:
        play_match(tictactoe, players)
    assert raised.value.__notes__ == ["player scripted as oplayer after 1 plies"]
    assert [player.stops for player in players] == [1, 1]


def test_step_limit_and_stuck_games_end(tictactoe: Game) -> None:
    players = [Scripted(first_legal), Scripted(first_legal)]
    record = play_match(tictactoe, players, settings=MatchSettings(max_plies=2))
    assert (record.ending, record.length) == ("step limit", 2)
    stuck = play_match(Game.from_text(STUCK), [Scripted(first_legal)])
    assert (stuck.ending, stuck.length, stuck.goals) == ("stuck", 1, (30.0,))


def test_openings_are_random_and_do_not_end_the_game(tictactoe: Game) -> None:
    openings = set()
    for seed in range(12):
        players = [Scripted(first_legal), Scripted(first_legal)]
        settings = MatchSettings(opening_plies=4)
        record = play_match(tictactoe, players, seed=seed, settings=settings)
        assert record.opening_plies == 4
        assert record.length > 4
        openings.add(record.moves[:4])
    assert len(openings) > 6
    # Nine plies always end tic-tac-toe: the opening is shortened, the match still played.
    settings = MatchSettings(opening_plies=9)
    record = play_match(tictactoe, [make_player("random")] * 2, settings=settings)
    assert 0 < record.opening_plies < 9
    assert record.ending == "terminal"


def test_json_names(tictactoe: Game) -> None:
    record = play_match(tictactoe, [make_player("random"), make_player("random")])
    values = json.loads(record.to_json())
    assert "states" not in values
    assert values["players"] == ["random", "random"]
    assert values["moves"][0][1] == "noop"
    assert sum(values["goals"]) == 100


def test_refusals(tictactoe: Game) -> None:
    with pytest.raises(GameError, match="1 players were given"):
        play_match(tictactoe, [make_player("random")])
    wrong: dict[str, Any] = {"play_clock": 0.0, "opening_plies": -1, "max_plies": 0}
    for name, value in wrong.items():
        with pytest.raises(ConfigurationError, match=name):
            MatchSettings(**{name: value})

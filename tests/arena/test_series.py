"""Series: roles are swapped, seeds shared, results added up rightly."""

from __future__ import annotations

import pytest

from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.series import play_series
from neurogame.errors import ConfigurationError, GameError
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import MatchAbandoned
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from tests.players.scripted import Scripted, first_legal, last_legal


def test_pairs_share_their_seed_and_swap_roles(tictactoe: Game) -> None:
    seen: list[MatchRecord] = []
    players = [Scripted(first_legal, "first"), Scripted(last_legal, "last")]
    settings = MatchSettings(opening_plies=2)
    play_series(
        tictactoe, players, 8, 7, settings=settings, on_match=lambda _, record: seen.append(record)
    )
    pairs = list(zip(seen[::2], seen[1::2], strict=True))
    for one, two in pairs:
        assert one.seed == two.seed
        assert one.moves[:2] == two.moves[:2]
        assert one.players == ("first", "last")
        assert two.players == ("last", "first")
    assert len({one.seed for one, _ in pairs}) == 4


def test_results_add_up_and_are_repeatable(tictactoe: Game) -> None:
    def play() -> PairingResult:
        players = [make_player("alphabeta:cilp", tictactoe), make_player("random")]
        settings = MatchSettings(limit=Limit(depth=2))
        return play_series(tictactoe, players, 20, 3, settings=settings)

    result = play()
    assert result.matches == 20
    assert result.balanced
    assert sum(result.scores) == pytest.approx(100)
    for player in range(2):
        assert result.wins[player] + result.draws[player] + result.losses[player] == 20
        rate = (result.wins[player] + result.draws[player] / 2) / 20
        assert result.win_rates[player] == rate
        low, high = result.win_rates_ci95[player]
        assert low <= rate <= high
        # In this game a goal is 100, 50 or 0: the mean goal is the win rate.
        assert result.scores[player] == pytest.approx(100 * rate)
    assert result.wins[0] == result.losses[1]
    assert result.scores[0] > 80
    assert result.illegal_moves == result.timeouts == (0, 0)
    assert result.distinct_games > 10
    timed = {"seconds_per_match", "seconds_per_move", "slowest_seconds"}
    again = play().as_dict()
    assert {k: v for k, v in result.as_dict().items() if k not in timed} == {
        k: v for k, v in again.items() if k not in timed
    }


def test_deterministic_players_repeat_themselves_and_openings_help(tictactoe: Game) -> None:
    players = [Scripted(first_legal), Scripted(last_legal)]
    assert play_series(tictactoe, players, 10).distinct_games == 2
    settings = MatchSettings(opening_plies=2)
    assert play_series(tictactoe, players, 10, settings=settings).distinct_games > 5


def test_three_players(tictactoe: Game) -> None:
    game = Game.load("tictactoe3p")
    players = [make_player("random") for _ in range(3)]
    result = play_series(game, players, 12)
    assert result.balanced
    assert all(score is not None for row in result.role_scores for score in row)
    assert not play_series(game, players, 7).balanced
    with pytest.raises(GameError, match="3 roles"):
        play_series(game, players[:2], 6)
    with pytest.raises(ConfigurationError, match="matches=0"):
        play_series(tictactoe, players[:2], 0)
    with pytest.raises(ConfigurationError, match="seed=-1"):
        play_series(tictactoe, players[:2], 2, -1)


def test_single_player_games_count_solutions() -> None:
    game = Game.load("eightpuzzle")
    players = [make_player("alphabeta:fuzzy,depth=12", game)]
    result = play_series(game, players, 1)
    assert (result.wins, result.losses, result.scores) == ((1,), (0,), (100.0,))


def test_interruption_returns_what_was_played(tictactoe: Game) -> None:
    def stop(number: int, record: MatchRecord) -> None:
        if number == 2:
            raise KeyboardInterrupt

    players = [make_player("random"), make_player("random")]
    result = play_series(tictactoe, players, 50, on_match=stop)
    assert result.interrupted
    assert result.matches == 3
    assert result.as_dict()["ci95"] == result.win_rates_ci95[0]


def test_leaving_a_match_ends_the_series(tictactoe: Game) -> None:
    asked = []

    def leave(state: State, role: int) -> int:
        asked.append(role)
        if len(asked) > 6:
            raise MatchAbandoned
        return first_legal(state, role)

    result = play_series(tictactoe, [Scripted(leave), Scripted(last_legal)], 10)
    assert result.interrupted
    assert 0 < result.matches < 3


def test_illegal_moves_follow_the_player_not_the_role(tictactoe: Game) -> None:
    faulty = Scripted(lambda state, role: -1)
    result = play_series(tictactoe, [faulty, make_player("random")], 4)
    assert result.illegal_moves[0] == len(faulty.limits) > 0
    assert result.illegal_moves[1] == 0

"""Series and the yardstick that they make: roles, seeds, releases, results that can be checked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest
import torch
from torch import Tensor

from neurogame.arena.exact_positions import (
    ExactPositions,
    exact_positions,
    move_values,
    sample_positions,
)
from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.release_strength import ReleaseStrength, StrengthMeter, counted_matches
from neurogame.arena.series import play_series
from neurogame.arena.strength_table import still_rises, strength_sentence, strength_table
from neurogame.arena.yardstick import Yardstick
from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.comparison import Comparison
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import MatchAbandoned
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.exact import Prover
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from tests.arena.test_arena_run import untimed
from tests.conftest import REPOSITORY
from tests.players.scripted import Scripted, first_legal, last_legal
from tests.processes import wait_until


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
    assert untimed(play().as_dict()) == untimed(result.as_dict())


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


with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(REPOSITORY / "experiments"))
    from kept_values import one_ply, value_kept_by


@cache
def game() -> Game:
    return Game.load("tictactoe")


@cache
def prover() -> Prover:
    return Prover(game())


class Known(Evaluator):
    """Knows some positions' exact values, or the reverse of them."""

    def __init__(self, states: list[State], reverse: bool) -> None:
        super().__init__(len(game().fluents), 2, {"kind": "known"})
        self._values = {}
        for state in states:
            (role,) = (r for r, moves in enumerate(state.legal_moves) if len(moves) > 1)
            joint = [moves[0] for moves in state.legal_moves]
            for move, value in (move_values(prover(), state) or {}).items():
                joint[role] = move
                child = state.next(joint)
                own = 1 - value if reverse else value
                values = [own, 1 - own] if role == 0 else [1 - own, own]
                self._values[child.fluents.numpy().tobytes()] = values

    def forward(self, fluents: Tensor) -> Tensor:
        keys = [row.numpy().tobytes() for row in fluents]
        return torch.tensor([self._values.get(key, [0.5, 0.5]) for key in keys])


def test_one_ply_sees_what_the_evaluator_says() -> None:
    # Up to three plies from the start nobody has won yet: the evaluator decides.
    states = sample_positions(game(), 20, 1, range(3))
    assert len(states) == 1 + 9 + 20
    assert value_kept_by(game(), Known(states, reverse=False), states).share == 1
    wrong = value_kept_by(game(), Known(states, reverse=True), states)
    assert wrong.telling > 5
    assert wrong.telling_share == 0


def test_choices_at_one_ply_do_not_depend_on_what_was_asked_before() -> None:
    states = sample_positions(game(), 6, 2, range(6))
    evaluator = make_evaluator(game(), EvaluatorConfig(kind="mlp"), 3)
    # Of moves that all lose at once one is drawn, where that is foreseen.
    choose = one_ply(AlphaBeta(game(), evaluator, settings=SearchSettings(foresight=False)))
    forward = [choose(state) for state in states]
    backward = [choose(state) for state in reversed(states)]
    assert forward == backward[::-1]


def test_matches_against_evaluators_and_player_strings() -> None:
    rules = make_evaluator(game(), EvaluatorConfig(kind="cilp"))
    blank = make_evaluator(game(), EvaluatorConfig(kind="mlp"), 1)
    yardstick = Yardstick(game=game(), matches=12, seed=3, opening_plies=2, limit=Limit(depth=2))
    found = yardstick.measure(rules, blank)
    assert found.wins + found.draws + found.losses == found.matches == 12
    assert (found.openings, found.opening_plies) == (6, 2)
    assert found.low < found.score < found.high
    assert found == yardstick.measure(rules, blank)
    # The same matches, seen from the other side.
    turned = yardstick.measure(blank, rules)
    assert turned.openings == 6
    assert (turned.wins, turned.losses) == (found.losses, found.wins)
    assert turned.score == pytest.approx(1 - found.score)
    assert yardstick.measure(rules, "random").score > 0.6
    assert yardstick.measure(rules, "mcts:sims=50").matches == 12


def test_positions_are_different_and_have_one_chooser() -> None:
    states = sample_positions(game(), 10, 1, range(9))
    assert len(set(states)) == len(states) > 50
    for state in states:
        assert sum(len(moves) > 1 for moves in state.legal_moves) == 1
    # Two who bid at the same time are no choosers in turn.
    assert sample_positions(Game.load("bidding_tictactoe"), 5, 1, [0]) == []


def test_the_share_of_exact_values_kept_is_that_of_a_search_of_one_ply() -> None:
    # So early no move ends a match: a search has nothing to go by but what it is told.
    states = sample_positions(game(), 24, 1, range(1, 4))
    proved = [(state, move_values(prover(), state) or {}) for state in states]
    proved = [(state, found) for state, found in proved if len(set(found.values())) > 1]
    told = [state for state, _ in proved]
    positions = ExactPositions(proved)
    assert positions.kept_by(Known(told, reverse=False)).share == 1
    for evaluator in (Known(told, reverse=True), rules()):
        # Where several moves look best, each counts its share; a search draws one of them.
        kept = [
            value_kept_by(game(), evaluator, told, seed=seed, prover=prover()).telling_kept
            for seed in range(3)
        ]
        found = positions.kept_by(evaluator)
        assert found.positions == len(told) > 30
        assert min(kept) - 1 <= found.kept <= max(kept) + 1
        assert found.kept == pytest.approx(sum(kept) / len(kept), abs=1.5)
        assert found.interval[0] <= found.share < found.interval[1]


def against_mcts(found: ReleaseStrength) -> Comparison:
    assert found.mcts is not None
    return found.mcts


def test_a_run_is_asked_for_exact_values_where_they_can_be_proved() -> None:
    positions = exact_positions(game(), 60, 3, longest=8)
    assert positions is not None
    assert 20 <= len(positions) <= 60
    assert exact_positions(game(), 60, 3, longest=8, left=lambda: 0.0) is None
    assert exact_positions(Game.load("bidding_tictactoe"), 60, 3, longest=4) is None
    share = positions.kept_by(rules())
    release = ReleaseStrength(seconds=1.0, untrained=None, mcts=measured(6), exact=share)
    assert f"{100 * share.share:.1f} %" in strength_table([release])
    assert f"the release after 1 s gets {100 * share.share:.0f} of 100 moves" in strength_sentence(
        [release]
    )
    many = replace(release, mcts=replace(against_mcts(release), matches=20, score=0.8))
    assert "s takes 80 of 100 points from mcts:sims=1000 and gets" in strength_sentence([many])
    assert strength_sentence([replace(many, seconds=0.0)]) == ""


def test_mistakes_are_refused() -> None:
    evaluator = make_evaluator(game(), EvaluatorConfig(kind="cilp"))
    with pytest.raises(ValueError, match="player 'nobody'"):
        Yardstick(game=game(), matches=2).measure(evaluator, "nobody")


@cache
def rules() -> Evaluator:
    return make_evaluator(game())


def is_idle(meter: StrengthMeter) -> bool:
    return meter.waiting == 0


def metered(meter: StrengthMeter) -> list[ReleaseStrength]:
    """Return what a meter measures of the untrained network."""
    meter.measure(rules(), 0.0)
    wait_until(partial(is_idle, meter))
    return meter.close()


class Left:
    """Seconds that are left: none from the given look on."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        return 1000.0 if self.looks >= 0 else 0.0


@cache
def measured(matches: int, left: Callable[[], float] = lambda: 1.0) -> Comparison:
    """Return what the first matches of one measurement come to, of those before time is up."""
    yardstick = Yardstick(
        game=game(), matches=matches, seed=2, opening_plies=2, limit=Limit(depth=1)
    )
    return yardstick.measure(rules(), rules(), left=left)


def test_a_measurement_that_is_cut_holds_the_matches_that_ended() -> None:
    """Every move looks twice at the time; a match under way when there is none does not count."""
    assert measured(6).matches == 6
    counts = [measured(6, Left(looks)) for looks in range(0, 120, 12)]
    assert [found.matches for found in counts] == sorted(found.matches for found in counts)
    assert counts[0].matches == 0
    assert len({found.matches for found in counts}) > 4
    for found in counts:
        assert found.wins + found.draws + found.losses == found.matches
        # Nothing was cut within a match that counts.
        assert found.matches == 0 or found == measured(found.matches)


def test_no_time_is_no_match_and_says_so() -> None:
    (found,) = metered(StrengthMeter(game(), rules(), seed=1, seconds=0.0))
    assert against_mcts(found).matches == 0
    assert found.text() == ""
    assert "no match was finished" in strength_table([found])
    assert strength_sentence([found]) == ""
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["mcts"]["score"] is None


def test_the_time_of_all_measurements_ends_each() -> None:
    """The clock of the whole run is over, whatever one measurement may take."""
    clock = iter([0.0, *[50.0] * 1000])
    meter = StrengthMeter(
        game(), rules(), seed=1, seconds=1000.0, until=10.0, clock=lambda: next(clock)
    )
    meter.measure(rules(), 0.0)
    wait_until(partial(is_idle, meter))
    assert meter.is_over
    assert against_mcts(meter.close()[0]).matches == 0


def test_measuring_stops_between_two_plies() -> None:
    """One that would never end is asked to stop while it thinks, and ends with that move."""
    thinking, stopped = threading.Event(), threading.Event()

    class Slow(Evaluator):
        """Thinks until the measurement is told to stop, about one state."""

        def forward(self, fluents: Tensor) -> Tensor:
            thinking.set()
            stopped.wait()
            found: Tensor = rules()(fluents)
            return found

    slow = Slow(len(game().fluents), 2, {"kind": "slow"})
    meter = StrengthMeter(game(), rules(), seed=1, matches=60)
    meter.measure(slow, 0.0)
    assert thinking.wait(60.0)
    meter._stopped = True
    stopped.set()
    wait_until(partial(is_idle, meter))
    (found,) = meter.close()
    assert found.untrained is not None
    assert found.untrained.matches == against_mcts(found).matches == 0


def test_counted_measurements_are_the_same_whatever_the_time() -> None:
    one, two = (metered(StrengthMeter(game(), rules(), seed=3, matches=4))[0] for _ in range(2))
    assert against_mcts(one).matches == 4
    assert one.mcts == two.mcts


def test_long_matches_are_counted_fewer() -> None:
    counts = [counted_matches(plies) for plies in (9, 100, 200, 400, 1000)]
    assert counts == [20, 20, 8, 2, 0]


def candidate(seconds: float, score: float | None, low: float, against: float) -> dict[str, Any]:
    matches = 0 if score is None else 100
    row = {"seconds": seconds, "against": against, "matches": matches, "score": score}
    return row | {"low": low, "high": 1.0 if score is None else 2 * score - low}


def test_it_rises_while_the_last_candidate_wins_beyond_its_interval() -> None:
    rows = [candidate(10, 0.9, 0.8, 0), candidate(30, 0.62, 0.54, 10)]
    assert still_rises(rows) == (
        "still rising: the weights after 30 s take 62 % [54, 70] from those after 10 s"
    )


def test_it_is_flat_since_the_last_gain_even_if_a_lucky_candidate_was_released() -> None:
    rows = [candidate(10, 0.9, 0.8, 0), candidate(30, 0.53, 0.45, 10), candidate(60, 0.5, 0.4, 30)]
    assert still_rises(rows) == (
        "flat since 10 s: the last weights take 50 % [40, 60] of 100 matches from those after 30 s"
    )


def test_nothing_is_claimed_without_a_gain_or_a_match() -> None:
    assert still_rises([]) == ""
    assert still_rises([candidate(10, 0.5, 0.4, 0)]).startswith("no gain is certain: ")
    assert "no match" in still_rises([candidate(10, None, 0.0, 0)])

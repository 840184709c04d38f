"""Counting hand-made matches in any order, and the tables, CSV and plot of what came out."""

from __future__ import annotations

import dataclasses
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.crosstable import Crosstable
from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.plot import write_plot
from neurogame.arena.report import markdown
from neurogame.arena.rounds import outcomes, points
from neurogame.arena.schedule import slots
from neurogame.arena.settings import ArenaSettings
from neurogame.arena.sprt import SprtSettings
from neurogame.arena.strength import strength
from neurogame.arena.tally import PairingTally
from neurogame.errors import ConfigurationError, MissingExtraError
from neurogame.intervals import mean_interval, normal_interval, paired_interval
from neurogame.players.record import Ending, MatchRecord
from neurogame.search.limit import Limit


def record(
    goals: Sequence[float],
    *,
    moves: Sequence[str] = ("a", "b"),
    seed: int = 0,
    ending: Ending = "terminal",
    illegal: Sequence[int] | None = None,
    seconds: Sequence[float] | None = None,
    decisions: Sequence[int] | None = None,
) -> MatchRecord:
    """Return a record with given goals; what is left out is zero."""
    nothing = (0,) * len(goals)
    return MatchRecord(
        game="made up",
        roles=tuple(f"r{role}" for role in range(len(goals))),
        players=("somebody",) * len(goals),
        seed=seed,
        opening_plies=0,
        moves=tuple((move,) * len(goals) for move in moves),
        goals=tuple(map(float, goals)),
        ending=ending,
        length=len(moves),
        start_seconds=(0.0,) * len(goals),
        decisions=tuple(decisions or nothing),
        move_seconds=tuple(map(float, seconds or nothing)),
        slowest_seconds=tuple(map(float, seconds or nothing)),
        start_timeouts=nothing,
        timeouts=nothing,
        illegal_moves=tuple(illegal or nothing),
    )


def result(tally: PairingTally, labels: str = "AB") -> PairingResult:
    return tally.result("game", "depth=1", tuple(labels), 7)


def count(goals: list[tuple[float, float]], sprt: SprtSettings | None = None) -> PairingTally:
    """Count matches of two players; goals are per match, of the first and second player."""
    tally = PairingTally((0, 1), 2, len(goals), sprt)
    for number, (slot, (first, second)) in enumerate(
        zip(slots(2, 2, len(goals), 7), goals, strict=True)
    ):
        by_role = (first, second) if slot.seats == (0, 1) else (second, first)
        tally.add(slot, record(by_role, moves=(f"m{number}",)))
    return tally


def test_two_players_by_hand() -> None:
    goals = [(100.0, 0.0), (50.0, 50.0), (100.0, 0.0), (0.0, 100.0), (70.0, 10.0), (30.0, 30.0)]
    found = result(count(goals))
    assert (found.game, found.limit, found.players, found.seed) == (
        "game",
        "depth=1",
        ("A", "B"),
        7,
    )
    assert (found.matches, found.wins, found.draws, found.losses) == (6, (3, 1), (2, 2), (1, 3))
    assert found.scores == pytest.approx((350 / 6, 190 / 6))
    assert found.score_ci95[0] == pytest.approx(mean_interval([75, 50, 50]))
    own = [100, 50, 100, 0, 70, 30]
    assert found.score_normal_ci95[0] == normal_interval(own)
    assert found.win_rates == (4 / 6, 2 / 6)
    assert found.win_rates_ci95[0] == paired_interval([[1, 0.5], [1, 0], [1, 0.5]])
    expected = strength([[1, 0.5], [1, 0], [1, 0.5]])
    assert expected is not None
    assert found.elo[0] == expected.elo
    assert found.elo_ci95[0] == expected.elo_ci95
    assert found.superiority[0] == expected.superiority
    assert found.elo[1] == pytest.approx(-expected.elo)
    # The first player was the first role in matches 0, 2 and 4.
    assert found.role_scores[0] == pytest.approx((90, 80 / 3))
    assert found.role_scores[1] == pytest.approx((60, 10 / 3))
    assert found.distinct_games == 6
    assert found.balanced
    assert not found.interrupted


def test_faults_and_times_follow_the_player_not_the_role() -> None:
    tally = PairingTally((0, 1), 2, 2)
    plan = list(slots(2, 2, 2, 0))
    late = replace(
        record((1, 0), illegal=(3, 0), seconds=(4, 1), decisions=(2, 1)), start_timeouts=(1, 0)
    )
    tally.add(plan[0], late)
    tally.add(
        plan[1],
        record((1, 0), illegal=(0, 2), seconds=(1, 8), decisions=(1, 4), ending="step limit"),
    )
    found = result(tally)
    assert found.illegal_moves == (5, 0)
    assert found.seconds_per_match == (6, 1)
    assert found.seconds_per_move == (2, 1)
    assert found.slowest_seconds == (8, 1)
    assert found.unfinished == 1
    assert found.mean_length == 2
    for line in ("illegal moves: 5", "late starts: 1", "unfinished: 1"):
        assert f"  {line}" in str(found)


def test_nothing_finished_is_said_in_words() -> None:
    assert str(result(PairingTally((0, 1), 2, 2))) == "no match was finished"


def test_what_searches_did_is_told_by_the_second_and_beside_the_others() -> None:
    tally = PairingTally((0, 1), 2, 2)
    one = {"search_seconds": 2.0, "judge_seconds": 0.5, "simulations": 3000, "moves_judged": 8000}
    other = {"search_seconds": 1.0, "judge_seconds": 0.0, "simulations": 4500, "moves_judged": 0}
    for slot in slots(2, 2, 2, 0):
        work = (one, other) if slot.seats == (0, 1) else (other, one)
        tally.add(slot, dataclasses.replace(record((1, 0)), work=work))
    found = result(tally)
    assert found.work[0] == {key: 2 * value for key, value in one.items()}
    told = "1,500 simulations (0.33 ×), 4,000 moves judged (25 % of the time)"
    assert found.pace(0) == told
    assert found.pace(1) == "4,500 simulations (3.00 ×)"
    assert told in str(found)
    crosstable = Crosstable(TWO, ("chess",), (2,))
    for slot in list(crosstable.open_slots()):
        crosstable.add(slot, dataclasses.replace(record((1, 0)), work=(one, one)))
    head, _, row = rows(markdown(crosstable.result()))
    assert row[head.index("per second")].startswith("1,500 simulations (1.00 ×), ")
    nobody = dataclasses.replace(found, work=({"search_seconds": 1.0, "nodes": 700}, {}))
    assert nobody.pace(0) == "700 nodes"
    assert nobody.pace(1) == ""


def test_equal_moves_in_other_seats_are_another_game() -> None:
    tally = PairingTally((0, 1), 2, 4)
    for slot in slots(2, 2, 4, 0):
        tally.add(slot, record((100, 0), moves=("same",)))
    assert result(tally).distinct_games == 2


@given(order=st.randoms(use_true_random=False), matches=st.integers(1, 30))
def test_the_order_of_coming_in_does_not_matter(order: random.Random, matches: int) -> None:
    source = random.Random(matches)
    played = [
        (slot, record((goal := source.choice([0, 50, 100]), 100 - goal), moves=(str(slot),)))
        for slot in slots(2, 2, matches, 0)
    ]

    def counted(entries: list[tuple[object, MatchRecord]]) -> PairingResult:
        tally = PairingTally((0, 1), 2, matches, SprtSettings(elo1=400, alpha=0.2, beta=0.2))
        for slot, found in entries:
            tally.add(slot, found)  # type: ignore[arg-type]
        return result(tally)

    shuffled = order.sample(played, len(played))
    assert counted(list(shuffled)) == counted(list(played))


def test_a_decided_test_ends_the_pairing() -> None:
    """Whatever is played after the deciding block does not count."""
    goals = [(100.0, 0.0)] * 100
    tally = count(goals, sprt=SprtSettings(elo1=200))
    found = result(tally)
    assert tally.decided
    assert found.sprt is not None
    assert (found.sprt.decision, found.matches) == ("H1", 2 * found.sprt.blocks)
    assert 2 < found.matches < 100
    assert not found.interrupted
    longer = result(count([*goals, (0.0, 100.0)], sprt=SprtSettings(elo1=200)))
    assert longer == found
    reverse = result(count([(0.0, 100.0)] * 100, sprt=SprtSettings(elo1=200)))
    assert reverse.sprt is not None
    assert reverse.sprt.decision == "H0"
    assert not count([(50.0, 50.0)] * 4, sprt=SprtSettings(elo1=20)).decided


def test_missing_matches_are_an_interruption_and_half_blocks_are_noted() -> None:
    tally = PairingTally((0, 1), 2, 4)
    plan = list(slots(2, 2, 4, 0))
    assert result(tally).matches == 0
    assert result(tally).elo == (None, None)
    for slot in plan[:3]:
        tally.add(slot, record((100, 0)))
    found = result(tally)
    assert (found.matches, found.interrupted, found.balanced) == (3, True, False)
    # The mean goal's interval rests on complete blocks alone, and one is not enough.
    assert found.score_ci95 == (None, None)


def test_three_players_have_points_against_each_other() -> None:
    tally = PairingTally((0, 1, 2), 3, 6)
    for slot in slots(3, 3, 6, 0):
        # Player 0 always comes first, the others share the rest.
        tally.add(slot, record([100 if player == 0 else 20 for player in slot.seats]))
    found = result(tally, "ABC")
    assert (found.wins, found.draws, found.losses) == ((6, 0, 0), (0, 0, 0), (0, 6, 6))
    assert found.scores == (100, 20, 20)
    assert found.elo[1] == found.elo[2]
    # Against the others B has a quarter of the points: nothing from A, half from C.
    assert found.elo[1] == pytest.approx(-190.85, abs=0.01)
    assert found.balanced
    pairs = {(c.first, c.second, c.points) for c in tally.comparisons()}
    assert pairs == {(0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5)}


def test_one_role_compares_goals_at_the_same_seed() -> None:
    tally = PairingTally((0, 1), 1, 3)
    goals = {(0, 0): 100, (1, 0): 50, (0, 1): 30, (1, 1): 30, (0, 2): 0, (1, 2): 10}
    plan = list(slots(2, 1, 3, 0))
    for slot in plan[:-1]:
        tally.add(slot, record([goals[slot.lineup[0], slot.block]]))
    # The last one waits for its partner.
    assert result(tally).matches == 2
    tally.add(plan[-1], record([goals[plan[-1].lineup[0], plan[-1].block]]))
    found = result(tally)
    assert (found.matches, found.wins, found.draws) == (3, (1, 1), (1, 1))
    assert found.scores == pytest.approx((130 / 3, 30))
    assert found.role_scores[0] == pytest.approx((130 / 3,))
    assert found.role_scores[1] == (30,)


def test_a_player_alone_wins_by_a_hundred() -> None:
    tally = PairingTally((0,), 1, 3)
    for slot, goal in zip(slots(1, 1, 3, 0), (100, 99, 100), strict=True):
        tally.add(slot, record([goal]))
    found = result(tally, "A")
    assert (found.wins, found.losses, found.elo) == ((2,), (1,), (None,))
    assert "ci95" in found.as_dict()


def test_points_and_outcomes() -> None:
    assert outcomes([70, 30, 70]) == [0.5, 0, 0.5]
    assert points([70, 30, 70]) == [0.75, 0, 0.75]
    assert points([1, 2, 3, 3]) == pytest.approx([0, 1 / 3, 5 / 6, 5 / 6])
    assert points([50, 50]) == outcomes([50, 50]) == [0.5, 0.5]
    assert points([100]) == [1.0]


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6))
def test_points_share_out_one_half_each(goals: list[int]) -> None:
    assert sum(points(goals)) == pytest.approx(len(goals) / 2)


def test_json_has_the_first_players_numbers_and_everybodys() -> None:
    values = result(count([(100.0, 0.0), (100.0, 0.0)])).as_dict()
    assert values["wins"] + values["draws"] + values["losses"] == values["matches"] == 2
    assert values["ci95"][0] <= values["win_rate"] <= values["ci95"][1]
    assert values["elo_ci95"][0] < values["elo"] < values["elo_ci95"][1]
    assert values["per_player"]["wins"] == (2, 0)
    assert values["scores"] == (100, 0)


TWO = ArenaSettings(games=("chess",), players=("random", "alphabeta:a|b.pt"), matches=4)


def played(settings: ArenaSettings, roles: tuple[int, ...], fault: int = 0) -> ArenaResult:
    """Return the result of an arena in which the player with the lower number wins."""
    crosstable = Crosstable(settings, settings.games, roles)
    for slot in list(crosstable.open_slots()):
        goals = [100 - 10 * player for player in slot.seats]
        moves = (str(slot),)
        crosstable.add(slot, record(goals, moves=moves, illegal=[fault] * len(goals)))
    return crosstable.result()


def rows(text: str) -> list[list[str]]:
    """Return the cells of the first Markdown table of a text."""
    found = []
    for line in text.splitlines():
        if not line.startswith("|"):
            break
        cells = line.replace("\\|", "!").split("|")[1:-1]
        found.append([cell.strip() for cell in cells])
    return found


def test_two_players_are_one_line() -> None:
    text = markdown(played(TWO, (2,)))
    head, rule, row = rows(text)
    assert len({len(line) for line in text.splitlines() if line}) == 1
    assert all(set(cell) <= {"-", ":"} for cell in rule)
    found = dict(zip(head, row, strict=True))
    # The limit says nothing here, so it has no column.
    assert "limit" not in found
    assert found["player"] == "random"
    assert found["against"] == "alphabeta:a!b.pt"
    assert (found["matches"], found["distinct"], found["won-drawn-lost"]) == ("4", "4", "4-0-0")
    assert found["mean goal"] == "100.0"
    assert found["others' goal"] == "90.0"
    assert found["win rate % [95 %]"] == "100.0 [13.9, 100.0]"
    assert found["Elo [95 %]"].startswith("+")


def test_many_players_games_and_limits_have_lines_and_ratings() -> None:
    settings = ArenaSettings(
        games=("chess", "nim", "solitaire", "war"),
        players=("random",) * 3,
        matches=6,
        limits=(Limit(depth=1), Limit(nodes=5)),
    )
    text = markdown(played(settings, (2, 2, 1, 3)))
    head, _, *body = rows(text)
    # Three pairs in three games, and three players in the last, under two limits.
    assert len(body) == 2 * 4 * 3
    assert {row[head.index("limit")] for row in body} == {"depth=1", "nodes=5"}
    assert body[-1][:4] == ["war", "nodes=5", "random #3", "random, random #2"]
    ratings = text[text.index("| place |") - 30 :]
    assert ratings.count("| all games |") == 6
    assert ratings.count("random #2") == 10


def test_what_readers_must_know_is_noted() -> None:
    settings = ArenaSettings(
        games=("chess",), players=("random", "random"), matches=3, sprt=SprtSettings()
    )
    text = markdown(played(settings, (2,), fault=2))
    assert "chess, random against random #2: 6 illegal moves, replaced, by random\n" in text
    assert "SPRT undecided, LLR 0." in text
    assert "a block is incomplete" in text
    crosstable = Crosstable(TWO, ("chess",), (2,))
    for slot in list(crosstable.open_slots()):
        crosstable.add(slot, record((1, 1), moves=("same",), ending="step limit"))
    text = markdown(crosstable.result())
    assert "2 of 4 matches repeat another one" in text
    assert "4 matches ended at the step limit or stuck" in text


def test_nothing_played_is_a_table_all_the_same() -> None:
    result = Crosstable(TWO, ("chess",), (2,)).result()
    assert result.interrupted
    [_, _, row] = rows(markdown(result))
    assert row[3] == "0"


def test_the_plot_shows_every_pairing_and_is_repeatable(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib (extra: notebooks) is not installed")
    settings = ArenaSettings(games=("chess", "war"), players=("random",) * 3, matches=6)
    result = played(settings, (2, 3))
    write_plot(result, tmp_path / "one.svg")
    write_plot(result, tmp_path / "two.svg")
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    for words in ("random against random #2", "random #3 against random, random #2", "mean goal"):
        assert words in text
    write_plot(result, tmp_path / "three.PNG")
    assert (tmp_path / "three.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ConfigurationError, match=r"must end in \.svg"):
        write_plot(result, tmp_path / "four.txt")
    with pytest.raises(ConfigurationError, match="--plot"):
        write_plot(result, tmp_path / "missing" / "five.svg")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'neurogame\[notebooks\]'"):
        write_plot(played(TWO, (2,)), tmp_path / "plot.svg")

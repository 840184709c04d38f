"""Tables, CSV and plot: everything that was found is there, in a form that programs can read."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.crosstable import Crosstable
from neurogame.arena.plot import write_plot
from neurogame.arena.report import csv_text, markdown
from neurogame.arena.settings import ArenaSettings
from neurogame.arena.sprt import SprtSettings
from neurogame.errors import ConfigurationError, MissingExtraError
from neurogame.search.limit import Limit
from tests.arena.arena_records import record

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
    assert csv_text(result).count("\n") == 2


def test_csv_has_a_row_per_pairing_and_numbered_columns() -> None:
    settings = ArenaSettings(
        games=("chess", "war"), players=("random",) * 3, matches=6, limits=(Limit(depth=1),)
    )
    result = played(settings, (2, 3), fault=1)
    found = list(csv.DictReader(io.StringIO(csv_text(result))))
    assert [row["game"] for row in found] == ["chess"] * 3 + ["war"]
    assert found[0]["player_2"] == "random #2"
    assert (found[0]["wins_1"], found[0]["losses_2"], found[0]["illegal_moves_1"]) == (
        "6",
        "6",
        "6",
    )
    assert float(found[3]["score_3"]) == 80
    assert float(found[0]["elo_low_1"]) == result.pairings[0].elo_ci95[0][0]  # type: ignore[index]
    assert found[0]["player_3"] == ""


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

"""``neurogame arena`` and ``neurogame match`` as users and programs call them."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from neurogame.cli.main import main
from neurogame.players.random_player import RandomPlayer
from neurogame.search.match_start import MatchStart
from tests.arena.test_arena_run import untimed
from tests.library import Refused
from tests.processes import PATIENCE, PROGRAM, started, wait_until

PAIR = ["arena", "--game", "tictactoe", "--players", "alphabeta:mlp,depth=1", "random"]


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the one JSON object on standard output."""
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.count("\n") == 1
    values = json.loads(shown.out)
    assert isinstance(values, dict)
    return values


def test_two_players_answer_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PAIR, "--matches", "8", "--json"]) == 0
    found = answer(capsys)
    assert found["matches"] == found["wins"] + found["draws"] + found["losses"] == 8
    assert found["players"] == ["alphabeta:mlp,depth=1", "random"]
    assert found["ci95"][0] <= found["win_rate"] <= found["ci95"][1]
    assert found["elo_ci95"][0] < found["elo"] < found["elo_ci95"][1]
    assert sum(found["scores"]) == 100
    assert found["illegal_moves"] == found["timeouts"] == [0, 0]
    assert 1 <= found["distinct_games"] <= 8
    assert found["opening_plies"] == [4]
    [only] = found["pairings"]
    assert {name: found[name] for name in only} == only
    assert found["ratings"] == []


def test_a_leaderboard_has_a_row_for_each_game_and_its_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Refused
) -> None:
    page, players = tmp_path / "board.md", ["random", "mcts:sims=5", "mcts:sims=20"]
    common = ["--players", *players, "--matches", "2", "--seed", "3", "--no-prover", "--quiet"]
    written = ["--leaderboard", str(page)]
    assert main(["arena", "--game", "nim", "tictactoe", *common, *written]) == 0
    text = page.read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    assert rows == ["game", "---------", "nim", "tictactoe", "all games"]
    [command] = re.findall(r"^neurogame (.+)$", text, flags=re.MULTILINE)
    alone = tmp_path / "alone.md"
    line = [*command.replace("GAME", "tictactoe").split(), "--leaderboard", str(alone)]
    assert main(line) == 0
    cells = [
        sorted(cell.strip() for cell in line.split("|")[2:-1])
        for shown in (text, alone.read_text(encoding="utf-8"))
        for line in shown.splitlines()
        if line.startswith("| tictactoe")
    ]
    assert cells[0] == cells[1]
    capsys.readouterr()
    assert "three players or more; there are 2" in refused(*PAIR, *written)


def test_match_and_arena_are_one_road(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PAIR, "--matches", "6", "--seed", "3", "--limit", "nodes=20", "--json"]) == 0
    arena = answer(capsys)
    line = ["match", "tictactoe", "--players", *PAIR[-2:], "--matches", "6", "--seed", "3"]
    assert main([*line, "--nodes", "20", "--opening-plies", "4", "--json"]) == 0
    match = answer(capsys)
    assert untimed(match) == untimed(arena["pairings"][0])


def test_people_get_a_table_and_the_folder_has_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib (extra: notebooks) is not installed")
    line = ["arena", "--game", "tictactoe", "nim", "--players", "random", "random", "random"]
    line += ["--matches", "4", "--limit", "depth=1", "nodes=9", "--sprt", "--quiet"]
    assert main([*line, "--output", str(tmp_path), "--plot"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out == (tmp_path / "table.md").read_text()
    assert shown.out.startswith("| game      | limit   | player    | against   |")
    assert "SPRT undecided" in shown.out
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        *("settings.json", "matches.jsonl", "results.json", "table.md", "plot.svg"),
    }
    assert len(json.loads((tmp_path / "results.json").read_text())["pairings"]) == 2 * 2 * 3
    assert len((tmp_path / "matches.jsonl").read_text().splitlines()) == 2 * 2 * 3 * 4
    settings = json.loads((tmp_path / "settings.json").read_text())
    assert settings["measured"]["sprt"] == "0,50,0.05,0.05"
    # The same command again plays nothing and says the same.
    assert main([*line, "--output", str(tmp_path), "--json"]) == 0
    assert answer(capsys) == json.loads((tmp_path / "results.json").read_text())


def refuse() -> None:
    raise OSError("no hands")


@pytest.fixture
def deaf() -> Iterator[None]:
    """Let requests to end go unheard unless the command listens."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGTERM, before)


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


@pytest.mark.usefixtures("deaf")
@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        (refuse, 1, r"error: .*player random as .*OSError: no hands; finished matches are kept.*"),
        (
            partial(signal.raise_signal, signal.SIGTERM),
            130,
            "interrupted; the same command goes on",
        ),
    ],
    ids=["failure", "request"],
)
def test_what_ends_it_is_one_line_and_keeps_what_there_is(
    end: Callable[[], None],
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []

    def break_down(self: RandomPlayer, match: MatchStart) -> None:
        started.append(match.seed)
        # Once when it is made, and four matches.
        if len(started) > 5:
            end()
        original(self, match)

    original = RandomPlayer.start
    monkeypatch.setattr(RandomPlayer, "start", break_down)
    assert main([*PAIR, "--output", str(tmp_path), "--json"]) == code
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (found["matches"], found["interrupted"]) == (4, True)
    assert re.fullmatch(f"{said}\n", shown.err)
    assert len((tmp_path / "matches.jsonl").read_text().splitlines()) == 4


def test_a_plot_that_cannot_be_written_is_refused_before_the_matches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["arena", "--game", "tictactoe", "--players", "random", "random", "--matches", "4"]
    assert main([*line, "--plot", str(tmp_path / "none" / "p.svg"), "--quiet"]) == 1
    assert re.search(r"--plot .*p\.svg", capsys.readouterr().err)
    records = ["match", "tictactoe", *line[3:], "--quiet", "--record", str(tmp_path)]
    assert main(records) == 0
    assert main(records) == 1
    assert "it holds matches already" in capsys.readouterr().err


def test_an_interrupt_ends_it_with_the_results_so_far(tmp_path: Path) -> None:
    line = ["arena", "--game", "connectfour", "--players", "random", "random", "--json"]
    line += ["--matches", "20000", "--processes", "2", "--output", str(tmp_path)]
    file = tmp_path / "matches.jsonl"
    with started([*PROGRAM, *line]) as process:
        wait_until(lambda: file.exists() and file.read_bytes().count(b"\n") >= 3, process)
        # As a terminal does: to the workers, too.
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors == "interrupted; the same command goes on\n"
    found = json.loads(output)
    assert found["interrupted"]
    kept = file.read_text().splitlines()
    assert 3 <= found["matches"] == len(kept) < 20000

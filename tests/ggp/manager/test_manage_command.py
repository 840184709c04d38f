"""``neurogame manage``: what it prints, writes and returns."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.ggp.manager.ggp_record import GgpRecord
from tests.ggp.manager.fake_players import (
    Interpreting,
    Seen,
    fake_player,
    wait_until_closed,
    well_behaved,
)
from tests.library import Captured, Refused

CLOCKS = ["--start-clock", "5", "--play-clock", "5"]


def test_it_prints_a_table_and_writes_records(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "deep" / "records"
    with fake_player(Interpreting()) as good, fake_player(well_behaved(lambda body: "nil")) as bad:
        players = [good.address, f"127.0.0.1:{bad.port}"]
        line = ["manage", "tictactoe", "--players", *players, *CLOCKS]
        more = ["--matches", "2", "--rotate", "--scramble", "4", "--record", str(folder)]
        assert main([*line, *more, "--quiet"]) == 0
    out = capsys.readouterr().out.splitlines()
    records = [GgpRecord.from_json(path.read_text()) for path in sorted(folder.iterdir())]
    assert len(records) == 2
    assert all(record.scrambled and record.is_completed for record in records)
    assert {path.stem for path in folder.iterdir()} == {record.match_id for record in records}
    rows = {row.split()[1]: row.split() for row in out[-2:]}
    assert rows[good.address][2] == rows[bad.address][2] == "2"
    assert rows[good.address][4:7] == ["0", "0", "0"]
    illegal = sum(error.startswith("IL") for r in records for ply in r.errors for error in ply)
    assert rows[bad.address][4] == str(illegal)
    points = [
        sum(r.goals[role] for role, r in zip(seats, records, strict=True)) / 2
        for seats in ((0, 1), (1, 0))
    ]
    assert [float(rows[p.address][3]) for p in (good, bad)] == points
    assert f"{records[0].match_id}: Fake as oplayer: PLAY 1: 'nil' is not a legal move" in out


def test_json_is_one_object(capsys: Captured) -> None:
    assert main(["manage", "prisoners", "--players", "random", "random", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["manage", "prisoners", "--players", "random", "random", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    goals = [[player["goal"] for player in match["players"]] for match in first["matches"]]
    assert goals == [[p["goal"] for p in match["players"]] for match in again["matches"]]
    assert first["interrupted"] is False
    assert first["matches"][0]["plies"] == 5


@pytest.mark.usefixtures("interrupts", "patient_abort")
def test_ctrl_c_saves_the_aborted_match(tmp_path: Path, capsys: Captured) -> None:
    playing = Interpreting()

    def answer(seen: Seen) -> str:
        if seen.body.count("mark") == 1 and seen.command == "PLAY":
            os.kill(os.getpid(), signal.SIGINT)
            wait_until_closed(seen)
        return playing(seen)

    with fake_player(answer) as player:
        line = ["manage", "tictactoe", "--players", player.address, "random", *CLOCKS]
        assert main([*line, "--matches", "3", "--record", str(tmp_path)]) == 130
    assert player.seen[-1].command == "ABORT"
    [path] = tmp_path.iterdir()
    record = GgpRecord.from_json(path.read_text())
    assert record.is_aborted
    assert len(record.moves) == 1
    assert "aborted (interrupted)" in capsys.readouterr().out


def test_a_player_that_vanishes_between_matches_is_counted_not_fatal(capsys: Captured) -> None:
    playing = Interpreting()
    with fake_player(lambda seen: playing(seen)) as player:

        def until_stop(seen: Seen) -> str:
            reply = playing(seen)
            if seen.command == "STOP":
                player.close()
            return reply

        player.answering = until_stop
        line = ["manage", "tictactoe", "--players", player.address, "random", *CLOCKS]
        assert main([*line, "--matches", "2", "--json"]) == 0
    faults = [m["players"][0] for m in json.loads(capsys.readouterr().out)["matches"]]
    assert faults[0]["connection_errors"] == 0
    assert faults[1]["connection_errors"] == faults[1]["moves"] + 2


@pytest.mark.parametrize("info", ["( ( name Fake ) ( status busy ) )", "((STATUS BUSY))", "busy\n"])
def test_a_busy_player_is_named(info: str, capsys: Captured) -> None:
    with fake_player(lambda seen: "") as player:
        player.info = info
        line = ["manage", "tictactoe", "--players", player.address, "random"]
        assert main([*line, "--patience", "0"]) == 1
    assert f"{player.address}: busy" in capsys.readouterr().err


def test_other_answers_to_info_do_not_keep_a_player_out(capsys: Captured) -> None:
    names = []
    for info in ("available", "", "((name busy-bee)(status available))", "((name a b)", None):
        with fake_player(Interpreting()) as player:
            player.info = info
            line = ["manage", "lightsout", "--players", player.address, "--max-plies", "1"]
            assert main([*line, "--json"]) == 0
        [result] = json.loads(capsys.readouterr().out)["matches"][0]["players"]
        names.append(result["player"] if result["player"] != f"127.0.0.1:{player.port}" else "")
        assert result["illegal_moves"] == result["connection_errors"] == 0
    assert names == ["", "", "busy-bee", "", ""]


def test_wrong_lines_end_with_one_message(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "file").write_text("")
    for players, message in (
        ("random", "has 2 roles"),
        ("random random --matches 0", "matches=0"),
        (f"random 127.0.0.1:1 --record {tmp_path / 'none'}", "no player at http"),
        ("random random --play-clock 0", "play_clock=0"),
        ("random mcts", "no address of a player"),
        (f"random random --record {tmp_path / 'file'}", "fold"),
    ):
        assert message in refused("manage", "tictactoe", "--players", *players.split())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

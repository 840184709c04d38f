"""The log of a match: a line per event, whatever the match is called and whatever breaks."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.ggp.server.match_log import MatchLog, file_name

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def lines(log: MatchLog) -> list[dict[str, Any]]:
    assert log.path is not None
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_every_event_is_a_line_at_once(tmp_path: Path) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []
    log = MatchLog(tmp_path / "new" / "folder", "m.1", lambda *event: heard.append(event))
    log.write("start", role="x")
    log.write("odd", what={1, 2}, text="é\n")
    assert [line["event"] for line in lines(log)] == ["start", "odd"]
    assert lines(log)[0]["role"] == "x"
    assert lines(log)[1]["text"] == "é\n"
    assert datetime.fromisoformat(lines(log)[0]["time"]).tzinfo is not None
    assert heard == [("start", {"role": "x"}), ("odd", {"what": {1, 2}, "text": "é\n"})]
    log.close()
    log.write("late")
    assert len(lines(log)) == 2


def test_two_matches_of_one_name_have_two_files(tmp_path: Path) -> None:
    logs = [MatchLog(tmp_path, "same") for _ in range(2)]
    for log in logs:
        log.write("start")
        log.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_without_a_folder_only_the_listener_hears(tmp_path: Path) -> None:
    heard: list[str] = []
    log = MatchLog(None, "m", lambda event, _: heard.append(event))
    log.write("start")
    log.close()
    assert heard == ["start"]
    assert log.path is None


def test_where_nothing_can_be_written_it_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    log = MatchLog(tmp_path / "file", "m")
    for _ in range(3):
        log.write("start")
    log.close()
    assert capsys.readouterr().err.count("the log of the match ends here") == 1


def test_a_full_disk_is_said_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    log = MatchLog(tmp_path, "m")
    assert log._file is not None
    log._file.close()
    log._file = open("/dev/full", "w")  # noqa: SIM115
    for _ in range(3):
        log.write("start")
    log.close()
    assert capsys.readouterr().err.count("No space left") == 1


def test_threads_never_mix_their_lines(tmp_path: Path) -> None:
    log = MatchLog(tmp_path, "m")

    def write(number: int) -> None:
        for _ in range(50):
            log.write("e", n=number, text="x" * 500)

    threads = [Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(log)) == 200
    log.close()


@given(st.text())
def test_no_name_of_a_match_leaves_the_folder(match: str) -> None:
    name = file_name(match, NOW)
    assert Path(name).name == name
    assert len(name.encode()) < 200
    assert name.startswith("20260102T030405")


def test_different_names_give_different_files() -> None:
    names = ["a/b", "a_b", "a\\b", "../a", "a" * 100, "a" * 101, "", "."]
    assert len({file_name(name, NOW) for name in names}) == len(names)

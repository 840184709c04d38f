"""``neurogame reproduce``: what is declared, how it is run and read, and what the page says."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tqdm import tqdm

from neurogame.cli.main import build_parser, main
from neurogame.cli.papers import measured
from neurogame.cli.papers.declared import SCALES, PaperFigure, paper_tables
from neurogame.cli.papers.measured import (
    RECORDS,
    CellJob,
    cell_job,
    keep_record,
    read_records,
    run_command,
    run_jobs,
)
from neurogame.cli.papers.report import best_records, page, standing, verdict
from neurogame.errors import ConfigurationError
from neurogame.gdl.library import library_path
from neurogame.workers.workplace import InlineExecutor
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "papers.md"


def job(paper: str, table: str, cell: int = 0, scale: str = "smoke") -> CellJob:
    """Return a job of a table, with library games."""
    [found] = paper_tables(paper, table)
    return cell_job(found, found.cells[cell], scale, 0, None)


def run(jobs: list[CellJob], folder: Path) -> list[str]:
    """Run jobs in this thread, and return what failed."""
    return run_jobs(jobs, InlineExecutor(), 1, folder, tqdm(disable=True))


@pytest.mark.parametrize("scale", SCALES)
def test_every_command_can_be_given(scale: str, tmp_path: Path) -> None:
    seen = set()
    for table in paper_tables():
        assert set(table.minutes) == set(SCALES)
        for cell in table.cells:
            (tmp_path / f"{cell.row.get('rules', '')}.kif").touch()
            seen.add((table.paper, table.name, cell.name))
            own = cell_job(table, cell, scale, 7, tmp_path)
            assert SCALES.index(own.record.scale) >= SCALES.index(scale)
            for part in own.record.command.split(" && "):
                program, *words = shlex.split(part)
                assert not set("{}") & set(part)
                if program == "neurogame":
                    build_parser(words[0]).parse_args([*words, "--json"])
                else:
                    assert program == "python"
                    assert (REPOSITORY / words[0]).is_file()
            for figure in cell.figures:
                assert figure.paper == "" or float(figure.paper) - float(figure.half) >= -0.5
    assert len(seen) == sum(len(table.cells) for table in paper_tables()) > 130
    # Two cores are done in five minutes.
    assert sum(table.minutes["smoke"] for table in paper_tables()) <= 10


def test_cells_are_run_kept_and_not_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = [job("trutman", "htable"), job("sancho", "convergence"), job("michulke", "speed")]
    assert run(wanted, tmp_path) == []
    values, spread, speed = (one.figures for one in read_records(tmp_path))
    # docs/action-heuristics.md prints these.
    moves = ("centre", "corner", "edge")
    assert [round(values[one][0] or 0, 4) for one in moves] == [0.0037, 0.0028, 0.002]
    assert values["centre by corner"][0] == pytest.approx(1.3074, abs=1e-4)
    assert 0 < (spread["times as far apart"][0] or 0) < 10
    assert (speed["times Fluxplayer's"][0] or 0) > 0
    written = (tmp_path / RECORDS).read_text()
    # All there: no worker is started. A line cut off by a power cut is none.
    (tmp_path / RECORDS).write_text(written + '{"paper": "tru')
    line = ["reproduce", "trutman", "htable", "--out", str(tmp_path), "--quiet"]
    assert main(line) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("trutman htable: partly reproduced (2 agree, 3 other)")
    assert shown.err == ""
    told = (tmp_path / "REPORT.md").read_text()
    # The same command at every scale is as much as the paper's.
    assert "| empty board | centre | 0.0035 ± 0.00005 | 0.0037 | other | full |" in told
    assert "neurogame inspect tictactoe --evaluator action" in told
    # What comes after that line is not lost with it.
    last = replace(read_records(tmp_path)[0], seed=77)
    keep_record(tmp_path, last)
    assert last in read_records(tmp_path)


def test_what_is_wrong_is_told_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = job("trutman", "htable")
    [failed] = run(
        [replace(bad, record=replace(bad.record, command="neurogame inspect nowhere")), bad],
        tmp_path,
    )
    assert "trutman htable empty board: " in failed
    assert "nowhere" in failed
    assert len(read_records(tmp_path)) == 1
    with pytest.raises(ConfigurationError, match="no table of trutman is called 'table9': cov"):
        paper_tables("trutman", "table9")
    with pytest.raises(ConfigurationError, match=r"need public rulesheets .*--rulesheets"):
        job("trutman", "table1")
    line = ["reproduce", "michulke", "soundness", "--cells", "none", "--out", str(tmp_path)]
    assert main(line) == 1
    assert "parts of 2 marbles; 5 marbles" in capsys.readouterr().err
    monkeypatch.setattr(measured, "_SCRIPTS", tmp_path)
    with pytest.raises(ConfigurationError, match="need experiments/ of a checkout"):
        job("michulke", "soundness")


@pytest.mark.parametrize("name", ["my games", "DIRectory"])
def test_rulesheets_may_lie_in_any_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "pentago.kif").write_text(library_path("nim").read_text())
    [table] = paper_tables("kuhlmann", "nothello")
    cell = replace(table.cells[0], command="neurogame check {rules}", row={"rules": "pentago"})
    answer = run_command(cell_job(table, cell, "smoke", 0, folder).record.command, str(tmp_path))
    assert (answer.error, answer.found["rules"]) == ("", str(folder / "pentago.kif"))


def test_a_command_that_ends_itself_says_why(tmp_path: Path) -> None:
    assert "'many'" in run_command("neurogame simulate nim --games many", str(tmp_path)).error
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit('no such game')")
    assert run_command(f"python {script}", str(tmp_path)).error == "no such game"


def test_several_commands_are_one_answer(tmp_path: Path) -> None:
    found = run_command("neurogame check nim && neurogame ground nim", str(tmp_path))
    assert found.error == ""
    assert {"findings", "gates"} <= set(found.found), sorted(found.found)


def test_the_same_command_is_run_once_for_all_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curve, table = job("michulke", "figure2"), job("michulke", "table2", cell=8)
    assert curve.record.command == table.record.command
    figures = {"mean": 60, "interval": [50, 70], "least best": 75, "smallest": 40, "largest": 80}
    ran: list[str] = []

    def answer(command: str, _folder: str) -> measured.CommandAnswer:
        ran.append(command)
        return measured.CommandAnswer({"pentago learner": figures}, 1.0)

    monkeypatch.setattr(measured, "run_command", answer)
    assert run([curve, table], tmp_path) == []
    assert ran == [curve.record.command]
    assert [one.table for one in read_records(tmp_path)] == ["figure2", "table2"]


@pytest.mark.parametrize(
    ("figure", "found", "expected"),
    [
        ({"paper": "60", "half": "5"}, (70, 64, 76), "agrees"),
        ({"paper": "60", "half": "5"}, (72, 66, 78), "better"),
        ({"paper": "60", "better": "below"}, (72, 66, 78), "worse"),
        ({"paper": "60"}, (50, 44, 56), "worse"),
        ({"paper": "60"}, (60, 40, 80), "open"),
        ({"paper": "60", "interval": "x"}, (60, None, None), "open"),
        ({"paper": "0.2"}, (0.1, None, None), "worse"),
        ({"claim": "> 50"}, (60, 51, 69), "agrees"),
        ({"claim": "> 50"}, (60, 49, 71), "open"),
        ({"claim": "< 0"}, (0.1, 0.05, 0.2), "worse"),
        ({}, (60, 51, 69), ""),
    ],
)
def test_how_figures_stand(
    figure: dict[str, Any], found: tuple[float | None, ...], expected: str
) -> None:
    own = PaperFigure(label="x", value="x", **figure)
    assert standing(own, found, "hour") == expected
    if expected:
        assert standing(own, found, "smoke") == "open"


def test_verdicts_follow_the_figures(tmp_path: Path) -> None:
    [table] = paper_tables("michulke", "speed")
    jobs = [cell_job(table, cell, "hour", 0, None) for cell in table.cells]
    assert verdict(table, {}) == "not run"
    for values, expected in (
        ([2.0, 0.7, 1.95, 0.9], "**reproduced** (3 agree, 1 better)"),
        ([2.5, 0.9, 1.95, 0.7], "**beaten** (2 agree, 2 better)"),
        ([2.0, 0.7, 1.95, 0.5], "**partly reproduced** (3 agree, 1 worse)"),
        ([1.9, 0.5, 1.5, 0.5], "**refuted** (1 agree, 3 worse)"),
        ([0.5], "**refuted so far** (1 worse; 3 of 4 cells not run)"),
    ):
        (tmp_path / RECORDS).unlink(missing_ok=True)
        for one, value in zip(jobs, values, strict=False):
            answer = {"seconds_per_move": [1.0, value]}
            keep_record(tmp_path, measured.record_of(one, measured.CommandAnswer(answer, 1.0)))
        assert verdict(table, best_records(read_records(tmp_path))) == expected
    [goal] = paper_tables("beyond", "h5")
    one = cell_job(goal, goal.cells[0], "hour", 0, None)
    found = {"W of eq. (4), log space": {"values": 96, "exact values": 100, "margin": -1.0}}
    keep_record(tmp_path, measured.record_of(one, measured.CommandAnswer(found, 1.0)))
    reached = verdict(goal, best_records(read_records(tmp_path)))
    assert reached == "**partly reached** (1 agree, 1 worse)"


def test_a_page_that_cannot_be_written_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "--page", str(tmp_path / "none" / "p.md")]) == 1
    assert "--page" in capsys.readouterr().err


def test_a_page_of_no_records_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.md"
    assert main(["reproduce", "--page", str(path), "--out", str(tmp_path / "none")]) == 1
    assert "holds no records" in capsys.readouterr().err
    assert not path.exists()


def test_the_page_is_what_its_records_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(paper_tables(), PAGE.with_suffix(""), PAGE)
    for line in (PAGE.with_suffix("") / RECORDS).read_text(encoding="utf-8").splitlines():
        assert len(json.loads(line)["figures"]) >= 1

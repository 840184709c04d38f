"""Training runs are listed, compared, exported, and deleted where another one is stronger."""

from __future__ import annotations

import json
import math
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from neurogame.arena import run_head
from neurogame.arena.exact_positions import ValueKept
from neurogame.arena.release_strength import ReleaseStrength, strength_of_run
from neurogame.cli.main import main
from neurogame.evaluators.fresh import make_fresh
from neurogame.learn import run_folder
from neurogame.learn.checkpoints.checkpoint import save_checkpoint
from neurogame.learn.checkpoints.index import INDEX
from neurogame.learn.comparison import Comparison
from neurogame.learn.run_folder import RunFolder
from tests import processes
from tests.library import Captured, Patch, Refused, checkpoint_of, load


def against(score: float, low: float, matches: int = 40, high: float = 1.0) -> Comparison:
    return Comparison(
        matches=matches,
        wins=0,
        draws=0,
        losses=0,
        score=score,
        low=low,
        high=high,
        mean_goal=math.nan,
        distinct=matches,
        openings=20,
        opening_plies=4,
        unfinished=0,
    )


def strength(seconds: float, low: float = 0.5, high: float = 1.0) -> ReleaseStrength:
    known, met = ValueKept(positions=40, kept=30.0), against(0.6, low, high=high)
    return ReleaseStrength(seconds=seconds, untrained=None, mcts=met, exact=known)


def made(
    path: Path, low: float, seed: int, game: str = "tictactoe", high: float = 1.0, at: float = 8.0
) -> RunFolder:
    """Make a run that has learned for eight seconds."""
    folder = RunFolder(path)
    folder.create({"rules": game, "recipe": "fitted", "learner": {"seed": seed}, "seconds": 9.0})
    evaluator = make_fresh("cilp", load(game))
    counters = {"seconds": 8.0, "matches": 1234}
    held = checkpoint_of(load(game), evaluator, counters=counters, optimiser={})
    folder.log_strength(strength(at, low, high).to_json())
    save_checkpoint(folder.latest, held)
    folder.close()
    return folder


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: Patch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, low, seed in (("strong", 0.7, 1), ("weak", 0.3, 2), ("equal", 0.6, 3)):
        made(tmp_path / "runs" / name, low, seed, high=0.5 if name == "weak" else 1.0)
    made(tmp_path / "runs" / "other", 0.1, 4, "nim")
    return tmp_path / "runs"


def test_runs_are_listed(runs: Path, capsys: Captured) -> None:
    for path in runs.iterdir():
        (path / "rounds.jsonl").write_text('{"games": 1234, "seconds": 8.0}\n')
        row = '{"games": 900, "seconds": 6.0, "released": true}\n'
        (path / "evaluations.jsonl").write_text(row)
    assert main(["runs"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["run", "game", "seconds"]
    assert [line.split()[1] for line in lines] == ["tictactoe", "nim", "tictactoe", "tictactoe"]
    assert all("60% mcts, 75% exact" in line for line in lines)
    assert [line.split()[2:5] for line in lines] == [["8", "1,234", "1"]] * 4
    assert main(["runs", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 4
    assert main(["view"]) == 0
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("connectfour_simultaneous", "pig.pt", "runs/weak"))
    assert main(["runs", "--folder", "nowhere"]) == 0
    assert "no runs in nowhere" in capsys.readouterr().out


def test_a_list_needs_no_torch(runs: Path) -> None:
    code = (
        "import sys; from neurogame.cli.main import main; code = main(['runs']);"
        "sys.exit(code or ('torch' in sys.modules))"
    )
    assert "runs/strong" in processes.run([sys.executable, "-c", code]).stdout


def test_the_list_knows_the_files_of_a_run() -> None:
    for name in ("CONFIG", "LATEST", "ROUNDS", "EVALUATIONS", "STRENGTH"):
        assert getattr(run_head, name) == getattr(run_folder, name)


def test_settings_that_differ_are_told(runs: Path, capsys: Captured) -> None:
    assert main(["runs", "compare", "runs/strong", "runs/weak"]) == 0
    shown = capsys.readouterr().out
    assert "60.0 % [ 70, 100] of 40" in shown
    assert [line.split() for line in shown.splitlines() if "learner.seed" in line] == [
        ["learner.seed", "1", "2"]
    ]
    assert "neurogame arena --game tictactoe --players" in shown
    assert "recipe" not in shown


def test_a_run_is_one_zip_with_its_commands(runs: Path, capsys: Captured) -> None:
    config = runs / "weak" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "games": 1_500_000}))
    assert main(["runs", "export", "runs/weak", "--out", "w.zip"]) == 0
    with zipfile.ZipFile("w.zip") as archive:
        names = {name.removeprefix("weak/") for name in archive.namelist()}
        commands = archive.read("weak/commands.txt").decode().splitlines()
        archive.extractall("elsewhere")
    assert names >= {"config.json", "strength.jsonl", "latest.pt", "tictactoe.kif", "commands.txt"}
    assert "neurogame train --resume weak" in commands
    anew = "neurogame train weak/tictactoe.kif --seconds 9 --games 1500000 --seed 0"
    assert anew in commands, "all digits, as the option takes them"
    assert main(["check", "elsewhere/weak/tictactoe.kif", "--findings-only"]) == 0


def test_only_who_is_weaker_than_another_of_the_game_is_deleted(
    runs: Path, capsys: Captured
) -> None:
    assert main(["runs", "prune"]) == 0
    assert "would delete runs/weak: runs/strong is stronger" in capsys.readouterr().out
    assert (runs / "weak").exists()
    assert main(["runs", "prune", "--yes"]) == 0
    assert sorted(path.name for path in runs.iterdir()) == ["equal", "other", "strong"]
    assert main(["runs", "prune"]) == 0
    assert "nothing to delete" in capsys.readouterr().out


def test_what_players_note_of_a_run_goes_with_it(runs: Path) -> None:
    (runs / "weak" / INDEX).write_text("{}")
    assert main(["runs", "prune", "--yes"]) == 0
    assert not (runs / "weak").exists()


def test_the_untrained_networks_are_no_release(runs: Path, capsys: Captured) -> None:
    made(runs / "begun", 0.1, 5, high=0.2, at=0.0)
    assert main(["runs", "prune", "--yes"]) == 0
    assert (runs / "begun" / "latest.pt").exists()
    capsys.readouterr()
    assert main(["runs", "--folder", str(runs)]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "begun" in line]
    assert "mcts" not in line


def test_what_is_not_of_a_run_stays(runs: Path, capsys: Captured) -> None:
    (runs / "weak" / "notes.txt").write_text("mine")
    (runs / "weak").rename(runs.parent / "away")
    (runs / "link").symlink_to(runs.parent / "away")
    made(runs / "weak", 0.3, 6, high=0.5)
    (runs / "weak" / "own").mkdir()
    assert main(["runs", "prune", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert "kept runs/link" in shown
    assert (runs.parent / "away" / "latest.pt").exists()
    assert "own stays" in shown
    assert [path.name for path in (runs / "weak").iterdir()] == ["own"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("runs compare runs/weak", "name two runs"),
        ("runs export", "name one run"),
        ("runs --json prune", "not with prune"),
        ("runs export runs", "holds no training run"),
        ("runs export runs/weak --out nowhere/x.zip", "cannot write nowhere/x.zip"),
    ],
)
def test_what_cannot_be_is_one_line(runs: Path, line: str, said: str, refused: Refused) -> None:
    assert said in refused(*line.split())


def test_options_stand_before_or_after_and_names_are_looked_up(
    runs: Path, capsys: Captured
) -> None:
    for line in ("--folder runs compare strong weak", "compare --folder runs strong weak"):
        assert main(["runs", *line.split()]) == 0
        assert "runs/weak, tictactoe" in capsys.readouterr().out
    assert main(["runs", "export", "--out", "y.zip", "weak"]) == 0
    assert main(["runs", "prune", "--folder", "runs", "weak"]) == 0
    assert "nothing to delete" in capsys.readouterr().out
    for wrong in (["--yes"], ["prune", "--json"]):
        with pytest.raises(SystemExit):
            main(["runs", *wrong])


def test_strength_is_kept_and_a_run_that_goes_on_adds_to_it(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", 0.5, 1)
    # A release that the file to go on from knows nothing of: it was killed before it was saved.
    folder.log_strength(strength(9.0).to_json())
    nothing = replace(strength(7.0), mcts=against(math.nan, 0.0, matches=0), exact=None)
    assert str(ReleaseStrength.from_json(nothing.to_json())) == str(nothing)
    again = RunFolder(folder.path)
    again.resume()
    again.log_strength(strength(8.5).to_json())
    again.close()
    assert [one.seconds for one in strength_of_run(folder.path)] == [8.0, 8.5]
    # What is no number equals nothing, itself neither from Python 3.13 on.
    assert str(strength_of_run(folder.path)[1]) == str(strength(8.5))


@pytest.mark.filterwarnings("always::neurogame.errors.NeurogameWarning")
def test_damaged_runs_are_named_and_the_others_listed(runs: Path, capsys: Captured) -> None:
    made(runs / "broken", 0.5, 5)
    (runs / "equal" / "config.json").write_text("[1]")
    (runs / "other" / "config.json").unlink()
    (runs / "weak" / "strength.jsonl").write_text('{"seconds": 1}\n')
    (runs / "broken" / "latest.pt").write_bytes(b"x")
    assert main(["runs"]) == 0
    shown = capsys.readouterr()
    assert [line.split()[0] for line in shown.out.splitlines()[1:]] == ["runs/strong"]
    for name, said in {"broken": "latest.pt", "equal": "config", "weak": "no measurement"}.items():
        [line] = [line for line in shown.err.splitlines() if f"runs/{name} is left out" in line]
        assert said in line
        assert "delete" in line
    assert "runs/other is left out" in shown.err

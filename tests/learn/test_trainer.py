"""Training runs in lanes: released, saved, resumed, refused; and the command."""

from __future__ import annotations

import argparse
import errno
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame import first_use
from neurogame.arena.strength_table import still_rises
from neurogame.cli import train as train_command
from neurogame.cli.main import main
from neurogame.cli.training import clock
from neurogame.errors import CheckpointError, ConfigurationError, LimitError
from neurogame.evaluators.build import make_evaluator
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.checkpoints.content_hash import content_hash
from neurogame.learn.comparison import Comparison, compare
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted
from neurogame.learn.run_files import LOGS
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.run_lock import LOCK
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import SHARES, Release, Trainer, train
from neurogame.players.players import make_player
from neurogame.simulate.game import Game
from tests.processes import PATIENCE, PROGRAM, environment, started, wait_until

SMALL = {"lanes": 64, "network": {"hidden": 16, "lookups": 8}}
LINE = [
    "--quiet",
    "--lanes",
    "64",
    "--network-hidden",
    "16",
    "--no-strength",
    "--release-matches",
    "20",
]


def long_game(steps: int) -> str:
    """Return the rules of a game of so many plies, in which one fluent is flipped or not."""
    return f"""
    (role w) (role b) (init (step 0)) (init (control w)) (init (on x0))
    {" ".join(f"(succ {n} {n + 1})" for n in range(steps))}
    (move flip) (move stay)
    (<= (legal ?r ?m) (true (control ?r)) (move ?m))
    (<= (legal w noop) (true (control b))) (<= (legal b noop) (true (control w)))
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
    (<= (next (control b)) (true (control w))) (<= (next (control w)) (true (control b)))
    (<= (next (on x0)) (true (on x0)) (not flipped))
    (<= (next (on x0)) (not (true (on x0))) flipped)
    (<= flipped (does ?r flip)) (<= terminal (true (step {steps})))
    (<= (goal w 100) (true (on x0))) (<= (goal w 0) (not (true (on x0))))
    (<= (goal b 0) (true (on x0))) (<= (goal b 100) (not (true (on x0))))
    """


def trainer(
    folder: Path,
    games: int,
    game: str = "tictactoe",
    released: Callable[[Release], None] = lambda release: None,
) -> Trainer:
    """Return a small run in a folder of its own."""
    loaded = Game.load(game)
    config = TrainConfig(learner=fitted(loaded, SMALL), games=games, release_matches=40)
    run = RunFolder(folder)
    run.create({"rules": game, "recipe": "fitted", **config.to_json()})
    return Trainer(loaded, config, run, released=released)


def in_lanes(run: Trainer) -> LaneLearner:
    """Return the learner of a run in which a rules network learns."""
    assert isinstance(run.learner, LaneLearner)
    return run.learner


def command(*line: str) -> int:
    parser = argparse.ArgumentParser(prog="train")
    train_command.add_arguments(parser)
    return train_command.run(parser.parse_args(line))


def test_what_has_learned_is_released_and_has_won(tmp_path: Path) -> None:
    """The untrained goal networks are the first release; what beats them is the next."""
    releases: list[Release] = []

    def told(release: Release) -> None:
        releases.append(release)
        if release.seconds:  # A run that is cut now plays, and goes on, with it.
            saved = load_checkpoint(run.folder.latest)
            assert saved.counters == asdict(run.counters)
            assert saved.optimiser is not None
            assert saved.optimiser["released_at"] == release.seconds

    run = trainer(tmp_path / "run", 6000, "connectfour5", told)
    run.run()
    assert releases[0].evaluator is run.untrained
    lines = (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["released"]]
    assert len(releases) == 1 + len(rows) > 1
    for row, former in zip(rows, releases, strict=False):
        assert row["score"] > 0.5
        assert row["against"] == former.seconds
    for name in ("best.pt", "latest.pt"):
        checkpoint = load_checkpoint(tmp_path / "run" / name)
        assert checkpoint.description["kind"] == "rules-network"
        states = run.game.initial_state().fluents[None]
        assert torch.equal(checkpoint.evaluator()(states), releases[-1].evaluator(states))


def test_what_does_not_win_is_not_released(tmp_path: Path) -> None:
    run = trainer(tmp_path / "run", 100)
    run.config = replace(run.config, release_matches=2)
    lost = run._match(run.untrained, run.untrained)
    run._match = lambda candidate, rival: lost  # type: ignore[method-assign]
    run.run()
    assert run.release.seconds == 0
    assert not (tmp_path / "run" / "best.pt").exists()
    assert load_checkpoint(tmp_path / "run" / "latest.pt").description["kind"] == "cilp"


def test_without_a_finished_match_what_predicts_outcomes_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The untrained networks of large games can be too slow for even one match."""

    def cut(*players: Any, **conditions: Any) -> Comparison:
        return compare(*players, **{**conditions, "stop": lambda: True})

    monkeypatch.setattr("neurogame.learn.trainer.compare", cut)
    few, many = (trainer(tmp_path / str(games), games) for games in (64, 6000))
    for run in (few, many):
        run.run()
        assert {row["matches"] for row in run.results} == {0}
    assert few.release.seconds == 0
    assert not (tmp_path / "64" / "best.pt").exists()
    assert many.release.seconds > 0
    assert load_checkpoint(tmp_path / "6000" / "best.pt").description["kind"] == "rules-network"
    assert "predict outcomes" in still_rises(many.results)


def test_of_four_equal_players_none_is_better_and_a_good_one_needs_no_half_of_the_points() -> None:
    """Each wins a quarter, so goals are compared with those of the others in the same matches."""
    game = Game.load("tictactoe4p")
    networks = make_evaluator(game)
    same = compare(game, networks, networks, matches=16, seed=1, opening_plies=2)
    assert same.mean_goal == pytest.approx(same.rival_goal)
    chance = compare(game, networks, None, matches=16, seed=1, opening_plies=2)
    assert chance.rival_goal is not None
    assert chance.mean_goal > chance.rival_goal
    assert chance.is_better()
    assert not replace(chance, mean_goal=chance.rival_goal).is_better()
    assert replace(chance, score=0.3).is_better()
    assert not replace(chance, score=0.5, rival_goal=None).is_better()


def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """The last file is read in a new trainer; rounds later the weights are the same."""
    whole, killed = trainer(tmp_path / "whole", 10_000), trainer(tmp_path / "killed", 10_000)
    for run in (whole, killed):
        for _ in range(3):
            run.learner.round()
    killed.save()
    killed.learner.round()  # Lost by the kill.
    checkpoint = RunFolder(tmp_path / "killed").resume()
    again = Trainer(killed.game, killed.config, killed.folder, checkpoint)
    for run in (whole, again):
        for _ in range(3):
            run.learner.round()
    pairs = zip(
        in_lanes(whole).averaged.learned_weights(),
        in_lanes(again).averaged.learned_weights(),
        strict=True,
    )
    assert all(torch.equal(one, two) for one, two in pairs)
    assert whole.counters.plies == again.counters.plies
    other = Game.load("nim")
    with pytest.raises(CheckpointError, match="another game"):
        Trainer(other, killed.config, killed.folder, checkpoint)


def test_a_file_to_go_on_from_is_not_much_larger_than_its_weights(tmp_path: Path) -> None:
    """Positions of long games that have not ended are most of what is kept, but mostly zeros."""
    steps = 300
    rules = long_game(steps)
    loaded = Game.from_text(rules, name="long")
    config = TrainConfig(learner=fitted(loaded, SMALL), games=10_000)
    folder = RunFolder(tmp_path / "run")
    folder.create({"rules": "long", "recipe": "fitted", **config.to_json()})
    run = Trainer(loaded, config, folder)
    in_lanes(run).round(steps - 1)
    run.save()
    evaluator = in_lanes(run).averaged
    tensors = (*evaluator.learned_weights(), evaluator.first_embedding)
    weights = sum(part.numel() * 4 for part in tensors)
    assert sum(part.nbytes for part in run.learner.state().values()) > 10 * weights
    assert folder.latest.stat().st_size < 3 * weights
    kept = RunFolder(tmp_path / "run").resume()
    assert kept.optimiser is not None
    for name, tensor in run.learner.state().items():
        assert torch.equal(kept.optimiser["state"][name], tensor)


def test_a_release_that_a_kill_undid_is_no_longer_the_best(tmp_path: Path) -> None:
    """``best.pt`` is that of ``latest.pt``, whatever a kill between the two had released."""
    run = trainer(tmp_path / "run", 10_000)
    save = run.save
    run.save = lambda: ""  # type: ignore[method-assign]
    run.config = replace(run.config, release_matches=2)
    won = replace(run._match(run.untrained, run.untrained), matches=2, score=1.0)
    run._match = lambda candidate, rival: won  # type: ignore[method-assign]
    run._is_mark = lambda before: True  # type: ignore[method-assign]

    def resumed() -> Trainer:
        return Trainer(run.game, run.config, run.folder, run.folder.resume())

    best = tmp_path / "run" / "best.pt"
    save()
    run.round()
    assert best.exists()
    assert resumed().release.seconds == 0
    assert not best.exists()
    run.round()
    save()
    kept, weights = run.release.seconds, load_checkpoint(best).weights
    run.round()
    assert any(not torch.equal(load_checkpoint(best).weights[n], weights[n]) for n in weights)
    assert resumed().release.seconds == kept
    assert all(torch.equal(load_checkpoint(best).weights[n], weights[n]) for n in weights)


def test_the_same_seed_releases_the_same_weights_where_games_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However fast the machine is: here one run is a thousand times as slow by its clock."""
    runs = [trainer(tmp_path / name, 2500, "connectfour5") for name in ("one", "two")]
    for run, seconds in zip(runs, (0.001, 20.0), strict=True):
        play = in_lanes(run)._rounds.play
        monkeypatch.setattr(
            in_lanes(run)._rounds, "play", lambda plies, p=play, s=seconds: 0.0 * p(plies) + s
        )
        run.run()
    assert runs[1].counters.seconds > 1000 * runs[0].counters.seconds
    assert [row["games"] for row in runs[0].results] == [row["games"] for row in runs[1].results]
    assert len(runs[0].results) == 1 + len(SHARES)
    assert any(row["released"] for row in runs[0].results)
    for name in ("best.pt", "latest.pt"):
        one, two = (load_checkpoint(run.folder.path / name) for run in runs)
        assert content_hash([one.weights, one.description]) == content_hash(
            [two.weights, two.description]
        )


def test_a_round_that_takes_too_long_is_left_and_the_last_file_stays(tmp_path: Path) -> None:
    """A run goes on from there as if the round had never begun."""
    run = trainer(tmp_path / "run", 10_000)
    whole, free = run.round, threading.Event()

    def stuck() -> dict[str, object]:
        run.request_stop()
        free.wait()
        return {}

    rounds = iter([whole, whole, stuck])
    run.round = lambda: next(rounds)()  # type: ignore[method-assign]
    run._is_late = lambda: run.stop_requested  # type: ignore[method-assign]
    run.run()
    free.set()
    assert run.is_cut
    assert load_checkpoint(run.folder.latest).hash == run.saved
    assert load_checkpoint(run.folder.latest).counters["matches"] == 0


def test_a_run_ends_when_its_time_is_over_and_its_matches_too(tmp_path: Path) -> None:
    loaded = Game.load("tictactoe")
    config = TrainConfig(learner=fitted(loaded, SMALL), seconds=1000.0, release_matches=40)
    run = Trainer(loaded, config, RunFolder(tmp_path / "run"))
    run.folder.create({"rules": "tictactoe", "recipe": "fitted", **config.to_json()})
    whole = run.round

    def last() -> dict[str, object]:
        run.learn_until = 0.0  # Long ago.
        return whole()

    run.round = last  # type: ignore[method-assign]
    run.run()
    assert run.counters.rounds == 1
    assert run.finished()
    # The matches of the release were cut before the first ply.
    (row,) = run.results
    assert (row["matches"], row["unfinished"], row["released"]) == (0, 40, False)
    assert row["score"] is None


def test_the_clock_of_a_run_stands_while_something_is_compiled_for_the_first_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = Game.load("tictactoe")
    config = TrainConfig(learner=fitted(loaded, SMALL), seconds=10.0)
    run = Trainer(loaded, config, RunFolder(tmp_path / "run"))
    spent = 0.0
    for module in (first_use, clock):
        monkeypatch.setattr(module, "seconds_spent", lambda: spent)
    clock.RunClock(10.0, time.monotonic() - 60.0).limit(run)
    assert run.finished()
    assert run._is_late()
    spent = 60.0  # Within a round: nothing compiles before.
    assert not run.finished()
    assert not run._is_late()


def test_training_from_python_needs_an_end_and_no_more(tmp_path: Path) -> None:
    game = Game.load("tictactoe")
    with pytest.raises(ConfigurationError, match="without an end: give seconds or games"):
        train(game, TrainConfig(), tmp_path / "none")
    found = train(game, TrainConfig(games=100, release_matches=2), tmp_path / "run")
    assert found.hash != load_checkpoint(tmp_path / "run" / "latest.pt").hash  # Cannot be resumed.
    assert found.config["learner"] == fitted(game).to_json()
    released = any(row["released"] for row in found.results)
    assert ("nothing better came of" in repr(found)) is not released
    with pytest.raises(ConfigurationError, match="already holds a run"):
        train(game, TrainConfig(games=100), tmp_path / "run")


def test_a_run_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    RunFolder(tmp_path / "old").create({"rules": "tictactoe", "matches": 10})
    with pytest.raises(ConfigurationError, match="made by an earlier version and cannot go on"):
        command("--resume", str(tmp_path / "old"))


def test_the_recipe_depends_on_the_game_alone() -> None:
    game = Game.load("connectfour5")
    assert fitted(game) == fitted(game)
    assert fitted(game, {"lanes": 7, "network": {"hidden": 3}}).network.hidden == 3
    long = fitted(Game.load("pentago"))
    assert long.epsilon < fitted(game).epsilon or long.plies > fitted(game).plies


def test_the_command_trains_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert command("tictactoe", "--out", str(out), "--games", "300", *LINE) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"  neurogame play tictactoe --opponent alphabeta:{out / 'latest.pt'}"
    make_player(lines[-1].split()[-1], Game.load("tictactoe"), 0)
    first = load_checkpoint(out / "latest.pt").counters["matches"]
    assert command("--resume", str(out), "--games", "2000", "--quiet", "--no-strength") == 0
    assert load_checkpoint(out / "latest.pt").counters["matches"] >= 2000 > first >= 300
    for extra in (["--lanes", "3"], ["--network-hidden", "8"], ["tictactoe"], ["--out", "x"]):
        with pytest.raises(ConfigurationError, match=r"cannot be changed by --resume"):
            command("--resume", str(out), *extra)
    with pytest.raises(ConfigurationError, match="recipe"):
        command("--resume", str(out), "--recipe", "paper")
    with pytest.raises(ConfigurationError, match="only with --recipe paper"):
        command("tictactoe", "--paper-opening-plies", "2")
    with pytest.raises(ConfigurationError, match="only with --recipe fitted"):
        command("tictactoe", "--recipe", "paper", "--lanes", "2")


def test_json_holds_the_strength_of_every_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("neurogame.arena.release_strength._COUNTED_MATCHES", 4)
    monkeypatch.setattr("neurogame.arena.release_strength._EXACT", 20)
    monkeypatch.setattr("neurogame.arena.forecasts._GAMES", 40)
    line = ["--games", "1000", "--json", *LINE[1:5], "--release-matches", "10"]
    assert command("tictactoe", "--out", str(tmp_path / "run"), *line) == 0
    captured = capsys.readouterr()
    summary = json.loads(captured.out)
    assert summary["hash"] == load_checkpoint(summary["checkpoint"]).hash
    assert summary["strength"][0]["untrained"] is None
    released = sum(row["released"] for row in summary["releases"])
    assert len(summary["strength"]) == 1 + released
    told = summary["strength"]
    assert all(len(row.pop("forecasts")["loss"]) == 3 for row in told)
    # A run of before, which knew no forecasts, goes on.
    rows = tmp_path / "run" / "strength.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in told))
    assert command("--resume", str(tmp_path / "run"), "--games", "2000", "--json") == 0
    later = json.loads(capsys.readouterr().out)["strength"]
    assert [row.pop("forecasts") is None for row in later[: len(told)]] == [True] * len(told)
    assert later[: len(told)] == told
    assert all(row["forecasts"] for row in later[len(told) :])


def test_one_interruption_ends_a_measurement_that_would_take_minutes(tmp_path: Path) -> None:
    """Matches of 200 plies, each with a thousand simulations to the end of the game."""
    rules, out = tmp_path / "long.kif", tmp_path / "run"
    rules.write_text(long_game(200))
    line = [str(rules), "--out", str(out), "--seconds", "600", "--lanes", "64"]
    with started([*PROGRAM, "train", *line]) as process:
        # Games are played, and beside them the measurement of the untrained networks.
        wait_until(lambda: (out / "rounds.jsonl").exists(), process)
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert f"--resume {out}" in printed
    load_checkpoint(out / "latest.pt")
    allowed = {"config.json", "latest.pt", LOCK, *LOGS}
    assert {path.name for path in out.iterdir()} <= allowed
    RunFolder(out).resume()


def test_a_run_that_goes_on_behind_its_end_considers_what_was_learned(tmp_path: Path) -> None:
    run = trainer(tmp_path, games=100_000)
    run.run(lambda row: run.request_stop() if row["games"] > 3000 else None)
    assert not run.results
    assert command("--resume", str(tmp_path), "--games", "10", *LINE[:1], "--no-strength") == 0
    [row] = load_checkpoint(run.folder.latest).results
    assert row["round"] == run.counters.rounds


def test_a_run_that_is_killed_can_be_resumed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    line = ["tictactoe", "--out", str(out), "--seconds", "600", *LINE]
    with started([*PROGRAM, "train", *line], env=environment(OMP_NUM_THREADS="1")) as process:
        wait_until(lambda: (out / "latest.pt").exists(), process)
        process.kill()
        process.communicate(timeout=PATIENCE)
    before = load_checkpoint(out / "latest.pt").counters["matches"]
    more = ["--games", str(before + 100), "--quiet", "--no-strength"]
    assert command("--resume", str(out), *more) == 0
    assert load_checkpoint(out / "latest.pt").counters["matches"] >= before + 100


def test_a_full_disk_ends_a_run_that_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, folder = Game.load("tictactoe"), RunFolder(tmp_path / "run")
    config = TrainConfig(games=500, learner=fitted(game, SMALL), release_matches=20)
    folder.create({})
    trainer = Trainer(game, config, folder)
    trainer.save()
    before = folder.latest.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("neurogame.files.os.fsync", full)
        with pytest.raises(LimitError, match=r"No space left on device.*--resume"):
            trainer.run()
        other = RunFolder(tmp_path / "other")
        with pytest.raises(LimitError, match="start again"):
            other.create({})
    assert folder.latest.read_bytes() == before
    assert {path.name for path in folder.path.iterdir()} <= {
        "config.json",
        "latest.pt",
        LOCK,
        *LOGS,
    }
    again = Trainer(game, config, folder, folder.resume())
    again.run()
    assert load_checkpoint(folder.latest).counters["matches"] >= 500


def test_one_process_trains_in_a_folder_and_its_death_lets_the_next_one_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second one is told so, whether it would begin or go on; a kill leaves nothing behind."""
    out = tmp_path / "run"
    code = (
        "import sys; from neurogame.learn.run_folder import RunFolder\n"
        "folder = RunFolder(sys.argv[1]); folder.create({'recipe': 'fitted'})\n"
        "folder.latest.write_bytes(b''); print('there', flush=True); sys.stdin.read()"
    )
    with started([sys.executable, "-c", code, out], stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        folder = RunFolder(out)
        for attempt in (folder.check_free, lambda: folder.create({}), folder.resume):
            with pytest.raises(ConfigurationError, match=r"another process is training in .*/run"):
                attempt()
        for line in (["tictactoe", "--out", str(out)], ["--resume", str(out)]):
            assert main(["train", *line, "--games", "10"]) == 1
            assert "another process is training in" in capsys.readouterr().err
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    folder.latest.unlink()
    folder.create({})
    RunFolder(out).check_free()

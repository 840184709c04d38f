"""The workers of a Dask cluster: the same results, lost workers, and those that are refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.arena.run import run_arena
from neurogame.arena.schedule import Slot
from neurogame.arena.settings import ArenaSettings
from neurogame.compiling import digest_of
from neurogame.errors import ConfigurationError, MissingExtraError
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.players.record import MatchRecord
from neurogame.simulate.game import Game
from neurogame.workers.cluster import source_version
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace, open_workplace
from tests.conftest import REPOSITORY
from tests.evaluators.rules_networks import SMALL, network_of
from tests.processes import PATIENCE, started, wait_until

distributed: Any = pytest.importorskip("distributed")

ARENA = ArenaSettings(
    games=("tictactoe", "nim"),
    players=("alphabeta:cilp,depth=1", "mcts:sims=20", "random"),
    matches=2,
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers of one thread, as the page about clusters starts them."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as local:
        yield local


def _played(workers: WorkerSettings) -> dict[Slot, tuple[tuple[str, ...], ...]]:
    records: dict[Slot, MatchRecord] = {}
    run_arena(ARENA, workers=workers, on_match=records.__setitem__)
    return {slot: record.moves for slot, record in records.items()}


@pytest.fixture(scope="module")
def alone() -> dict[Slot, tuple[tuple[str, ...], ...]]:
    """Return what this process plays."""
    return _played(WorkerSettings())


def test_a_cluster_and_this_process_play_the_same_matches(
    cluster: Any, alone: dict[Slot, tuple[tuple[str, ...], ...]]
) -> None:
    assert len(alone) == 12
    assert _played(WorkerSettings(cluster=cluster.scheduler_address)) == alone


def test_a_cluster_and_this_process_learn_the_same_weights(cluster: Any) -> None:
    game = Game.load("tictactoe")
    config = LaneConfig(network=SMALL, lanes=64, plies=50, step_every=256, cores=3)
    weights = []
    for settings in (WorkerSettings(), WorkerSettings(cluster=cluster.scheduler_address)):
        with open_workplace(settings) as place:
            evaluator = network_of(game, config.network, random=False)
            learner = LaneLearner(game, config, evaluator, place)
            for _ in range(4):
                learner.round()
            weights.append([part.detach().clone() for part in evaluator.learned_weights()])
    assert all(map(torch.equal, *weights))
    assert weights[0][0].abs().sum() > 0


def test_a_scheduler_file_names_a_cluster(cluster: Any, tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    # What a scheduler writes at its start. A client would write what its workers measure, too,
    # which cannot be written once they have done something.
    path.write_text(json.dumps({"type": "Scheduler", "address": cluster.scheduler_address}))
    with open_workplace(WorkerSettings(cluster=str(path))) as place:
        assert place.workers == 2
        assert place.executor.submit(abs, -3).result() == 3


def test_workers_that_come_and_go_are_counted() -> None:
    import dask

    quiet = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.client.scheduler-info-interval": "20ms"}),
        distributed.LocalCluster(n_workers=1, protocol="tcp", **quiet) as own,
        open_workplace(WorkerSettings(cluster=own.scheduler_address)) as place,
    ):
        for number in (1, 3, 2):
            own.scale(number)
            wait_until(lambda wanted=number: place.joined == wanted)  # type: ignore[misc]
        assert place.workers == 1


def test_a_worker_that_is_killed_costs_time_alone(
    cluster: Any, alone: dict[Slot, tuple[tuple[str, ...], ...]]
) -> None:
    kills = 0
    records: dict[Slot, MatchRecord] = {}

    def note(slot: Slot, record: MatchRecord) -> None:
        nonlocal kills
        records[slot] = record
        if len(records) == 4:
            with distributed.Client(cluster, set_as_default=False) as client:
                pids = list(client.run(os.getpid).values())
            os.kill(pids[0], signal.SIGKILL)
            kills += 1

    workers = WorkerSettings(cluster=cluster.scheduler_address)
    run_arena(ARENA, workers=workers, on_match=note)
    assert kills == 1
    assert {slot: record.moves for slot, record in records.items()} == alone


def test_errors_of_a_piece_come_back(cluster: Any) -> None:
    with open_workplace(WorkerSettings(cluster=cluster.scheduler_address)) as place:
        future = place.executor.submit(divmod, 1, 0)
        assert isinstance(future.exception(), ZeroDivisionError)


def test_a_scheduler_that_is_killed_breaks_what_it_had(tmp_path: Path) -> None:
    """At any moment: what runs, what is being fetched, and what is handed out too late."""
    file = tmp_path / "cluster.json"
    quiet = ["--scheduler-file", str(file), "--no-dashboard"]
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", *quiet]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", *quiet]
    with started([*scheduler, "--host", "127.0.0.1"]) as program:
        wait_until(file.exists, program)
        with started([*worker, "--nthreads", "1"]):
            with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
                client.wait_for_workers(1, timeout=PATIENCE)
            with open_workplace(WorkerSettings(cluster=str(file))) as place:
                assert place.executor.submit(abs, -1).result() == 1
                pieces: list[Future[Any]] = [place.executor.submit(time.sleep, 600)]
                program.kill()
                # Before, while and after the loss is noticed.
                end = time.monotonic() + 3
                while time.monotonic() < end:
                    pieces.append(place.executor.submit(abs, -1))
                    time.sleep(0.01)
                for piece in pieces:
                    assert isinstance(piece.exception(timeout=PATIENCE), BrokenExecutor)


def test_a_cluster_that_cannot_be_used_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.workers.cluster._PATIENCE", 0.5)
    for name in ("tcp://127.0.0.1:9", "nowhere://x"):
        with pytest.raises(ConfigurationError, match="no scheduler answers"):
            _enter(WorkerSettings(cluster=name))
    with pytest.raises(ConfigurationError, match="Dask's settings of encryption"):
        _enter(WorkerSettings(cluster="tls://127.0.0.1:9"))
    for workers, words in ((0, "no worker has joined"), (1, "has 2 threads")):
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=2,
                processes=False,
                protocol="tcp",
                dashboard_address=":0",
            ) as local,
            pytest.raises(ConfigurationError, match=words),
        ):
            _enter(WorkerSettings(cluster=local.scheduler_address))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"neurogame\[cluster\]"):
        _enter(WorkerSettings(cluster="tcp://127.0.0.1:9"))


@pytest.mark.parametrize("name", ["nowhere", "tcp://127.0.0.1", "", "nowhere://x", "rules", "{}"])
def test_what_is_no_address_is_no_client(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that is given no address hangs when it is collected."""
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client"))
    if name in ("rules", "{}"):
        path = tmp_path / "scheduler.json"
        path.write_text(name, encoding="utf-8")
        name = str(path)
    with pytest.raises(ConfigurationError, match="no scheduler answers there"):
        _enter(WorkerSettings(cluster=name))


def test_a_worker_with_other_files_is_refused(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the workers, this process is the one with other files."""
    copy = tmp_path / "neurogame"
    shutil.copytree(REPOSITORY / "neurogame", copy, ignore=shutil.ignore_patterns("__pycache__"))
    source_version.cache_clear()
    monkeypatch.setattr("neurogame.version.__file__", str(copy / "version.py"))
    _enter(WorkerSettings(cluster=cluster.scheduler_address))
    with (copy / "version.py").open("a") as file:
        file.write("# changed\n")
    source_version.cache_clear()
    digest_of.cache_clear()
    with pytest.raises(ConfigurationError, match="install the same files"):
        _enter(WorkerSettings(cluster=cluster.scheduler_address))
    source_version.cache_clear()


def _enter(settings: WorkerSettings) -> Workplace:
    with open_workplace(settings) as place:
        return place

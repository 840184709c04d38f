"""Worker processes end with their parent, whatever ends it, and are replaced when they hang."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from neurogame.workers.local import Patience, local_workers
from tests.library import experiment
from tests.processes import PATIENCE, started

SCRIPT = """
import os, time
from neurogame.workers.local import local_workers

if __name__ == "__main__":
    with local_workers(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def test_a_worker_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    with started([sys.executable, file]) as parent:
        assert parent.stdout is not None
        os.kill(int(parent.stdout.readline()), 0)
        parent.kill()
        # The worker has the same standard output: it ends only when both have gone.
        parent.communicate(timeout=PATIENCE)


def _hang(file: Path, times: int) -> int:
    """Stop this process unless it has been done so often already; return which one it is."""
    with file.open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    if len(file.read_text().split()) <= times:
        os.kill(os.getpid(), signal.SIGSTOP)
    return os.getpid()


def test_a_worker_that_hangs_is_replaced_and_a_slow_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with local_workers(1, Patience(look=0.1, looks=25)) as pool:
        answer = pool.submit(_hang, file, 1).result()
        first, second = map(int, file.read_text().split())
        assert answer == second != first
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)
        pool.submit(time.sleep, 3).result()
        assert pool.submit(os.getpid).result() == second


class PairError(ValueError):
    """An error that is not made again from its message, as some of libraries are."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} is not {two}")


def _fail(file: Path) -> None:
    with file.open("a") as stream:
        stream.write("tried\n")
    raise PairError("this", "that")


def test_an_error_that_cannot_travel_says_what_it_was(tmp_path: Path) -> None:
    """It looked as if the worker had died, and the piece was done again and again."""
    file = tmp_path / "tries"
    with local_workers(1) as pool:
        with pytest.raises(RuntimeError, match="PairError: this is not that"):
            pool.submit(_fail, file).result()
        assert file.read_text() == "tried\n"
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()


@pytest.fixture
def model() -> ModuleType:
    return experiment("scale_model")


def _simulated(
    piece: float, carry: float, way: float, agree: float, groups: int, workers: int
) -> float:
    """Return the seconds of a round: the learner hands out all, then takes back in order."""
    free = [0.0] * workers
    done = []
    for number in range(groups):
        handed = (number + 1) * way / 2
        own = min(range(workers), key=free.__getitem__)
        free[own] = max(free[own], handed) + piece + carry
        done.append(free[own])
    now = groups * way / 2
    for ready in done:
        now = max(now, ready) + way / 2
    return now + groups * agree


def test_a_round_takes_as_long_as_its_events(model: ModuleType) -> None:
    chance = random.Random(0)
    for _ in range(300):
        workers = chance.randint(1, 40)
        groups = workers * chance.randint(1, 4)
        values = {"piece": 1.0, "carry": chance.uniform(0, 0.1)}
        values |= {"way": 10 ** chance.uniform(-4, 0), "agree": 10 ** chance.uniform(-4, -1)}
        costs = model.RoundCosts(**values)
        found = model.round_seconds(costs, groups, [1.0] * workers)
        assert found == pytest.approx(
            _simulated(**values, groups=groups, workers=workers), rel=0.05
        )


def test_pieces_are_shared_as_well_as_the_bounds_of_graham_say(model: ModuleType) -> None:
    chance = random.Random(1)
    for _ in range(100):
        workers = chance.randint(1, 9)
        pieces = [chance.uniform(0.1, 3.0) for _ in range(chance.randint(1, 60))]
        found = model.makespan(pieces, [1.0] * workers)
        least = max(max(pieces), sum(pieces) / workers)
        assert least <= found * (1 + 1e-9)
        assert found <= sum(pieces) / workers + (1 - 1 / workers) * max(pieces) + 1e-9
    # Of six pieces a worker that is twice as slow does two.
    assert model.makespan([1.0] * 6, [2.0, 1.0]) == 4.0


def test_pieces_that_are_long_enough_reach_the_efficiency(model: ModuleType) -> None:
    chance = random.Random(2)
    for _ in range(100):
        costs = model.RoundCosts(piece=1.0, carry=0.01, way=10 ** chance.uniform(-4, 0), agree=0.01)
        workers, wanted = chance.randint(1, 1000), chance.uniform(0.05, 0.95)
        groups = 2 * workers
        long = replace(costs, piece=model.piece_for(wanted, costs, groups, workers))
        assert model.round_efficiency(long, groups, workers) == pytest.approx(wanted)
    with pytest.raises(ValueError, match="without work"):
        model.piece_for(0.9, costs, 3, 2)


def test_more_workers_than_the_learner_can_serve_bring_nothing(model: ModuleType) -> None:
    costs = model.RoundCosts(piece=0.9, carry=0.1, way=0.04, agree=0.01)
    assert model.saturated_at(costs) == pytest.approx(20)

    def pieces_a_second(workers: int) -> float:
        return 2 * workers / float(model.round_seconds(costs, 2 * workers, [1.0] * workers))

    assert pieces_a_second(10) > 0.7 * 10
    assert pieces_a_second(100) == pytest.approx(pieces_a_second(1000), rel=0.01)
    assert pieces_a_second(1000) == pytest.approx(1 / (costs.way + costs.agree), rel=0.01)
    # A network brings its own limit.
    assert model.saturated_at(replace(costs, size=10**7).over(10**9)) == pytest.approx(1 / 0.07)


def test_delay_costs_an_arena_only_what_a_second_match_does_not_hide(model: ModuleType) -> None:
    long, short = [1.0] * 40, [0.1] * 40
    even = [1.0, 1.0]
    assert model.arena_seconds(long, even, 0.0, delay=0.3) == pytest.approx(20 + 0.6)
    assert model.arena_seconds(short, even, 0.0, delay=0.3) == pytest.approx(20 * 0.35 + 0.6)
    # However many workers there are, matches are handed out one after another.
    assert model.arena_seconds(short, [1.0] * 1000, 0.5, begin=2.0) >= 2 + 40 * 0.5

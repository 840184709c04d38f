"""Many workers on few cores: how far learning and arenas scale, and what limits them.

The constants of ``scale_model.py`` are measured first. Then the real lane learner and the real
arena run over a ``LocalCluster`` of Dask whose pieces sleep for the measured time in place of
computing; arrays, scheduler, agreement and files are real. Each line has the efficiency (the share
of their time in which workers compute) that was measured and that of the model::

    python experiments/simulated_scale.py --out runs/scale

Two groups of lanes for each worker; twenty matches. ``--delay``, ``--slow`` and ``--loss`` are what
the second table disturbs the workers with. A file ``scale.json`` in the folder has all numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, final

import torch

from neurogame.arena.run import run_arena
from neurogame.files import write_text
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.simulate.game import Game
from neurogame.workers.local import use_one_thread
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace, open_workplace

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cells import progress
from scale_constants import (
    ARENA,
    MatchConstants,
    PieceConstants,
    book_seconds,
    costs_of,
    learner_of,
    measure_matches,
    measure_piece,
    scheduler_seconds,
)
from scale_model import (
    RoundCosts,
    arena_seconds,
    death_seconds,
    piece_for,
    round_efficiency,
    round_seconds,
    saturated_at,
)
from sleepers import Disturbances, Sleepers, losses, matches_of, rounds_of

GAMES = ("connectfour", "pentago", "../shared/games/chess_200.kif")
GROUPS, MATCHES = 2, 20
"""Pieces of a round and of an arena for each worker."""
BOOKS = (100, 2000, 6000)
"""Matches of arenas whose results are written down without being played."""
MANY, MANY_PLIES = (16, 32, 1000), (128, 1024, 4096)
"""Workers, and plies of a round, that the model is asked for."""
WANTED = 0.9
"""Efficiency that longer pieces are to reach."""
_LONGER = 6
"""Times as many of both where workers die."""
_START = 180.0
"""Seconds in which workers must join on a busy machine."""


@final
class Crew:
    """A local cluster, and as many of its workers as are wanted; they are started only once."""

    def __init__(self, cluster: Any) -> None:
        """Use a cluster of ``distributed``."""
        self.cluster = cluster

    def _client(self) -> Any:
        import distributed

        make: Any = distributed.Client
        return make(self.cluster, set_as_default=False)

    @contextmanager
    def of(self, workers: int) -> Iterator[Workplace]:
        """Give so many workers, which have read what pieces need."""
        self.cluster.scale(workers)
        with self._client() as client:
            client.wait_for_workers(workers, timeout=_START)
            client.run(use_one_thread)
        settings = WorkerSettings(cluster=self.cluster.scheduler_address)
        with open_workplace(settings) as place:
            yield place

    def restart(self, workers: int) -> float:
        """Kill one of the workers; return the seconds until a new one has read what it needs."""
        pid = next(iter(self.cluster.workers.values())).pid
        begun = time.perf_counter()
        with self._client() as client:
            os.kill(pid, signal.SIGKILL)
            while True:
                # What has just died does not answer.
                there = set(client.run(os.getpid, on_error="ignore").values()) - {None}
                if len(there) == workers and pid not in there:
                    break
                time.sleep(0.05)
            client.run(use_one_thread)
        return time.perf_counter() - begun


def sleeping(place: Workplace, executor: Sleepers) -> Workplace:
    """Return a workplace whose pieces sleep."""
    return replace(place, executor=executor)


def train_cell(
    game: Game,
    own: PieceConstants,
    crew: Crew,
    workers: int,
    rounds: int,
    disturbed: Disturbances,
    seed: int,
) -> dict[str, Any]:
    """Measure rounds of learning with some workers, those of no length first."""
    groups = GROUPS * workers
    with crew.of(workers) as place:
        nothing = sleeping(place, Sleepers(place.executor, rounds_of(0.0)))
        learner = learner_of(game, groups, nothing, seed)
        learner.round()
        processor = time.process_time()
        empty = statistics.median(timed(learner, rounds))
        processor = (time.process_time() - processor) / rounds
        costs = costs_of(own, empty, groups)
        slept = Sleepers(
            place.executor, rounds_of(own.piece, disturbed.slow), delay=disturbed.delay
        )
        learner = learner_of(game, groups, sleeping(place, slept), seed)
        learner.round()
        with losses(crew.cluster, disturbed.loss, seed) as killed:
            seconds = timed(learner, rounds)
    slowness = disturbed.slowness(workers)
    # Losses are rare and long: their mean counts, not the median.
    typical = statistics.mean(seconds) if disturbed.loss else statistics.median(seconds)
    return {
        "what": own.game,
        "workers": workers,
        "groups": groups,
        **asdict(disturbed),
        "costs": asdict(costs),
        "empty_round": empty,
        "processor": processor / groups,
        "rounds": seconds,
        "deaths": len(killed),
        "seconds": typical,
        "measured": efficiency(groups * own.piece, slowness, typical),
        "modelled_seconds": round_seconds(costs, groups, slowness, disturbed.delay),
    }


def timed(learner: LaneLearner, rounds: int) -> list[float]:
    """Return the seconds of some rounds."""
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        learner.round()
        found.append(time.perf_counter() - begun)
    return found


def efficiency(work: float, slowness: Sequence[float], seconds: float) -> float:
    """Return the share of what all workers could have done in the time that was done, in 0..1."""
    return work / (seconds * sum(1 / slow for slow in slowness))


def arena_cell(
    own: MatchConstants, crew: Crew, workers: int, disturbed: Disturbances, seed: int
) -> dict[str, Any]:
    """Measure an arena with some workers, and one whose matches take no time."""
    # Deaths are rare: there must be time for some.
    longer = _LONGER if disturbed.loss else 1
    settings = replace(ARENA, matches=longer * MATCHES * workers, seed=seed)

    def run(place: Workplace, sleeper: Sleepers, folder: str) -> float:
        begun = time.perf_counter()
        run_arena(settings, workplace=sleeping(place, sleeper), output=Path(folder))
        return time.perf_counter() - begun

    with crew.of(workers) as place, tempfile.TemporaryDirectory() as folder:
        nothing = [0.0] * len(own.seconds)
        empty = Sleepers(place.executor, matches_of(nothing, own.records))
        whole = run(place, empty, f"{folder}/empty")
        # Nothing is left to play: this is what comes before the first match, and after the last.
        begin = run(place, empty, f"{folder}/empty")
        each = (whole - begin) / settings.matches
        slept = Sleepers(
            place.executor,
            matches_of(own.seconds, own.records, disturbed.slow),
            delay=disturbed.delay,
        )
        with losses(crew.cluster, disturbed.loss, seed) as killed:
            seconds = run(place, slept, f"{folder}/slept")
    lengths = [own.seconds[n % len(own.seconds)] for n in range(settings.matches)]
    slowness = disturbed.slowness(workers)
    return {
        "what": "arena",
        "workers": workers,
        "matches": settings.matches,
        **asdict(disturbed),
        "each": each,
        "begin": begin,
        "deaths": len(killed),
        "seconds": seconds,
        "measured": efficiency(sum(lengths), slowness, seconds),
        "modelled_seconds": arena_seconds(lengths, slowness, each, begin, disturbed.delay),
    }


def modelled(cell: dict[str, Any], own: PieceConstants | MatchConstants, restart: float) -> None:
    """Add what the model says to a cell; deaths that happened are among what it is told."""
    seconds = cell["modelled_seconds"]
    slowness = Disturbances(slow=cell["slow"]).slowness(cell["workers"])
    if isinstance(own, PieceConstants):
        rounds = len(cell["rounds"])
        costs = RoundCosts(**cell["costs"])
        if cell["deaths"]:
            each = death_seconds(costs, cell["groups"], cell["workers"], restart, rounds / 2)
            seconds += cell["deaths"] * each / rounds
        work = cell["groups"] * own.piece
    else:
        count = cell["matches"]
        work = sum(own.seconds[n % len(own.seconds)] for n in range(count))
        # A dead worker loses half a match, and its time until another is there.
        lost = cell["deaths"] * (statistics.mean(own.seconds) / 2 + restart)
        seconds += lost / cell["workers"]
    cell["modelled_seconds"] = seconds
    cell["modelled"] = efficiency(work, slowness, seconds)


def line(cell: dict[str, Any]) -> str:
    """Return a line of the table."""
    disturbed = [
        f"{name} {cell[name]:g}"
        for name, usual in asdict(Disturbances()).items()
        if cell[name] != usual
    ]
    deaths = f" ({cell['deaths']} deaths)" if cell["deaths"] else ""
    return (
        f"| {cell['what']} | {', '.join(disturbed) + deaths or 'none'} | {cell['workers']} "
        f"| {cell['seconds']:.3f} | {cell['modelled_seconds']:.3f} "
        f"| {100 * cell['measured']:.0f} % | {100 * cell['modelled']:.0f} % |"
    )


def constants_table(pieces: Sequence[PieceConstants]) -> str:
    """Return the constants of pieces as a table."""
    rows = ["| game | piece s | state MB | pack ms | unpack ms | carry ms | agree ms |"]
    rows.append("|---|--:|--:|--:|--:|--:|--:|")
    rows += [
        f"| {own.game} | {own.piece:.3f} | {own.size / 1e6:.2f} | {1e3 * own.pack:.2f} "
        f"| {1e3 * own.unpack:.2f} | {1e3 * own.carry:.2f} | {1e3 * own.agree:.2f} |"
        for own in pieces
    ]
    return "\n".join(rows)


def many_table(found: dict[str, Any], gigabits: float) -> str:
    """Return what the model says of many workers, by the learner's processor and a network.

    Args:
        found: what was measured.
        gigabits: a second, of the learner's network.
    """
    largest = max(cell["workers"] for cell in found["cells"])
    heads = [f"{plies} plies: {', '.join(map(str, MANY))} workers" for plies in MANY_PLIES]
    rows = [
        f"| game | learner ms | {gigabits:g} Gbit/s ms | full at | {' | '.join(heads)} "
        f"| plies for {WANTED:.0%}, {MANY[-1]} workers |",
        "|---" + "|--:" * (4 + len(heads)) + "|",
    ]
    for own in found["pieces"]:
        # The first such cell is not disturbed.
        cell = next(
            c for c in found["cells"] if (c["what"], c["workers"]) == (own["game"], largest)
        )
        costs = RoundCosts(**cell["costs"])
        bare = replace(costs, way=max(cell["processor"] - costs.agree, 0.0))
        costs = bare.over(gigabits * 1e9 / 8)
        values = [f"{1e3 * cell['processor']:.1f}", f"{1e3 * (costs.way - bare.way):.1f}"]
        values.append(f"{saturated_at(costs):.0f}")
        for plies in MANY_PLIES:
            longer = replace(costs, piece=own["piece"] * plies / own["plies"])
            shares = [round_efficiency(longer, GROUPS * workers, workers) for workers in MANY]
            values.append(", ".join(f"{100 * share:.0f} %" for share in shares))
        wanted = piece_for(WANTED, costs, GROUPS * MANY[-1], MANY[-1])
        values.append(f"{wanted / own['piece'] * own['plies']:,.0f}")
        rows.append(f"| {own['game']} | {' | '.join(values)} |")
    return "\n".join(rows)


def main() -> None:
    """Measure the constants and all cells, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--crew", type=int, default=8, help="workers that are disturbed")
    parser.add_argument("--delay", type=float, default=0.1, help="seconds, each way")
    parser.add_argument("--slow", type=float, default=2.0, help="times, every fourth worker")
    parser.add_argument("--loss", type=float, default=6.0, help="seconds between two deaths")
    parser.add_argument("--gigabits", type=float, default=10.0, help="of the network of many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/scale"))
    parser.add_argument("--summary", action="store_true", help="only print what is there")
    options = parser.parse_args()
    if options.summary:
        found = json.loads((options.out / "scale.json").read_text())
        print("\n".join(map(line, found["cells"])))
        print(many_table(found, options.gigabits))
        return
    import distributed

    make: Any = distributed.LocalCluster
    torch.set_num_threads(1)
    begun = time.perf_counter()
    games = [Game.load(name) for name in options.games]
    progress("constants")
    pieces = [measure_piece(game, options.seed) for game in games]
    matches = measure_matches(options.seed)
    cells: list[dict[str, Any]] = []

    def note(cell: dict[str, Any], own: PieceConstants | MatchConstants) -> None:
        modelled(cell, own, restart)
        cells.append({**cell, "load": os.getloadavg()[0]})
        print(line(cell), flush=True)

    print(constants_table(pieces))
    mean = statistics.mean(matches.seconds)
    print(
        f"\na match: {mean:.3f} s ({min(matches.seconds):.3f} to {max(matches.seconds):.3f}), "
        f"a record: {matches.size / 1e3:.1f} kB"
    )
    books = {count: book_seconds(matches, count) for count in BOOKS}
    written = ", ".join(f"{1e3 * each:.2f} ms of {count}" for count, each in books.items())
    print(f"beside playing, for each match: {written}")
    with make(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        crew = Crew(cluster)
        with crew.of(2) as place:
            each = scheduler_seconds(place.executor)
            restart = statistics.median(crew.restart(2) for _ in range(3))
        print(f"a piece that is nothing: {1e3 * each:.2f} ms; a new worker: {restart:.1f} s")
        print("\n| what | disturbed | workers | s | model s | efficiency | model |")
        print("|---|---|--:|--:|--:|--:|--:|")
        usual = Disturbances()
        for workers in sorted(options.workers):
            progress(f"{workers} workers")
            for game, own in zip(games, pieces, strict=True):
                cell = train_cell(game, own, crew, workers, options.rounds, usual, options.seed)
                note(cell, own)
            note(arena_cell(matches, crew, workers, usual, options.seed), matches)
        progress("disturbed")
        number = min(1, len(games) - 1)
        for disturbed in (
            Disturbances(delay=options.delay),
            Disturbances(slow=options.slow),
            Disturbances(loss=options.loss),
            Disturbances(delay=options.delay, slow=options.slow, loss=options.loss),
        ):
            rounds = options.rounds * (_LONGER if disturbed.loss else 1)
            cell = train_cell(
                games[number], pieces[number], crew, options.crew, rounds, disturbed, options.seed
            )
            note(cell, pieces[number])
            note(arena_cell(matches, crew, options.crew, disturbed, options.seed), matches)
    found = {
        "cores": os.cpu_count(),
        "seconds": time.perf_counter() - begun,
        "pieces": [asdict(own) for own in pieces],
        "matches": matches.to_json(),
        "books": books,
        "scheduler": each,
        "restart": restart,
        "cells": cells,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    write_text(options.out / "scale.json", json.dumps(found, indent=1) + "\n")
    print(f"\n{many_table(found, options.gigabits)}")
    print(f"\n{found['seconds']:.0f} seconds; load {os.getloadavg()[0]:.1f} on {os.cpu_count()}")


if __name__ == "__main__":
    main()

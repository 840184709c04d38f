"""Driving trees to the end of their limit, each in a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import final

from neurogame.search.limit import Limit
from neurogame.search.mcts.compiled.run import SOLVED, TIME
from neurogame.search.mcts.tree import MctsTree

LANES = 64
"""Leaves of a block, unless simulations are counted: then it is the algorithm of the papers."""
MOST_LANES = 512
"""Most leaves of a block where time is limited, and blocks take long."""
_CHUNK = 20_000_000
"""Nanoseconds of compiled code after which Python has a look, at Ctrl-C for example."""
_PONDERING = 2_000_000
"""The same while nobody waits: what comes then, waits for this."""
_GLANCE = 0.02
"""Seconds for which the threads are waited for at a time."""
_MARGIN = 0.02
"""Share of the time that is left over for what follows a search, up to a bound."""
_LARGEST_MARGIN = 10_000_000
"""That bound, in nanoseconds."""
_IDLE = 100
"""Simulations per node of a limit on nodes alone, in case there are none left to be made."""
_ENOUGH = 1 << 28
"""Visits of the root after which pondering ends. Sums are right on average, however many results
are added, but they get rough: by some 0.0005 of a mean with so many."""
_AGE = 1 << 62
"""A time that never comes, in nanoseconds."""


@final
@dataclass(frozen=True, kw_only=True)
class Quota:
    """What one tree may use.

    Attributes:
        lanes: leaves of a block.
        simulations: at most; None: no bound.
        nodes: made at most; None: no bound.
        deadline: the time at which it must be over, in nanoseconds of ``time.monotonic_ns``; 0:
            no bound.
    """

    lanes: int
    simulations: int | None
    nodes: int | None
    deadline: int


def quotas(limit: Limit, lanes: int | None, threads: int, started: int) -> list[Quota]:
    """Return what each thread may use.

    Args:
        limit: of the search.
        lanes: leaves of a block; None: 1 where simulations are counted, 64 where nodes are, else
            up to 512.
        threads: number of trees.
        started: when the search began, in nanoseconds of ``time.monotonic_ns``.
    """
    limit = limit.countable()
    simulations, deadline = limit.simulations, 0
    if lanes is None:
        counted = 1 if simulations is not None else LANES
        timed = simulations is None and limit.seconds is not None
        lanes = MOST_LANES if timed else counted
    if limit.seconds is not None:
        whole = int(limit.seconds * 1e9)
        deadline = started + whole - min(int(_MARGIN * whole), _LARGEST_MARGIN)
    elif simulations is None and limit.nodes is not None:
        simulations = _IDLE * limit.nodes
    return [
        Quota(
            lanes=lanes,
            simulations=_share(simulations, threads, thread),
            nodes=_share(limit.nodes, threads, thread),
            deadline=deadline,
        )
        for thread in range(threads)
    ]


def drive(trees: Sequence[MctsTree], shares: Sequence[Quota]) -> None:
    """Search until every tree has used up its quota or has proved its root.

    Args:
        trees: with their roots.
        shares: quota of each tree.
    """
    if len(trees) == 1:
        _drive_one(trees[0], shares[0])
        return
    over = Event()
    with ThreadPoolExecutor(len(trees)) as pool:
        tasks = [
            pool.submit(_drive_one, tree, share, over)
            for tree, share in zip(trees, shares, strict=True)
        ]
        _oversee(tasks, over, lambda: False)


def drive_until(trees: Sequence[MctsTree], lanes: int, stop: Callable[[], bool]) -> None:
    """Search until told to stop, or a tree has nothing more to find.

    Args:
        trees: with their roots.
        lanes: most leaves of a block.
        stop: whether to stop; called from this thread.
    """
    over = Event()
    if len(trees) == 1:
        while not stop() and not _ponder_one(trees[0], lanes):
            pass
        return
    with ThreadPoolExecutor(len(trees)) as pool:
        _oversee([pool.submit(_ponder_on, tree, lanes, over) for tree in trees], over, stop)


def _oversee(tasks: Sequence[Future[None]], over: Event, stop: Callable[[], bool]) -> None:
    """Wait for all threads, and tell them when it is over."""
    left: set[Future[None]] = set(tasks)
    try:
        while left and not stop():
            # Not for ever: Python sees Ctrl-C in between.
            done, left = wait(left, timeout=_GLANCE)
            for task in done:
                task.result()
    finally:
        # The pool waits for its threads, which look at this after every chunk.
        over.set()
    for task in wait(left).done:
        task.result()


def _ponder_on(tree: MctsTree, lanes: int, over: Event) -> None:
    """Search in one tree until it is over; where one tree has found all it is over for all."""
    while not over.is_set():
        if _ponder_one(tree, lanes):
            over.set()


def _ponder_one(tree: MctsTree, lanes: int) -> bool:
    """Search in one tree for one chunk of time; return whether there is nothing more to find."""
    if tree.root_visits >= _ENOUGH:
        return True
    until = time.monotonic_ns() + _PONDERING
    code = tree.run(lanes, simulations=None, nodes=None, until=until, deadline=_AGE)
    return code == SOLVED


def _drive_one(tree: MctsTree, share: Quota, over: Event | None = None) -> None:
    """Search in one tree, chunk by chunk; ``over`` is for those that search beside it."""
    totals = tree.totals
    simulations, nodes = share.simulations, share.nodes
    if simulations is not None:
        simulations += totals.simulations
    if nodes is not None:
        nodes += totals.created
    while True:
        until = time.monotonic_ns() + _CHUNK
        code = tree.run(
            share.lanes,
            simulations=simulations,
            nodes=nodes,
            until=min(until, share.deadline) if share.deadline else until,
            deadline=share.deadline,
        )
        if over and code == SOLVED and share.deadline:
            # Where time counts, what one tree has proved need not be searched by the others.
            over.set()
        if code != TIME or (over and over.is_set()):
            return
        if share.deadline and time.monotonic_ns() >= share.deadline:
            return


def _share(whole: int | None, threads: int, thread: int) -> int | None:
    """Return a thread's part of a number."""
    if whole is None:
        return None
    return whole // threads + (thread < whole % threads)

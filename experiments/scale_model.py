"""The written model of many workers: how long a round of learning and an arena take.

A piece is a round of one group of lanes, or a match. Workers do pieces side by side; what the
learner does for each piece (handing it out, taking it back, agreeing) it does one after another.
``docs/scale.md`` explains the terms, ``simulated_scale.py`` measures and checks them.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final


@final
@dataclass(frozen=True, kw_only=True)
class RoundCosts:
    """What a round is made of.

    Attributes:
        piece: seconds of playing and learning on a worker, at least 0.
        carry: seconds that a worker takes for reading and writing what travels.
        way: seconds of handing out a piece and taking it back, one after another.
        agree: seconds of agreeing, for each group, once all are back.
        size: bytes of a group's state, which travels both ways.
    """

    piece: float
    carry: float
    way: float
    agree: float
    size: int = 0

    def over(self, bandwidth: float) -> RoundCosts:
        """Return the costs with a network of so many bytes a second on the way."""
        return replace(self, way=self.way + 2 * self.size / bandwidth)


def makespan(pieces: Sequence[float], slowness: Sequence[float]) -> float:
    """Return when the last piece is done if each is taken, in order, by whoever is free first.

    Args:
        pieces: seconds of each on a worker of slowness 1.
        slowness: of each worker: how many times longer it takes; at least one worker.

    *Reference:* Graham, "Bounds for certain multiprocessing anomalies" (1966): list scheduling.
    """
    free = [(0.0, number) for number in range(len(slowness))]
    last = 0.0
    for seconds in pieces:
        begun, number = heapq.heappop(free)
        done = begun + seconds * slowness[number]
        last = max(last, done)
        heapq.heappush(free, (done, number))
    return last


def round_seconds(
    costs: RoundCosts, groups: int, slowness: Sequence[float], delay: float = 0.0
) -> float:
    """Return how long a round of learning takes.

    The learner hands out all pieces and then takes them back, half a way each. It is the longest
    of three: the workers, of whom each begins later than the one before; the last piece handed
    out; all ways one after another.

    Args:
        costs: of one piece.
        groups: pieces of the round.
        slowness: of each worker, see :func:`makespan`.
        delay: seconds that each message is late, the first and the last of which count.
    """
    half = costs.way / 2
    busy = makespan([costs.piece] * groups, slowness)
    busy += costs.carry * math.ceil(groups / len(slowness))
    seconds = max(
        busy + min(groups, len(slowness)) * half + half + 2 * delay,
        groups * half + costs.piece + costs.carry + half + 2 * delay,
        groups * costs.way,
    )
    return seconds + groups * costs.agree


def round_efficiency(costs: RoundCosts, groups: int, workers: int) -> float:
    """Return the share of their time in which equal workers compute, in 0..1."""
    seconds = round_seconds(costs, groups, [1.0] * workers)
    return groups * costs.piece / (workers * seconds)


def death_seconds(
    costs: RoundCosts, groups: int, workers: int, restart: float, rounds: float
) -> float:
    """Return how much longer a run takes for each worker that dies and is started again.

    What it had is done again by the others after their own: one more piece in a row. Until the new
    one has joined, rounds are done by one worker less.

    Args:
        costs: of one piece.
        groups: pieces of a round.
        workers: when all are there, at least 2.
        restart: seconds until the new worker takes pieces.
        rounds: that the run still has, at most; what is missing in the last one costs no more.
    """
    whole = round_seconds(costs, groups, [1.0] * workers)
    fewer = round_seconds(costs, groups, [1.0] * (workers - 1))
    return costs.piece + costs.carry + min(restart / fewer, rounds) * (fewer - whole)


def arena_seconds(
    matches: Sequence[float],
    slowness: Sequence[float],
    each: float,
    begin: float = 0.0,
    delay: float = 0.0,
) -> float:
    """Return how long an arena takes.

    Two matches for each worker are under way, so that messages that are late matter only where
    they take longer than a match.

    Args:
        matches: seconds of each match, in the order of the plan.
        slowness: of each worker, see :func:`makespan`.
        each: seconds that handing out a match and writing it down take, one after another.
        begin: seconds before the first match.
        delay: seconds that each message is late.
    """
    turns = [max(match, (match + 2 * delay) / 2) for match in matches]
    workers = makespan(turns, slowness) + 2 * delay + each * min(len(matches), len(slowness))
    return begin + max(workers, len(matches) * each)


def saturated_at(costs: RoundCosts) -> float:
    """Return how many workers keep the learner busy all the time; more bring nothing."""
    return (costs.piece + costs.carry) / (costs.way + costs.agree)


def piece_for(efficiency: float, costs: RoundCosts, groups: int, workers: int) -> float:
    """Return how long pieces must be for a wanted efficiency: what rounds must be stretched to.

    Args:
        efficiency: wanted, above 0 and below 1.
        costs: of one piece; its seconds do not count.
        groups: pieces of a round, a multiple of the workers.
        workers: equal ones.

    Raises:
        ValueError: so many groups leave workers without work, however long pieces are.
    """
    waves = math.ceil(groups / workers)
    agree = groups * costs.agree
    share = groups / workers / efficiency
    if share <= waves:
        raise ValueError(f"{groups} groups leave some of {workers} workers without work")
    half = costs.way / 2
    # Long enough for each of the three that a round may be as long as.
    return max(
        (waves * costs.carry + min(groups, workers) * half + half + agree) / (share - waves),
        (groups * half + costs.carry + half + agree) / (share - 1),
        (groups * costs.way + agree) / share,
    )

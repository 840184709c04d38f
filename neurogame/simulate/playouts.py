"""Random playouts of many games at once, and the statistics of games and of moves.

The games are a function of the seed and of the number of lanes alone: the backend, the device and
the number of threads change only how fast they are played. Lane ``l`` of ``L`` plays the games
``l, l + L, l + 2 L, ...`` one after another, each to its end.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.array_types import Float64s, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError, NeurogameWarning
from neurogame.gdl.goal_values import met_goal
from neurogame.gdl.keywords import clamped_goal
from neurogame.kernels.playout import PlayoutRun, Tally
from neurogame.kernels.words.pack import LANES, word_count
from neurogame.settings import check_kind
from neurogame.simulate.play_out import MAX_PLIES, stuck_message
from neurogame.simulate.simulator import Simulator

MAX_LANES = 16384
"""Most lanes that playouts take of themselves."""


@final
@dataclass(frozen=True, eq=False)
class MoveStatistics:
    """What the games came to in which a move was made; moves of all roles, as in the circuit.

    Attributes:
        games: finished games in which each move was made at least once; int64 ``[M]``.
        mean_goals: mean goal of each role in these games, 0..100, NaN for a move that was never
            made; float64 ``[M, R]``.
    """

    games: Int64s
    mean_goals: Float64s

    def __eq__(self, other: object) -> bool:
        """Return whether all numbers are the same."""
        return (
            isinstance(other, MoveStatistics)
            and np.array_equal(self.games, other.games)
            and np.array_equal(self.mean_goals, other.mean_goals, equal_nan=True)
        )

    def __hash__(self) -> int:
        """Return a hash of the numbers of games."""
        return hash(self.games.tobytes())


@final
@dataclass(frozen=True)
class PlayoutStatistics:
    """What a number of random games came to.

    Attributes:
        roles: role names; ``[R]``.
        games: number of finished games.
        plies: joint moves made, in all games together, those of unfinished games included.
        goals: per role, goal value -> number of games. A game without a goal counts as 0, one
            with several as the highest.
        cut: games that the limit of plies stopped; their goals are those of the state reached.
        stuck: games that stopped in a state that is not terminal because some role has no legal
            move there (one warning); their goals are those of that state.
        lengths: number of games of each length in plies; ``[longest + 1]``; None if not counted.
        moves: statistics of the moves; None if not counted.
    """

    roles: tuple[str, ...]
    games: int
    plies: int
    goals: tuple[dict[int, int], ...]
    cut: int
    stuck: int
    lengths: tuple[int, ...] | None = None
    moves: MoveStatistics | None = None

    @property
    def mean_length(self) -> float:
        """Mean number of plies of a finished game; NaN where none is.

        Where lengths were not counted, all plies by the finished games: the same, unless games
        were left unfinished (see :func:`playouts`).
        """
        if not self.games:
            return math.nan
        if self.lengths is None:
            return self.plies / self.games
        return sum(length * number for length, number in enumerate(self.lengths)) / self.games

    @property
    def mean_goals(self) -> tuple[float, ...]:
        """Mean goal value per role, 0..100; NaN where no game is finished."""
        return tuple(
            sum(value * count for value, count in counts.items()) / (self.games or math.nan)
            for counts in self.goals
        )


def playouts(
    simulator: Simulator,
    games: int | None,
    seed: int,
    max_plies: int = MAX_PLIES,
    *,
    steps: int | None = None,
    lanes: int | None = None,
    lengths: bool = False,
    moves: bool = False,
    threads: int = 1,
    backend: str | None = None,
) -> PlayoutStatistics:
    """Play random games; every legal move of a role is equally likely.

    With a number of games every one that is begun is finished and counted. With a number of steps
    a lane whose game is over starts the next one: the highest throughput, but only games that ended
    within the steps are counted. So the mean length with ``lengths`` is too small, and without too
    large, unless ``steps`` is many times the length of a game.

    Args:
        simulator: of the game.
        games: number of games, at least 1; None: ``steps`` says how long to play.
        seed: any integer; together with ``games``, ``max_plies``, ``steps`` and ``lanes`` it
            determines the result.
        max_plies: games longer than this are stopped, at least 1.
        steps: instead of ``games``: steps of every lane, at least 1; a restart takes one, so
            ``plies + games == lanes * steps``.
        lanes: games side by side, at least 1; None: as many as games, rounded up to a multiple
            of 64, and at most :data:`MAX_LANES`.
        lengths: whether to count games by length, which in games of few plies costs half the speed.
        moves: whether to make statistics of the moves.
        threads: threads that share the lanes, at least 1.
        backend: what plays, see :mod:`~neurogame.kernels.backends`; None: the fastest.

    Raises:
        GameError: an argument is out of its range.
        LimitError: with a number of games, lanes need more steps than there may be.
    """
    check_kind(simulator, Simulator, "simulator", "game.simulator()")
    most = MAX_LANES if games is None else min(LANES * word_count(max(games, 1)), MAX_LANES)
    plan = PlayoutRun(
        seed=seed,
        lanes=most if lanes is None else lanes,
        games=games,
        steps=steps,
        max_plies=max_plies,
        lengths=lengths,
        moves=moves,
        threads=threads,
    )
    tally = simulator.playout_kernel(backend, moves=moves).run(plan)
    if plan.games is not None and tally.games < plan.games:
        raise LimitError(
            f"only {tally.games:,} of {plan.games:,} games ended within the most steps that can be "
            f"made; take more lanes than {plan.lanes:,}, or a smaller max_plies"
        )
    return _statistics(simulator, tally)


def _statistics(simulator: Simulator, tally: Tally) -> PlayoutStatistics:
    """Sort the counts by role, and warn of what the rules leave open."""
    circuit = simulator.circuit
    goals = []
    for number, counts in enumerate(_by_role(circuit, tally.goals)):
        role = circuit.roles[number]
        reached = {value: count for value, count in counts.items() if count}
        none = tally.games - sum(counts.values())
        if none:
            reached[0] = reached.get(0, 0) + none
        # Games that did not end in a terminal state may well lack a goal.
        if none > tally.cut + tally.stuck and number != circuit.chance:
            _warn(f"role {role} has no goal in a terminal state; it counts as 0")
        goals.append(reached)
    if tally.several:
        _warn("a role has several goals in a terminal state; the highest counts")
    if tally.stuck:
        _warn(stuck_message())
    return PlayoutStatistics(
        roles=circuit.roles,
        games=tally.games,
        plies=tally.played,
        goals=tuple(goals),
        cut=tally.cut,
        stuck=tally.stuck,
        lengths=None if tally.lengths is None else tuple(tally.lengths.tolist()),
        moves=_move_statistics(circuit, tally),
    )


def _by_role(circuit: Circuit, goals: Int64s) -> list[dict[int, int]]:
    """Return per role how many games have each goal value; ``goals`` is int64 ``[V]``."""
    counts = iter(goals.tolist())
    by_role: list[dict[int, int]] = []
    for role, numbers in zip(circuit.roles, circuit.named_goals, strict=True):
        by_role.append(dict.fromkeys(map(clamped_goal, numbers), 0))
        for number in numbers:
            if count := next(counts):
                by_role[-1][met_goal(number, role)] += count
    return by_role


def _move_statistics(circuit: Circuit, tally: Tally) -> MoveStatistics | None:
    if tally.made is None or tally.made_goals is None:
        return None
    total = np.zeros((len(tally.made), len(circuit.roles)))
    for role, (begin, end) in enumerate(pairwise(circuit.goal_offsets)):
        values = np.array(circuit.goal_values[role], np.int64)
        total[:, role] = tally.made_goals[:, begin:end] @ values
    with np.errstate(invalid="ignore"):
        return MoveStatistics(tally.made, total / tally.made[:, None])


def _warn(what: str) -> None:
    warnings.warn(f"{what} (said once)", NeurogameWarning, stacklevel=4)

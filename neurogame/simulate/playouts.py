"""Random playouts of many games at once, in bit-slices from the first move to the statistics.

Game ``i`` is lane ``i`` of an endless row of lanes, and the random bits of a lane are a function
of (seed, lane word, step) alone. So ``playouts(games=N, seed=S)`` plays the same N games whatever
the batch size, and the first N of any larger number.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, final

import numpy as np
import torch
from torch import Tensor

from neurogame.errors import GameError, NeurogameWarning
from neurogame.kernels.bitslice import rounded_width
from neurogame.kernels.choose import choose_uniform
from neurogame.kernels.pack import gather_lanes, lane_mask, unpack, word_count
from neurogame.kernels.popcount import count_ones
from neurogame.kernels.random_words import RandomWords
from neurogame.simulate.simulator import GOALS, NEXT, STATUS, Simulator
from neurogame.simulate.states import StateBatch

MAX_PLIES = 1000
"""Default step limit of a playout."""

Ending: TypeAlias = Literal["terminal", "stuck", "cut"]
"""How a playout ends: by the rules, without a move for some role, or at the step limit."""

_DROP_EVERY = 4
"""Steps between two removals of words whose games are all over."""


@final
@dataclass(frozen=True)
class PlayoutStatistics:
    """What a number of random games came to.

    Attributes:
        roles: role names; ``[R]``.
        games: number of games.
        plies: joint moves made, in all games together.
        lengths: number of games of each length in plies; int64 ``[longest + 1]``.
        goals: per role, goal value -> number of games. A game without a goal counts as 0, one
            with several as the highest.
        cut: games that the step limit stopped; their goals are those of the state reached.
        stuck: games that stopped in a state that is not terminal because some role has no legal
            move there (one warning); their goals are those of that state.
    """

    roles: tuple[str, ...]
    games: int
    plies: int
    lengths: tuple[int, ...]
    goals: tuple[dict[int, int], ...]
    cut: int
    stuck: int

    @property
    def mean_length(self) -> float:
        """Mean number of plies per game."""
        return self.plies / self.games

    @property
    def mean_goals(self) -> tuple[float, ...]:
        """Mean goal value per role, 0..100."""
        return tuple(
            sum(value * count for value, count in own.items()) / self.games for own in self.goals
        )


def playouts(
    simulator: Simulator,
    games: int,
    seed: int,
    max_plies: int = MAX_PLIES,
    batch: int | None = None,
) -> PlayoutStatistics:
    """Play random games to their ends; every legal move of a role is equally likely.

    Each game is played from its first state to its end. (Counting the games that end within a
    fixed number of steps with restarts would favour short games: see :func:`stream`.)

    Args:
        simulator: of the game.
        games: number of games, at least 1.
        seed: any integer; together with ``games`` and ``max_plies`` it determines the result.
        max_plies: games longer than this are stopped, at least 1.
        batch: games at a time, a multiple of 64; None: what suits the circuit's size.

    Raises:
        GameError: an argument is out of its range.
    """
    _check(games=games, max_plies=max_plies)
    size = simulator.good_batch if batch is None else batch
    if size < 64 or size % 64:
        raise GameError(f"a batch of playouts must be a positive multiple of 64, not {size}")
    tally = _Tally(simulator, max_plies)
    for begin in range(0, games, size):
        _Block(simulator, begin, min(size, games - begin), seed, tally).play()
    return tally.result(games)


def stream(
    simulator: Simulator,
    lanes: int,
    steps: int,
    seed: int,
    max_plies: int = MAX_PLIES,
) -> PlayoutStatistics:
    """Play on all lanes for a number of steps; a lane whose game is over starts the next one.

    The highest throughput, but only games that ended within the steps are counted, so the mean
    length is biased towards short games unless ``steps`` is many times the length of a game.

    Args:
        simulator: of the game.
        lanes: games side by side, at least 1.
        steps: steps of every lane, at least 1; a restart takes one.
        seed: any integer.
        max_plies: games longer than this are stopped, at least 1.
    """
    _check(lanes=lanes, steps=steps, max_plies=max_plies)
    tally = _Tally(simulator, max_plies)
    block = _Block(simulator, 0, lanes, seed, tally)
    return tally.result(block.stream(steps))


def sample_states(
    simulator: Simulator, count: int, seed: int, max_plies: int = MAX_PLIES
) -> StateBatch:
    """Return random states as they occur in random games, in which every role has a move.

    Args:
        simulator: of the game.
        count: number of states, at least 1; they may repeat.
        seed: any integer.
        max_plies: states beyond this ply do not occur.
    """
    _check(count=count, max_plies=max_plies)
    games = max(64, count // 4)
    visited: list[tuple[Tensor, Tensor]] = []
    _Block(simulator, 0, games, seed, _Tally(simulator, max_plies), visited).play()
    if not visited:
        raise GameError(
            "the initial state is terminal, or a role has no move in it: there are no states to "
            "sample"
        )
    alive = torch.stack([unpack(playing[None], games)[:, 0] for _, playing in visited])
    places = alive.nonzero().cpu()
    generator = torch.Generator().manual_seed(seed)
    chosen = places[torch.randint(len(places), (count,), generator=generator)]
    order = torch.argsort(chosen[:, 0], stable=True)
    chosen = chosen[order]
    steps, counts = np.unique(chosen[:, 0].numpy(), return_counts=True)
    parts = [
        gather_lanes(visited[step][0], chosen[chosen[:, 0] == step, 1].to(simulator.device))
        for step in steps.tolist()
    ]
    flags = [unpack(words, n) for words, n in zip(parts, counts.tolist(), strict=True)]
    back = torch.argsort(order).to(simulator.device)
    return StateBatch.from_bool(torch.cat(flags)[back])


def _check(**values: int) -> None:
    for name, value in values.items():
        if value < 1:
            raise GameError(f"{name} must be at least 1, not {value}")


@final
class _Tally:
    """Counts lengths and goals of finished games."""

    def __init__(self, simulator: Simulator, max_plies: int) -> None:
        self.circuit = simulator.circuit
        self.max_plies = max_plies
        self.values = [[value for value, _ in pairs] for pairs in self.circuit.goals]
        self.counts = [np.zeros(len(pairs) + 1, np.int64) for pairs in self.circuit.goals]
        self.lengths: dict[int, int] = {}
        self.endings: Counter[Ending] = Counter()
        self.warned: set[str] = set()

    def add(self, flags: Tensor, ended: Tensor, ending: Ending) -> int:
        """Count the goals of the lanes that are over; return their number.

        Args:
            flags: goal flags; int64 ``[V, W]``.
            ended: lanes that are over; int64 ``[W]``.
            ending: what ended them.
        """
        begin = 0
        for role, values in enumerate(self.values):
            rest = ended
            hits = []
            several = torch.zeros_like(ended)
            for row in range(begin, begin + len(values)):
                several |= ended & ~rest & flags[row]
                hits.append(rest & flags[row])
                rest = rest & ~flags[row]
            counts = count_ones(torch.stack([*hits, rest])).cpu().numpy()
            self.counts[role] += counts
            if ending == "terminal" and counts[-1]:
                self.warn("goals", role, "no goal in a terminal state; it counts as 0")
            elif ending == "terminal" and bool((several != 0).any()):
                self.warn("goals", role, "several goals in a terminal state; the highest counts")
            begin += len(values)
        number = int(count_ones(ended[None])[0])
        self.endings[ending] += number
        return number

    def warn(self, about: str, role: int, what: str) -> None:
        """Warn of something that a role has, once for each thing that there is to say."""
        if about not in self.warned:
            self.warned.add(about)
            warnings.warn(
                f"role {self.circuit.roles[role]} has {what} (said once)",
                NeurogameWarning,
                stacklevel=5,
            )

    def result(self, games: int) -> PlayoutStatistics:
        longest = max(self.lengths, default=0)
        goals = []
        for values, counts in zip(self.values, self.counts, strict=True):
            own: dict[int, int] = {}
            for value, count in zip([*values, 0], counts.tolist(), strict=True):
                if count:
                    own[value] = own.get(value, 0) + count
            goals.append(own)
        return PlayoutStatistics(
            roles=self.circuit.roles,
            games=games,
            plies=sum(length * count for length, count in self.lengths.items()),
            lengths=tuple(self.lengths.get(n, 0) for n in range(longest + 1)),
            goals=tuple(goals),
            cut=self.endings["cut"],
            stuck=self.endings["stuck"],
        )


@final
class _Block:
    """Some lanes that are played together."""

    def __init__(
        self,
        simulator: Simulator,
        begin: int,
        size: int,
        seed: int,
        tally: _Tally,
        visited: list[tuple[Tensor, Tensor]] | None = None,
    ) -> None:
        self.simulator = simulator
        self.tally = tally
        self.visited = visited
        device = simulator.device
        first = begin // 64
        self.random = RandomWords(
            seed, torch.arange(first, first + word_count(size), device=device)
        )
        self.states = simulator.initial(size).words
        self.playing = lane_mask(size, device)
        self.fluents = len(simulator.circuit.fluents)

    def play(self) -> None:
        """Play every lane to the end of its game."""
        for step in range(self.tally.max_plies + 1):
            if step % _DROP_EVERY == 0 and self.visited is None:
                self._drop_idle_words()
            if not bool((self.playing != 0).any()):
                return
            self._step(step)

    def _step(self, step: int) -> None:
        """Look at the states, count what has ended, and move the others."""
        with self.simulator.lock:
            status, space = self._status()
            terminal = status[-1] & self.playing
            stuck = self._stuck(status, self.playing)
            self._finish(terminal, step, space, "terminal")
            self._finish(stuck, step, space, "stuck")
            self.playing = self.playing & ~terminal & ~stuck
            if step == self.tally.max_plies:
                self._finish(self.playing, step, space, "cut")
                self.playing = torch.zeros_like(terminal)
            if not bool((self.playing != 0).any()):
                return
            if self.visited is not None:
                self.visited.append((self.states.clone(), self.playing.clone()))
            self.states = self._move(status, step, space)

    def stream(self, steps: int) -> int:
        """Play every lane for some steps, restarting finished games; return games finished."""
        initial = self.states.clone()
        lanes = self.playing
        age = torch.zeros((self.tally.max_plies.bit_length(), len(lanes)), dtype=torch.int64)
        age = age.to(lanes.device)
        games = 0
        for step in range(steps):
            with self.simulator.lock:
                status, space = self._status()
                terminal = status[-1] & lanes
                stuck = self._stuck(status, lanes)
                over = terminal | stuck
                cut = _equals(age, self.tally.max_plies) & lanes & ~over
                endings: list[tuple[Tensor, Ending]]
                endings = [(terminal, "terminal"), (stuck, "stuck"), (cut, "cut")]
                for ended, ending in endings:
                    if bool((ended != 0).any()):
                        games += self.tally.add(space.run(GOALS), ended, ending)
                        self._count_ages(age, ended)
                over = over | cut
                moved = self._move(status, step, space)
            self.states = moved ^ ((moved ^ initial) & over)
            _increment(age, ~over)
        return games

    def _status(self) -> tuple[Tensor, _Space]:
        width = self.states.shape[1]
        space = _Space(self.simulator, width)
        space.values[1 : 1 + self.fluents] = self.states
        return space.run(STATUS), space

    def _stuck(self, status: Tensor, lanes: Tensor) -> Tensor:
        """Return the lanes that are not over but where some role has no legal move."""
        stuck = torch.zeros_like(lanes)
        for role, (begin, end) in enumerate(pairwise(self.simulator.move_offsets)):
            none = lanes & ~status[-1]
            if end > begin:
                none = none & ~_any(status[begin:end])
            if bool((none != 0).any()):
                self.tally.warn(
                    "stuck",
                    role,
                    "no legal move in a state that is not terminal; the game stops there with the "
                    "goals of that state",
                )
            stuck |= none
        return stuck

    def _finish(self, ended: Tensor, step: int, space: _Space, ending: Ending) -> None:
        if bool((ended != 0).any()):
            number = self.tally.add(space.run(GOALS), ended, ending)
            self.tally.lengths[step] = self.tally.lengths.get(step, 0) + number

    def _count_ages(self, age: Tensor, ended: Tensor) -> None:
        """Add the lengths of the finished games, and reset their ages."""
        ages = unpack(age, 64 * age.shape[1])[unpack(ended[None], 64 * age.shape[1])[:, 0]]
        weights = 1 << torch.arange(len(age), device=age.device)
        numbers = (ages * weights).sum(dim=1).cpu().numpy()
        lengths, counts = np.unique(numbers, return_counts=True)
        for length, count in zip(lengths.tolist(), counts.tolist(), strict=True):
            self.tally.lengths[length] = self.tally.lengths.get(length, 0) + count
        age &= ~ended

    def _move(self, status: Tensor, step: int, space: _Space) -> Tensor:
        """Choose a move per role and return the next states."""
        offsets = self.simulator.move_offsets
        first = 1 + self.fluents
        for role, (begin, end) in enumerate(pairwise(offsets)):
            if begin == end:
                continue  # every game is stuck
            legal = status[begin:end] & self.playing
            space.values[first + begin : first + end] = choose_uniform(
                legal, self.random, step, role
            )
        return space.run(NEXT)

    def _drop_idle_words(self) -> None:
        """Forget the words whose 64 games are all over."""
        busy = (self.playing != 0).nonzero().view(-1)
        if len(busy) < len(self.playing):
            self.states = self.states[:, busy]
            self.playing = self.playing[busy]
            self.random = self.random.select(busy)


@final
class _Space:
    """The part of a workspace that the present words take."""

    def __init__(self, simulator: Simulator, width: int) -> None:
        self._width = width
        self._space = simulator.kernel.workspace(rounded_width(width))
        self.values = self._space.values[:, :width]

    def run(self, stage: int) -> Tensor:
        return self._space.run(stage)[:, : self._width]


def _any(rows: Tensor) -> Tensor:
    """Return the OR of all rows; int64 ``[W]``."""
    while len(rows) > 1:
        half = len(rows) // 2
        rest = rows[2 * half :]
        rows = torch.cat([rows[:half] | rows[half : 2 * half], rest])
    return rows[0]


def _increment(planes: Tensor, lanes: Tensor) -> None:
    """Add one to the bit-sliced numbers of some lanes, in place."""
    carry = lanes.clone()
    for plane in planes:
        following = plane & carry
        plane ^= carry
        carry = following


def _equals(planes: Tensor, number: int) -> Tensor:
    """Return the lanes whose bit-sliced number is the given one."""
    result = torch.full_like(planes[0], -1)
    for bit, plane in enumerate(planes):
        result &= plane if number >> bit & 1 else ~plane
    return result

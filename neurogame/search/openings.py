"""Openings: random beginnings of one exact length, for matches that compare players.

Deterministic players repeat their matches; what makes matches differ is where they begin. So the
openings of a comparison all have the same length, lead to different positions, end no match, and
decide none as far as a short search can tell.
"""

from __future__ import annotations

from typing import TypeAlias, final

import numpy as np
import torch

from neurogame.array_types import Bools, Int64s
from neurogame.errors import ConfigurationError
from neurogame.search.exact import Prover
from neurogame.search.packing import state_keys
from neurogame.simulate.game import Game, State
from neurogame.splitmix import seed_word

NODES = 1000
"""States that the search for a decision may generate, per opening and role."""

_BATCH = 256
_FEWEST_MISSES, _FEWEST_PROVED = 640, 64
_MISSES = 10
"""Draws in a row without a new position, per position known, after which there is no other: of
equally likely ones a single one is then missed once in e ** 10 times. At least so many are drawn
on a circuit, and by proofs, which take thousands of times as long."""

Opening: TypeAlias = tuple[tuple[int, ...], ...]
"""Joint moves from the initial state, as indices into each role's own moves."""


@final
class Openings:
    """The openings of one length of a game, in an order that follows from a seed.

    They are drawn when they are asked for: each role moves uniformly at random, and the first
    way to each position is kept. A longer list begins with a shorter one.

    Attributes:
        plies: joint moves of each; fewer than asked for where no match lasts that long.
        repeated: draws that led to a position that was there already.
        ended: draws whose match was over, or stuck, before.
        decided: positions left out because a search proved who wins.
    """

    def __init__(self, game: Game, plies: int, seed: int, *, nodes: int = NODES) -> None:
        """Draw none yet.

        Args:
            game: the game.
            plies: joint moves of an opening, at least 0.
            seed: decides which ones, and their order.
            nodes: states that a search may generate to prove that a position is decided; 0:
                nothing is searched. In games of one role and without a circuit nothing ever is.

        Raises:
            ConfigurationError: less than 0 plies.
        """
        if plies < 0:
            raise ConfigurationError(f"opening_plies={plies}; at least 0 is needed")
        self.plies = plies
        self._game, self._seed = game, seed_word(seed)
        self._nodes = nodes if len(game.players) > 1 and game.has_circuit else 0
        self._prover: Prover | None = None
        self._begin()

    def _begin(self) -> None:
        self.repeated = self.ended = self.decided = self._longest = 0
        self._batches = self._misses = 0
        self._seen: set[bytes] = set()
        self._drawn: list[tuple[Opening, bytes, State | None]] = []
        self._lost: list[Opening] = []
        self._is_complete = self.plies == 0
        self._found: list[Opening] = [()] if self._is_complete else []
        self._decided_before = [0] * len(self._found)

    @property
    def are_decided(self) -> bool:
        """Whether all positions are decided, so that such ones have to serve."""
        return self._is_complete and bool(self._lost) and self._found == self._lost

    def first(self, count: int) -> list[Opening]:
        """Return the first openings; fewer where there are no more.

        Args:
            count: how many are wanted.
        """
        while len(self._found) < count and not self._is_complete:
            self._look_at_next()
        return self._found[:count]

    def __getitem__(self, number: int) -> Opening:
        """Return one opening; where there are too few, they come round again.

        Args:
            number: from 0.
        """
        known = self.first(number + 1)
        return known[number % len(known)]

    def note(self, asked: int) -> str:
        """Return what a reader of results should know, empty if that is nothing.

        Args:
            asked: openings that were wanted.
        """
        count, parts = len(self.first(asked)), []
        # What was looked at for later openings does not count.
        decided = self._decided_before[count - 1] if count == asked > 0 else self.decided
        if count < asked and self.plies > 0:
            plies = f"{self.plies} {'ply' if self.plies == 1 else 'plies'}"
            parts.append(f"there are only {count} openings of {plies}, not {asked}")
        if self.are_decided:
            parts.append("all openings are decided already")
        elif decided:
            were = "opening was" if decided == 1 else "openings were"
            parts.append(f"{decided} decided {were} left out")
        return "; ".join(parts)

    def _look_at_next(self) -> None:
        """Draw one, and keep it if it is of use."""
        if not self._drawn:
            fewest = _FEWEST_MISSES if self._game.has_circuit else _FEWEST_PROVED
            if self._misses >= max(fewest, _MISSES * len(self._seen)):
                self._end()
                return
            self._draw()
        moves, key, state = self._drawn.pop()
        self._misses += 1
        if state is None:
            self.ended += 1
        elif key in self._seen:
            self.repeated += 1
        else:
            self._misses = 0
            self._seen.add(key)
            if self._nodes > 0 and self._is_decided(state):
                self.decided += 1
                self._lost.append(moves)
            else:
                self._found.append(moves)
                self._decided_before.append(self.decided)

    def _end(self) -> None:
        """Be content with what there is; without any with less."""
        if self._seen:
            if not self._found:
                self._found = self._lost
                self._decided_before = [self.decided] * len(self._lost)
            self._is_complete = True
            return
        # None of the draws lasted for more than that: what is longer is not tried ply by ply.
        self.plies = min(self.plies - 1, self._longest)
        self._begin()

    def _is_decided(self, state: State) -> bool:
        if self._prover is None:
            self._prover = Prover(self._game, self._nodes)
        return self._prover.is_decided(state)

    def _draw(self) -> None:
        """Play a batch of openings."""
        random = np.random.default_rng([self._seed, self.plies, self._batches])
        self._batches += 1
        if self._game.has_circuit:
            self._draw_side_by_side(random)
        else:
            self._draw_one(random)

    def _draw_one(self, random: np.random.Generator) -> None:
        """Play one opening by proofs."""
        state = self._game.initial_state()
        opening: list[tuple[int, ...]] = []
        while len(opening) < self.plies and all(state.legal_moves):
            joint = tuple(int(random.choice(moves)) for moves in state.legal_moves)
            opening.append(joint)
            state = state.next(joint)
        self._longest = max(self._longest, len(opening) - (not all(state.legal_moves)))
        is_whole = len(opening) == self.plies and all(state.legal_moves)
        key = "\n".join(state.fluent_texts).encode()
        self._drawn = [(tuple(opening), key, state if is_whole else None)]

    def _draw_side_by_side(self, random: np.random.Generator) -> None:
        """Play many openings on the circuit."""
        simulator, offsets = self._game.simulator(), self._game.move_offsets
        roles = range(len(self._game.roles))
        states = simulator.initial(_BATCH)
        joints = np.zeros((_BATCH, self.plies, len(roles)), np.int64)
        goes_on = np.ones(_BATCH, np.bool_)
        for ply in range(self.plies + 1):
            look = simulator.look(states)
            legal = look.legal.numpy()
            choices = np.stack(
                [legal[:, offsets[r] : offsets[r + 1]].sum(axis=1) for r in roles], axis=1
            )
            now = ~look.terminal.numpy() & (choices > 0).all(axis=1)
            goes_on[goes_on] = now
            states = states.select(torch.from_numpy(np.flatnonzero(now)))
            legal, choices = legal[now], choices[now]
            if ply == self.plies or not now.any():
                self._longest = max(self._longest, ply - (not now.any()))
                break
            ranks = (random.random((_BATCH, len(roles)))[goes_on] * choices).astype(np.int64)
            moves = [_nth_legal(legal[:, offsets[r] : offsets[r + 1]], ranks[:, r]) for r in roles]
            joints[goes_on, ply] = np.stack(moves, axis=1)
            states = simulator.step(states, torch.from_numpy(joints[goes_on, ply]), check=False)
        fluents = states.to_bool()
        whole = zip(state_keys(fluents.numpy()), fluents, strict=True)
        for opening, is_whole in zip(joints.tolist(), goes_on, strict=True):
            key, held = next(whole) if is_whole else (b"", None)
            state = None if held is None else State(self._game, held)
            self._drawn.append((tuple(map(tuple, opening)), key, state))
        self._drawn.reverse()


def _nth_legal(legal: Bools, ranks: Int64s) -> Int64s:
    """Return in each row the column of the flag with a rank, counted from 0."""
    columns: Int64s = np.argmax(np.cumsum(legal, axis=1) > ranks[:, None], axis=1)
    return columns


def play_opening(game: Game, opening: Opening) -> State:
    """Return the position that an opening leads to.

    Args:
        game: the game.
        opening: joint moves, all legal.
    """
    state = game.initial_state()
    for joint in opening:
        state = state.next(joint)
    return state

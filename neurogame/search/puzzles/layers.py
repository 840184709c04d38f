"""Breadth-first search of a puzzle by layers: exact if they fit a width, else the best are kept.

The layer of depth ``d`` holds the different states that some line of ``d`` moves leads to. A state
that an earlier layer held is left out, and one from which nothing better than what is known can be
reached. If more are left than the width, guides decide which are followed.

*Reference:* Zhou and Hansen, "Breadth-first heuristic search" (2006), for layers with bounds;
Röger and Helmert, "The more, the merrier" (2010), for several guides by turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import (
    Bools,
    Bools1,
    Float32s1,
    Float64s,
    Int32s1,
    Int64s1,
    UInt64s1,
    UInt64s2,
)
from neurogame.kernels.joint_moves import joint_moves
from neurogame.kernels.lane_rows import hash_rows
from neurogame.search.puzzles.guides import Guide, Guides, NewStates
from neurogame.search.puzzles.line import Line
from neurogame.search.puzzles.luck import played_moves
from neurogame.search.puzzles.needs import Needs
from neurogame.search.puzzles.outlook import Outlook
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import Ending, play_out
from neurogame.simulate.state_rows import rows_of, states_of
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word

_CHUNK_BYTES = 1 << 26
"""Fluents and moves of children that are made together, one byte each."""
_CHUNK, _CHUNK_GATES = 4096, 20_000_000
"""Children that are made together, and their gates: so many take less than a tenth of a second."""
_LEAST_CHUNK = 512

_Places = Int32s1 | Int64s1


@final
@dataclass(frozen=True, eq=False)
class _Pool:
    """States that may become the next layer.

    Attributes:
        rows: uint64 ``[n, ceil(F / 64)]``.
        keys: uint64 ``[n]``.
        parents: places in the layer before; int32 ``[n]``.
        moves: that led here; int32 ``[n]``.
        scores: by the guides; float64 ``[n, g]``.
    """

    rows: UInt64s2
    keys: UInt64s1
    parents: Int32s1
    moves: Int32s1
    scores: Float64s

    def __len__(self) -> int:
        return len(self.keys)

    def select(self, chosen: Int64s1) -> _Pool:
        return _Pool(
            self.rows[chosen],
            self.keys[chosen],
            self.parents[chosen],
            self.moves[chosen],
            self.scores[chosen],
        )

    def best(self, width: int) -> _Pool:
        """Return the most promising ones, guides choosing by turns; keys decide ties."""
        rank = np.full(len(self), len(self), np.int64)
        for scores in self.scores.T:
            order = np.lexsort((self.keys, -scores))
            place = np.empty(len(self), np.int64)
            place[order] = np.arange(len(self))
            rank = np.minimum(rank, place)
        return self.select(np.argsort(rank, kind="stable")[:width])


def _joined(pools: list[_Pool]) -> _Pool:
    names = ("rows", "keys", "parents", "moves", "scores")
    return _Pool(*(np.concatenate([getattr(pool, name) for pool in pools]) for name in names))


@final
class LayeredSearch:
    """One pass through the layers of a puzzle from a state on.

    Attributes:
        best: the best line so far, or None.
        is_complete: whether every state was followed from which something better can be reached,
            as far as the pass has come.
        nodes: states generated.
    """

    def __init__(
        self,
        game: Game,
        guides: Guides,
        outlook: Outlook | None,
        *,
        chosen: tuple[Guide, ...],
        width: int,
        known: int,
        clocks: Bools | None,
        needs: Needs | None,
        seed: int,
        stop: Callable[[], bool],
    ) -> None:
        """Prepare a pass.

        Args:
            game: of one role.
            guides: of the game.
            outlook: of the game, or None where it is too large for that.
            chosen: guides that choose by turns.
            width: states of a layer that are followed, at least 1.
            known: a goal that is known to be reached; only better ones are looked for; -1: none.
            clocks: fluents without which states count as the same, bool ``[F]``: what takes longer
                is then left out, though the rules may reward waiting; None: all fluents count.
            needs: narrows the moves that are looked at; None: all are.
            seed: decides what is drawn at random.
            stop: whether to end the pass; asked about every tenth of a second, or oftener, but in
                games of more than a hundred thousand gates.
        """
        self.best: Line | None = None
        self.is_complete = True
        self.nodes = 0
        self._simulator = game.simulator(backend="auto")
        self._guides, self._outlook, self._chosen = guides, outlook, chosen
        self._width, self._known, self._stop = width, known, stop
        self._top = max((value for value, _ in game.circuit.goals[0]), default=0)
        self._seeds = np.random.default_rng(seed_word(seed))
        self._salt = int(self._seeds.integers(1 << 62))
        self._fluents = len(game.fluents)
        self._folds, self._needs = clocks is not None, needs
        counted = np.ones(self._fluents, np.bool_) if clocks is None else ~clocks
        self._counted = rows_of(StateBatch.from_bool(torch.from_numpy(counted[None])))[0]
        room = _CHUNK_BYTES // (self._fluents // 8 + game.move_offsets[-1])
        gates = _CHUNK_GATES // max(game.circuit.gate_count, 1)
        if outlook is None and Guide.PLAYOUTS not in chosen:
            # One pass of the circuit is all.
            gates = _CHUNK
        # Never by the clock: with a seed and a number of nodes all is as it was before.
        self._chunk = max(min(_CHUNK, room, gates), _LEAST_CHUNK)
        self._branching = float(max(game.move_offsets[-1], 1))
        self._layers: list[tuple[Int32s1, Int32s1]] = []
        self._visited: UInt64s1 = np.zeros(0, np.uint64)

    @property
    def is_decided(self) -> bool:
        """Whether nothing better than the best line is possible from the state on."""
        return self.is_complete or self._known >= self._top

    def run(self, state: StateBatch) -> None:
        """Go through the layers until nothing better is left, or it is told to stop.

        Args:
            state: one state that is not over.
        """
        rows = rows_of(state)
        self._visited = self._keys(rows)
        while len(rows) and self._known < self._top:
            layer = self._next_layer(rows)
            if layer is None:
                self.is_complete = False
                return
            rows = layer.rows
            self._layers.append((layer.parents, layer.moves))
            self._visited = np.union1d(self._visited, layer.keys)
            if len(layer):
                self._consider(Line(goal=0, moves=self._path(0), is_over=False))

    def _next_layer(self, rows: UInt64s2) -> _Pool | None:
        """Return the states that follow a layer, the most promising first; None if stopped."""
        pools: list[_Pool] = []
        begin = count = 0
        while begin < len(rows):
            if self._stop() or self._known >= self._top:
                return None
            end = begin + max(1, int(self._chunk / self._branching))
            pool = self._expanded(rows[begin:end], begin)
            pools.append(pool)
            count += len(pool)
            begin = end
            if count > 3 * self._width:
                pools = [self._cut(_distinct(_joined(pools)))]
                count = len(pools[0])
        return self._cut(_distinct(_joined(pools)))

    def _cut(self, pool: _Pool) -> _Pool:
        if len(pool) > self._width:
            self.is_complete = False
        return pool.best(self._width)

    def _expanded(self, rows: UInt64s2, first: int) -> _Pool:
        """Return the new states after some states of a layer, and note the games that are over.

        Args:
            rows: the states; uint64 ``[n, ceil(F / 64)]``.
            first: place in the layer of the first of them.
        """
        layer = states_of(rows, np.arange(len(rows)), self._fluents)
        parent, joint = joint_moves(self._narrowed(layer), self._simulator.move_offsets)
        parents, moves = parent.numpy(), joint[:, 0].numpy()
        after = states_of(rows, parents, self._fluents)
        after = self._simulator.step(after, joint, check=False)
        look = self._simulator.look(after)
        self.nodes += len(parents)
        self._branching = max(len(parents) / len(rows), 1.0)
        legal = look.legal.sum(dim=1).numpy()
        over = look.terminal.numpy() | (legal == 0)
        self._note_ends(look.goals[:, 0].numpy(), over, first + parents, moves)
        children = rows_of(after)
        keys = self._keys(children)
        places = np.flatnonzero(~over)
        places = places[first_of_each(keys[places])]
        seen = are_among(keys[places], self._visited)
        if self._folds and bool(seen.any()):
            self.is_complete = False
        places = places[~seen]
        states = states_of(children, places, self._fluents)
        scope = None
        if self._outlook is not None and len(places):
            goals, scope = self._outlook.of(states)
            hopeful = np.flatnonzero(goals > self._known)
            places, scope = places[hopeful], scope[hopeful]
            states = states_of(children, places, self._fluents)
        pool = _Pool(
            rows=children[places],
            keys=keys[places],
            parents=(first + parents[places]).astype(np.int32),
            moves=moves[places].astype(np.int32),
            scores=np.zeros((len(places), len(self._chosen))),
        )
        return replace(pool, scores=self._scores(states, pool, legal[places], scope))

    def _narrowed(self, states: StateBatch) -> Tensor:
        """Return the moves to look at; bool ``[n, M]``."""
        legal = self._simulator.status(states)[0]
        if self._needs is None:
            return legal
        narrow = torch.from_numpy(self._needs.narrowed(states.to_bool().numpy(), legal.numpy()))
        self.is_complete &= torch.equal(narrow, legal)
        return narrow

    def _scores(
        self,
        states: StateBatch,
        pool: _Pool,
        mobility: Int64s1,
        scope: Int64s1 | None,
    ) -> Float64s:
        """Return what the guides say; a random game that ends well is a find of its own."""
        if not len(states):
            return pool.scores
        games = None
        if Guide.PLAYOUTS in self._chosen:
            seed = int(self._seeds.integers(1 << 62))
            games = play_out(self._simulator, states, seed)
            goals = np.rint(100 * games.goals[:, 0].numpy()).astype(np.int64)
            goals[games.endings.numpy() == Ending.CUT] = -1
            lucky = int(goals.argmax())
            if goals[lucky] > self._known:
                rest = played_moves(self._simulator, states, lucky, seed, int(games.lengths[lucky]))
                path = self._path(int(pool.parents[lucky]), int(pool.moves[lucky]))
                self._consider(Line(goal=int(goals[lucky]), moves=path + rest, is_over=True))
        fresh = NewStates(
            states=states, keys=pool.keys, mobility=mobility, scope=scope, games=games
        )
        return self._guides.scores(self._chosen, fresh, self._salt)

    def _note_ends(self, values: Float32s1, over: Bools1, parents: Int64s1, moves: Int64s1) -> None:
        """Take note of the best game that is over.

        Args:
            values: of children, in 0..1; float32 ``[K]``.
            over: which of them are over; bool ``[K]``.
            parents: their parents' places in the last layer; int64 ``[K]``.
            moves: that led to them; int64 ``[K]``.
        """
        if not over.any():
            return
        goals = np.rint(100 * values).astype(np.int64)
        best = int(np.where(over, goals, -1).argmax())
        path = self._path(int(parents[best]), int(moves[best]))
        self._consider(Line(goal=int(goals[best]), moves=path, is_over=True))

    def _consider(self, line: Line) -> None:
        if self.best is None or line.rank > self.best.rank:
            self.best = line
        if line.is_over:
            self._known = max(self._known, line.goal)

    def _path(self, place: int, *rest: int) -> tuple[int, ...]:
        """Return the moves that lead to a place in the last layer, and more."""
        return (*path_to(self._layers, place), *rest)

    def _keys(self, rows: UInt64s2) -> UInt64s1:
        """Return a number of 64 bits for each state, clocks left out."""
        return keys_of(rows, self._counted) * np.uint64(self._salt | 1)


def path_to(layers: Sequence[tuple[_Places, _Places]], place: int) -> tuple[int, ...]:
    """Return the moves that lead to a place in the last of some layers.

    Args:
        layers: of each, the parents' places in the layer before, and the moves that led here.
        place: in the last layer.
    """
    moves: list[int] = []
    for parents, made in reversed(layers):
        moves.append(int(made[place]))
        place = int(parents[place])
    return tuple(reversed(moves))


def keys_of(rows: UInt64s2, counted: UInt64s1) -> UInt64s1:
    """Return a number of 64 bits for what states are in the fluents that count.

    Args:
        rows: packed states; uint64 ``[n, ceil(F / 64)]``.
        counted: packed, which fluents count; uint64 ``[ceil(F / 64)]``.
    """
    keys = np.empty(len(rows), np.uint64)
    hash_rows(rows & counted, keys)
    return keys


def first_of_each(keys: UInt64s1) -> Int64s1:
    """Return where each of the keys comes first, ascending."""
    return np.sort(np.unique(keys, return_index=True)[1])


def are_among(keys: UInt64s1, visited: UInt64s1) -> Bools1:
    """Return which keys are among others."""
    # By a table, which numpy takes for a few, numpy 2.0 cannot hold numbers from 2^63 on.
    return np.isin(keys, visited, kind="sort")


def _distinct(pool: _Pool) -> _Pool:
    """Return the first of each state."""
    first = first_of_each(pool.keys)
    return pool if len(first) == len(pool) else pool.select(first)

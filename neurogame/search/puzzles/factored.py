"""A puzzle made of independent parts: each is searched by itself, and outcomes are put together.

1. Each factor that matters is searched breadth first, as if nobody moved elsewhere. What it can be
   brought to is what goals and the end read of it: its *outcomes*, each with a shortest line.
2. One outcome of each factor is looked for under which the game is over with a goal. Outcomes that
   this cannot have with any of those that are left of the other factors, in three-valued logic, are
   taken away until none is; then the factor with the fewest is split, short lines first.
3. The lines, one after the other or by turns, are played on the rules of the whole game. Only what
   ends there with a goal is an answer, so that nothing depends on the first two steps.

Two puzzles of ``n`` states have ``n²`` together, but no more than ``2 n`` are looked at here; and
where a move does no more than mark a cell, orders of moves make no difference at all.

*Reference:* Cox, Schkufza, Madsen and Genesereth, "Factoring general games using propositional
automata" (2009); Günther, Schiffel and Thielscher, "Factoring general games" (2009); Mackworth,
"Consistency in networks of relations" (1977); Haralick and Elliott (1980), section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import final

import numpy as np
import torch

from neurogame.array_types import Bools, Bools1, Int64s1, UInt64s1, UInt64s2
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import TRUE, Graph
from neurogame.graph.positive import positive
from neurogame.graph.prune import needed
from neurogame.kernels.joint_moves import joint_moves
from neurogame.regress.clockwork import clockwork
from neurogame.regress.factors import Factor, independent_factors
from neurogame.search.puzzles.layers import are_among, first_of_each, keys_of, path_to
from neurogame.search.puzzles.line import Line
from neurogame.simulate.game import Game, State
from neurogame.simulate.state_rows import rows_of, states_of
from neurogame.simulate.states import StateBatch

_FEWEST = 2
"""Factors from which on it is worth while to search them one by one."""
_STATES = (1 << 12, 1 << 15, 1 << 18)
"""States of one factor that are looked at, at most: few at first, for what is found soon."""
_CHUNK = 1 << 12
"""States whose children are made together."""
_OUTCOMES = 1 << 12
"""Outcomes of all factors together, at most; those with long lines are left out."""
_CHECKS = 1 << 9
"""Times that outcomes are taken away, at most."""
_ANSWERS = 4
"""Choices of outcomes that are played on the whole game, at most, for each goal."""
_MOST_WAITING = 1000
"""Moves without effect that are made at the end, at most."""


@final
@dataclass(frozen=True, eq=False)
class _Outcomes:
    """What a factor can be brought to.

    Attributes:
        fluents: of the factor, those that goals or the end read; int64 ``[f]``.
        held: which of them hold; bool ``[n, f]``, no two rows alike.
        lines: shortest ways there, indices of moves, the shorter first; ``[n]``.
        is_whole: whether there are no others, and no state on the way was the end of the game.
    """

    fluents: Int64s1
    held: Bools
    lines: tuple[tuple[int, ...], ...]
    is_whole: bool


@final
class FactoredSearch:
    """Looks for lines of one puzzle, factor by factor.

    Attributes:
        count: factors that matter.
        nodes: states generated so far.
        bound: a goal above which none can be reached from the state that was searched last.
    """

    def __init__(self, game: Game) -> None:
        """Find the factors.

        Args:
            game: of one role.
        """
        circuit = game.circuit
        self._game = game
        self._simulator = game.simulator(backend="auto")
        found = independent_factors(circuit)
        self._factors = [factor for factor in found if factor.matters and len(factor.moves)]
        self.count = len(self._factors)
        self.nodes = 0
        self.bound = 100
        self._clocks = clockwork(circuit)
        read = np.append(circuit.goal_literals, circuit.terminal)
        self._read = needed(circuit.graph.with_outputs(read))[1 : 1 + len(game.fluents)]
        self._useless = np.ones(circuit.move_count, np.bool_)
        for factor in self._factors:
            self._useless[factor.moves] = False

    def best(self, state: State, known: int, stop: Callable[[], bool]) -> Line | None:
        """Return a line to the highest goal above a known one that is found; None without.

        There is none in a game that does not fall apart.

        Args:
            state: one that is not over.
            known: a goal, or -1.
            stop: whether to give up.
        """
        goals = np.array([value for value, _ in self._game.circuit.goals[0]], np.int64)
        best: Line | None = None
        checks = _CHECKS
        self.bound = int(goals.max(initial=0))
        for most in _STATES if self.count >= _FEWEST else ():
            outcomes = []
            for factor in self._factors:
                outcomes.append(self._outcomes(state, factor, most, stop))
                if stop():
                    return best
            is_whole = all(own.is_whole for own in outcomes)
            # Clocks may let a factor do later what it cannot do now.
            is_proof = is_whole and not self._clocks.any()
            for goal in np.unique(goals[goals > known])[::-1].tolist():
                over = self._game.circuit.terminal
                formulas, held = self._formulas(goal, over), self._held(state)
                choices = _Choices(formulas, outcomes, held, checks, stop)
                moves = self._first(state, goal, choices)
                checks = choices.checks
                if moves is not None:
                    best, known = Line(goal=goal, moves=moves, is_over=True), goal
                    break
                if is_proof:
                    # A game may also be over because no move is left.
                    formulas = self._formulas(goal, TRUE)
                    choices = _Choices(formulas, outcomes, held, checks, stop)
                    is_proof = next(choices.answers(), None) is None and choices.are_none
                    checks = choices.checks
                if is_proof:
                    self.bound = int(goals[goals < goal].max(initial=0))
            if known >= self.bound or is_whole or not checks:
                break
        return best

    def _formulas(self, goal: int, over: int) -> Graph:
        """Return formulas of which one holds where a goal does, and a literal behind them."""
        circuit = self._game.circuit
        literals = [literal for value, literal in circuit.goals[0] if value == goal]
        return circuit.graph.with_outputs(np.array([*literals, over], np.int64))

    def _held(self, state: State) -> Bools:
        """Return what may hold, and what may fail, where nothing is done; bool ``[2, F]``."""
        held = state.batch.to_bool().numpy()[0]
        return np.stack([held | self._clocks, ~held | self._clocks])

    def _first(self, state: State, goal: int, choices: _Choices) -> tuple[int, ...] | None:
        """Return the moves of the first choice that comes to the goal on the whole game."""
        played = (self._played(state, lines, goal) for lines in islice(choices.answers(), _ANSWERS))
        return next((moves for moves in played if moves is not None), None)

    def _outcomes(
        self, state: State, factor: Factor, most: int, stop: Callable[[], bool]
    ) -> _Outcomes:
        """Search a factor breadth first, while all others stay as they are.

        Args:
            state: where to begin.
            factor: which.
            most: states after which no further layer is made.
            stop: whether to give up.
        """
        fluents = len(self._game.fluents)
        counted = np.zeros(fluents, np.bool_)
        counted[factor.fluents] = True
        mask = rows_of(StateBatch.from_bool(torch.from_numpy(counted[None])))[0]
        shown = factor.fluents[self._read[factor.fluents]]
        mine = torch.zeros(self._game.circuit.move_count, dtype=torch.bool)
        mine[torch.from_numpy(factor.moves)] = True
        rows = rows_of(state.batch)
        visited = keys_of(rows, mask)
        layers: list[tuple[Int64s1, Int64s1]] = []
        lines: dict[bytes, tuple[int, ...]] = {}
        held: list[Bools1] = []
        is_whole = True
        while len(rows):
            layer = states_of(rows, np.arange(len(rows)), fluents)
            is_whole &= not bool(self._simulator.status(layer)[1].any())
            looks = layer.to_bool().numpy()[:, shown]
            for place in np.sort(np.unique(looks, axis=0, return_index=True)[1]).tolist():
                key = looks[place].tobytes()
                if key not in lines:
                    lines[key] = path_to(layers, place)
                    held.append(looks[place])
            if len(visited) >= most or len(lines) >= _OUTCOMES or stop():
                is_whole = False
                break
            rows, parents, moves, keys = self._following(rows, mine, mask, visited)
            layers.append((parents, moves))
            visited = np.union1d(visited, keys)
        return _Outcomes(shown, np.array(held), tuple(lines.values()), is_whole)

    def _following(
        self, rows: UInt64s2, mine: torch.Tensor, mask: UInt64s1, visited: UInt64s1
    ) -> tuple[UInt64s2, Int64s1, Int64s1, UInt64s1]:
        """Return the new states after a layer, their parents' places, moves, and keys."""
        parts = []
        for begin in range(0, len(rows), _CHUNK):
            some = rows[begin : begin + _CHUNK]
            layer = states_of(some, np.arange(len(some)), len(self._game.fluents))
            # No move is legal where the game is over.
            legal = self._simulator.status(layer)[0] & mine
            parent, joint = joint_moves(legal, self._simulator.move_offsets)
            parents = parent.numpy()
            after = states_of(some, parents, len(self._game.fluents))
            children = rows_of(self._simulator.step(after, joint, check=False))
            self.nodes += len(children)
            keys = keys_of(children, mask)
            new = first_of_each(keys)
            new = new[~are_among(keys[new], visited)]
            parts.append((children[new], begin + parents[new], joint[:, 0].numpy()[new], keys[new]))
        children, parents, moves, keys = map(np.concatenate, zip(*parts, strict=True))
        first = first_of_each(keys)
        return children[first], parents[first], moves[first], keys[first]

    def _played(
        self, state: State, lines: Sequence[tuple[int, ...]], goal: int
    ) -> tuple[int, ...] | None:
        """Return all moves in an order in which the game ends with the goal; None without."""
        some = [line for line in lines if line]
        long_first = sorted(some, key=len)[::-1]
        orders = {
            tuple(chain.from_iterable(some)),
            tuple(chain.from_iterable(reversed(some))),
            tuple(chain.from_iterable(long_first)),
            tuple(move for turn in zip_longest(*some) for move in turn if move is not None),
        }
        played = (self._played_out(state, order, goal) for order in sorted(orders))
        return next((moves for moves in played if moves is not None), None)

    def _played_out(
        self, state: State, order: tuple[int, ...], goal: int
    ) -> tuple[int, ...] | None:
        """Return moves and what has to follow until the game is over; None without the goal."""
        made: list[int] = []
        while not state.is_terminal:
            legal = state.legal_moves[0]
            if len(made) < len(order):
                move = order[len(made)]
                if move not in legal:
                    return None
            elif len(made) == len(order) + _MOST_WAITING:
                return None
            else:
                useless = next((move for move in legal if self._useless[move]), None)
                if useless is None:
                    return None
                move = useless
            made.append(move)
            state = state.next([move])
        return tuple(made) if state.goals[0] == goal else None


@final
class _Choices:
    """Choices of one outcome of each factor under which a formula holds.

    Attributes:
        checks: times that outcomes may still be taken away.
        are_none: whether it was shown that there are none.
    """

    def __init__(
        self,
        formulas: Graph,
        outcomes: list[_Outcomes],
        held: Bools,
        checks: int,
        stop: Callable[[], bool],
    ) -> None:
        """Take what is asked for.

        Args:
            formulas: over fluents alone; one of them has to hold, and the last one in any case.
            outcomes: of each factor.
            held: what may hold of fluents elsewhere, and what may fail; bool ``[2, F]``.
            checks: times that outcomes may be taken away.
            stop: whether to give up.
        """
        self.checks, self.are_none = checks, False
        self._graph, leaves = positive(formulas)
        self._outcomes, self._stop = outcomes, stop
        fluents = held.shape[1]
        # A leaf is a place among fluents that hold, and those that do not; constants come last.
        self._place = (leaves >> 1) - 1 + fluents * (leaves & 1)
        self._place[leaves <= TRUE] = 2 * fluents + leaves[leaves <= TRUE]
        self._held = np.append(held.reshape(-1), [False, True])
        self._sides = [
            (np.concatenate([own.fluents, fluents + own.fluents]), np.hstack([own.held, ~own.held]))
            for own in outcomes
        ]

    def answers(self) -> Iterator[list[tuple[int, ...]]]:
        """Yield the line of an outcome of each factor, for one choice after the other."""
        is_any = False
        for chosen in self._split([np.ones(len(own.lines), np.bool_) for own in self._outcomes]):
            is_any = True
            yield [own.lines[k] for own, k in zip(self._outcomes, chosen, strict=True)]
        self.are_none = not is_any and self.checks > 0 and not self._stop()

    def _split(self, left: list[Bools1]) -> Iterator[tuple[int, ...]]:
        """Yield choices among the outcomes that are left."""
        if not self._narrowed(left):
            return
        counts = np.array([some.sum() for some in left])
        if counts.max() == 1:
            yield tuple(int(some.argmax()) for some in left)
            return
        fewest = int(np.where(counts > 1, counts, counts.max() + 1).argmin())
        for k in np.flatnonzero(left[fewest]).tolist():
            one = [some.copy() for some in left]
            one[fewest][:] = False
            one[fewest][k] = True
            yield from self._split(one)

    def _narrowed(self, left: list[Bools1]) -> bool:
        """Take outcomes away that no choice among the others goes with; return whether any does."""
        counts = [-1]
        while counts != [int(some.sum()) for some in left]:
            if not self.checks or self._stop():
                return False
            self.checks -= 1
            counts = [int(some.sum()) for some in left]
            if not min(counts):
                return False
            base = self._held.copy()
            for (places, held), some in zip(self._sides, left, strict=True):
                base[places] = held[some].any(axis=0)
            lanes = np.repeat(base[None], sum(counts), axis=0)
            parts = np.split(np.arange(len(lanes)), np.cumsum(counts)[:-1])
            for (places, held), some, part in zip(self._sides, left, parts, strict=True):
                lanes[part[:, None], places] = held[some]
            found = holds(self._graph, lanes[:, self._place])
            fits = found[:, :-1].any(axis=1) & found[:, -1]
            for some, part in zip(left, parts, strict=True):
                some[some] = fits[part]
        return True

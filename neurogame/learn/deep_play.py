"""Training matches of deeper searches, one match after the other."""

from __future__ import annotations

from typing import Protocol, final

import numpy as np
import torch

from neurogame.learn.counter_random import derive, uniform
from neurogame.learn.lockstep import RANDOM_SEAT, MatchPlan
from neurogame.learn.trajectory import FORCED, SEVERAL, Trajectory, extend_proofs
from neurogame.search.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.packing import state_keys
from neurogame.search.settings import SearchSettings
from neurogame.simulate.game import Game, State

_COIN, _MOVE, _OPENING, _PLAYER = 11, 12, 13, 14
_NAN = float("nan")


class Guest(Protocol):
    """A player of any kind, with limits of its own, that sits in a training match."""

    def start(self, game: Game, role: int, seed: int) -> None:
        """Prepare a match; ``seed`` decides every random choice in it."""

    def choose(self, state: State, limit: Limit) -> int:
        """Return a legal move, an index within the role's own moves."""

    def stop(self) -> None:
        """End the match; may be called without ``start``."""


class _Seat(Protocol):
    """Chooses the moves of one role in one match."""

    def choose(self, state: State) -> int:
        """Return a legal move, an index within the role's own moves."""


def play_deep(game: Game, plan: MatchPlan, guest: Guest | None = None) -> list[Trajectory]:
    """Play all matches of a plan with alpha-beta and return them in order.

    Args:
        game: what is played.
        plan: as for :func:`~neurogame.learn.lockstep.play_lockstep`.
        guest: takes the random seats, if given.
    """
    matches = range(len(plan.seeds))
    return [_Match(game, plan, match, guest).play() for match in matches]


@final
class _Searcher:
    """A seat with an evaluator."""

    def __init__(self, search: AlphaBeta, role: int, depth: int) -> None:
        self.search = search
        self._role = role
        self._limit = Limit(depth=depth)
        self.value: tuple[float, ...] | None = None

    def choose(self, state: State) -> int:
        result = self.search.search(state, self._role, self._limit)
        # A move that was forced is not searched, and has no value to learn from; nor is it one
        # what all others could hold a role to if they joined forces.
        has_value = result.depth > 0 and not self.search.finds_bounds
        self.value = result.value if has_value else None
        return result.move


@final
class _GuestSeat:
    """A seat with a guest."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    def choose(self, state: State) -> int:
        return self._guest.choose(state, Limit())


@final
class _Match:
    """One match while it is played."""

    def __init__(self, game: Game, plan: MatchPlan, match: int, guest: Guest | None) -> None:
        self._game, self._plan = game, plan
        self._seed = int(plan.seeds[match])
        self._chance = [*plan.epsilon, 0.0 if guest is not None else 1.0]
        self._evaluator_of = [int(seat) for seat in plan.seats[match]]
        self._guest = guest
        self._seats = [self._seat(role) for role in range(len(game.roles))]
        draw = float(uniform(derive(self._seed, _OPENING))[0])
        self._opening = int(draw * (plan.random_plies + 1))

    def _seat(self, role: int) -> _Seat | None:
        evaluator = self._evaluator_of[role]
        seed = int(derive(self._seed, _PLAYER, role)[0] >> np.uint64(33))
        if evaluator != RANDOM_SEAT:
            settings = SearchSettings(outlook="margin" if self._plan.margin else "own")
            search = AlphaBeta(
                self._game, self._plan.evaluators[evaluator], settings=settings, seed=seed
            )
            return _Searcher(search, role, self._plan.depth)
        if self._guest is None:
            return None
        self._guest.start(self._game, role, seed)
        return _GuestSeat(self._guest)

    def play(self) -> Trajectory:
        """Play to the end or the ply limit."""
        states = [self._game.initial_state()]
        searched: list[tuple[float, ...]] = []
        explored: list[bool] = []
        moves: list[list[int]] = []
        movers: list[int] = []
        while not states[-1].is_terminal and len(moves) < self._plan.max_plies:
            legal = states[-1].legal_moves
            deciding = [role for role, own in enumerate(legal) if len(own) > 1]
            chosen = [self._choose(states[-1], role, len(moves)) for role in range(len(legal))]
            mover = deciding[0] if deciding else FORCED
            movers.append(SEVERAL if len(deciding) > 1 else mover)
            searched.append(self._searched(deciding))
            explored.append(any(chosen[role][1] for role in deciding))
            moves.append([move for move, _ in chosen])
            states.append(states[-1].next(moves[-1]))
        if self._guest is not None:
            self._guest.stop()
        return self._trajectory(states, searched, explored, moves, movers)

    def _choose(self, state: State, role: int, ply: int) -> tuple[int, bool]:
        """Return a role's move, and whether it was drawn at random."""
        legal = state.legal_moves[role]
        if len(legal) == 1:
            return legal[0], False
        seat = self._seats[role]
        move = seat.choose(state) if seat is not None else legal[0]
        coin = float(uniform(derive(self._seed, ply, _COIN, role))[0])
        if ply >= self._opening and coin >= self._chance[self._evaluator_of[role]]:
            return move, False
        draw = float(uniform(derive(self._seed, ply, _MOVE, role))[0])
        return legal[int(draw * len(legal))], True

    def _searched(self, deciding: list[int]) -> tuple[float, ...]:
        """Return the value that the learner's search backed up, NaN where it did not search."""
        seat = self._seats[deciding[0]] if len(deciding) == 1 else None
        if isinstance(seat, _Searcher) and self._evaluator_of[deciding[0]] == 0 and seat.value:
            return seat.value
        return (_NAN,) * len(self._seats)

    def _trajectory(
        self,
        states: list[State],
        searched: list[tuple[float, ...]],
        explored: list[bool],
        moves: list[list[int]],
        movers: list[int],
    ) -> Trajectory:
        roles = len(self._seats)
        fluents = torch.stack([state.fluents for state in states])
        goals = torch.full((roles,), _NAN, dtype=torch.float64)
        if states[-1].is_terminal:
            goals[:] = torch.tensor([(goal or 0.0) / 100 for goal in states[-1].goals])
            goals = (goals * 100).round() / 100
        proved = self._proofs(fluents)
        proved[-1] = goals
        best = [max((v for v, _ in pairs), default=0) / 100 for pairs in self._game.circuit.goals]
        return Trajectory(
            fluents=fluents,
            goals=goals,
            proved=extend_proofs(
                proved,
                torch.tensor(movers, dtype=torch.int64),
                torch.tensor(best, dtype=torch.float64),
            ),
            searched=torch.tensor([*searched, (_NAN,) * roles], dtype=torch.float64),
            explored=torch.tensor(explored, dtype=torch.bool),
            moves=torch.tensor(moves, dtype=torch.int64).reshape(len(moves), roles),
        )

    def _proofs(self, fluents: torch.Tensor) -> torch.Tensor:
        """Return what the searches of this match proved of its states; no second search."""
        proved = torch.full((len(fluents), len(self._seats)), _NAN, dtype=torch.float64)
        tables = [seat.search.proved_states for seat in self._seats if isinstance(seat, _Searcher)]
        for row, key in enumerate(state_keys(fluents.numpy())):
            for table in tables:
                if key in table:
                    proved[row] = torch.tensor(table[key], dtype=torch.float64)
        return proved

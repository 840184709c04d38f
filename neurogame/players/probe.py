"""What a match takes: one match of a search with itself, measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.search.home_search import GameSearch
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

_PROBE = Limit(simulations=256)
_REST = Limit(simulations=8)
"""Of the searches by which the match comes to its end."""
_REST_SHARE = 2.0
"""The rest of the match may take this many times as long as its beginning, roughly."""
_PLIES_PER_RANDOM, _MOST_RANDOM = 15, 4
"""Trials begin with a random ply for so many of their length, and with at most so many: in a
short game a few random plies may decide."""
_SLOWER = 1.5
"""How much longer matches take than with the plain search on both sides, roughly."""


@final
@dataclass(frozen=True, kw_only=True)
class Probe:
    """What a match takes.

    Attributes:
        plies: of the match.
        choices: searches in it: roles with more than one legal move, added up over its states.
        branching: legal moves at such a choice, on average.
        simultaneous: share of the plies in which more than one role had a choice, 0..1.
        overhead: seconds beside searches.
        simulation: seconds per simulation.
        visit: seconds in which each legal move gets a simulation, where that takes long: longer
            than at three of four choices.
    """

    plies: float
    choices: float
    branching: float
    simultaneous: float
    overhead: float
    simulation: float
    visit: float

    @property
    def opening_plies(self) -> int:
        """Random plies with which trials of this game should begin."""
        return min(int(self.plies / _PLIES_PER_RANDOM), _MOST_RANDOM)

    def match(self, limit: Limit) -> float:
        """Return the seconds of a match.

        Args:
            limit: of every search; in seconds or in simulations.
        """
        if limit.seconds is not None:
            return self.overhead + self.choices * limit.seconds
        return self.overhead + self.choices * (limit.simulations or 0) * self.simulation * _SLOWER


def probe(game: Game, search: GameSearch, seconds: float, limit: Limit = _PROBE) -> Probe:
    """Play a search against itself and measure.

    Args:
        game: the game.
        search: a tree search with simulations, without evaluators; it forgets the match.
        seconds: for thorough searches; the rest of the match is played in about twice that. If
            it is not over by then, the other half is guessed to be like the first.
        limit: of the thorough searches; simulations one at a time cost more than in blocks.
    """
    search.forget()
    state, plies, choices, legal, several = game.initial_state(), 0, 0, 0, 0
    luck = np.random.default_rng(0)
    spent, simulations, searching = 0.0, 0, 0.0
    visits: list[float] = []
    begun = time.monotonic()
    while all(state.legal_moves):
        late = time.monotonic() - begun - seconds
        own_limit = limit if late < 0 else _REST
        joint = []
        open_roles = [role for role in game.players if len(state.legal_moves[role]) > 1]
        for role, moves in enumerate(state.legal_moves):
            if role not in open_roles:
                joint.append(int(luck.choice(moves)) if role == game.chance else moves[0])
                continue
            legal += len(moves)
            report = search.search(state, role, own_limit)
            joint.append(report.move)
            searching += report.seconds
            if own_limit is limit:
                spent, simulations = spent + report.seconds, simulations + report.simulations
                visits.append(len(moves) * report.seconds / max(report.simulations, 1))
        state, plies, choices = state.next(joint), plies + 1, choices + len(open_roles)
        several += len(open_roles) > 1
        if late > _REST_SHARE * seconds:
            break
    overhead = time.monotonic() - begun - searching
    search.forget()
    more = 2.0 if all(state.legal_moves) else 1.0
    return Probe(
        plies=more * plies,
        choices=more * choices,
        branching=legal / max(choices, 1),
        simultaneous=several / max(plies, 1),
        overhead=more * overhead,
        simulation=spent / max(simulations, 1),
        visit=float(np.quantile(visits or [0.0], 0.75)),
    )

"""States of a game to look at: all of them where they are few, else many of random play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.observe import Observations, observe_all, observe_play
from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.state_space import enumerate_states
from neurogame.array_types import Bools, Int64s

_INVENTED = 512


@final
@dataclass(frozen=True, eq=False)
class Sample:
    """States of a game.

    Attributes:
        seen: what they show.
        all: whether these are all states that play can reach.
    """

    seen: Observations
    all: bool

    @property
    def states(self) -> Bools:
        """The states, the initial one first; bool ``[S, F]``."""
        return self.seen.sample


def sample_states(evaluator: WordEvaluator, *, states: int, games: int, work: int) -> Sample:
    """Enumerate the states of a game, or sample them.

    Args:
        evaluator: of the game.
        states: most states to enumerate.
        games: random games otherwise.
        work: most input literals read for either.
    """
    space = enumerate_states(evaluator, states=states, steps=8 * states, work=work // 4)
    if space is not None:
        return Sample(observe_all(evaluator.circuit, space), True)
    seen = observe_play(evaluator, seed=0, games=games, plies=1000, work=work)
    return Sample(seen, False)


def spread(states: Bools, most: int) -> Bools:
    """Return at most so many of the states, evenly spread, the first among them; bool ``[n, F]``.

    Args:
        states: bool ``[S, F]``.
        most: at least 1.
    """
    if len(states) <= most:
        return states
    return states[np.linspace(0, len(states) - 1, most).astype(np.int64)]


def invented(sizes: Int64s, fluents: Int64s, conditions: Sequence[Int64s], initial: Bools) -> Bools:
    """Return states that need not be reachable, so that every fluent holds in some of them.

    Every variable has a value at random; in every second state one of the conditions holds.

    Args:
        sizes: number of fluents of each variable; int64 ``[V]``.
        fluents: those of one variable after the other.
        conditions: literals ``2 f`` and ``2 f + 1`` that hold together.
        initial: values of the fluents that are in no variable; bool ``[F]``.

    Returns:
        Bool ``[n, F]``.
    """
    random = np.random.default_rng(0)
    states = np.repeat(initial[None], _INVENTED, axis=0)
    states[:, fluents] = False
    if len(sizes):
        start = np.cumsum(sizes) - sizes
        # One number more than there are values: then none of them holds.
        chosen = random.integers(0, sizes + 1, (_INVENTED, len(sizes)))
        state, variable = np.nonzero(chosen < sizes)
        states[state, fluents[start[variable] + chosen[state, variable]]] = True
        owner = np.zeros(len(initial), np.int64)
        owner[fluents] = np.repeat(np.arange(len(sizes)), sizes)
        changing = np.zeros(len(initial), np.bool_)
        changing[fluents] = True
        for row in range(0, _INVENTED if len(conditions) else 0, 2):
            literals = conditions[int(random.integers(len(conditions)))]
            for literal in literals[changing[literals >> 1]].tolist():
                if literal & 1 == 0:
                    holder = int(owner[literal >> 1])
                    states[row, fluents[start[holder] : start[holder] + sizes[holder]]] = False
                states[row, literal >> 1] = not literal & 1
    return states

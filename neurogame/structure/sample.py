"""States of a game to look at: all of them where they are few, else many of random play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.observe import Observations, observe_all, observe_play
from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.state_space import enumerate_states
from neurogame.circuit.circuit import Circuit
from neurogame.graph.lanes import Bits


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
    def states(self) -> Bits:
        """The states, the initial one first; bool ``[S, F]``."""
        return self.seen.sample


def sample_states(
    evaluator: WordEvaluator, *, seed: int, states: int, games: int, work: int
) -> Sample:
    """Enumerate the states of a game, or sample them.

    Args:
        evaluator: of the game.
        seed: of random play.
        states: most states to enumerate.
        games: random games otherwise.
        work: most input literals read for either.
    """
    space = enumerate_states(evaluator, states=states, steps=8 * states, work=work // 4)
    if space is not None:
        return Sample(observe_all(evaluator.circuit, space), True)
    seen = observe_play(evaluator, seed=seed, games=games, plies=1000, work=work)
    return Sample(seen, False)


def spread(circuit: Circuit, states: Bits, most: int) -> Bits:
    """Return at most so many of the states, evenly spread, the first among them; bool ``[n, F]``.

    Args:
        circuit: the game.
        states: bool ``[S, F]``.
        most: at least 1.
    """
    assert states.shape[1] == len(circuit.fluents)
    if len(states) <= most:
        return states
    return states[np.linspace(0, len(states) - 1, most).astype(np.int64)]

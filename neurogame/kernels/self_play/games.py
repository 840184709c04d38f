"""Self-play from Python: games in lanes, going on by as many plies as are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.leaves.expander import Expander
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.rules_network.learning import Learning
from neurogame.kernels.self_play.lanes import GameLanes
from neurogame.kernels.self_play.play import play_rounds, start_lanes
from neurogame.native.entries import entry
from neurogame.native.struct import array_of

MOST_TOGETHER = 1024
"""Joint moves of several deciding roles that are valued; of more, as many are drawn."""

_BY_LANE = ("state", "legal", "ply", "opening", "waits")
_BY_POSITION = ("states", "modes", "searched", "cut")
_NUMBERS = ("clock", "games", "plies")

Arrays = dict[str, npt.NDArray[np.generic]]


@final
@dataclass(frozen=True, kw_only=True)
class GameSettings:
    """How games of self-play are played.

    Attributes:
        lanes: games at once, at least 1.
        plies: a game is cut off after this many, at least 1.
        seed: every random choice follows from it.
        epsilon: chance of a random move, 0..1.
        lambda_: of TD(lambda), 0..1.
        openings: most random plies at the start of a game; how many is drawn for each.
    """

    lanes: int
    plies: int
    seed: int
    epsilon: float
    lambda_: float
    openings: int


@final
class Games:
    """Games of self-play of one learner; not for several threads at once.

    Attributes:
        own: what compiled code works with.
    """

    def __init__(
        self,
        circuit: Circuit,
        learning: Learning,
        settings: GameSettings,
    ) -> None:
        """Reserve memory and begin a game in every lane.

        Args:
            circuit: the game, which is not over before it begins.
            learning: what learns; its weights play.
            settings: how to play.
        """
        lanes = settings.lanes
        self._leaves = Leaves(circuit, lanes, depth=1, playouts=0)
        self._expander = Expander(circuit)
        initial = pack_lanes(circuit.initial[None])
        seen = self._expander.look(initial)
        self._expander.expansion.most = MOST_TOGETHER
        self.own = _make(circuit, learning, self._expander, self._leaves, settings)
        self.own.initial, self.own.initial_legal = initial, seen.legal
        self._play = entry(play_rounds, arrays=True)
        entry(start_lanes)(self.own)

    def play(self, rounds: int) -> None:
        """Play a number of plies in every lane, and learn from the games that end.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        self.own.rounds = rounds
        self._play(self.own)
        self._leaves.check()
        if self.own.stuck != 0:
            raise GameError(
                "self-play came to a state that is not terminal and in which some role has no "
                "legal move; the rules should give every role a move"
            )

    def state(self) -> Arrays:
        """Return all that is needed to go on exactly here, beside what the learner keeps."""
        arrays: Arrays = {name: array_of(self.own, name).copy() for name in _BY_LANE}
        rows = self._kept_rows()
        arrays |= {name: array_of(self.own, name)[rows] for name in _BY_POSITION}
        arrays["numbers"] = np.array([getattr(self.own, name) for name in _NUMBERS], np.int64)
        return arrays

    def restore(self, state: Arrays) -> None:
        """Go on where :meth:`state` was called, with the same settings."""
        for name in _BY_LANE:
            array_of(self.own, name)[:] = state[name]
        rows = self._kept_rows()
        for name in _BY_POSITION:
            array_of(self.own, name)[rows] = state[name]
        for name, number in zip(_NUMBERS, state["numbers"].tolist(), strict=True):
            setattr(self.own, name, number)

    def _kept_rows(self) -> Int64s:
        """Return the rows of the positions of games that have not ended."""
        ply = array_of(self.own, "ply").astype(np.int64)
        plies = len(array_of(self.own, "modes")) // len(ply)
        first = np.repeat(plies * np.arange(len(ply)), ply)
        within = np.arange(len(first)) - np.repeat(np.cumsum(ply) - ply, ply)
        rows: Int64s = first + within
        return rows


def _make(
    circuit: Circuit,
    learning: Learning,
    expander: Expander,
    leaves: Leaves,
    settings: GameSettings,
) -> GameLanes:
    """Reserve memory."""
    lanes, rows = settings.lanes, settings.lanes * settings.plies
    roles, block = len(circuit.roles), leaves.block
    words, move_words = block.states.shape[1], block.legal.shape[1]
    return GameLanes(
        children=expander.expansion,
        machine=leaves.rules,
        learning=learning,
        initial=np.zeros((1, words), np.uint64),
        initial_legal=np.zeros((1, move_words), np.uint64),
        state=np.zeros((lanes, words), np.uint64),
        legal=np.zeros((lanes, move_words), np.uint64),
        ply=np.zeros(lanes, np.int32),
        opening=np.zeros(lanes, np.int32),
        waits=np.zeros(lanes, np.uint8),
        states=np.zeros((rows, words), np.uint64),
        modes=np.zeros(rows, np.int32),
        searched=np.zeros((rows, roles), np.float32),
        cut=np.zeros(rows, np.uint8),
        targets=np.zeros((rows, roles), np.float32),
        worth=np.zeros(circuit.move_count, np.float64),
        seen=np.zeros(circuit.move_count, np.float64),
        chance=-1 if circuit.chance is None else circuit.chance,
        best=np.zeros(roles, np.float32),
        score=np.zeros(roles, np.float64),
        best_joint=np.zeros(roles, np.int64),
        other_joint=np.zeros(roles, np.int64),
        seed=settings.seed,
        epsilon=settings.epsilon,
        lambda_=settings.lambda_,
        openings=settings.openings,
    )

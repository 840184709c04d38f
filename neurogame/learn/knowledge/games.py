"""Where the games come from that knowledge is learned from."""

from __future__ import annotations

import math
from typing import Protocol, final

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.recorded_games import GameRecorder, RecordedGames

RANDOM_SHARE = 0.1
"""Share of the games whose moves are random even where knowledge plays the others."""


class GameSource(Protocol):
    """A source of whole games, such as random play, recorded matches, or a colony of ants.

    *Reference:* Sharma, Kobti & Goodwin, "General game playing with ants", 2008, generate the
    sequences of moves by ant-colony optimisation: such a colony would lay its pheromone on the
    moves of the games that it has returned, and look at what the knowledge has made of them.
    """

    def play(self, knowledge: Knowledge, done: int) -> RecordedGames:
        """Return the next games.

        Args:
            knowledge: as it is now; its configuration says how many games are wanted in all.
            done: number of games returned before.

        Returns:
            At least one game, all of the same circuit as the knowledge.
        """


@final
class PlayedGames:
    """Games of random moves, or of what knowledge itself prefers; see :class:`KnowledgeConfig`.

    Attributes:
        lanes: most games that are played side by side and returned together; at least 1. It may
            be made smaller at any time.
    """

    def __init__(self, circuit: Circuit, config: KnowledgeConfig, seed: int) -> None:
        """Compile the rules, or load them.

        Args:
            circuit: the game.
            config: who plays, and how many games.
            seed: any integer; games are a function of it, of their numbers and of the knowledge.
        """
        self._config, self._seed = config, seed
        self._recorder = GameRecorder(circuit, plies=config.plies)
        self.lanes = self._recorder.lanes
        guided = config.policy == "knowledge"
        self._random = math.ceil(RANDOM_SHARE * config.games) if guided else config.games

    def play(self, knowledge: Knowledge, done: int) -> RecordedGames:
        """Return as many games as are played side by side; see :meth:`GameSource.play`."""
        random = done < self._random
        left = (self._random if random else self._config.games) - done
        return self._recorder.play(
            min(self.lanes, left),
            self._seed,
            first=done,
            judge=None if random else knowledge,
            epsilon=self._config.epsilon,
        )

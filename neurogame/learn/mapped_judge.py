"""A judge of moves of one game, put to use on the same game under other names."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Bools, Float32s
from neurogame.kernels.knowledge.mapped_scores import map_scores
from neurogame.kernels.leaves.move_scores import CompiledScores, MoveJudge
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game


@final
class MappedJudge:
    """Reads the states and moves of one game and judges them as another's.

    Its scores are those of the judge to the last bit.

    Attributes:
        judge: of its own game.
        home: that game.
        mapping: where what it has stands in the game to play.
    """

    def __init__(self, judge: MoveJudge, own: Game, game: Game) -> None:
        """Find where everything stands.

        Args:
            judge: of moves of ``own``.
            own: the game it was made for.
            game: the game to play, of the same rules.

        Raises:
            CheckpointError: the rules differ in more than names and order.
        """
        self.judge, self.home = judge, own
        self.mapping = mapping = map_game(own, game)
        self.is_identity = mapping.is_identity
        # What is asked for is known as this game has it, so each is looked up from there.
        self._fluents = np.argsort(mapping.fluents)
        self._roles = np.argsort(mapping.roles)
        self._moves = [np.argsort(mapping.moves[role]) for role in self._roles]
        self._own_fluents = np.array(mapping.fluents, np.int64)
        self._own_moves = [np.array(mapping.moves[role], np.int64) for role in self._roles]
        self._offsets = np.array(own.move_offsets, np.int64)

    @property
    def scale(self) -> int:
        """That of the judge."""
        return self.judge.scale

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return the scores of a role's moves; see :class:`MoveJudge`.

        Args:
            fluents: which fluents hold in each state; bool ``[B, F]``.
            legal: which moves of the role are legal; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]``.
        """
        states, moves = fluents[:, self._own_fluents], legal[:, self._own_moves[role]]
        found = self.judge.move_scores(states, moves, int(self._roles[role]))
        return found[:, self._moves[role]]

    def compiled_scores(self) -> CompiledScores | None:
        """Return the judge for compiled code, if it has that form."""
        inner = self.judge.compiled_scores()
        if inner is None:
            return None
        starts = self._offsets[self._roles]
        moves = [start + own for start, own in zip(starts, self._moves, strict=True)]
        sizes = np.array([len(own) for own in moves], np.int64)
        return map_scores(inner, self._fluents, np.concatenate(moves), self._roles, sizes)


def map_judge(judge: MoveJudge, own: Game, game: Game) -> MoveJudge:
    """Return a judge of one game that judges the moves of another with the same rules.

    Args:
        judge: of moves of ``own``.
        own: the game it was made for.
        game: the game to play; its names and the order of its rules may differ.

    Raises:
        CheckpointError: the rules differ in more than names and order.
    """
    mapped = MappedJudge(judge, own, game)
    return judge if mapped.is_identity else mapped

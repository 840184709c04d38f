"""What tells promising states of a puzzle from others: five opinions, none of which is a score.

No opinion is good in every puzzle: where a wrong mark ends the game random games tell most, where
pieces are to be moved into place it is the share of the goal that holds, where something must
never run out it is what can still be done. The solver tries all of them, and all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

import numpy as np
import torch

from neurogame.array_types import Float64s, Float64s1, Int64s1, UInt64s1
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import Ending, GameResults
from neurogame.simulate.states import StateBatch

_LARGE = 100_000
"""Gates from which the goal's network is not made: it takes longer than a start clock."""


class Guide(Enum):
    """An opinion about states."""

    PLAYOUTS = "the goal of one random game"
    CREDIT = "the share of the goal's conditions that hold: its value in fuzzy logic"
    SCOPE = "how many moves can still be made some time"
    MOBILITY = "how many moves are legal now"
    CHANCE = "nothing: drawn at random"


@final
@dataclass(frozen=True, eq=False)
class NewStates:
    """New states of a layer, none of which is over.

    Attributes:
        states: ``B`` states.
        keys: a random number that belongs to each state; uint64 ``[B]``.
        mobility: legal moves; int64 ``[B]``.
        scope: moves that can still be made; int64 ``[B]``; None where that is not known.
        games: random games from each of them; None where none were played.
    """

    states: StateBatch
    keys: UInt64s1
    mobility: Int64s1
    scope: Int64s1 | None
    games: GameResults | None


@final
class Guides:
    """Makes the opinions about states of one game.

    Attributes:
        known: those that there are for this game.
    """

    def __init__(self, game: Game, *, has_scope: bool) -> None:
        """Prepare them.

        Args:
            game: of one role.
            has_scope: whether it will be known what can still be done.
        """
        self._credit = _credit(game)
        without = set() if has_scope else {Guide.SCOPE}
        if self._credit is None:
            without.add(Guide.CREDIT)
        self.known = tuple(guide for guide in Guide if guide not in without)

    def scores(self, chosen: tuple[Guide, ...], fresh: NewStates, salt: int) -> Float64s:
        """Return what some guides say.

        Args:
            chosen: of :attr:`known`.
            fresh: the states.
            salt: decides what is drawn at random.
        """
        return np.stack([self._score(guide, fresh, salt) for guide in chosen], axis=1)

    def _score(self, guide: Guide, fresh: NewStates, salt: int) -> Float64s1:
        match guide:
            case Guide.PLAYOUTS:
                assert fresh.games is not None
                # What holds where a game is cut is no goal.
                is_cut = fresh.games.endings.numpy() == Ending.CUT
                scores = fresh.games.goals[:, 0].numpy() * ~is_cut
                # Of games that fail the longer one came farther.
                scores = scores + 1e-6 * (scores == 0) * fresh.games.lengths.numpy()
            case Guide.CREDIT:
                assert self._credit is not None
                with torch.no_grad():
                    scores = self._credit.values(fresh.states)[:, 0].numpy()
            case Guide.SCOPE:
                assert fresh.scope is not None
                scores = fresh.scope
            case Guide.MOBILITY:
                scores = fresh.mobility
            case Guide.CHANCE:
                scores = fresh.keys ^ np.uint64(salt)
        numbers: Float64s1 = scores.astype(np.float64)
        return numbers


def _credit(game: Game) -> Evaluator | None:
    """Return the goal's conditions as a value; None where it has none or is too large for that."""
    if game.circuit.gate_count > _LARGE:
        return None
    try:
        return make_fresh("fluxplayer", game, recall=True)
    except GameError:
        return None

"""One role of a game as an environment of Gymnasium; players of the package have the others."""

from __future__ import annotations

from typing import Any, final

import gymnasium
import numpy as np
from gymnasium import spaces

from neurogame.array_types import Bools
from neurogame.envs.observation import (
    MODES,
    Observation,
    Observed,
    check_action,
    check_begun,
    check_not_stuck,
    checked_mode,
    learner_of,
    legal_mask,
    picture,
    reward_of,
)
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import MAX_PLIES
from neurogame.splitmix import seed_word


@final
class OneRoleEnv(gymnasium.Env[Observed, np.int64]):
    """A role that is asked where it has a choice; others answer, and single moves are made for it.

    Rewards are given at the end: from -1 for a goal of 0 to 1 for a goal of 100. A match in which
    the role has no choice for 1000 plies is cut (truncated), without a reward.
    """

    def __init__(
        self,
        game: Game,
        role: str | None = None,
        opponent: str = "random",
        *,
        planes: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Take a game; see :func:`neurogame.envs.gymnasium`.

        Raises:
            ConfigurationError: there is no such render mode.
            GameError: see :func:`~neurogame.envs.observation.learner_of`.
        """
        self._role = learner_of(game, role)
        self.metadata = {"render_modes": MODES}
        self.render_mode = checked_mode(render_mode)
        self._game, self._state = game, game.initial_state()
        self._observation = Observation(game, planes=planes)
        self._players: dict[int, Player] = {
            number: make_player("random" if number == game.chance else opponent, game, 0)
            for number in range(len(game.roles))
            if number != self._role
        }
        self._limit, self._begun = Limit(), False
        self.observation_space = spaces.Box(0, 1, self._observation.shape, np.int8)
        self.action_space = spaces.Discrete(len(game.moves[self._role]))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin a match; the seed decides all that others choose, options there are none."""
        super().reset(seed=None if seed is None else seed_word(seed))
        self._state, self._begun = self._game.initial_state(), True
        for number, player in self._players.items():
            drawn = int(self.np_random.integers(1 << 31))
            player.start(MatchStart(self._game, number, drawn, None, self._limit))
        self._go_on(None)
        return self._told()

    def step(self, action: np.int64 | int) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Make a move, and those of others up to the next choice.

        Raises:
            GameError: the move is not legal, or no match is going on.
        """
        check_begun(self._begun)
        check_action(self._state, self._role, action, mask="action_masks()")
        cut = self._go_on(int(action))
        ended = self._state.is_terminal
        told, info = self._told()
        reward = reward_of(self._state.goals[self._role]) if ended else 0.0
        return told, reward, ended, cut, info

    def _go_on(self, action: int | None) -> bool:
        """Make moves up to the next choice of the role, or to the end; begin with its own.

        Returns:
            Whether it gave up, after many plies.
        """
        for _ in range(MAX_PLIES):
            if self._state.is_terminal:
                break
            legal = self._state.legal_moves
            check_not_stuck(self._state)
            if action is None and len(legal[self._role]) > 1:
                return False
            own = legal[self._role][0] if action is None else action
            self._state = self._state.next(
                [
                    own
                    if number == self._role
                    else options[0]
                    if len(options) == 1
                    else self._players[number].choose(self._state, self._limit)
                    for number, options in enumerate(legal)
                ]
            )
            action = None
        return not self._state.is_terminal

    def _told(self) -> tuple[Observed, dict[str, Any]]:
        told = self._observation.of_state(self._state)
        return told, {"action_mask": self.action_masks().view(np.int8)}

    def action_masks(self) -> Bools:
        """Return which moves are legal, as maskable learners ask for it; bool ``[moves]``."""
        return legal_mask(self._state, self._role)

    def render(self) -> str | None:
        """Return the state as the render mode says."""
        return picture(self._state, self.render_mode)

    def close(self) -> None:
        """Let the players go."""
        for player in self._players.values():
            player.stop()

"""Many games at once, 64 to a machine word, as a vectorised environment of Gymnasium."""

from __future__ import annotations

from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from neurogame.array_types import Bools, Float32s
from neurogame.envs.observation import (
    Observation,
    Observed,
    check_action,
    check_not_stuck,
    learner_of,
)
from neurogame.errors import ConfigurationError, GameError
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.kernels.leaves.env_games import SLACK, EnvGames, begin_all, play_ply
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.native.entries import Entry, entry
from neurogame.settings import whole
from neurogame.simulate.game import Game
from neurogame.splitmix import seed_word

_LANES = 2048
"""Games that the rules are asked about at once."""

Moves: TypeAlias = npt.NDArray[np.int64]


@final
class LaneEnv(VectorEnv[Observed, Moves, npt.NDArray[np.generic]]):
    """Games of one role against random moves of all others; ended ones begin anew by themselves.

    Every ply asks the role, also where it has a single move: so all games go on together. Where a
    role waits for another, that is every second ply. Rewards are given at the end: from -1 for a
    goal of 0 to 1 for a goal of 100; the observation beside them is the first of the next game.
    """

    def __init__(
        self, game: Game, num_envs: int = 4096, role: str | None = None, *, planes: bool = False
    ) -> None:
        """Take a game; see :func:`neurogame.envs.vector`.

        Raises:
            ConfigurationError: less than one game is asked for.
            GameError: see :func:`~neurogame.envs.observation.learner_of`.
        """
        self._role = learner_of(game, role)
        num_envs = whole(num_envs, "num_envs")
        if num_envs < 1:
            raise ConfigurationError(f"num_envs={num_envs}; at least 1 is needed")
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self._game, circuit = game, game.circuit
        self._leaves = Leaves(circuit, min(num_envs, _LANES), depth=1, playouts=0)
        self._observation = Observation(game, planes=planes)
        self.single_observation_space = spaces.Box(0, 1, self._observation.shape, np.int8)
        self.single_action_space = spaces.Discrete(len(game.moves[self._role]))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        block = self._leaves.block
        block.states[0] = pack_lanes(circuit.initial[None])
        self._leaves.look(1)
        self._leaves.check()
        self._games = EnvGames(
            machine=self._leaves.rules,
            offsets=circuit.move_offsets,
            role=self._role,
            fluents=len(circuit.fluents),
            states=np.tile(block.states[0], (num_envs + 1, 1)),
            legal=np.tile(block.legal[0], (num_envs + 1, 1)),
            actions=np.zeros(num_envs, np.int64),
            told=np.zeros(0, np.uint8),
            masks=np.zeros(0, np.uint8),
            rewards=np.zeros(0, np.float32),
            ended=np.zeros(0, np.bool_),
        )
        self._seed(None)

    def _seed(self, seed: int | None) -> None:
        given = None if seed is None else seed_word(seed)
        drawn = np.random.default_rng(given).integers(1 << 62)
        self._games.seed, self._games.clock = int(drawn), 0

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin all games; the seed, one number, decides what others do, options there are none.

        Returns:
            Observations int8 ``[num_envs, *shape]``, and ``action_mask`` bool ``[num_envs, M]``.
        """
        if seed is not None:
            self._seed(seed[0] if isinstance(seed, list) else seed)
        self._do(entry(begin_all))
        return self._told()

    def _do(self, work: Entry[[EnvGames]]) -> None:
        """Do it with arrays of their own, which are the caller's afterwards."""
        games, size = self._games, self.num_envs
        games.told = np.empty(size * games.fluents + SLACK, np.uint8)
        games.masks = np.empty(size * len(self._game.moves[self._role]) + SLACK, np.uint8)
        games.rewards, games.ended = np.empty(size, np.float32), np.empty(size, np.bool_)
        work(games)
        self._leaves.check()

    def _told(self) -> tuple[Observed, dict[str, Any]]:
        fluents = self._games.told[:-SLACK].reshape(self.num_envs, -1).view(np.bool_)
        return self._observation.of(fluents), {"action_mask": self.action_masks()}

    def action_masks(self) -> Bools:
        """Return which moves of the role are legal; bool ``[num_envs, M]``."""
        masks: Bools = self._games.masks[:-SLACK].reshape(self.num_envs, -1).view(np.bool_)
        return masks

    def step(self, actions: Moves) -> tuple[Observed, Float32s, Bools, Bools, dict[str, Any]]:
        """Make a move of every game; the others' are drawn, all equally likely.

        Args:
            actions: of the role; int64 ``[num_envs]``.

        Returns:
            Observations, rewards float32, whether games have ended, whether they were cut off,
            which none is, and ``action_mask``.

        Raises:
            GameError: a move is not legal, or a role has none; or these are no whole numbers, one
                for each game.
        """
        games, actions = self._games, np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            found = f"{actions.dtype} {list(actions.shape)}"
            raise GameError(f"actions are int64 [{self.num_envs}], not {found}")
        told_before, masks_before = games.told, games.masks
        games.actions = np.ascontiguousarray(actions, np.int64)
        self._do(entry(play_ply))
        if games.refused >= 0:
            games.told, games.masks = told_before, masks_before
            self._refuse(games.refused)
        told, info = self._told()
        return told, games.rewards, games.ended, np.zeros(self.num_envs, np.bool_), info

    def _refuse(self, lane: int) -> None:
        """Say why a game does not go on."""
        held = unpack_lanes(self._games.states[lane : lane + 1], self._games.fluents)[0]
        state = self._game.state([self._game.fluents[one] for one in held.nonzero()[0]])
        action, mask = int(self._games.actions[lane]), 'info["action_mask"]'
        check_not_stuck(state)
        check_action(state, self._role, action, whose=f" of game {lane}", mask=mask)

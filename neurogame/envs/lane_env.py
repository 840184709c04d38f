"""Many games at once, 64 to a machine word, as a vectorised environment of Gymnasium."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from torch import Tensor

from neurogame.array_types import Bools, Float32s
from neurogame.envs.observation import Observation, Observed
from neurogame.errors import ConfigurationError
from neurogame.kernels.words.pack import pack
from neurogame.simulate.game import Game

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
        """
        if num_envs < 1:
            raise ConfigurationError(f"num_envs={num_envs}; at least 1 is needed")
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self._game, self._simulator = game, game.simulator(backend="auto")
        self._role = game.players[0] if role is None else game.role_index(role)
        self._observation = Observation(game, planes=planes)
        self.single_observation_space = spaces.Box(0, 1, self._observation.shape, np.int8)
        self.single_action_space = spaces.Discrete(len(game.moves[self._role]))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._random = np.random.default_rng()
        self._legal_at_start = self._simulator.status(self._simulator.initial(1))[0]
        self._begin()

    def _begin(self) -> None:
        self._states = self._simulator.initial(self.num_envs)
        self._legal = self._legal_at_start.expand(self.num_envs, -1)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin all games; the seed, one number, decides what others do, options there are none.

        Returns:
            Observations int8 ``[num_envs, *shape]``, and ``action_mask`` bool ``[num_envs, M]``.
        """
        if seed is not None:
            self._random = np.random.default_rng(seed if isinstance(seed, int) else seed[0])
        self._begin()
        return self._told(), {"action_mask": self.action_masks()}

    def _told(self) -> Observed:
        return self._observation.of(self._states.to_bool().numpy())

    def action_masks(self) -> Bools:
        """Return which moves of the role are legal; bool ``[num_envs, M]``."""
        begin, end = self._simulator.move_offsets[self._role : self._role + 2]
        masks: Bools = self._legal.numpy()[:, begin:end]
        return masks

    def step(self, actions: Moves) -> tuple[Observed, Float32s, Bools, Bools, dict[str, Any]]:
        """Make a move of every game; the others' are drawn, all equally likely.

        Args:
            actions: of the role; int64 ``[num_envs]``.

        Returns:
            Observations, rewards float32, whether games have ended, whether they were cut off,
            which none is, and ``action_mask``.

        Raises:
            GameError: a move is not legal, or a role has none.
        """
        joint = self._joint(actions)
        self._states = self._simulator.step(self._states, joint)
        self._legal, terminal = self._simulator.status(self._states)
        rewards: Float32s = np.zeros(self.num_envs, np.float32)
        ended = terminal.nonzero()[:, 0]
        if len(ended):
            goals = self._simulator.look(self._states.select(ended)).goals[:, self._role]
            rewards[ended.numpy()] = (2 * goals - 1).numpy()
            self._legal[ended] = self._legal_at_start
            lanes = pack(terminal[:, None])
            words = self._states.words
            words ^= (words ^ self._simulator.initial_words) & lanes
        return (
            self._told(),
            rewards,
            terminal.numpy(),
            np.zeros(self.num_envs, np.bool_),
            {"action_mask": self.action_masks()},
        )

    def _joint(self, actions: Moves) -> Tensor:
        """Return moves of all roles, those of others drawn; int64 ``[num_envs, R]``."""
        offsets, legal = self._simulator.move_offsets, self._legal.numpy()
        joint = np.empty((self.num_envs, len(offsets) - 1), np.int64)
        for role, (begin, end) in enumerate(pairwise(offsets)):
            if role == self._role:
                joint[:, role] = actions
                continue
            # How many of the moves up to each one are legal; a row a move, as rows are short.
            upto = np.empty((end - begin, self.num_envs), np.uint16)
            count = np.zeros(self.num_envs, np.uint16)
            for row, allowed in zip(upto, np.ascontiguousarray(legal[:, begin:end].T), strict=True):
                count += allowed
                row[:] = count
            drawn = self._random.random(self.num_envs, np.float32) * count
            joint[:, role] = (upto[:-1] <= drawn.astype(np.uint16)).sum(axis=0, dtype=np.uint16)
        return torch.from_numpy(joint)

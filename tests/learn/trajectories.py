"""Random matches as tensors, for the tests of the targets."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.learn.paper.trajectory import Trajectory

NAN = float("nan")


def random_trajectory(seed: int, *, finished: bool = True, roles: int = 2) -> Trajectory:
    """Return a match of random length with random proofs."""
    random = np.random.default_rng(seed)
    plies = int(random.integers(0, 30))
    grid = np.array([0.0, 0.5, 1.0])
    proved = np.full((plies + 1, roles), NAN)
    for t in range(plies):
        if random.random() < 0.3:
            proved[t] = random.choice(grid, size=roles)
    goals = random.choice(grid, size=roles) if finished else np.full(roles, NAN)
    if finished:
        proved[-1] = goals
    return Trajectory(
        fluents=torch.from_numpy(random.random((plies + 1, 5)) < 0.5),
        goals=torch.from_numpy(goals),
        proved=torch.from_numpy(proved),
        moves=torch.from_numpy(random.integers(0, 4, size=(plies, roles))),
    )

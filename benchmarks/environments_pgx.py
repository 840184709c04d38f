"""Steps a second of pgx's environments, for ``python -m benchmarks.environments --pgx PYTHON``.

Runs with an interpreter that has pgx, and needs nothing of this package. A step is a ply of all
games, with observations, legal moves and a new game where one has ended; the moves are drawn among
the legal ones, which is not timed. Prints a number for each game, a line.
"""

from __future__ import annotations

import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def steps_per_second(name: str, num_envs: int, steps: int) -> float:
    """Return environment steps per processor second, of all games together."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    draw = jax.jit(
        lambda key, legal: jax.random.categorical(key, jax.numpy.where(legal, 0.0, -jax.numpy.inf))
    )
    keys = jax.random.split(jax.random.PRNGKey(0), num_envs)
    state = jax.jit(jax.vmap(env.init))(keys)
    spent = 0.0
    for number in range(-5, steps):  # the first compile
        key = jax.random.PRNGKey(number + 5)
        moves, keys = draw(key, state.legal_action_mask), jax.random.split(key, num_envs)
        jax.block_until_ready((moves, keys))
        begun = time.process_time()
        state = jax.block_until_ready(step(state, moves, keys))
        spent += (time.process_time() - begun) * (number >= 0)
    return steps * num_envs / spent


if __name__ == "__main__":
    for game in sys.argv[3:]:
        print(steps_per_second(game, int(sys.argv[1]), int(sys.argv[2])), flush=True)

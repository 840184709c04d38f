"""Answers at states that foreseen rules call ends: a role can win with its next move."""

from __future__ import annotations

import time
from collections.abc import Mapping

from neurogame.array_types import UInt64s
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.search.result import SearchResult
from neurogame.simulate.game import State


def is_decided(leaves: Leaves, words: UInt64s) -> bool:
    """Return whether a state is an end for the rules of a search, which may be foreseen ones.

    Args:
        leaves: the rules with a block of leaves, whose first one is used.
        words: the state, packed; uint64 ``[Fw]``.
    """
    leaves.block.states[0] = words
    leaves.look(1)
    leaves.check()
    return bool(leaves.block.terminal[0])


def decided_result(
    state: State, role: int, block: Block, proved_states: Mapping[bytes, tuple[float, ...]]
) -> SearchResult:
    """Return a move that wins; for a role that only waits there, its move.

    Args:
        state: one that :func:`is_decided`, and no end of the game.
        role: that searches.
        block: as :func:`is_decided` left it.
        proved_states: of the search.
    """
    started = time.monotonic()
    value = tuple(float(goal) for goal in block.goals[0])
    tree = state.game.simulator().expand(state.batch)
    joint, over = tree.joint.numpy(), tree.look.terminal.numpy()
    won = joint[over & (tree.look.goals[:, role].numpy() == value[role])]
    move = int(won[0, role])
    return SearchResult(
        role=role,
        move=move,
        value=value,
        proved=True,
        depth=1,
        nodes=len(joint),
        visits=1,
        seconds=time.monotonic() - started,
        line=(tuple(won[0].tolist()),),
        scores={int(one): value[role] for one in won[:, role]},
        plies={int(one): 1 for one in won[:, role]},
        proved_states=proved_states,
        state=state,
    )

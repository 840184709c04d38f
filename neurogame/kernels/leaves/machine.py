"""The rules of a game for compiled code: successors, looks and uniform playouts of a block.

Searches call :func:`step`, :func:`look` and :func:`play_uniform` with the state machine of one
:class:`~neurogame.kernels.leaves.leaves.Leaves`. What answers them is called by its
address: compiled rules (:mod:`~neurogame.kernels.leaves.compiled_rules` and
:mod:`~neurogame.kernels.leaves.uniform`) or Python (:mod:`~neurogame.kernels.leaves.python_rules`).
So a search is compiled once, whatever the game.
"""

from __future__ import annotations

from collections.abc import Callable

from neurogame.kernels.leaves.block import Block
from neurogame.native.compiled import compiled
from neurogame.native.struct import Struct


class StateMachine(Struct):
    """The rules as compiled code takes them: one type for all games; one per thread.

    Attributes:
        make_moves: makes the joint moves of the first leaves, and looks at what follows.
        look_at: looks at the first leaves' states.
        play_on: plays the first leaves' states on at random.
        block: the leaves.
        rules: what the first two functions work with.
        playouts: what the third one works with.
        count: given: number of leaves.
        seed: given: of playouts.
        plies: given: most plies of a playout.
        brief: given: 1 where nobody asks for hashes, lanes and legal moves of what follows, which
            then mean nothing.
        failed: not 0 once a call has failed, after which what is in the block means nothing.
    """

    make_moves: Callable[[StateMachine], None]
    look_at: Callable[[StateMachine], None]
    play_on: Callable[[StateMachine], None]
    block: Block
    rules: Struct
    playouts: Struct
    count: int = 0
    seed: int = 0
    plies: int = 0
    brief: int = 0
    failed: int = 0


@compiled
def step(rules: StateMachine, count: int) -> None:
    """Make the joint moves of the first leaves: fills states, hashes, lanes and what is seen."""
    rules.count = count
    rules.make_moves(rules)


@compiled
def look(rules: StateMachine, count: int) -> None:
    """Look at the first leaves' ``states``: fills hashes, lanes, legal moves, ends and goals."""
    rules.count = count
    rules.look_at(rules)


@compiled
def play_uniform(rules: StateMachine, count: int, seed: int, plies: int) -> None:
    """Play the first leaves' states on at random; fills ``values``.

    Args:
        rules: the game; its leaves are as the last :func:`step` or :func:`look` left them.
        count: number of leaves.
        seed: any integer, different for every call.
        plies: most plies of a playout; where it is reached, the goals of that state count.
    """
    rules.count, rules.seed, rules.plies = count, seed, plies
    rules.play_on(rules)

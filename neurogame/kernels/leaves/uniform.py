"""Uniform playouts of a block's leaves by the compiled playouts of their game.

:func:`play_on` is what a :class:`~neurogame.kernels.leaves.machine.StateMachine` calls where the
rules are compiled. Each leaf has as many lanes side by side as it has playouts.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Float32s2, Int64s1, Int64s2, UInt64s1
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument, Counter
from neurogame.kernels.codegen.kernel import Kernel
from neurogame.kernels.codegen.table import point_to
from neurogame.kernels.lane_rows import SPACE, from_lanes, to_lanes
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.compiled_rules import goals_of
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.native.arrays import cast, rows
from neurogame.native.bits import first_ones, lowest_bit
from neurogame.native.call_address import call_address
from neurogame.native.compiled import inner
from neurogame.native.random import mixed
from neurogame.native.struct import Struct
from neurogame.splitmix import G1

_ONE, _G1 = np.uint64(1), np.uint64(G1)
_LOOKS, _BLOCK_END = int(Argument.LOOKS), int(Argument.BLOCK_END)


class UniformPlayouts(Struct):
    """The memory of a game's compiled playouts.

    ``N`` leaves, ``P`` playouts of each, ``W`` words of all lanes, ``F`` fluents, ``V`` goals above
    0 and ``G`` rows in which the playouts say which goals were reached.

    Attributes:
        play: address of the generated code, which takes the address of its arguments.
        arguments: of the generated code.
        unit: lane words that it plays at once.
        playouts: ``P``.
        leaf_of: leaf of each lane; int64 ``[N P]``.
        begin: the states that are played on, with one playout per leaf those of the block; int64
            ``[F, W]``.
        base: seed of each lane word; int64 ``[W]``.
        open: lanes that play; int64 ``[W]``.
        reached: lanes that reached a goal; int64 ``[G, W]``.
        made: lanes in which a move was made; int64 ``[M, W]``, ``[0, W]`` where nobody asks.
        moves: 0, 1, 2, ... of these; int64.
        goals: row and role of each goal; int64 ``[V, 2]``.
        goal_values: goal / 100, with several playouts per leaf the goal; float32 ``[V]``.
        space: to work in; uint64 ``[SPACE]``.
        counts: counters that nobody reads, see :attr:`.Argument.COUNTS`; int64.
        left: games that a lane may begin after its first: none; int64 ``[W]``.
        initial: the initial state, of no use here; int64 ``[F]``.
        cells: memory of the generated code; int64.
    """

    play: int
    arguments: Int64s1
    unit: int
    playouts: int
    leaf_of: Int64s1
    begin: Int64s2
    base: Int64s1
    open: Int64s1
    reached: Int64s2
    made: Int64s2
    moves: Int64s1
    goals: Int64s2
    goal_values: Float32s1
    space: UInt64s1
    counts: Int64s1
    left: Int64s1
    initial: Int64s1
    cells: Int64s1


_uniform_playouts = cast(UniformPlayouts)


def make_playouts(circuit: Circuit, play: Kernel, block: Block, playouts: int) -> UniformPlayouts:
    """Reserve memory.

    Args:
        circuit: the game.
        play: its compiled playouts, which must live as long.
        block: the leaves.
        playouts: of each leaf.
    """
    unit, fluents = play.lane_words, len(circuit.fluents)
    lanes = len(block.states) * playouts
    words = -(-lanes // (64 * unit)) * unit
    begin = block.lanes if playouts == 1 else aligned(fluents * words).reshape(fluents, words)
    words = begin.shape[1]
    roles, values = goals_of(circuit)
    counted = values > 0
    memory = UniformPlayouts(
        play=play.code.address("play"),
        arguments=np.zeros(ARGUMENTS, np.int64),
        unit=unit,
        playouts=playouts,
        leaf_of=np.arange(lanes) // playouts,
        begin=begin,
        base=aligned(words),
        open=aligned(words),
        reached=aligned(play.goal_rows * words).reshape(-1, words),
        made=aligned(len(play.does) * words).reshape(-1, words),
        moves=np.arange(len(play.does)),
        goals=np.stack([play.goal_index, roles], axis=1)[counted],
        goal_values=(values[counted] / (100 if playouts == 1 else 1)).astype(np.float32),
        space=np.zeros(SPACE, np.uint64),
        counts=aligned(play.vector_words * (Counter.GOALS + play.goal_rows)),
        left=np.zeros(words, np.int64),
        initial=np.zeros(fluents, np.int64),
        cells=aligned(play.memory // 8),
    )
    _fill_arguments(memory, play)
    return memory


def _fill_arguments(playouts: UniformPlayouts, play: Kernel) -> None:
    """Write what does not change between playouts into the arguments of the generated code."""
    table = playouts.arguments
    for argument, array in (
        (Argument.STATE, playouts.begin),
        (Argument.BASE, playouts.base),
        (Argument.OPEN, playouts.open),
        (Argument.REACHED, playouts.reached),
        (Argument.LEFT, playouts.left),
        (Argument.COUNTS, playouts.counts),
        (Argument.CELLS, playouts.cells),
        (Argument.INITIAL, playouts.initial),
        (Argument.DOES, play.does),
        (Argument.PLAYED, playouts.made),
    ):
        table[argument] = array.ctypes.data
    table[Argument.STRIDE] = 8 * playouts.begin.shape[1]
    table[Argument.LEFT_BITS] = 1
    point_to(play.tables, play.routine, table)


def play_on(machine: StateMachine) -> None:
    """Play the first leaves' states on at random; fills ``values``, and ``played`` if wanted."""
    playouts, block, count = _uniform_playouts(machine.playouts), machine.block, machine.count
    lanes, unit = count * playouts.playouts, playouts.unit
    if playouts.playouts > 1:
        to_lanes(block.states, rows(playouts.leaf_of, 0, lanes), playouts.begin, playouts.space)
    blocks = (lanes + 64 * unit - 1) // (64 * unit)
    _open_lanes(playouts, machine.seed, lanes, blocks * unit)
    playouts.arguments[_LOOKS], playouts.arguments[_BLOCK_END] = machine.plies + 1, blocks
    call_address(playouts.play, playouts.arguments.ctypes.data)
    if block.played.shape[1] > 0:
        made, played = playouts.made, rows(block.played, 0, count)
        from_lanes(made, playouts.moves, played, playouts.space)
    values = rows(block.values, 0, count)
    _add_goals(playouts, lanes, values)
    if playouts.playouts > 1:
        # Sums of goals are whole numbers; means are of 0..1.
        for leaf in range(len(values)):
            for role in range(values.shape[1]):
                values[leaf, role] = np.float32(values[leaf, role] / (100.0 * playouts.playouts))


@inner
def _open_lanes(playouts: UniformPlayouts, seed: int, lanes: int, words: int) -> None:
    """Write the seeds of lane words and the lanes that play; forget which goals were reached."""
    base, open_, reached = playouts.base, playouts.open, playouts.reached
    start = mixed(np.uint64(seed))
    for word in range(words):
        base[word] = np.int64(mixed(start + np.uint64(word + 1) * _G1))
        open_[word] = np.int64(first_ones(lanes - 64 * word))
    for row in range(len(reached)):
        for word in range(words):
            reached[row, word] = 0


@inner
def _add_goals(playouts: UniformPlayouts, lanes: int, values: Float32s2) -> None:
    """Add up the goals of each leaf's lanes."""
    reached, leaf_of = playouts.reached, playouts.leaf_of
    goals, goal_values = playouts.goals, playouts.goal_values
    for leaf in range(len(values)):
        for role in range(values.shape[1]):
            values[leaf, role] = 0
    for goal in range(len(goals)):
        row, role = goals[goal, 0], goals[goal, 1]
        for word in range((lanes + 63) >> 6):
            rest = np.uint64(reached[row, word])
            while rest:
                values[leaf_of[64 * word + lowest_bit(rest)], role] += goal_values[goal]
                rest &= rest - _ONE

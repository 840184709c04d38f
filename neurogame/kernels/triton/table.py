"""One kernel for all games: it interprets the instructions of a ply, block by block.

A block's cells lie one after another in scratch memory that belongs to the program, so they stay
in the caches near it. Each thread reads only what it wrote itself: a block has as many words as
the program has threads.
"""

# mypy: disable-error-code="untyped-decorator,no-any-return"
from __future__ import annotations

import triton
import triton.language as tl

from neurogame.kernels.random_words import ATTEMPT_FIELD, ROLE_FIELD
from neurogame.kernels.triton.tally import (
    add_ones,
    at_limit,
    count_endings,
    count_lengths,
    count_move,
    grow_ages,
    take_game,
)
from neurogame.kernels.triton.words import (
    any_set,
    count_ones,
    lookup,
    random_plane,
    random_source,
)

ROLE_SHIFT = tl.constexpr(ROLE_FIELD)
ATTEMPT_SHIFT = tl.constexpr(ATTEMPT_FIELD)


@triton.jit
def run_gates(
    cells: tl.tensor, code: tl.tensor, begin: tl.tensor, end: tl.tensor, BLOCK: tl.constexpr
) -> None:
    """Run instructions on one block.

    Args:
        cells: addresses of the block's words in cell 0.
        code: ``CellProgram.code``.
        begin: first instruction.
        end: one past the last instruction.
        BLOCK: words per block.
    """
    for gate in tl.range(begin, end, num_stages=1):
        at = code + 5 * gate
        form = tl.load(at).to(tl.int64)
        a = tl.load(cells + tl.load(at + 2) * BLOCK)
        b = tl.load(cells + tl.load(at + 3) * BLOCK)
        c = tl.load(cells + tl.load(at + 4) * BLOCK)
        tl.store(cells + tl.load(at + 1) * BLOCK, lookup(form, a, b, c))


@triton.jit
def draw_rank(
    cells: tl.tensor,
    choice: tl.tensor,
    factors: tl.tensor,
    spare: tl.tensor,
    base: tl.tensor,
    step: tl.tensor,
    playing: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Draw a rank below the total of a choice, by masked rejection; see ``uniform_below``.

    Args:
        cells: addresses of the block's words in cell 0.
        choice: stream, cell of ``some``, numbers of bits of the rank and of the total, then the
            cells of mask, rank and total.
        factors: factor of each plane of random words.
        spare: first of as many cells that nobody uses as the rank has bits.
        base: scrambled seed of each word.
        step: number of the step, int64.
        playing: lanes that play; the others get rank 0.
        BLOCK: words per block.
    """
    counter = ((step << ROLE_SHIFT) + tl.load(choice)) << ATTEMPT_SHIFT
    missing = tl.load(cells + tl.load(choice + 1) * BLOCK) & playing
    bits = tl.load(choice + 2)
    total_bits = tl.load(choice + 3)
    mask_at = choice + 4
    rank_at = mask_at + bits
    total_at = rank_at + bits
    for bit in range(bits):
        tl.store(cells + tl.load(rank_at + bit) * BLOCK, tl.zeros((BLOCK,), tl.int64))
    while any_set(missing):
        below = tl.zeros((BLOCK,), tl.int64)
        source = random_source(base, counter)
        for bit in range(bits):
            mask = tl.load(cells + tl.load(mask_at + bit) * BLOCK)
            drawn = random_plane(source, tl.load(factors + bit)) & mask
            tl.store(cells + (spare + bit) * BLOCK, drawn)
            total = tl.load(cells + tl.load(total_at + bit) * BLOCK)
            differ = drawn ^ total
            below = (differ & total) | (below & ~differ)
        for bit in range(bits, total_bits):
            below |= tl.load(cells + tl.load(total_at + bit) * BLOCK)
        take = below & missing
        for bit in range(bits):
            rank = cells + tl.load(rank_at + bit) * BLOCK
            tl.store(rank, tl.load(rank) | (tl.load(cells + (spare + bit) * BLOCK) & take))
        missing &= ~take
        counter += 1


@triton.jit
def count_goals(
    cells: tl.tensor,
    goals: tl.tensor,
    goal_count: tl.tensor,
    counts: tl.tensor,
    stride: tl.tensor,
    over: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Add the goals of the games that are over to the block's counters, one row per goal."""
    for goal in range(goal_count):
        reached = tl.load(cells + tl.load(goals + goal) * BLOCK) & over
        add_ones(counts + goal * stride, reached)


@triton.jit
def count_moves(
    cells: tl.tensor,
    goals: tl.tensor,
    goal_count: tl.tensor,
    flags: tl.tensor,
    move_count: tl.tensor,
    made: tl.tensor,
    stride: tl.tensor,
    over: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Count the games that are over by the moves made in them and by moves and goals."""
    for move in range(move_count):
        flag = tl.load(flags + move * stride)
        here = flag & over
        counter = made + move * (goal_count + 1)
        count_move(counter, here)
        for goal in range(goal_count):
            reached = tl.load(cells + tl.load(goals + goal) * BLOCK) & here
            count_move(counter + 1 + goal, reached)
        tl.store(flags + move * stride, flag & ~over)


@triton.jit(do_not_specialize=["blocks", "first_step", "steps", "planes", "left_planes", "limit"])
def play(
    state: tl.tensor,
    ends: tl.tensor,
    bases: tl.tensor,
    active: tl.tensor,
    left: tl.tensor,
    ages: tl.tensor,
    counts: tl.tensor,
    lengths: tl.tensor,
    flags: tl.tensor,
    made: tl.tensor,
    scratch: tl.tensor,
    layout: tl.tensor,
    code: tl.tensor,
    factors: tl.tensor,
    blocks: tl.tensor,
    first_step: tl.tensor,
    steps: tl.tensor,
    planes: tl.tensor,
    left_planes: tl.tensor,
    limit: tl.tensor,
    RESTART: tl.constexpr,
    ENDLESS: tl.constexpr,
    LENGTHS: tl.constexpr,
    MOVES: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    """Play some steps of all blocks; the arguments are the fields of ``Board``.

    Without restart, the states of lanes that are over are written to ``ends``.
    """
    stride = blocks.to(tl.int64) * BLOCK
    fluent_count = tl.load(layout)
    goal_count = tl.load(layout + 1)
    move_count = tl.load(layout + 2)
    choice_count = tl.load(layout + 3)
    choice_size = tl.load(layout + 4)
    spare = tl.load(layout + 5)
    cell_count = tl.load(layout + 6)
    goals_at = tl.load(layout + 7)
    descend_at = tl.load(layout + 8)
    copies_at = tl.load(layout + 9)
    end_at = tl.load(layout + 10)
    terminal_cell = tl.load(layout + 11)
    stuck_cell = tl.load(layout + 12)
    several_cell = tl.load(layout + 13)
    reset_cell = tl.load(layout + 14)
    goals = layout + 15
    moves = goals + goal_count
    choices = moves + move_count
    offsets = tl.arange(0, BLOCK)
    cells = scratch + tl.program_id(0).to(tl.int64) * cell_count * BLOCK + offsets
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        at = block * BLOCK + offsets
        base = tl.load(bases + at)
        lanes = tl.load(active + at)
        played = tl.zeros((BLOCK,), tl.int64)
        tl.store(cells, played)
        for fluent in range(fluent_count):
            tl.store(cells + (1 + fluent) * BLOCK, tl.load(state + fluent * stride + at))
        index = 0
        while (index < steps) & any_set(lanes):
            step = (first_step + index).to(tl.int64)
            run_gates(cells, code, 0, goals_at, BLOCK)
            terminal = tl.load(cells + terminal_cell * BLOCK) & lanes
            stuck = tl.load(cells + stuck_cell * BLOCK) & lanes
            cut = at_limit(ages + at, stride, planes, limit) & lanes & ~terminal & ~stuck
            over = terminal | stuck | cut
            playing = lanes & ~over
            if any_set(over):
                run_gates(cells, code, goals_at, descend_at, BLOCK)
                several = tl.load(cells + several_cell * BLOCK)
                count_endings(counts + at, stride, terminal, stuck, cut, several)
                count_goals(cells, goals, goal_count, counts + 5 * stride + at, stride, over, BLOCK)
                if LENGTHS:
                    count_lengths(lengths, ages + at, stride, planes, over)
                if MOVES:
                    own = flags + at
                    count_moves(
                        cells, goals, goal_count, own, move_count, made, stride, over, BLOCK
                    )
                if not RESTART:
                    for fluent in range(fluent_count):
                        end = ends + fluent * stride + at
                        now = tl.load(cells + (1 + fluent) * BLOCK)
                        tl.store(end, (tl.load(end) & ~over) | (now & over))
            grow_ages(ages + at, stride, planes, playing, over, RESTART)
            if ENDLESS:
                lanes = playing | over
            else:
                lanes = playing | take_game(left + at, stride, left_planes, over)
            played += count_ones(playing)
            for choice in range(choice_count):
                place = choices + choice * choice_size
                draw_rank(cells, place, factors, spare, base, step, playing, BLOCK)
            tl.store(cells + reset_cell * BLOCK, over)
            run_gates(cells, code, descend_at, copies_at, BLOCK)
            if MOVES:
                for move in range(move_count):
                    does = tl.load(cells + tl.load(moves + move) * BLOCK) & playing
                    flag = flags + move * stride + at
                    tl.store(flag, tl.load(flag) | does)
            run_gates(cells, code, copies_at, end_at, BLOCK)
            index += 1
        for fluent in range(fluent_count):
            tl.store(state + fluent * stride + at, tl.load(cells + (1 + fluent) * BLOCK))
        tl.store(active + at, lanes)
        tl.store(counts + 4 * stride + at, tl.load(counts + 4 * stride + at) + played)


@triton.jit(do_not_specialize=["input_count", "output_count", "gate_count", "cell_count", "blocks"])
def evaluate(
    inputs: tl.tensor,
    outputs: tl.tensor,
    scratch: tl.tensor,
    output_cells: tl.tensor,
    code: tl.tensor,
    input_count: tl.tensor,
    output_count: tl.tensor,
    gate_count: tl.tensor,
    cell_count: tl.tensor,
    blocks: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Compute outputs from inputs, once for each block.

    Args:
        inputs: words of the cells ``1 ..``; int64 ``[I, W]``.
        outputs: where the outputs go; int64 ``[O, W]``.
        scratch: cells of all programs.
        output_cells: cell of each output; int32 ``[O]``.
        code: ``CellProgram.code``.
        input_count: ``I``.
        output_count: ``O``.
        gate_count: number of instructions.
        cell_count: number of cells of a program.
        blocks: number of blocks, ``W / BLOCK``.
        BLOCK: words per block.
    """
    stride = blocks.to(tl.int64) * BLOCK
    offsets = tl.arange(0, BLOCK)
    cells = scratch + tl.program_id(0).to(tl.int64) * cell_count * BLOCK + offsets
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        at = block * BLOCK + offsets
        tl.store(cells, tl.zeros((BLOCK,), tl.int64))
        for row in range(input_count):
            tl.store(cells + (1 + row) * BLOCK, tl.load(inputs + row * stride + at))
        run_gates(cells, code, 0, gate_count, BLOCK)
        for row in range(output_count):
            value = tl.load(cells + tl.load(output_cells + row) * BLOCK)
            tl.store(outputs + row * stride + at, value)

"""Random netlists of play: sections, ranks, and a next state that is written over the state."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s
from neurogame.kernels.codegen.frame import SECTIONS, Part
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.kernels.netlist.ply import Choice, Ply, Section


def random_netlist(seed: int, inputs: int, gates: int) -> Netlist:
    """Return gates of any tables; some inputs are the constant, some occur twice in a gate."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((gates, 3), np.int32)
    for gate in range(gates):
        # Recent rows are likelier, so that there are long chains.
        known = inputs + gate
        reach = int(rng.choice([known, min(known, 12)]))
        rows[gate] = known - 1 - rng.integers(0, reach, 3)
    table = rng.integers(0, 256, gates).astype(np.uint8)
    for place, (bit, low) in enumerate(((4, 0x0F), (2, 0x33), (1, 0x55))):
        unused = (table >> bit & low) == (table & low)
        rows[unused, place] = 0
    return Netlist(inputs, table, rows)


def random_play(seed: int, gates: int) -> Ply:
    """Return a play netlist whose rows with a meaning are any rows of the right section.

    Gates of GOALS are read by no other section; the ranks only by the last two.
    """
    rng = np.random.default_rng(seed)
    fluents, ranks = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    first = 1 + fluents + ranks + 1
    netlist = random_netlist(seed, first, gates)
    bounds = (0, *sorted(int(n) for n in rng.integers(0, gates + 1, 4)), gates)
    goal = range(first + bounds[Section.GOALS], first + bounds[Section.GOALS + 1])
    drawn = range(1 + fluents, first)
    late = first + bounds[Section.DESCEND]
    inputs = netlist.inputs.copy()
    for gate, row in enumerate(inputs):
        forbidden = set(drawn) if first + gate < late else set()
        if first + gate not in goal:
            forbidden |= set(goal)
        for place in range(3):
            if row[place] in forbidden:
                row[place] = 1 + rng.integers(0, fluents)
    table = netlist.table

    def rows(count: int, end: int) -> Int64s:
        known = np.array([r for r in range(end) if r not in goal and r not in drawn])
        return rng.choice(known, count)

    def any_rows(count: int) -> Int64s:
        return rng.choice([r for r in range(first + gates) if r not in goal], count)

    status = first + bounds[Section.STATUS + 1]
    count_end = first + bounds[Section.COUNT + 1]
    choice = Choice(
        roles=(0,),
        slots=1 << ranks,
        total=rows(ranks + 1, count_end),
        mask=rows(ranks, count_end),
        some=int(rows(1, count_end)[0]),
        rank=np.arange(1 + fluents, 1 + fluents + ranks),
    )
    return Ply(
        netlist=Netlist(first, table, inputs),
        bounds=bounds,
        terminal=int(rows(1, status)[0]),
        legal=rows(2, status),
        goals=np.array([*goal, *rows(2, status)], np.int64),
        several=0,
        stuck=int(rows(1, count_end)[0]),
        choices=(choice,),
        reset=first - 1,
        does=any_rows(3),
        next=any_rows(fluents),
    )


def part_rows(ply: Ply, part: Part) -> set[int]:
    """Return the rows of the gates of a part."""
    first = ply.netlist.input_count
    return {first + gate for section in SECTIONS[part] for gate in ply.gates(section)}

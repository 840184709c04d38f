"""Putting a ply together: formulas, choices in between, a small cover, sections."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.netlist.builder import Builder
from neurogame.kernels.netlist.emit import absorbed, cone, in_sections, settle_outputs
from neurogame.kernels.netlist.facts import Facts
from neurogame.kernels.netlist.logic import Logic
from neurogame.kernels.netlist.mapping import Effort, cover_netlist
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.kernels.netlist.ply import Choice, Ply, Section
from neurogame.kernels.netlist.select import Selection, rank_bits


@final
@dataclass(frozen=True, eq=False)
class Assembled:
    """The gates of a ply in some order.

    Attributes:
        network: the gates; all inputs are final.
        literals: of the formulas, then of the choices (total, mask, some of each); int64.
        descend: gates of the choices that depend on ranks; none where moves are given.
        ranks: input rows of each choice's rank.
        reset: input row, 0 for none.
    """

    network: Netlist
    literals: Int64s
    descend: range = range(0)
    ranks: tuple[Int64s, ...] = ()
    reset: int = 0


def with_selection(circuit: Circuit, logic: Logic, network: Netlist, literals: Int64s) -> Assembled:
    """Join the gates of the formulas with those of the choices in between.

    Args:
        circuit: the game.
        logic: the formulas of a play netlist.
        network: gates for them.
        literals: of the formulas.
    """
    fluents = len(circuit.fluents)
    widths = [rank_bits(slots) for slots in logic.slots]
    ends = 1 + fluents + np.cumsum([0, *widths])
    ranks = tuple(np.arange(a, b) for a, b in pairwise(ends.tolist()))
    reset = int(ends[-1])
    inputs = reset + 1
    early = _early(network, 1 + fluents)
    gates = np.flatnonzero(early)
    # Where each row of the network goes; the slots and what depends on them are not there yet.
    place = np.zeros(network.row_count, np.int64)
    place[: 1 + fluents] = np.arange(1 + fluents)
    place[network.input_count + gates] = inputs + np.arange(len(gates))
    builder = Builder(inputs + len(gates))
    target = np.zeros(network.input_count, np.int64)
    target[: 1 + fluents] = 2 * np.arange(1 + fluents)
    target[logic.reset] = 2 * reset
    chosen: list[int] = []
    selections = []
    for slot in logic.slot:
        rows = literals[slot.start : slot.stop]
        selections.append(Selection(builder, (2 * place[rows >> 1] + (rows & 1)).tolist()))
    descend = builder.row_count - inputs
    for index, (selection, rank) in enumerate(zip(selections, ranks, strict=True)):
        first = logic.first_active[index]
        target[first : first + logic.slots[index]] = selection.descend((2 * rank).tolist())
        target[logic.some[index]] = selection.some
        chosen += [*selection.total, *selection.mask, selection.some]
    middle = builder.netlist()
    end = builder.row_count
    late = np.flatnonzero(~early)
    place[network.input_count + late] = end + np.arange(len(late))
    literal = 2 * place
    literal[: network.input_count] = target
    # Complements of slots are absorbed by the tables that read them.
    inner = literal[network.inputs]
    table = absorbed(network.table, inner & 1)
    joined = Netlist(
        inputs,
        np.concatenate([table[gates], middle.table, table[late]]),
        np.concatenate([(inner >> 1)[gates], middle.inputs, (inner >> 1)[late]]).astype(np.int32),
    )
    outputs = literal[literals >> 1] ^ (literals & 1)
    return Assembled(
        joined,
        np.concatenate([outputs, np.array(chosen, np.int64)]),
        range(descend, end - inputs),
        ranks,
        reset,
    )


def _early(network: Netlist, inputs: int) -> np.ndarray:
    """Return which gates depend on the first inputs alone; bool ``[G]``."""
    from neurogame.kernels.netlist.walk_loops import mark_late

    late = np.zeros(network.row_count, np.bool_)
    late[inputs : network.input_count] = True
    mark_late(network.input_count, network.inputs, late)
    return ~late[network.input_count :]


def make_ply(logic: Logic, assembled: Assembled, facts: Facts | None, effort: Effort) -> Ply:
    """Cover the gates by as few as possible, order them, and name the rows.

    Args:
        logic: the formulas.
        assembled: gates for them.
        facts: those that the formulas of a play netlist rest on.
        effort: how hard to look for a small cover.
    """
    cover = cover_netlist(assembled.network, assembled.literals, effort)
    network, rows = settle_outputs(cover.netlist, cover.roots)
    first = assembled.network.input_count
    chosen = (cover.origin >= first + assembled.descend.start) & (
        cover.origin < first + assembled.descend.stop
    )
    count = len(logic.graph.outputs)
    status = np.concatenate([rows[[logic.terminal]], rows[logic.legal]])
    goals = np.append(rows[logic.goals], rows[logic.several])
    counted = np.append(rows[count:], rows[logic.stuck])
    made, following = rows[logic.does], rows[logic.next]
    section = _sections(network, chosen, status, goals, counted, made, following)
    roots = np.concatenate([status, goals, counted, made, following])
    emitted = in_sections(network, section, roots)
    final = np.zeros(network.row_count, np.int64)
    final[roots] = emitted.rows
    choices = []
    begin = count
    for index, slots in enumerate(logic.slots):
        assert facts is not None
        total, mask = slots.bit_length(), rank_bits(slots)
        bits = final[rows[begin : begin + total + mask + 1]]
        begin += total + mask + 1
        choices.append(
            Choice(
                roles=facts.shared[index],
                slots=slots,
                total=bits[:total],
                mask=bits[total:-1],
                some=int(bits[-1]),
                rank=assembled.ranks[index],
            )
        )
    return Ply(
        netlist=emitted.netlist,
        bounds=emitted.bounds,
        terminal=int(final[rows[logic.terminal]]),
        legal=final[rows[logic.legal]],
        goals=final[rows[logic.goals]],
        several=int(final[rows[logic.several]]),
        stuck=int(final[rows[logic.stuck]]),
        choices=tuple(choices),
        reset=assembled.reset,
        does=final[made],
        next=final[following],
    )


def _sections(
    network: Netlist,
    chosen: np.ndarray,
    status: Int64s,
    goals: Int64s,
    counted: Int64s,
    made: Int64s,
    following: Int64s,
) -> Int64s:
    """Return the section of each gate, -1 if it is not needed."""
    in_status, in_goals, in_count = (
        cone(network, status),
        cone(network, goals),
        cone(network, counted),
    )
    in_next = cone(network, following)
    descend = network.input_count + np.flatnonzero(in_next[: len(chosen)] & chosen)
    in_moves = cone(network, np.append(made, descend))
    section = np.full(network.gate_count, -1, np.int64)
    section[in_next] = Section.NEXT
    section[in_moves] = Section.DESCEND
    section[in_count] = Section.COUNT
    shared = in_goals & (section >= 0)
    section[in_goals] = Section.GOALS
    section[in_status | shared] = Section.STATUS
    return section

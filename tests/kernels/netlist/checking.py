"""Comparing the gates of a ply with the circuit that they were made from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np

from neurogame.analysis.random_play import WordEvaluator, choose_moves
from neurogame.array_types import Bools, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.lanes import ALL, pack_lanes, unpack_lanes
from neurogame.kernels.netlist.facts import Facts
from neurogame.kernels.netlist.ply import Choice, Ply, Section
from tests.kernels.netlist.plain_netlist import run_netlist


def played_words(
    circuit: Circuit, *, seed: int, words: int, plies: int
) -> Iterator[tuple[UInt64s, UInt64s]]:
    """Yield the states ``[F, W]`` of random games ply by ply, and the games still played.

    Games that are over stay where they are.
    """
    evaluator = WordEvaluator(circuit)
    random = np.random.default_rng(seed)
    state = np.repeat(circuit.initial[:, None], words, axis=1).astype(np.uint64) * ALL
    playing = np.full(words, ALL)
    for _ in range(plies):
        yield state, playing
        legal, terminal, _ = evaluator.look(state)
        moves, able = choose_moves(circuit, legal, random)
        playing = playing & ~terminal & able
        if not playing.any():
            return
        state = (evaluator.step(state, moves) & playing) | (state & ~playing)


def check_play(
    circuit: Circuit, facts: Facts, ply: Ply, state: UInt64s, random: np.random.Generator
) -> None:
    """Compare a play netlist with the circuit on reachable states; uint64 ``[F, W]``."""
    evaluator = WordEvaluator(circuit)
    legal, terminal, goals = evaluator.look(state)
    width = state.shape[1]
    rows = np.zeros((ply.netlist.row_count, width), np.uint64)
    rows[1 : 1 + len(state)] = state
    ends = list(accumulate(map(len, circuit.moves), initial=0))
    _run(ply, rows, Section.STATUS)
    assert (rows[ply.terminal] == terminal).all()
    _run(ply, rows, Section.GOALS)
    _check_goals(circuit, ply, rows, goals)
    _run(ply, rows, Section.COUNT)
    able = [np.bitwise_or.reduce(legal[a:b], axis=0) for a, b in pairwise(ends)]
    stuck = ~terminal & ~np.bitwise_and.reduce(able, axis=0)
    assert (rows[ply.stuck] & ~terminal == stuck).all()
    open_ = unpack_lanes((~terminal & ~stuck)[None], 64 * width)[0]
    made = np.zeros((circuit.move_count, 64 * width), np.bool_)
    for choice in ply.choices:
        made |= _choose(circuit, facts, choice, rows, legal, open_, ends, random)
    forced = unpack_lanes(legal, 64 * width) & facts.forced[:, None]
    made |= forced
    assert all((made[a:b, open_].sum(axis=0) == 1).all() for a, b in pairwise(ends))
    _run(ply, rows, Section.DESCEND)
    _run(ply, rows, Section.NEXT)
    going = pack_lanes(open_[None])[0]
    if len(ply.does):
        assert ((rows[ply.does] ^ pack_lanes(made)) & going == 0).all()
    following = evaluator.step(state, pack_lanes(made))
    assert ((rows[ply.next] ^ following) & going == 0).all()
    rows[ply.reset] = ALL
    _run(ply, rows, Section.NEXT)
    assert (rows[ply.next] == np.where(circuit.initial, ALL, np.uint64(0))[:, None]).all()


def check_step(circuit: Circuit, ply: Ply, state: UInt64s, moves: UInt64s) -> None:
    """Compare a step netlist with the circuit; uint64 ``[F, W]`` and ``[M, W]``."""
    evaluator = WordEvaluator(circuit)
    legal, terminal, goals = evaluator.look(state)
    rows = np.zeros((ply.netlist.row_count, state.shape[1]), np.uint64)
    rows[1 : 1 + len(state)] = state
    rows[1 + len(state) : 1 + len(state) + len(moves)] = moves
    run_netlist(ply.netlist, rows)
    assert (rows[ply.terminal] == terminal).all()
    assert (rows[ply.legal] == legal).all()
    assert (rows[ply.goals] == goals).all()
    ends = list(accumulate(map(len, circuit.moves), initial=0))
    able = [np.bitwise_or.reduce(legal[a:b], axis=0) for a, b in pairwise(ends)]
    assert (rows[ply.stuck] == ~terminal & ~np.bitwise_and.reduce(able, axis=0)).all()
    assert (rows[ply.next] == evaluator.step(state, moves)).all()


def check_form(ply: Ply) -> None:
    """Check the order of the gates and of the sections, and that GOALS serves itself only."""
    netlist = ply.netlist
    first = netlist.input_count
    gates = np.arange(netlist.gate_count)
    assert (netlist.inputs < (first + gates)[:, None]).all()
    assert netlist.inputs.min(initial=0) >= 0
    assert len(ply.bounds) == 1 + len(Section)
    assert ply.bounds[0] == 0
    assert ply.bounds[-1] == netlist.gate_count
    assert list(ply.bounds) == sorted(ply.bounds)
    goals = ply.gates(Section.GOALS)
    readers = netlist.inputs[np.r_[0 : goals.start, goals.stop : netlist.gate_count]]
    own = range(first + goals.start, first + goals.stop)
    assert not np.isin(readers, own).any()
    for place in range(3):
        stride = 4 >> place
        unused = netlist.inputs[:, place] == 0
        mask = (0x0F, 0x33, 0x55)[place]
        assert not ((netlist.table >> stride ^ netlist.table) & mask)[unused].any()
    end = {
        Section.STATUS: [ply.terminal, *ply.legal],
        Section.GOALS: [*ply.goals, ply.several],
        Section.COUNT: [ply.stuck, *(r for c in ply.choices for r in (*c.total, *c.mask, c.some))],
        Section.DESCEND: [*ply.does],
        Section.NEXT: [*ply.next],
    }
    for section, rows in end.items():
        assert max(rows, default=0) < first + ply.bounds[section + 1]


def _run(ply: Ply, rows: UInt64s, section: Section) -> None:
    gates = ply.gates(section)
    run_netlist(ply.netlist, rows, gates.start, gates.stop)


def _check_goals(circuit: Circuit, ply: Ply, rows: UInt64s, goals: UInt64s) -> None:
    begin = 0
    several = np.zeros_like(rows[0])
    for values in circuit.goals:
        rest = np.full_like(rows[0], ALL)
        for index in range(begin, begin + len(values)):
            assert (rows[ply.goals[index]] == goals[index] & rest).all()
            several |= goals[index] & ~rest
            rest &= ~goals[index]
        begin += len(values)
    assert (rows[ply.several] == several).all()


def _choose(
    circuit: Circuit,
    facts: Facts,
    choice: Choice,
    rows: UInt64s,
    legal: UInt64s,
    open_: Bools,
    ends: list[int],
    random: np.random.Generator,
) -> Bools:
    """Check the counts of a choice, fill in ranks, and return the moves that they stand for."""
    lanes = len(open_)
    flags = unpack_lanes(legal, lanes)
    made = np.zeros_like(flags)
    counts = np.zeros(lanes, np.int64)
    owner = np.full(lanes, -1)
    for role in choice.roles:
        own = flags[ends[role] : ends[role + 1]] & ~facts.forced[ends[role] : ends[role + 1], None]
        several = own.any(axis=0)
        assert not (several & (owner >= 0) & open_).any(), "two roles of a choice choose"
        owner[several] = role
        counts += own.sum(axis=0)
        assert choice.stream == facts.streams[role]
    total = _number(rows, choice.total, lanes)
    assert (total[open_] == counts[open_]).all()
    mask = (1 << np.array([int(max(n - 1, 0)).bit_length() for n in total])) - 1
    assert (_number(rows, choice.mask, lanes) == mask).all()
    assert (unpack_lanes(rows[[choice.some]], lanes)[0] == (total > 0)).all()
    rank = (random.random(lanes) * total).astype(np.int64)
    for bit, row in enumerate(choice.rank):
        rows[row] = pack_lanes((rank >> bit & 1 == 1)[None])[0]
    for role in choice.roles:
        # The move of that rank among all legal moves of the role, as a plain player counts.
        own = flags[ends[role] : ends[role + 1]]
        picked = own & (np.cumsum(own, axis=0) == rank + 1) & (owner == role)
        made[ends[role] : ends[role + 1]] = picked
    return made


def _number(rows: UInt64s, places: np.ndarray, lanes: int) -> np.ndarray:
    bits = unpack_lanes(rows[places], lanes).astype(np.int64)
    result: np.ndarray = (bits << np.arange(len(bits))[:, None]).sum(axis=0)
    return result

"""Gates made one by one against truth tables evaluated directly."""

from __future__ import annotations

import sys
from typing import Any, final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import Bools, Int64s
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import ALL, pack_lanes, unpack_lanes
from neurogame.kernels.netlist import extract_loops, factor_loops
from neurogame.kernels.netlist.build import build_step
from neurogame.kernels.netlist.builder import Builder
from neurogame.kernels.netlist.conjunctions import conjunctions
from neurogame.kernels.netlist.factor_loops import in_order
from neurogame.kernels.netlist.mapping import Effort, cover_netlist
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.kernels.netlist.select import Selection, rank_bits
from tests.kernels.netlist.checking import check_form, check_step
from tests.kernels.netlist.plain_netlist import lookup, run_netlist
from tests.kernels.netlist.small_circuits import every_joint_move, every_state, named_circuit
from tests.kernels.twin.random_circuits import one_hot, random_moves
from tests.processes import environment, run

INPUTS = 5
# Every assignment of four inputs is one lane.
PATTERNS = np.array([0, 0xAAAA, 0xCCCC, 0xF0F0, 0xFF00], np.uint64)[:, None]
Gate = tuple[int, tuple[int, int, int]]
gates = st.lists(
    st.tuples(st.integers(0, 255), st.tuples(*[st.integers(0, 2**16)] * 3)), min_size=1, max_size=40
)


@given(gates)
def test_tables_mean_what_they_say(wanted: list[Gate]) -> None:
    builder = Builder(INPUTS)
    literals = [2 * row + complement for row in range(INPUTS) for complement in (0, 1)]
    values = [PATTERNS[row] ^ (ALL * np.uint64(x)) for row in range(INPUTS) for x in (0, 1)]
    for table, choice in wanted:
        inputs = [pick % len(literals) for pick in choice]
        literals.append(builder.table(table, *(literals[i] for i in inputs)))
        values.append(lookup(table, *(values[i] for i in inputs)))
    netlist = builder.netlist()
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    rows[:INPUTS] = PATTERNS
    run_netlist(netlist, rows)
    for literal, value in zip(literals, values, strict=True):
        assert rows[literal >> 1] ^ (ALL * np.uint64(literal & 1)) == value


@given(gates)
def test_no_gate_is_made_twice(wanted: list[Gate]) -> None:
    """Gates of inputs have pairwise different functions, complements included."""
    builder = Builder(INPUTS)
    for table, choice in wanted:
        builder.table(table, *(pick % (2 * INPUTS) for pick in choice))
    netlist = builder.netlist()
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    rows[:INPUTS] = PATTERNS
    run_netlist(netlist, rows)
    low = rows[:, 0] & np.uint64(0xFFFF)
    both = np.minimum(low, low ^ np.uint64(0xFFFF))
    assert len(np.unique(both)) == len(both)


FIRST = 3


@st.composite
def gates_in_disorder(draw: st.DrawFn) -> tuple[Int64s, list[list[int]], list[int]]:
    """Draw for each gate its place and its inputs, which are inputs or gates before it in turn."""
    count = draw(st.integers(1, 12))
    places = np.array(draw(st.permutations(range(count))), np.int64)
    inputs = []
    for gate in range(count):
        below = [*range(FIRST), *(FIRST + int(places[n]) for n in range(gate))]
        literal = st.builds(lambda n, c: 2 * n + c, st.sampled_from(below), st.integers(0, 1))
        inputs.append(draw(st.lists(literal, max_size=5)))
    node = st.integers(0, FIRST + count - 1)
    return places, inputs, draw(st.lists(st.builds(lambda n: 2 * n, node), max_size=4))


def parts(places: Int64s, inputs: list[list[int]]) -> tuple[Int64s, Int64s, Int64s]:
    sizes = np.array([len(own) for own in inputs])
    begin, end = np.zeros((2, len(inputs)), np.int64)
    end[places] = np.cumsum(sizes)
    begin[places] = np.cumsum(sizes) - sizes
    return begin, end, np.array([x for own in inputs for x in own], np.int64)


def twin(
    begin: Int64s, end: Int64s, inputs: Int64s, roots: list[int]
) -> tuple[list[list[int]], list[int]]:
    """Return the inputs of each gate and the roots, by plain recursion."""
    made: list[list[int]] = []
    number = {node: node for node in range(FIRST)}

    def visit(node: int) -> None:
        if node not in number:
            own = inputs[begin[node - FIRST] : end[node - FIRST]].tolist()
            for literal in own:
                visit(literal >> 1)
            number[node] = FIRST + len(made)
            made.append([2 * number[literal >> 1] + literal % 2 for literal in own])

    for root in roots:
        visit(root >> 1)
    return made, [2 * number[root >> 1] + root % 2 for root in roots]


@given(gates_in_disorder())
def test_gates_come_in_the_order_in_which_a_recursion_makes_them(
    drawn: tuple[Int64s, list[list[int]], list[int]],
) -> None:
    places, inputs, roots = drawn
    given_parts = parts(places, inputs)
    start, made, new_roots = in_order(FIRST, *given_parts, np.array(roots, np.int64))
    expected, expected_roots = twin(*given_parts, roots)
    assert [own.tolist() for own in np.split(made, start[1:-1])][: len(expected)] == expected
    assert new_roots.tolist() == expected_roots


@final
class _Counting:
    """An array that counts how often it is read."""

    def __init__(self, values: Int64s) -> None:
        self.values, self.reads = values, 0

    def __getitem__(self, index: Any) -> Any:
        self.reads += 1
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


def test_a_wide_gate_is_not_read_anew_for_each_input() -> None:
    wide = 500
    sizes = [1] * wide + [wide]
    end = np.cumsum(sizes)
    below = [2] * wide + [2 * (FIRST + n) for n in range(wide)]
    inputs = _Counting(np.array(below, np.int64))
    loop = factor_loops.in_order
    plain: Any = getattr(loop, "py_func", loop)
    start, _, _ = plain(FIRST, end - sizes, end, inputs, np.array([2 * (FIRST + wide)], np.int64))
    assert len(start) == wide + 2
    assert inputs.reads < 10 * len(below)


LITERALS = 30


def random_gates(seed: int) -> tuple[Int64s, Int64s]:
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 9, 200)
    inputs = [np.sort(random.choice(2 * LITERALS, size, replace=False)) for size in sizes]
    return np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(inputs)


def members(start: Int64s, pairs: tuple[Int64s, Int64s], sizes: Int64s, inputs: Int64s) -> Int64s:
    """Return what each conjunction is made of in the end, as sets of the first literals."""
    made: dict[int, frozenset[int]] = {}

    def of(literal: int) -> frozenset[int]:
        return made.get(literal, frozenset([literal]))

    for number, (x, y) in enumerate(zip(*pairs, strict=True)):
        made[2 * (LITERALS + len(sizes) + number)] = of(int(x)) | of(int(y))
    rows = np.zeros((len(sizes), 2 * LITERALS), np.int64)
    for gate, size in enumerate(sizes):
        for literal in inputs[start[gate] : start[gate] + size]:
            rows[gate, list(of(int(literal)))] = 1
    return rows


def test_a_filtered_table_finds_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5):
        start, inputs = random_gates(seed)
        form = conjunctions(LITERALS, start, inputs, np.zeros(0, np.int64))
        whole = extract_loops.extract_pairs(form, 2, 64, 1 << 12)
        monkeypatch.setattr(extract_loops, "MANY", 1 << 11)
        few = extract_loops.extract_pairs(form, 2, 64, 1 << 14)
        monkeypatch.undo()
        assert len(few[0]) > 20
        assert abs(len(few[0]) - len(whole[0])) <= len(whole[0]) // 10
        expected = np.zeros((len(start) - 1, 2 * LITERALS), np.int64)
        expected[np.repeat(np.arange(len(start) - 1), np.diff(start)), inputs] = 1
        for left, right, sizes, rest in (whole, few):
            assert (members(start, (left, right), sizes, rest) == expected).all()


def check(legal: Bools, rank: np.ndarray) -> int:
    """Compare one choice on many lanes; return the number of gates."""
    slots, lanes = legal.shape
    width = rank_bits(slots)
    builder = Builder(1 + slots + width)
    selection = Selection(builder, [2 * (1 + slot) for slot in range(slots)])
    counting = builder.row_count
    active = selection.descend([2 * (1 + slots + bit) for bit in range(width)])
    netlist = builder.netlist()
    rows = np.zeros((netlist.row_count, -(-lanes // 64)), np.uint64)
    rows[1 : 1 + slots] = pack_lanes(legal)
    for bit in range(width):
        rows[1 + slots + bit] = pack_lanes((rank >> bit & 1 == 1)[None])[0]
    run_netlist(netlist, rows)
    flags = unpack_lanes(rows, lanes)

    def value(literal: int) -> Bools:
        result: Bools = flags[literal >> 1] ^ bool(literal & 1)
        return result

    def number(literals: list[int]) -> np.ndarray:
        return sum(
            (value(own).astype(np.int64) << bit for bit, own in enumerate(literals)),
            np.zeros(lanes, np.int64),
        )

    total = legal.sum(axis=0)
    assert all(literal >> 1 < counting for literal in (*selection.total, *selection.mask))
    assert (number(selection.total) == total).all()
    assert (value(selection.some) == (total > 0)).all()
    expected = [(1 << int(max(count - 1, 0)).bit_length()) - 1 for count in total]
    assert len(selection.mask) == width
    assert (number(selection.mask) == expected).all()
    chosen = np.stack([value(literal) for literal in active])
    assert (chosen == (legal & (np.cumsum(legal, axis=0) == rank + 1))).all()
    return netlist.gate_count


@pytest.mark.parametrize("slots", range(1, 9))
def test_every_set_of_slots_and_every_rank(slots: int) -> None:
    lanes = [
        (legal, rank) for legal in range(1 << slots) for rank in range(max(legal.bit_count(), 1))
    ]
    flags = np.array([[legal >> slot & 1 == 1 for legal, _ in lanes] for slot in range(slots)])
    check(flags, np.array([rank for _, rank in lanes]))


@pytest.mark.parametrize("slots", [9, 16, 31, 45, 64, 100, 154, 500])
def test_random_sets(slots: int) -> None:
    rng = np.random.default_rng(slots)
    lanes = 256
    legal = rng.random((slots, lanes)) < rng.random(lanes)
    rank = (rng.random(lanes) * legal.sum(axis=0)).astype(np.int64)
    gates = check(legal, rank)
    assert gates < 8 * slots


MAPPED = 7


def random_netlist(seed: int, gates: int) -> Netlist:
    """Return gates of two or three inputs, most of them ANDs."""
    rng = np.random.default_rng(seed)
    inputs = np.zeros((gates, 3), np.int32)
    table = np.zeros(gates, np.uint8)
    for gate in range(gates):
        near = max(0, MAPPED + gate - 12)
        inputs[gate] = rng.integers(near, MAPPED + gate, 3)
        if rng.random() < 0.8:
            inputs[gate, 0] = 0
            table[gate] = rng.choice([0x88, 0x44, 0x22, 0x11, 0x66])
        else:
            table[gate] = rng.integers(0, 256)
    return Netlist(MAPPED, table, inputs)


def values(netlist: Netlist, literals: np.ndarray) -> np.ndarray:
    """Return the roots for all assignments of the inputs."""
    lanes = np.arange(64, dtype=np.uint64)
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    for place in range(MAPPED - 1):
        rows[1 + place, 0] = np.bitwise_or.reduce(
            (lanes >> np.uint64(place) & np.uint64(1)) << lanes
        )
    run_netlist(netlist, rows)
    result: np.ndarray = rows[literals >> 1] ^ np.where(literals & 1, ALL, np.uint64(0))[:, None]
    return result


@given(st.integers(0, 2**32), st.integers(1, 120), st.integers(1, 8))
def test_covers_are_equal(seed: int, gates: int, cuts: int) -> None:
    netlist = random_netlist(seed, gates)
    roots = np.random.default_rng(seed).integers(0, 2 * netlist.row_count, 12)
    cover = cover_netlist(netlist, roots, Effort(cuts=cuts, flow=2, exact=2))
    assert (values(cover.netlist, cover.roots) == values(netlist, roots)).all()
    assert cover.netlist.gate_count <= gates
    assert len(cover.origin) == cover.netlist.gate_count


def test_an_adder_of_ands_needs_two_gates() -> None:
    """Sum and carry of three bits, written with five gates of two inputs."""
    gates = [(0x66, 1, 2), (0x66, 7, 3), (0x88, 1, 2), (0x88, 7, 3), (0xEE, 9, 10)]
    netlist = Netlist(
        MAPPED,
        np.array([table for table, _, _ in gates], np.uint8),
        np.array([(0, a, b) for _, a, b in gates], np.int32),
    )
    cover = cover_netlist(netlist, np.array([2 * 8, 2 * 11]), Effort())
    assert cover.netlist.gate_count == 2


def test_plain_python_finds_the_same_gates() -> None:
    """With ``NUMBA_DISABLE_JIT`` the same loops run uncompiled."""
    program = (
        "from neurogame.circuit.compile import compile_rules\n"
        "from neurogame.kernels.netlist.build import build_play\n"
        "from neurogame.kernels.netlist.facts import find_facts\n"
        "from neurogame.gdl.library import load_rules\n"
        "circuit = compile_rules(load_rules('nim'))\n"
        "netlist = build_play(circuit, find_facts(circuit)).netlist\n"
        "print(netlist.table.tolist(), netlist.inputs.tolist())\n"
    )
    printed = []
    for disabled in ("0", "1"):
        done = run([sys.executable, "-c", program], env=environment(NUMBA_DISABLE_JIT=disabled))
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0]) > 100


GAMES = ["breakthrough6", "connectfour_simultaneous", "rockpaperscissors", "eightpuzzle", "hex5"]


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_small_circuits_exhaustively(seed: int, gates: int) -> None:
    circuit = named_circuit(seed, gates)
    states, moves = every_state(circuit), every_joint_move(circuit)
    ply = build_step(circuit)
    check_form(ply)
    if len(states) * len(moves) > 1 << 14:
        moves = moves[np.random.default_rng(seed).integers(0, len(moves), 200)]
    both = np.repeat(states, len(moves), axis=0), np.tile(moves, (len(states), 1))
    # In every lane of the last word, too, each role makes one move.
    lanes = np.arange(-(-len(both[0]) // 64) * 64) % len(both[0])
    check_step(circuit, ply, *(pack_lanes(part[lanes].T) for part in both))


@pytest.mark.parametrize("name", GAMES)
def test_games_on_states_reachable_or_not(name: str) -> None:
    circuit = compile_rules(load_rules(name))
    ply = build_step(circuit)
    check_form(ply)
    rng = np.random.default_rng(1)
    states = rng.random((512, len(circuit.fluents))) < rng.random((512, 1))
    moves = one_hot(circuit, random_moves(circuit, 512, rng))
    check_step(circuit, ply, pack_lanes(states.T), pack_lanes(moves.T))


def test_the_result_is_the_same_every_time() -> None:
    circuit = compile_rules(load_rules("breakthrough6"))
    one, other = build_step(circuit), build_step(circuit)
    assert (one.netlist.table == other.netlist.table).all()
    assert (one.netlist.inputs == other.netlist.inputs).all()

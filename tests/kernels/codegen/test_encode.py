"""Instructions that are written without a compiler: what the processor makes of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import Int64s, UInt64s
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.engine import compile_text, load_object
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.codegen.schedule import Step
from neurogame.kernels.codegen.step import LlvmStep
from neurogame.kernels.codegen.straight import StraightCode, loop_rows
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.kernels.netlist.ply import Ply
from neurogame.kernels.playout import PlayoutRun
from neurogame.kernels.step import GOALS, NEXT, STATUS
from tests.kernels.codegen.compiling import pretend
from tests.kernels.codegen.random_netlists import part_rows, random_play
from tests.kernels.codegen.test_playouts import expected_tally, game
from tests.kernels.netlist.plain_netlist import run_netlist
from tests.kernels.twin.slow_playout import assert_equal

pytestmark = pytest.mark.skipif(not host().encoded, reason="instructions of another processor")

_MOST_LEFT = "neurogame.kernels.codegen.straight._WHOLE"
"""Gates of a part up to which it is left to LLVM."""


KINDS_OF_CODE = [(words, True) for words in (2, 4, 8) if host().ternary]
KINDS_OF_CODE += [(words, False) for words in (2, 4)]
"""Words of a vector, and whether instructions are those of AVX-512."""


def run_steps(netlist: Netlist, steps: list[Step], cells: Int64s, *, ternary: bool) -> None:
    """Run a schedule on cells, of each row the cell of its number; int64 ``[I + G, words]``."""
    from neurogame.kernels.codegen.encode import encoded

    words = cells.shape[1]
    text = Text(words, ternary=ternary)
    text.begin("entry")
    places = np.arange(netlist.row_count) * text.bytes
    alive = 31 if ternary else 12
    code = encoded(netlist, steps, places, text.bytes, alive, ternary=ternary)
    text.machine_code("@gates", code)
    text.do("call void @gates(ptr %cells)")
    text.do("ret void")
    loaded = load_object(compile_text(text.module("void @run(ptr %cells)")))
    loaded.function("run")(cells.ctypes.data)


def run_parts(
    code: StraightCode, words: int, cells: UInt64s, *, ternary: bool
) -> dict[Part, UInt64s]:
    """Run all parts on cells, uint64 ``[cells, words]``; return the cells after each of them."""
    seen = {}
    for part in Part:
        text = Text(words, ternary=ternary)
        text.begin("entry")
        code.write(text, part, "%cells")
        text.do("ret void")
        compiled = load_object(compile_text(text.module("void @run(ptr %cells)")))
        compiled.function("run")(cells.ctypes.data)
        seen[part] = cells.copy()
    return seen


def random_cells(ply: Ply, count: int, words: int, seed: int) -> tuple[UInt64s, UInt64s]:
    """Return cells that hold a random state, and what all rows are there."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((ply.netlist.row_count, words), np.uint64)
    given_rows = rng.integers(0, 1 << 64, (ply.netlist.input_count - 1, words), np.uint64)
    rows[1 : ply.netlist.input_count] = given_rows
    cells = aligned(count * words).view(np.uint64).reshape(count, words)
    cells[:] = 0x5555
    cells[: len(ply.next)] = rows[1 : 1 + len(ply.next)]
    run_netlist(ply.netlist, rows)
    return cells, rows


@given(
    seed=st.integers(0, 1 << 32),
    gates=st.integers(1, 300),
    registers=st.integers(3, 31),
    kind=st.sampled_from(KINDS_OF_CODE),
)
def test_cells_hold_what_the_netlist_computes(
    seed: int, gates: int, registers: int, kind: tuple[int, bool]
) -> None:
    words, ternary = kind
    ply = random_play(seed, gates)
    pinned = loop_rows(ply)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_MOST_LEFT, 1)
        code = StraightCode(ply, 26, pinned, encoded=registers if ternary else min(registers, 12))
    cells, rows = random_cells(ply, code.cell_count, words, seed)
    for row in (*ply.choices[0].rank.tolist(), ply.reset):
        cells[code.cell[row]] = rows[row]
    fluents = set(range(1, 1 + len(ply.next)))
    for part, seen in run_parts(code, words, cells, ternary=ternary).items():
        for row in (pinned & part_rows(ply, part)) - fluents:
            np.testing.assert_array_equal(seen[code.cell[row]], rows[row])
    np.testing.assert_array_equal(cells[: len(ply.next)], rows[ply.next])


@pytest.mark.parametrize(("words", "ternary"), KINDS_OF_CODE)
def test_every_truth_table_of_inputs_in_registers_and_in_memory(words: int, ternary: bool) -> None:
    """Each table with inputs that are read once or again, alike or not, from far away or not."""
    rng = np.random.default_rng(words)
    inputs = 300
    gates = [(table, rng.integers(0, inputs, 3)) for table in range(256) for _ in range(4)]
    gates += [(table, np.array([a, b, c])) for table in range(256) for a, b, c in ((7, 7, 9),)]
    netlist = Netlist(
        inputs,
        np.array([table for table, _ in gates], np.uint8),
        np.array([rows for _, rows in gates], np.int32),
    )
    steps: list[Step] = []
    for gate, (_, rows) in enumerate(gates):
        steps += [("load", row) for row in sorted(set(rows.tolist()) - {0})]
        steps += [("gate", gate), ("store", inputs + gate)]
    cells = aligned(netlist.row_count * words).reshape(-1, words)
    cells[1:inputs] = rng.integers(-(1 << 63), 1 << 63, (inputs - 1, words), np.int64)
    expected = cells.view(np.uint64).copy()
    run_netlist(netlist, expected)
    run_steps(netlist, steps, cells, ternary=ternary)
    np.testing.assert_array_equal(cells.view(np.uint64), expected)


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("name", ["odd", "connectfour"])
def test_the_same_games(name: str, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not wide:
        pretend(monkeypatch, 4, encoded=12)
    monkeypatch.setattr(_MOST_LEFT, 1)
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    player = LlvmPlayouts(game(name).circuit, "straight")
    for plan in (
        PlayoutRun(seed=3, lanes=700, games=1000, max_plies=100, lengths=True, moves=True),
        PlayoutRun(seed=4, lanes=65, steps=50, max_plies=7, lengths=True),
    ):
        assert_equal(player.run(plan), expected_tally(name, plan))


def test_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_MOST_LEFT, 1)
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    circuit = game("connectfour").circuit
    rng = np.random.default_rng(5)
    fluents = torch.from_numpy(rng.integers(-(1 << 63), 1 << 63, (len(circuit.fluents), 3)))
    does = torch.from_numpy(rng.integers(-(1 << 63), 1 << 63, (circuit.move_count, 3)))
    ours = LlvmStep(circuit, "straight").run(fluents, [STATUS, GOALS, NEXT], does)
    theirs = LlvmStep(circuit, "table").run(fluents, [STATUS, GOALS, NEXT], does)
    for one, other in zip(ours, theirs, strict=True):
        assert torch.equal(one, other)

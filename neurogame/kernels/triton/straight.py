"""A kernel for one game: its gates as straight-line source, values in registers.

Triton compiles functions from source files only, so the source is written to the cache folder,
under a name that is its hash, and imported from there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import final

from neurogame.circuit.cache import cache_folder
from neurogame.circuit.netlist.ply import Choice, Ply, Section
from neurogame.kernels.llvm.expressions import expression
from neurogame.kernels.random_words import ATTEMPT_FIELD, ROLE_FIELD, plane_factor, signed
from neurogame.kernels.triton.ptx import Fragment

_HEAD = '''"""Random playouts of one game, generated."""

import triton
import triton.language as tl

from neurogame.kernels.triton.tally import (
    add_ones, at_limit, count_endings, count_lengths, grow_ages, take_game,
)
from neurogame.kernels.triton.words import any_set, count_ones, random_plane, random_source
'''
_ARGUMENTS = """

@triton.jit(do_not_specialize=["blocks", "first_step", "steps", "planes", "left_planes", "limit"])
def play(
    state, ends, bases, active, left, ages, counts, lengths, flags, made,
    scratch, layout, code, factors,
    blocks, first_step, steps, planes, left_planes, limit,
    RESTART: tl.constexpr, ENDLESS: tl.constexpr, LENGTHS: tl.constexpr, MOVES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    stride = blocks.to(tl.int64) * BLOCK
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    base = tl.load(bases + at)
    lanes = tl.load(active + at)
    zero = tl.zeros((BLOCK,), tl.int64)
    played = zero
    index = 0
"""
_OVER = """\
terminal = {terminal} & lanes
stuck = {stuck} & lanes
cut = at_limit(ages + at, stride, planes, limit) & lanes & ~terminal & ~stuck
over = terminal | stuck | cut
playing = lanes & ~over
"""
_COUNT = """\
count_endings(counts + at, stride, terminal, stuck, cut, {several})
if LENGTHS:
    count_lengths(lengths, ages + at, stride, planes, over)
"""
_AFTER = """\
grow_ages(ages + at, stride, planes, playing, over, RESTART)
if ENDLESS:
    lanes = playing | over
else:
    lanes = playing | take_game(left + at, stride, left_planes, over)
played += count_ones(playing)
"""
_TAIL = """\
tl.store(active + at, lanes)
tl.store(counts + 4 * stride + at, tl.load(counts + 4 * stride + at) + played)
"""


def straight_source(ply: Ply, *, ptx: bool) -> str:
    """Return a module with the kernel of a play netlist; its arguments are those of the table's.

    It does not count moves: reading and writing hundreds of rows would make compiling it slow.

    Args:
        ply: a play netlist.
        ptx: whether gates are inline assembly (for NVIDIA's GPUs) or plain expressions.
    """
    kernel = _Kernel(ply, ptx)
    body = "".join(f"    {line}\n" for line in kernel.body())
    return "\n".join([_HEAD, *kernel.constants, _ARGUMENTS]) + body


def straight_module(source: str) -> ModuleType:
    """Return the imported module of a generated source."""
    name = f"neurogame_triton_{hashlib.sha256(source.encode()).hexdigest()[:32]}"
    if name in sys.modules:
        return sys.modules[name]
    folder = cache_folder() or Path(tempfile.mkdtemp(prefix="neurogame-"))
    path = folder / "triton" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(source)
    os.replace(temporary, path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def formula(table: int, a: str, b: str, c: str) -> str:
    """Return an expression of a truth table of three inputs in ``&``, ``|``, ``^`` and ``~``."""
    texts = {0: "zero", 255: "~zero", 0xF0: a, 0xCC: b, 0xAA: c}
    signs = {"and": "&", "or": "|", "xor": "^"}
    for result, operation, left, right in expression(table):
        if operation == "xor" and 255 in (left, right):
            texts[result] = f"~{texts[left if right == 255 else right]}"
        else:
            texts[result] = f"({texts[left]} {signs[operation]} {texts[right]})"
    return texts[table]


@final
class _Kernel:
    """Statements of the kernel of one game.

    Attributes:
        constants: statements that must stand before the kernel; complete after :meth:`body`.
    """

    def __init__(self, ply: Ply, ptx: bool) -> None:
        self.ply, self.ptx = ply, ptx
        self.goals = ply.goals.tolist()
        self.fluents = ply.fluent_rows.tolist()
        self.constants: list[str] = []
        self._kept = {ply.terminal, ply.stuck, ply.several, *self.goals}
        self._kept.update(ply.next.tolist())
        for choice in ply.choices:
            self._kept.update((choice.some, *choice.total.tolist(), *choice.mask.tolist()))

    def body(self) -> Iterator[str]:
        """Yield the statements, from the states to the states."""
        for row in self.fluents:
            yield f"{self._name(row)} = tl.load(state + {row - 1} * stride + at)"
        yield "while (index < steps) & any_set(lanes):"
        yield from _indented(self._step())
        for row in self.fluents:
            yield f"tl.store(state + {row - 1} * stride + at, {self._name(row)})"
        yield from _TAIL.splitlines()

    def _step(self) -> Iterator[str]:
        """Yield the statements of one step."""
        ply = self.ply
        yield "step = (first_step + index).to(tl.int64)"
        yield from self._gates(Section.STATUS, Section.COUNT)
        names = {"terminal": self._name(ply.terminal), "stuck": self._name(ply.stuck)}
        yield from _OVER.format(**names).splitlines()
        yield "if any_set(over):"
        yield from _indented(self._endings())
        yield from _AFTER.splitlines()
        for number, choice in enumerate(ply.choices):
            yield from self._draw(number, choice)
        yield from self._gates(Section.DESCEND, Section.NEXT)
        changed = [(old, row) for old, row in enumerate(ply.next.tolist(), 1) if row != old]
        for old, row in changed:
            yield f"n{old} = {self._name(row)}"
        for old, _ in changed:
            yield f"{self._name(old)} = n{old}"
        yield "index += 1"

    def _endings(self) -> Iterator[str]:
        """Yield the statements that count the games that are over."""
        yield from self._gates(Section.GOALS)
        yield from _COUNT.format(several=self._name(self.ply.several)).splitlines()
        for number, row in enumerate(self.goals):
            yield f"add_ones(counts + {5 + number} * stride + at, {self._name(row)} & over)"
        yield "if not RESTART:"
        for row in self.fluents:
            end = f"ends + {row - 1} * stride + at"
            now = f"({self._name(row)} & over)"
            yield f"    tl.store({end}, (tl.load({end}) & ~over) | {now})"

    def _draw(self, number: int, choice: Choice) -> Iterator[str]:
        """Yield the statements that draw a rank by masked rejection; see ``uniform_below``."""
        ranks = [self._name(row) for row in choice.rank.tolist()]
        masks = [self._name(row) for row in choice.mask.tolist()]
        totals = [self._name(row) for row in choice.total.tolist()]
        drawn = [f"d{number}_{bit}" for bit in range(len(ranks))]
        yield f"missing = {self._name(choice.some)} & playing"
        yield from (f"{rank} = zero" for rank in ranks)
        role_shift, attempt_shift = ROLE_FIELD + ATTEMPT_FIELD, ATTEMPT_FIELD
        yield f"counter = (step << {role_shift}) + {choice.stream << attempt_shift}"
        yield "while any_set(missing):"
        yield "    below = zero"
        yield "    source = random_source(base, counter)"
        for bit, mask in enumerate(masks):
            factor, total = signed(plane_factor(bit)), totals[bit] if bit < len(totals) else "zero"
            yield f"    {drawn[bit]} = random_plane(source, {factor}) & {mask}"
            yield f"    below = (~{drawn[bit]} & {total}) | (below & ~({drawn[bit]} ^ {total}))"
        yield from (f"    below |= {total}" for total in totals[len(masks) :])
        yield "    take = below & missing"
        for rank, word in zip(ranks, drawn, strict=True):
            yield f"    {rank} |= {word} & take"
        yield "    missing &= ~take"
        yield "    counter += 1"

    def _gates(self, *sections: Section) -> Iterator[str]:
        """Yield the statements of the gates of sections that run one after another."""
        netlist = self.ply.netlist
        gates = [gate for section in sections for gate in self.ply.gates(section)]
        if self.ptx:
            yield from self._assembly(gates)
            return
        for gate in gates:
            inputs = [self._name(row) for row in netlist.inputs[gate].tolist()]
            value = formula(int(netlist.table[gate]), *inputs)
            yield f"{self._name(netlist.input_count + gate)} = {value}"

    def _assembly(self, gates: list[int]) -> Iterator[str]:
        """Yield the statement that computes gates by one piece of assembly."""
        netlist = self.ply.netlist
        others = sorted(set(range(netlist.gate_count)).difference(gates))
        wanted = {*self._kept, *netlist.inputs[others].ravel().tolist()}
        fragment = Fragment(netlist, gates, wanted)
        if not fragment.outputs:
            return
        number = len(self.constants) // 2
        self.constants.append(f"_GATES_{number} = tl.constexpr({fragment.text!r})")
        self.constants.append(f"_KINDS_{number} = tl.constexpr({fragment.constraints!r})")
        results = ", ".join(self._name(row) for row in fragment.outputs)
        operands = ", ".join(self._name(row) for row in fragment.inputs)
        kinds = ", ".join(["tl.int64"] * len(fragment.outputs))
        kind = f"({kinds})" if len(fragment.outputs) > 1 else kinds
        yield f"{results} = tl.inline_asm_elementwise("
        yield f"    _GATES_{number}, _KINDS_{number}, [{operands}],"
        yield f"    dtype={kind}, is_pure=True, pack=1,"
        yield ")"

    def _name(self, row: int) -> str:
        """Return the variable of a row."""
        if row == 0:
            return "zero"
        if row == self.ply.reset:
            return "over"
        return f"s{row}" if row <= len(self.fluents) else f"g{row}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)

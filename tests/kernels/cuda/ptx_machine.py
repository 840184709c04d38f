"""A slow machine that runs PTX, thread by thread, written from NVIDIA's description of it.

Only the instructions that the generator's code consists of are there; any other one is an error.
Global memory is the process's own. *Reference:* NVIDIA, "Parallel Thread Execution ISA", 7.8.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

LOCAL = 1 << 50
"""Where a thread's own memory lies among generic addresses."""

PARAMETERS = 1 << 51

_BITS = (1 << 64) - 1


@dataclass
class Thread:
    """One thread: its registers in the function that runs, and its memory."""

    registers: dict[str, int]
    parameters: bytes
    local: bytearray = field(default_factory=lambda: bytearray(1 << 16))
    passed: dict[str, int] = field(default_factory=dict)


Value: TypeAlias = Callable[[Thread], int]
Action: TypeAlias = Callable[[Thread], str | None]
"""Runs one instruction; returns the label to go on at, if it is not the next instruction."""


@dataclass
class Function:
    """Instructions, and where the labels are."""

    actions: list[Action]
    labels: dict[str, int]


def signed(value: int, bits: int) -> int:
    """Return a register's bits as a number with a sign."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class PtxMachine:
    """A module, ready to run."""

    def __init__(self, ptx: str) -> None:
        """Read a module."""
        ptx = re.sub(r"//.*", "", ptx)
        assert re.search(r"^\.target sm_\d+$", ptx, flags=re.MULTILINE)
        pattern = r"\.(?:entry|func) (\w+)\((.*?)\)\s*\{\n(.*?)^\}"
        found = re.findall(pattern, ptx, flags=re.MULTILINE | re.DOTALL)
        self.functions = {name: self._read(body) for name, _, body in found}

    def run(self, name: str, parameters: bytes, place: tuple[int, int, int]) -> None:
        """Run one thread of a kernel.

        Args:
            name: the kernel.
            parameters: the bytes of its one parameter.
            place: ``tid.x``, ``ntid.x`` and ``ctaid.x``.
        """
        names = ("%tid.x", "%ntid.x", "%ctaid.x")
        self._call(name, Thread(dict(zip(names, place, strict=True)), parameters))

    def _call(self, name: str, thread: Thread) -> None:
        function = self.functions[name]
        at = 0
        while at < len(function.actions):
            label = function.actions[at](thread)
            at = at + 1 if label is None else function.labels[label]

    def _read(self, body: str) -> Function:
        found = Function([], {})
        for statement in re.sub(r"^[{}]", "", body, flags=re.MULTILINE).split("\n"):
            line = statement.strip().strip("{}").strip() if "callseq" in statement else statement
            line = line.strip().rstrip(";")
            if line.startswith("$") and line.endswith(":"):
                found.labels[line[:-1]] = len(found.actions)
            elif line and line not in "{}" and not line.startswith((".reg", ".param", ".local")):
                found.actions.append(self._action(line))
        found.labels["return"] = len(found.actions)
        return found

    def _action(self, line: str) -> Action:
        """Return what an instruction does."""
        if line.startswith("@"):
            guard, rest = line[1:].split(maxsplit=1)
            name = guard.lstrip("!")
            wanted, inner = not guard.startswith("!"), self._action(rest)
            return lambda thread: inner(thread) if bool(thread.registers[name]) == wanted else None
        operation, rest = (*line.split(maxsplit=1), "")[:2]
        parts = operation.split(".")
        operands = re.findall(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s]+", rest)
        if parts[0] == "bra":
            return lambda thread: operands[0]
        if parts[0] == "ret":
            return lambda thread: "return"
        if parts[0] == "call":
            return lambda thread: self._piece(operands[0], thread)
        if parts[0] in ("ld", "st", "atom"):
            return _memory(parts, operands)
        if operands[0].startswith("{"):
            return _unpack(operands)
        return _arithmetic(parts, operands)

    def _piece(self, name: str, thread: Thread) -> None:
        """Call another function, with the one parameter that has been stored."""
        outer = thread.registers
        special = {key: value for key, value in outer.items() if "." in key}
        thread.registers = special | {f"{name}_param_0": thread.passed["param0"]}
        self._call(name, thread)
        thread.registers = outer


def _value(operand: str) -> Value:
    """Return how an operand is read."""
    if re.fullmatch(r"-?(0x)?[0-9A-Fa-f]+", operand):
        number = int(operand, 0)
        return lambda thread: number
    if operand.startswith("%"):
        return lambda thread: thread.registers[operand]
    if operand.startswith("__local"):
        return lambda thread: 0
    assert operand == "play_param_0", operand
    return lambda thread: PARAMETERS


def _memory(parts: list[str], operands: list[str]) -> Action:
    """Return what a load, a store or an atomic addition does."""
    kind, space = parts[0], parts[1]
    bits = int(parts[-1][1:])
    place = next(operand for operand in operands if operand.startswith("["))[1:-1]
    base, _, offset = place.partition("+")
    distance = int(offset or 0)
    others = [operand for operand in operands if not operand.startswith("[")]
    words = others[0].strip("{}").replace(" ", "").split(",") if kind != "atom" else others
    if space == "param" and kind == "st":
        value = _value(words[0])
        return lambda thread: thread.passed.__setitem__(base, value(thread))
    if space == "param" and base != "play_param_0" and not base.startswith("%"):
        return lambda thread: thread.registers.__setitem__(words[0], thread.registers[base])
    address = _value(base)

    def run(thread: Thread) -> None:
        first = address(thread) + distance + (LOCAL if space == "local" else 0)
        if kind == "atom":
            old = _read(thread, first, bits)
            change = _value(words[1])(thread)
            new = {"add": old + change, "or": old | change}[parts[2]]
            thread.registers[words[0]] = old
            _write(thread, first, bits, new)
            return
        for index, word in enumerate(words):
            at = first + index * bits // 8
            assert at % (bits // 8) == 0
            if kind == "ld":
                found = _read(thread, at, bits)
                thread.registers[word] = (
                    signed(found, bits) & _BITS if parts[-1][0] == "s" else found
                )
            else:
                _write(thread, at, bits, _value(word)(thread))

    return run


def _read(thread: Thread, address: int, bits: int) -> int:
    size = bits // 8
    if address >= PARAMETERS:
        begin = address - PARAMETERS
        return int.from_bytes(thread.parameters[begin : begin + size], "little")
    if address >= LOCAL:
        begin = address - LOCAL
        return int.from_bytes(thread.local[begin : begin + size], "little")
    return int.from_bytes(ctypes.string_at(address, size), "little")


def _write(thread: Thread, address: int, bits: int, value: int) -> None:
    size = bits // 8
    data = (value & ((1 << bits) - 1)).to_bytes(size, "little")
    assert address < PARAMETERS
    if address >= LOCAL:
        begin = address - LOCAL
        thread.local[begin : begin + size] = data
    else:
        ctypes.memmove(address, data, size)


def _unpack(operands: list[str]) -> Action:
    """Return ``mov.b64 {low, high}, word``."""
    names = operands[0].strip("{}").replace(" ", "").split(",")
    source = _value(operands[1])

    def run(thread: Thread) -> None:
        for index, name in enumerate(names):
            thread.registers[name] = source(thread) >> 32 * index & 0xFFFFFFFF

    return run


def _arithmetic(parts: list[str], operands: list[str]) -> Action:
    """Return what an instruction on registers does."""
    target = operands[0]
    if operands[-1].startswith("{"):
        halves = [_value(name) for name in operands[-1].strip("{}").replace(" ", "").split(",")]
        return lambda thread: thread.registers.__setitem__(
            target, halves[0](thread) | halves[1](thread) << 32
        )
    bits = 1 if parts[-1] == "pred" else int(parts[-1][1:])
    kind = parts[-1][0]
    values = [_value(operand) for operand in operands[1:]]
    mask = (1 << bits) - 1
    compute = _OPERATIONS[".".join(parts[:-1]) if parts[0] != "cvt" else "cvt"]
    result = 2 * bits if parts[:2] == ["mul", "wide"] else bits
    if parts[0] == "cvt":
        result = int(parts[-2][1:])
    if parts[0] == "setp":
        result = 1

    def run(thread: Thread) -> None:
        given = [value(thread) & mask for value in values[:-1]]
        last = values[-1](thread)
        given.append(last if parts[0] == "selp" else last & mask)
        if kind == "s":
            given = [signed(value, bits) for value in given]
        thread.registers[target] = compute(bits, *given) & ((1 << result) - 1)

    return run


def _shift_right(bits: int, value: int, by: int) -> int:
    return value >> min(by, bits)


_OPERATIONS: dict[str, Callable[..., int]] = {
    "mov": lambda bits, a: a,
    "cvt": lambda bits, a: a,
    "cvta.to.local": lambda bits, a: a - LOCAL,
    "cvta.local": lambda bits, a: a + LOCAL,
    "add": lambda bits, a, b: a + b,
    "sub": lambda bits, a, b: a - b,
    "neg": lambda bits, a: -a,
    "mul.lo": lambda bits, a, b: a * b,
    "mul.wide": lambda bits, a, b: a * b,
    "mad.lo": lambda bits, a, b, c: a * b + c,
    "rem": lambda bits, a, b: a % b,
    "and": lambda bits, a, b: a & b,
    "or": lambda bits, a, b: a | b,
    "xor": lambda bits, a, b: a ^ b,
    "not": lambda bits, a: ~a,
    "shl": lambda bits, a, b: a << min(b, bits),
    "shr": _shift_right,
    "bfe": lambda bits, a, begin, size: signed(a >> begin & ((1 << size) - 1), size),
    "popc": lambda bits, a: a.bit_count(),
    "clz": lambda bits, a: bits - a.bit_length(),
    "brev": lambda bits, a: int(f"{a:0{bits}b}"[::-1], 2),
    "selp": lambda bits, a, b, chosen: a if chosen else b,
    "setp.eq": lambda bits, a, b: int(a == b),
    "setp.ne": lambda bits, a, b: int(a != b),
    "setp.lt": lambda bits, a, b: int(a < b),
    "setp.le": lambda bits, a, b: int(a <= b),
    "setp.gt": lambda bits, a, b: int(a > b),
    "setp.ge": lambda bits, a, b: int(a >= b),
}

"""Machine code of gates for x86-64 with AVX-512 or AVX2, written without a compiler.

A schedule (:mod:`~neurogame.kernels.codegen.schedule`) has decided on order, registers and memory,
and a gate is one instruction, or with AVX2 one to five of two inputs. What is left is to write
these down; LLVM takes a second for 5,000 gates.

Instructions are encoded as in Intel's *Software Developer's Manual*, volume 2A, sections 2.3 (VEX,
for AVX2) and 2.7 (EVEX, for AVX-512).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from neurogame.array_types import Bools1, Int32s2, Int64s1, UInt8s, UInt8s1
from neurogame.kernels.codegen.expressions import SOURCES, expression
from neurogame.kernels.codegen.schedule import Step
from neurogame.kernels.codegen.schedule_loops import KINDS, LOAD, STORE, rows_of
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.native.bits import whole
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

_PARTS, _ONES = (13, 14), 15
"""With AVX2 the registers of what a gate needs while it is computed, and of ones; those below hold
values."""

_LONGEST = 3 * 12
"""Bytes of a step at most: a gate that copies an input, and loads another one; or one of five
operations in registers, or as many and a load, which is a step of its own."""
_NOWHERE, _IN_MEMORY = -1, -2

# Operations: the opcode, above it the mandatory prefix, above that the opcode's map.
_READ, _WRITE = 0x1_2_6F, 0x1_2_7F
_AND, _AND_NOT, _OR, _XOR = 0x1_1_DB, 0x1_1_DF, 0x1_1_EB, 0x1_1_EF
_EQUAL = 0x1_1_76
_OPERATIONS = {"and": _AND, "and not": _AND_NOT, "or": _OR, "xor": _XOR}
_MOST = 5
"""Operations of two inputs of a gate, at most."""
_TERNARY = 0x3_1_25
_CLEAN, _RETURN = 0x77F8C5, 0xC3
"""What ends a function: the upper parts of vectors are cleared, for code of narrower ones."""


class Encoding(Struct):
    """Instructions, and where values are while they are written.

    Attributes:
        code: the instructions, uint8 ``[N]``.
        length: bytes that are written.
        size: bytes of a vector: 16, 32 or 64.
        programs: of each truth table the operations of two inputs that compute it, four numbers
            each, see :func:`_programs`; int64 ``[P]``; empty: gates are instructions of AVX-512.
        operands: where the operands of these are: four of the gate at hand, then each register by
            its number; int64 ``[16]``.
        registers: of each row; below 0: none; int64 ``[I + G]``.
        places: bytes from the first cell to that of a row; int64 ``[I + G]``.
        free: registers that hold nothing, a ring: what was freed long ago is taken first.
        taken: how many have been taken from the ring.
        freed: how many have been put into it.
    """

    code: UInt8s1
    length: int = 0
    size: int
    programs: Int64s1
    operands: Int64s1
    registers: Int64s1
    places: Int64s1
    free: Int64s1
    taken: int = 0
    freed: int = 0


def encoded(
    netlist: Netlist, steps: list[Step], places: Int64s1, size: int, alive: int, *, ternary: bool
) -> UInt8s:
    """Return the instructions of a schedule, as a function of a pointer to the cells.

    Args:
        netlist: the gates.
        steps: the schedule.
        places: bytes from the first cell to that of a row, where it has one; int64 ``[I + G]``.
        size: bytes of a vector: 16, 32 or 64.
        alive: values that are in registers between two gates, at most; 3 to 31, with AVX2 to 12.
        ternary: whether the instructions are those of AVX-512, else of AVX2, of two inputs each.

    Returns:
        Machine code that reads its pointer from RDI, uint8.
    """
    encoding = Encoding(
        code=np.empty(_LONGEST * (1 + len(steps)), np.uint8),
        size=size,
        programs=np.empty(0, np.int64) if ternary else _programs(),
        operands=np.arange(_ONES + 1),
        registers=np.full(netlist.row_count, _NOWHERE, np.int64),
        places=places,
        free=np.arange(alive + 1),
        freed=alive + 1,
    )
    kinds = np.array([KINDS[kind] for kind, _ in steps], np.uint8)
    numbers = np.array([number for _, number in steps], np.int64)
    encode(encoding, kinds, numbers, netlist.input_count, netlist.inputs, netlist.table)
    return encoding.code[: encoding.length]


@lru_cache(maxsize=1)
def _programs() -> Int64s1:
    """Return the operations of each truth table, of functions of two inputs.

    Returns:
        Of each operation what it is, where the result goes and where the operands are: 0 to 2 the
        inputs, 3 the result of the gate, from 13 on registers; after the last of a table 0. Room
        for six; int64 ``[256 * 24]``.
    """
    programs = np.zeros((256, _MOST + 1, 4), np.int64)
    for table in range(256):
        operations = expression(table)
        if not operations:
            # An input or a constant as it is.
            operations = ((table, "or", table, table),)
        last = {one: at for at, (_, _, *operands) in enumerate(operations) for one in operands}
        places = {source: place for place, source in enumerate(SOURCES)} | {255: _ONES}
        free = list(_PARTS)
        for at, (result, operation, left, right) in enumerate(operations):
            if table == 0:
                operation, left, right = "xor", 255, 255
            # Only the second operand may be in memory, and the third input may.
            elif left == SOURCES[2] and operation != "and not":
                left, right = right, left
            operands = places[left], places[right]
            free += [place for one, place in places.items() if place in _PARTS and last[one] == at]
            places[result] = 3 if at == len(operations) - 1 else free.pop()
            programs[table, at] = _OPERATIONS[operation], places[result], *operands
    return programs.ravel()


@compiled(arrays=True)
def encode(
    encoding: Encoding,
    kinds: UInt8s1,
    numbers: Int64s1,
    first: int,
    inputs: Int32s2,
    tables: UInt8s1,
) -> None:
    """Write the instructions of a schedule.

    Args:
        encoding: empty.
        kinds: of the steps, see ``KINDS``; uint8 ``[S]``.
        numbers: the row that is loaded or stored, or the gate; int64 ``[S]``.
        first: number of input rows, ``I``.
        inputs: of the gates; int32 ``[G, 3]``.
        tables: of the gates; uint8 ``[G]``.
    """
    registers, ends = encoding.registers, np.empty(len(kinds), np.uint8)
    rows, loaded = np.empty(3, np.int64), 0
    _find_ends(kinds, numbers, first, inputs, ends, np.zeros(len(registers), np.bool_), rows)
    if len(encoding.programs) > 0:
        _write(encoding, _EQUAL, _ONES, _ONES, _ONES)
    for step in range(len(kinds)):
        number = numbers[step]
        if kinds[step] == LOAD:
            registers[number] = _IN_MEMORY
            loaded += 1
        elif kinds[step] == STORE:
            # It may be stored where that lies which the next gate reads.
            for before in range(step - loaded, step):
                _read(encoding, numbers[before])
            loaded = 0
            place = whole(encoding.places[number])
            _write(encoding, _WRITE, whole(registers[number]), 0, ~place)
            if ends[step]:
                _give_back(encoding, number)
        else:
            loaded, last = 0, ends[step] & 7
            registers[first + number] = _write_gate(
                encoding, inputs, whole(number), whole(tables[number]), last, rows
            )
            if ends[step] >> 3:
                _give_back(encoding, first + number)
    for byte in range(3):
        _append(encoding, _CLEAN >> 8 * byte & 255)
    _append(encoding, _RETURN)


@inner
def _find_ends(
    kinds: UInt8s1,
    numbers: Int64s1,
    first: int,
    inputs: Int32s2,
    ends: UInt8s1,
    used: Bools1,
    rows: Int64s1,
) -> None:
    """Note what is not used again before it is loaded.

    Args:
        kinds: of the steps.
        numbers: of the steps.
        first: number of input rows.
        inputs: of the gates.
        ends: is filled: bit 0 of a store; of a gate bits 0 to 2 for its different inputs, bit 3
            for its result; uint8 ``[S]``.
        used: cleared, for each row.
        rows: room for three.
    """
    for step in range(len(kinds) - 1, -1, -1):
        number, ends[step] = numbers[step], 0
        if kinds[step] == LOAD:
            used[number] = False
        elif kinds[step] == STORE:
            ends[step] = 0 if used[number] else 1
            used[number] = True
        else:
            ends[step] = 0 if used[first + number] else 8
            used[first + number] = False
            for place in range(rows_of(inputs, number, rows)):
                if not used[rows[place]]:
                    ends[step] |= 1 << place
                used[rows[place]] = True


@inner
def _write_gate(
    encoding: Encoding, inputs: Int32s2, gate: int, table: int, last: int, rows: Int64s1
) -> int:
    """Write a gate.

    Args:
        encoding: the instructions.
        inputs: of all gates.
        gate: which.
        table: what it computes of its inputs.
        last: bits of its different inputs that are not used again.
        rows: room for these.

    Returns:
        The register of its result.
    """
    count = rows_of(inputs, gate, rows)
    registers = encoding.registers
    # One input may stay in memory, if it is not needed again: it is the last operand.
    memory, target = -1, -1
    for place in range(count):
        if registers[rows[place]] == _IN_MEMORY and last >> place & 1:
            memory = place
    for place in range(count):
        if place != memory:
            if registers[rows[place]] == _IN_MEMORY:
                _read(encoding, rows[place])
            if target < 0 and last >> place & 1:
                target = place
    ternary = len(encoding.programs) == 0
    if ternary and count == 3 and target < 0 and memory >= 0:
        _read(encoding, rows[memory])
        target, memory = memory, -1
    # The result takes the place of an input that is not needed again.
    result = whole(registers[rows[target]]) if target >= 0 else _take(encoding)
    # Which rows the operands are; none: an operand does not matter, and may be any register.
    first, second, third = -1, -1, -1
    place = memory if memory >= 0 else count - 1
    if count == 3:
        # The first operand of three is the register that is written.
        begin = target if target >= 0 else (memory + 1) % 3
        place = memory if memory >= 0 else (begin + 2) % 3
        first, second = whole(rows[begin]), whole(rows[3 - begin - place])
        if ternary and target < 0:
            _write(encoding, _READ, result, 0, whole(registers[first]))
    elif count == 2:
        second = whole(rows[1 - place])
    if count > 0:
        third = whole(rows[place])
    table = _table_of(table, inputs, gate, first, second, third)
    if memory >= 0 and not ternary and _is_first(encoding.programs, table):
        _read(encoding, third)
        memory = -1
    begin = whole(registers[first]) if first >= 0 else result
    middle = whole(registers[second]) if second >= 0 else result
    end = whole(registers[third]) if third >= 0 else result
    if memory >= 0:
        end = ~whole(encoding.places[third])
    if ternary:
        _operate(encoding, table, count, result, middle, end)
    else:
        _run_program(encoding, table, result, begin, middle, end)
    for place in range(count):
        if last >> place & 1:
            if place == target:
                registers[rows[place]] = _NOWHERE
            else:
                _give_back(encoding, rows[place])
    return result


@inner
def _table_of(table: int, inputs: Int32s2, gate: int, first: int, second: int, third: int) -> int:
    """Return the truth table of a gate as a function of its operands.

    Args:
        table: as a function of its inputs.
        inputs: of all gates.
        gate: which.
        first: row that is the first operand, -1 for none.
        second: likewise.
        third: likewise.
    """
    result = 0
    for minterm in range(8):
        source = 0
        for place in range(3):
            row, value = inputs[gate, place], 0
            if row == first:
                value = minterm >> 2 & 1
            elif row == second:
                value = minterm >> 1 & 1
            elif row == third:
                value = minterm & 1
            source |= value << (2 - place)
        result |= (table >> source & 1) << minterm
    return result


@inner
def _operate(
    encoding: Encoding, table: int, count: int, result: int, second: int, third: int
) -> None:
    """Write the operation of a gate whose operands are where they are read."""
    operation = _TERNARY
    if count == 2:
        # Only these do not read what they write.
        if table == 0x88:
            operation = _AND
        elif table == 0x22:
            operation = _AND_NOT
        elif table == 0xEE:
            operation = _OR
        elif table == 0x66:
            operation = _XOR
    _write(encoding, operation, result, second, third)
    if operation == _TERNARY:
        _append(encoding, table)


@inner
def _is_first(programs: Int64s1, table: int) -> bool:
    """Return whether an operation of a table has the third input as its first operand."""
    at = 4 * (_MOST + 1) * table
    while programs[at] > 0:
        if programs[at + 2] == 2:
            return True
        at += 4
    return False


@inner
def _run_program(
    encoding: Encoding, table: int, result: int, first: int, second: int, third: int
) -> None:
    """Write a gate as operations of two inputs."""
    programs, operands, at = encoding.programs, encoding.operands, 4 * (_MOST + 1) * table
    operands[0], operands[1], operands[2], operands[3] = first, second, third, result
    while programs[at] > 0:
        target, left = whole(operands[programs[at + 1]]), whole(operands[programs[at + 2]])
        right = whole(operands[programs[at + 3]])
        _write(encoding, whole(programs[at]), target, left, right)
        at += 4


@inner
def _take(encoding: Encoding) -> int:
    """Return a register that holds nothing."""
    encoding.taken += 1
    return whole(encoding.free[(encoding.taken - 1) % len(encoding.free)])


@inner
def _give_back(encoding: Encoding, row: int) -> None:
    """Free the register of a row, if it has one."""
    if encoding.registers[row] >= 0:
        encoding.free[encoding.freed % len(encoding.free)] = encoding.registers[row]
        encoding.freed += 1
    encoding.registers[row] = _NOWHERE


@inner
def _read(encoding: Encoding, row: int) -> None:
    """Load a row."""
    encoding.registers[row] = _take(encoding)
    place = whole(encoding.places[row])
    _write(encoding, _READ, whole(encoding.registers[row]), 0, ~place)


@inner
def _write(encoding: Encoding, operation: int, target: int, second: int, third: int) -> None:
    """Write an instruction, all but the truth table of a gate of three inputs.

    Args:
        encoding: the instructions.
        operation: see above.
        target: register that is written; that is stored by a store.
        second: register that is the second operand; 0 where there is none.
        third: register that is the third operand, or the complement of a place in memory.
    """
    if len(encoding.programs) > 0:
        _write_short(encoding, operation, target, second, third)
        return
    # Of registers the bits 3 and 4 stand in the prefix, as complements.
    extended = (~third >> 3 & 3 if third >= 0 else 3) << 5
    extended |= (~target >> 3 & 1) << 7 | (~target >> 4 & 1) << 4
    _append(encoding, 0x62)
    _append(encoding, extended | operation >> 12)
    _append(encoding, 0x84 | (~second & 15) << 3 | operation >> 8 & 15)
    _append(encoding, encoding.size >> 5 << 5 | (~second >> 4 & 1) << 3)
    _append(encoding, operation & 255)
    _write_operands(encoding, target, third, encoding.size)


@inner
def _write_short(encoding: Encoding, operation: int, target: int, second: int, third: int) -> None:
    """Write an instruction of AVX2; see :func:`_write`."""
    prefix = (~second & 15) << 3 | encoding.size >> 5 << 2 | operation >> 8 & 15
    if third < 8:
        _append(encoding, 0xC5)
        _append(encoding, (~target >> 3 & 1) << 7 | prefix)
    else:
        _append(encoding, 0xC4)
        _append(encoding, (~target >> 3 & 1) << 7 | 0x41)
        _append(encoding, prefix)
    _append(encoding, operation & 255)
    _write_operands(encoding, target, third, 1)


@inner
def _write_operands(encoding: Encoding, target: int, third: int, scale: int) -> None:
    """Write which register is written, and the last operand.

    Args:
        encoding: the instructions.
        target: register that is written.
        third: register, or the complement of a place in memory.
        scale: bytes by which a place of one byte counts.
    """
    pair = (target & 7) << 3
    if third >= 0:
        _append(encoding, 0xC0 | pair | third & 7)
        return
    # From RDI on: a number in one byte, or of bytes in four.
    place = ~third
    if place % scale == 0 and place // scale < 128:
        _append(encoding, 0x40 | pair | 7)
        _append(encoding, place // scale)
        return
    _append(encoding, 0x80 | pair | 7)
    for byte in range(4):
        _append(encoding, place >> 8 * byte & 255)


@inner
def _append(encoding: Encoding, byte: int) -> None:
    """Write a byte."""
    encoding.code[encoding.length] = np.uint8(byte)
    encoding.length += 1

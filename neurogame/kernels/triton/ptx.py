"""Gates as PTX, the assembly language of NVIDIA's GPUs: one instruction per gate and 32 lanes.

A section as one piece of assembly spares the compiler thousands of operations, whose analysis
takes time that grows with their square.

*Reference:* PTX ISA, "Logic and shift instructions: lop3" (its look-up table is numbered like
``Netlist.table``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from neurogame.circuit.netlist.netlist import Netlist


@final
class Fragment:
    """Some gates as inline assembly on int64 words.

    Attributes:
        inputs: rows that come from outside, in the order of the operands.
        outputs: rows that are wanted, in the order of the results.
        text: the instructions; ``$0 ..`` are the results, then the operands.
        constraints: kinds of results and operands.
    """

    def __init__(self, netlist: Netlist, gates: Sequence[int], wanted: Iterable[int]) -> None:
        """Write down gates.

        Args:
            netlist: the gates.
            gates: numbers of those to compute, each after those it reads.
            wanted: rows that are read afterwards; rows of other gates among them are ignored.
        """
        own = [netlist.input_count + gate for gate in gates]
        read = {row for gate in gates for row in netlist.inputs[gate].tolist()}
        self.inputs = sorted(read - {0, *own})
        self.outputs = sorted(set(own) & set(wanted))
        lines = ["{", ".reg .b32 l0, h0;", "mov.b32 l0, 0;", "mov.b32 h0, 0;"]
        for operand, row in enumerate(self.inputs, len(self.outputs)):
            lines += [f".reg .b32 l{row}, h{row};", f"mov.b64 {{l{row}, h{row}}}, ${operand};"]
        # One half after the other: then half as many values are alive at a time.
        for half in "lh":
            for row, gate in zip(own, gates, strict=True):
                operands = ", ".join(f"{half}{source}" for source in netlist.inputs[gate].tolist())
                lines.append(f".reg .b32 {half}{row};")
                lines.append(f"lop3.b32 {half}{row}, {operands}, {int(netlist.table[gate])};")
        lines += [
            f"mov.b64 ${place}, {{l{row}, h{row}}};" for place, row in enumerate(self.outputs)
        ]
        self.text = "\n".join([*lines, "}"])
        self.constraints = ",".join(["=l"] * len(self.outputs) + ["l"] * len(self.inputs))

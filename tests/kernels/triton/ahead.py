"""Compiles all kernels for a GPU that need not be there, and prints what came out.

Run as a program of its own: Triton must not be in its interpreter's mode.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from neurogame.circuit.netlist.build import build_play
from neurogame.circuit.netlist.facts import find_facts
from neurogame.kernels.triton.goal_networks import CHANNELS, ROWS
from neurogame.kernels.triton.network import forward
from neurogame.kernels.triton.network_gradient import backward
from neurogame.kernels.triton.straight import straight_module, straight_source
from neurogame.kernels.triton.table import evaluate, play
from neurogame.simulate.game import Game

HALVES = {"layout", "code", "output_cells", "pattern", "table_pattern", "table_start"} | {
    *("edge_start", "children", "output")
}
REALS = {"tables", "edges", "nodes", "offsets", "table_flow", "edge_flow", "node_flow", "gradient"}
NUMBERS = {"blocks", "first_step", "steps", "planes", "left_planes", "limit", "size", "width"} | {
    *("input_count", "output_count", "gate_count", "cell_count", "pattern_count"),
    *("node_count", "edge_count"),
}


def kind_of(name: str, network: bool) -> str:
    """Return the type of a kernel's argument."""
    if name.isupper():
        return "constexpr"
    if name in NUMBERS:
        return "i32"
    if name == "steep":
        return "fp32"
    if name == "entries":
        return "*i8"
    if name in HALVES:
        return "*i32"
    if name in REALS or (network and name in ("state", "flow", "outputs")):
        return "*fp32"
    return "*i64"


def compiled(kernel: Any, block: int, **constants: Any) -> dict[str, Any]:
    """Return the size of the machine code of a kernel, and its assembly's instructions."""
    network = "KIND" in constants
    constants = {**constants, "BLOCK": block}
    signature = {name: kind_of(name, network) for name in kernel.arg_names}
    aligned = {
        (place,): [["tt.divisibility", 16]]
        for place, kind in enumerate(signature.values())
        if kind.startswith("*")
    }
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    target = GPUTarget("cuda", 90, 32)
    result = triton.compile(source, target=target, options={"num_warps": block // 32})
    text = result.asm["ptx"]
    words = {word: text.count(word) for word in ("lop3.b32", "popc.b64", "red.", "atom.")}
    layouts = set(re.findall(r"= (#ttg\.blocked<.*>)", result.asm["ttgir"]))
    moves = result.asm["ttgir"].count("convert_layout")
    return {"cubin": len(result.asm["cubin"]), "layouts": sorted(layouts), "moves": moves, **words}


def main() -> None:
    """Compile every kernel, with the options that differ most."""
    results = {}
    run: dict[str, Any] = {"RESTART": True, "ENDLESS": True, "LENGTHS": False, "MOVES": False}
    all_: dict[str, Any] = {"RESTART": False, "ENDLESS": False, "LENGTHS": True, "MOVES": True}
    results["table"] = compiled(play, 32, **all_)
    results["evaluate"] = compiled(evaluate, 32)
    circuit = Game.load(sys.argv[1]).circuit
    ply = build_play(circuit, find_facts(circuit))
    kernel = straight_module(straight_source(ply, ptx=True)).play
    results["straight"] = {**compiled(kernel, 32, **run), "gates": ply.netlist.gate_count}
    for kind in range(3):
        sizes = {"KIND": kind, "CHANNELS": CHANNELS[kind], "ROWS": ROWS[kind]}
        # The way back contains the way forward.
        results[f"backward {kind}"] = compiled(backward, 128, **sizes)
    results["forward"] = compiled(forward, 128, KIND=0, CHANNELS=CHANNELS[0], ROWS=ROWS[0])
    print(json.dumps(results))


if __name__ == "__main__":
    main()

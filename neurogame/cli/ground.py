"""``neurogame ground``: sizes of the ground program and of the circuit, and their cost."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="time limit of grounding (default 600)"
    )
    parser.add_argument(
        "--memory", type=float, default=12_000.0, help="memory limit in MiB (default 12000)"
    )
    parser.add_argument(
        "--cycles", action="store_true", help="list the atoms that depend on themselves"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Ground a rulesheet, build its circuit and print what came out."""
    from neurogame.circuit.build import build_circuit
    from neurogame.circuit.cycles import find_cycles
    from neurogame.gdl.library import load_rules
    from neurogame.ground.ground import ground
    from neurogame.ground.limits import GroundLimits, peak_memory_mb

    rules = load_rules(options.rules)
    limits = GroundLimits(seconds=options.seconds, memory_mb=options.memory)
    start = time.perf_counter()
    program = ground(rules, limits)
    grounded = time.perf_counter()
    left = max(options.seconds - (grounded - start), 1e-3)
    circuit = build_circuit(program, rules, replace(limits, seconds=left))
    seconds = time.perf_counter() - start
    cycles = find_cycles(program)
    result: dict[str, Any] = {
        "roles": len(circuit.roles),
        "fluents": len(circuit.fluents),
        "moves": circuit.move_count,
        "rules": program.rule_count,
        "gates": circuit.gate_count,
        "edges": circuit.graph.edge_count,
        "levels": int(circuit.graph.level.max(initial=0)),
        "cycles": len(cycles),
        "ground_seconds": round(grounded - start, 4),
        "seconds": round(seconds, 4),
        "peak_mb": round(peak_memory_mb(), 1),
    }
    if options.cycles:
        result["cycle_atoms"] = [[program.atoms.text(a) for a in sorted(c)] for c in cycles]
    if options.json:
        print(json.dumps(result))
        return 0
    print(f"{options.rules}: {', '.join(circuit.roles)}")
    labels = {
        "rules": "ground rules",
        "seconds": "seconds, grounding and circuit",
        "ground_seconds": "seconds, grounding alone",
        "peak_mb": "peak memory in MiB",
        "cycles": "positive cycles",
    }
    for name, value in result.items():
        if name == "cycle_atoms":
            for atoms in result["cycle_atoms"]:
                print(f"  cycle: {' '.join(atoms)}")
        else:
            shown = f"{value:,}" if isinstance(value, int) else str(value)
            print(f"  {labels.get(name, name):32s} {shown:>12s}")
    return 0

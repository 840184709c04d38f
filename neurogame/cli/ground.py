"""``neurogame ground``: sizes of the ground program and of the circuit, and their cost."""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, final

from neurogame.waiting import say

if TYPE_CHECKING:
    from neurogame.ground.stages import StageCost


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
    from neurogame.ground.stages import Stages

    patience = _Patience(options.rules)
    stages = Stages(patience.begin)
    limits = GroundLimits(seconds=options.seconds, memory_mb=options.memory)
    try:
        stages.begin("reading and checking")
        rules = load_rules(options.rules)
        start = time.perf_counter()
        program = ground(rules, limits, stages=stages)
        stages.begin("circuit")
        grounded = time.perf_counter()
        left = max(options.seconds - (grounded - start), 1e-3)
        circuit = build_circuit(program, rules, replace(limits, seconds=left))
        seconds = time.perf_counter() - start
        stages.begin("cycles")
        cycles = find_cycles(program)
        stages.end()
    finally:
        patience.end()
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
        "stages": [
            {
                name: value if isinstance(value, str) else round(value, 4)
                for name, value in row.items()
            }
            for row in map(asdict, stages.costs)
        ],
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
        if name == "stages":
            _print_stages(stages.costs)
        elif name == "cycle_atoms":
            for atoms in result["cycle_atoms"]:
                print(f"  cycle: {' '.join(atoms)}")
        else:
            shown = f"{value:,}" if isinstance(value, int) else str(value)
            print(f"  {labels.get(name, name):32s} {shown:>12s}")
    return 0


@final
class _Patience:
    """Says which stage it is that takes more than a second."""

    def __init__(self, about: str) -> None:
        self._about = about
        self._timer: threading.Timer | None = None

    def begin(self, stage: str) -> None:
        """Wait with the present stage."""
        self.end()
        self._timer = threading.Timer(1.0, say, [f"{self._about}: {stage}"])
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.cancel()


def _print_stages(costs: Sequence[StageCost]) -> None:
    """Print what each stage took."""
    print(f"  {'stage':40s} {'seconds':>9s} {'CPU s':>9s} {'MiB':>7s} {'peak':>7s}")
    for cost in costs:
        print(
            f"  {cost.name:40s} {cost.seconds:9.3f} {cost.cpu_seconds:9.3f} "
            f"{cost.memory_mb:7.0f} {cost.peak_mb:7.0f}"
        )

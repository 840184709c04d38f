"""Seconds and sizes of parsing, grounding and circuit building, game by game.

python benchmarks/front_end.py tictactoe reversi path/to/other.kif
"""

from __future__ import annotations

import statistics
import sys
import time

from neurogame.circuit.build import build_circuit
from neurogame.gdl.library import library_names, load_rules
from neurogame.ground.ground import ground

RUNS = 3


def measure(name: str) -> None:
    """Print the medians of a few runs of one game."""
    times: list[tuple[float, float, float]] = []
    for _ in range(RUNS):
        marks = [time.perf_counter()]
        rules = load_rules(name)
        marks.append(time.perf_counter())
        program = ground(rules, cache=False)
        marks.append(time.perf_counter())
        circuit = build_circuit(program)
        marks.append(time.perf_counter())
        times.append((marks[1] - marks[0], marks[2] - marks[1], marks[3] - marks[2]))
    parse, grounding, building = (statistics.median(column) for column in zip(*times, strict=True))
    short = name.rpartition("/")[2]
    print(
        f"{short:28s} {parse:9.3f} {grounding:9.3f} {building:9.3f} {len(circuit.fluents):8,d} "
        f"{circuit.move_count:8,d} {program.rule_count:10,d} {circuit.gate_count:9,d} "
        f"{int(circuit.gate_level.max(initial=0)):7d}",
        flush=True,
    )


def main() -> None:
    """Measure the games named on the command line, or the library."""
    print(
        f"{'game':28s} {'parse s':>9s} {'ground s':>9s} {'circuit s':>9s} {'fluents':>8s} "
        f"{'moves':>8s} {'rules':>10s} {'gates':>9s} {'levels':>7s}"
    )
    for name in sys.argv[1:] or library_names():
        measure(name)


if __name__ == "__main__":
    main()

"""Gates of one ply before and after the optimiser, game by game.

python -m benchmarks.circuit_sizes                              # the library
python -m benchmarks.circuit_sizes FOLDER game.kif --markdown out.md

Before: the circuit's gates of any number of inputs, and the same as gates of two inputs
(:mod:`neurogame.kernels.twin.gates`), without the choice of moves. After: the gates of three
inputs of a play netlist, the uniform choice of moves and the restart of finished games included,
and their parts. Seconds are CPU time of finding the facts and of the optimiser, all loops
compiled before.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

COLUMNS = (
    *("game", "fluents", "moves", "n-ary", "two-input", "three-input"),
    *("status", "goals", "count + descend", "next", "step netlist", "facts s", "optimiser s"),
)


def measured(path: str) -> dict[str, object]:
    """Return one row."""
    from neurogame.circuit.compile import compile_rules
    from neurogame.gdl.library import load_rules
    from neurogame.kernels.netlist.build import build_play, build_step
    from neurogame.kernels.netlist.facts import find_facts
    from neurogame.kernels.netlist.ply import Section
    from neurogame.kernels.twin.gates import TorchGates

    circuit = compile_rules(load_rules(path))
    marks = [time.process_time()]
    facts = find_facts(circuit)
    marks.append(time.process_time())
    play = build_play(circuit, facts)
    marks.append(time.process_time())
    parts = {section: len(play.gates(section)) for section in Section}
    values = (
        *(Path(path).stem, len(circuit.fluents), circuit.move_count, circuit.gate_count),
        *(TorchGates(circuit.graph).gate_count, play.netlist.gate_count),
        *(parts[Section.STATUS], parts[Section.GOALS]),
        parts[Section.COUNT] + parts[Section.DESCEND],
        parts[Section.NEXT],
        build_step(circuit).netlist.gate_count,
        *(round(marks[1] - marks[0], 2), round(marks[2] - marks[1], 2)),
    )
    return dict(zip(COLUMNS, values, strict=True))


def table(rows: list[dict[str, object]]) -> str:
    """Return rows as a Markdown table."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * (len(COLUMNS) - 1)]
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def rulesheets(names: list[str]) -> list[str]:
    """Return the rulesheets named, those of folders, or the whole library."""
    from neurogame.gdl.library import library_names

    found: list[str] = []
    for name in names or library_names():
        path = Path(name)
        found += sorted(map(str, path.glob("*.kif"))) if path.is_dir() else [name]
    return found


def main() -> int:
    """Measure, print the table, and write it down if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", help="rulesheets, library names, folders of .kif files")
    parser.add_argument("--markdown", type=Path, help="write the table to this file, too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    measured("tictactoe")
    rows = []
    for path in rulesheets(options.games):
        rows.append(measured(path))
        print(*rows[-1].values(), file=sys.stderr)
    print(json.dumps(rows) if options.json else table(rows))
    if options.markdown:
        options.markdown.write_text(table(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

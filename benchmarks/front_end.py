"""Seconds from a rulesheet's text to its circuit, game by game, beside gringo's.

python -m benchmarks.front_end                                  # the library
python -m benchmarks.front_end FOLDER game.kif --markdown out.md

Ours is CPU time of reading, checking, grounding and circuit building, nothing cached, in a process
of its own after all imports, and then of reading and checking with the circuit from the cache;
gringo's that of reading and grounding a plain translation of the same rules, in which each fluent
may hold and each legal move may be made. Medians of several runs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

RUNS = 3
QUICK = 2.0
"""Games that take longer, in seconds, are measured once."""

PATIENCE = 300.0
"""Seconds that we may take for a game."""

NOTHING = "–"

CHOICES = """
{{ {true}(F) : domain(F) }}.
domain(F) :- {init}(F).
domain(F) :- {next}(F).
{{ {does}(R, M) : {legal}(R, M), {role}(R) }}.
"""


def ours(path: str) -> dict[str, float]:
    """Return the seconds of each step for one game, and sizes."""
    from neurogame.circuit.build import build_circuit
    from neurogame.circuit.compile import compile_rules, save_circuit
    from neurogame.files import CACHE_VARIABLE
    from neurogame.gdl.library import load_rules
    from neurogame.ground.ground import ground

    marks = [time.process_time()]
    rules = load_rules(path)
    marks.append(time.process_time())
    program = ground(rules)
    marks.append(time.process_time())
    circuit = build_circuit(program, rules)
    marks.append(time.process_time())
    read, grounding, building = (b - a for a, b in pairwise(marks))
    with TemporaryDirectory() as folder:
        os.environ[CACHE_VARIABLE] = folder
        save_circuit(circuit)
        before = time.process_time()
        compile_rules(load_rules(path))
        cached = time.process_time() - before
    return {
        "seconds": marks[-1] - marks[0],
        "cached": cached,
        "read": read,
        "ground": grounding,
        "circuit": building,
        "rules": program.rule_count,
        "gates": circuit.gate_count,
    }


def gringo(path: str) -> dict[str, float]:
    """Return gringo's seconds for one game."""
    import clingo

    from neurogame.gdl.library import load_rules
    from tests.ground.asp import Translation

    translation = Translation(load_rules(path))
    keywords = ("true", "init", "next", "does", "legal", "role", "goal", "terminal")
    names = {word: translation.names.setdefault(word, f"k{word}") for word in keywords}
    control = clingo.Control(["--warn=none"])
    start = time.process_time()
    control.add("base", [], translation.program + CHOICES.format(**names))
    control.ground([("base", [])])
    return {"seconds": time.process_time() - start}


TOOLS: dict[str, Callable[[str], dict[str, float]]] = {"ours": ours, "gringo": gringo}


def measured(tool: str, path: str, limit: float) -> dict[str, float] | None:
    """Measure in a child process; None if it takes too long or fails."""
    runs: list[dict[str, float]] = []
    while len(runs) < RUNS and (not runs or runs[-1]["seconds"] < QUICK):
        command = [sys.executable, "-m", "benchmarks.front_end", "--child", tool, path]
        try:
            done = subprocess.run(command, capture_output=True, timeout=limit, check=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return None
        runs.append(json.loads(done.stdout))
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def games(names: list[str]) -> list[str]:
    """Return the rulesheets that the command line names; folders stand for all that is in them."""
    from neurogame.gdl.library import library_names

    found: list[str] = []
    for name in names or library_names():
        folder = Path(name)
        found += sorted(map(str, folder.glob("*.kif"))) if folder.is_dir() else [name]
    return found


def _shown(figures: dict[str, float] | None, name: str) -> str:
    if figures is None:
        return NOTHING
    return f"{figures[name]:,.0f}" if name in ("rules", "gates") else f"{figures[name]:.3f}"


def main() -> None:
    """Measure, and print one row per game and the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", help="library names, files or folders")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that gringo may take")
    parser.add_argument("--markdown", type=Path, help="also write the table to a file")
    parser.add_argument("--child", choices=sorted(TOOLS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(TOOLS[options.child](options.games[0])))
        return
    names = ["read", "ground", "circuit", "seconds", "cached", "rules", "gates"]
    head = ["game", *names, "gringo", "ratio"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    print("\n".join(lines), flush=True)
    ratios = []
    totals = []
    for path in games(options.games):
        own = measured("ours", path, PATIENCE)
        other = measured("gringo", path, options.limit)
        row = [Path(path).stem, *(_shown(own, name) for name in names), _shown(other, "seconds")]
        row.append(f"{other['seconds'] / own['seconds']:.2f}" if own and other else NOTHING)
        if own is not None:
            totals.append(own["seconds"])
            if other is not None:
                ratios.append(other["seconds"] / own["seconds"])
        lines.append(f"| {' | '.join(row)} |")
        print(lines[-1], flush=True)
    summary = (
        f"{len(totals)} games, median {statistics.median(totals):.3f} s, most {max(totals):.1f} s"
    )
    if ratios:
        summary += (
            f"; gringo finished {len(ratios)} of them, its time is {statistics.median(ratios):.2f} "
            f"times ours in the median, {min(ratios):.2f} to {max(ratios):.1f} times"
        )
    print(summary)
    if options.markdown:
        options.markdown.write_text("\n".join([*lines, "", summary, ""]))


if __name__ == "__main__":
    main()

"""Coverage and cost of action formulas: of how many rulesheets they are made, and how fast.

Every game runs in a process of its own with a limit of processor time and of memory; results are
appended to a file, so the experiment can be interrupted and started again::

    python experiments/action_coverage.py ../shared/games --out coverage.jsonl
    python experiments/action_coverage.py ../shared/games --out coverage.jsonl \
        --published ../shared/published/trutman_table3.csv --report coverage.md

Seconds are processor seconds on one thread. "Generation" is what the paper's Table 3 calls the
cost of generating the heuristic, without grounding: the analysis of the game, regression,
specialisation to all moves of all roles, and removal of unknowns. Grounding is a load from the
cache if the game has been grounded before.

*Reference:* Trutman and Schiffel, Table 3 and section "Testing with Other Games".
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from neurogame.circuit.action_formulas import action_formulas
from neurogame.circuit.analysis.analyse import analyse
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.ground.limits import GroundLimits

GOAL_SECONDS = 15.0
"""A heuristic counts as generated if it takes no longer."""

# Names of the paper's Table 3, and of the rulesheets that are the same games.
TABLE_3 = {
    "battle": "battle",
    "bidding-tictactoe": "biddingTicTacToe",
    "blocker": "blocker",
    "breakthrough": "breakthrough",
    "checkers-small": "checkersSmall",
    "chinesecheckers2": "chineseCheckers2",
    "chinook": "chinook",
    "connect4": "connectFour",
    "crisscross": "crisscross",
    "ghostmaze2p": "ghostMaze2p",
    "nineBoardTicTacToe": "nineBoardTicTacToe",
    "pentago_2008": "pentago",
    "sheep_and_wolf": "sheepAndWolf",
    "skirmish": "skirmish",
}


def measure(path: Path, goals: str, seconds: float) -> dict[str, Any]:
    """Make the formulas of one game in this process and return what they cost."""
    begin = time.process_time()
    circuit = compile_rules(load_rules(path), GroundLimits(seconds=seconds))
    grounded = time.process_time()
    analysis = analyse(circuit)
    analysed = time.process_time()
    formulas = action_formulas(circuit, analysis, goals=goals)
    made = time.process_time()
    return {
        "roles": len(circuit.roles),
        "moves": circuit.move_count,
        "ground_seconds": grounded - begin,
        "analysis_seconds": analysed - grounded,
        "formula_seconds": made - analysed,
        "gates": sum(own.formulas.gate_count for own in formulas),
        "edges": sum(own.edge_count for own in formulas),
        "specialised": all(own.specialised for own in formulas),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measure_apart(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one game in a process of its own; a failure becomes a record of it."""

    def limit() -> None:
        size, seconds = int(options.memory * 2**20), int(options.seconds)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    command = [sys.executable, __file__, str(path), "--one", "--goals", options.goals]
    command += ["--seconds", str(options.seconds)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    if done.returncode == 0:
        result: dict[str, Any] = json.loads(done.stdout)
        return result
    if done.returncode < 0:
        return {"error": f"more than {options.seconds:g} s (signal {-done.returncode})"}
    return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1][:200]}


def generation(row: dict[str, Any]) -> float:
    """Return the seconds that the paper counts."""
    return float(row["analysis_seconds"] + row["formula_seconds"])


def report(rows: list[dict[str, Any]], published: Path | None) -> str:
    """Return the results as Markdown."""
    good = [row for row in rows if "error" not in row]
    fast = [row for row in good if generation(row) <= GOAL_SECONDS]
    own = [row for row in fast if row["specialised"]]
    lines = [
        f"{len(rows)} games. Formulas made in at most {GOAL_SECONDS:g} s: {len(fast)} "
        f"({len(fast) / len(rows):.1%}), {len(own)} of them with formulas of every move's own "
        f"({len(own) / len(rows):.1%}).",
        "",
        "| not of every move's own | moves | analysis s | formulas s | gates | edges | |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        if "error" in row:
            lines.append(f"| {row['game']} | | | | | | {row['error']} |")
        elif row not in own:
            what = "one formula for all moves" if not row["specialised"] else "slow"
            lines.append(f"| {_cells(row)} | {what} |")
    lines += ["", "| game | moves | analysis s | formulas s | gates | edges | paper s |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    by_name = {row["game"]: row for row in good}
    for name, seconds in _published(published).items():
        if TABLE_3.get(name) in by_name:
            lines.append(f"| {_cells(by_name[TABLE_3[name]])} | {seconds:.1f} |")
    return "\n".join(lines) + "\n"


def _cells(row: dict[str, Any]) -> str:
    sizes = f"{row['gates']:,} | {row['edges']:,}"
    times = f"{row['analysis_seconds']:.2f} | {row['formula_seconds']:.2f}"
    return f"{row['game']} | {row['moves']:,} | {times} | {sizes}"


def _published(path: Path | None) -> dict[str, float]:
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["game"]: float(row["gen_seconds"]) for row in csv.DictReader(file)}


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", type=Path, help="folder of rulesheets (*.kif)")
    parser.add_argument("--out", type=Path, help="file of results, one line per game")
    parser.add_argument("--report", type=Path, help="write a Markdown report to this file")
    parser.add_argument("--published", type=Path, help="the paper's Table 3, for comparison")
    parser.add_argument("--games", nargs="*", help="names of the only games to measure")
    parser.add_argument("--goals", default="top", choices=("top", "all"))
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of processor time")
    parser.add_argument("--memory", type=float, default=6144.0, help="limit of memory in MiB")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.rules, options.goals, options.seconds)))
        return 0
    if options.out is None:
        parser.error("--out is needed: the file in which results are collected")
    rows: dict[str, dict[str, Any]] = {}
    if options.out.exists():
        for line in options.out.read_text("utf-8").splitlines():
            row = json.loads(line)
            rows[row["game"]] = row
    paths = sorted(options.rules.glob("*.kif"))
    wanted = [p for p in paths if not options.games or p.stem in options.games]
    for path in tqdm([p for p in wanted if p.stem not in rows], unit="game"):
        row = {"game": path.stem, **measure_apart(path, options)}
        rows[path.stem] = row
        with options.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    text = report([rows[p.stem] for p in wanted], options.published)
    print(text)
    if options.report:
        options.report.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

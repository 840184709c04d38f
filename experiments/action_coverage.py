"""Coverage and cost of action heuristics: of how many rulesheets they are made, and how fast.

Every game runs in a process of its own with a limit of processor time and of memory; results are
appended to a file, so the experiment can be interrupted and started again::

    python experiments/action_coverage.py ../shared/games --out coverage.jsonl
    neurogame reproduce trutman coverage --rulesheets ../shared/games
    python experiments/action_coverage.py ../shared/games --out coverage.jsonl \
        --published ../shared/published/trutman_table3.csv --report coverage.md

A game counts if ``make_action_circuit`` accepts it: a heuristic that torch and compiled searches
can use. Seconds are processor seconds on one thread. "Generation" is what the paper's Table 3 calls
the cost of generating the heuristic, without grounding: the analysis of the game, regression,
specialisation to all moves of all roles, removal of unknowns, and the graphs of small gates that
are evaluated. Grounding is a load from the cache if the game has been grounded before.

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
from statistics import median
from typing import Any

import numpy as np
from tqdm import tqdm

from neurogame.analysis.analyse import analyse
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.graph import ActionGraph
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import pack_lanes
from neurogame.ground.limits import GroundLimits
from neurogame.intervals import wilson_interval
from neurogame.judges.moves import score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.simulate.samples import sample_states
from neurogame.simulate.simulator import Simulator

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


def measure(path: Path, goals: str, seconds: float, states: int) -> dict[str, Any]:
    """Make the heuristic of one game in this process and return what it costs."""
    begin = time.process_time()
    circuit = compile_rules(load_rules(path), GroundLimits(seconds=seconds))
    grounded = time.process_time()
    analysis = analyse(circuit)
    analysed = time.process_time()
    judge = make_action_circuit(circuit, ActionConfig(goals=goals), analysis=analysis)
    made = time.process_time()
    return {
        "roles": len(circuit.roles),
        "moves": circuit.move_count,
        "ground_seconds": grounded - begin,
        "analysis_seconds": analysed - grounded,
        "formula_seconds": made - analysed,
        "seconds": made - grounded,
        "gates": sum(graph.gate_count for graph in judge.graphs),
        "edges": sum(graph.edge_count for graph in judge.graphs),
        "specialised": not any(graph.is_shared for graph in judge.graphs),
        "silent": all(is_silent(graph) for graph in judge.graphs),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "milliseconds": milliseconds(circuit, judge, states) if states else None,
    }


def milliseconds(circuit: Circuit, judge: ActionCircuit, count: int) -> float | None:
    """Return how long compiled code takes to score the legal moves of a state, on average.

    Args:
        circuit: the game.
        judge: its heuristic.
        count: states of random games to draw; those in which a role has a choice count.
    """
    simulator = Simulator(circuit)
    states = sample_states(simulator, count, 1, 500)
    legal = simulator.status(states)[0].numpy()
    rows, packed = pack_lanes(states.to_bool().numpy()), pack_lanes(legal)
    port = SearchJudge(judge, circuit)
    out = np.zeros((1, max(len(moves) for moves in circuit.moves)), np.float32)
    seconds, number, first = 0.0, 0, 0
    for role, moves in enumerate(circuit.moves):
        chosen = np.flatnonzero(legal[:, first : first + len(moves)].sum(axis=1) > 1)
        first += len(moves)
        for place in (*chosen[:1], *chosen):
            # The first call of all compiles, and finds nothing in the processor's cache.
            begin = time.process_time()
            score_moves(port.scores, rows, packed, np.array([place]), 1, role, 0, out)
            seconds += time.process_time() - begin if number else 0.0
            number += 1
    port.check()
    return 1000 * seconds / (number - 1) if number > 1 else None


def is_silent(graph: ActionGraph) -> bool:
    """Return whether all moves of a role have the same constant score in every state."""
    outputs = np.unique(graph.outputs)
    return len(outputs) == 1 and outputs[0] < graph.leaf_count and not graph.is_shared


def measure_apart(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one game in a process of its own; a failure becomes a record of it."""

    def limit() -> None:
        size, seconds = int(options.memory * 2**20), int(options.seconds)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    command = [sys.executable, __file__, str(path), "--one", "--goals", options.goals]
    command += ["--seconds", str(options.seconds), "--states", str(options.states)]
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


def report(rows: list[dict[str, Any]], published: Path | None) -> str:
    """Return the results as Markdown."""
    good = [row for row in rows if "error" not in row]
    fast = [row for row in good if row["seconds"] <= GOAL_SECONDS]
    own = [row for row in fast if row["specialised"]]
    silent = [row["game"] for row in good if row["silent"]]
    lines = [
        f"{len(rows)} games. Heuristics made in at most {GOAL_SECONDS:g} s: {len(fast)} "
        f"({len(fast) / len(rows):.1%}), {len(own)} of them with formulas of every move's own "
        f"({len(own) / len(rows):.1%}). Median {median(row['seconds'] for row in good):.2f} s. "
        f"All moves alike in all states: {len(silent)} ({', '.join(silent)}).",
        "",
        "| not of every move's own | moves | analysis s | making s | gates | edges | ms | |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        if "error" in row:
            lines.append(f"| {row['game']} | | | | | | | {row['error']} |")
        elif row not in own:
            what = "slow" if row not in fast else "one formula for all moves"
            took = f"{row['milliseconds']:.1f}" if row.get("milliseconds") else ""
            lines.append(f"| {_cells(row)} | {took} | {what} |")
    lines += ["", "| game | moves | analysis s | making s | gates | edges | paper s |"]
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
    parser.add_argument("--states", type=int, default=0, help="states to score, for their speed")
    parser.add_argument("--memory", type=float, default=6144.0, help="limit of memory in MiB")
    parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
    parser.add_argument("--one", action="store_true", help="print the figures of one rulesheet")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.rules, options.goals, options.seconds, options.states)))
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
    found = [rows[p.stem] for p in wanted]
    text = report(found, options.published)
    print(text)
    if options.report:
        options.report.write_text(text, "utf-8")
    if options.json:
        made = [row for row in found if "error" not in row and row["seconds"] <= GOAL_SECONDS]
        low, high = wilson_interval(len(made), len(found))
        shares = {"share": len(made) / len(found), "interval": [low, high]}
        print(json.dumps({"games": len(found), "made": len(made), **shares}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

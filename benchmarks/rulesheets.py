"""What becomes of every rulesheet: one row per game, from text to networks and regressed goals.

python -m benchmarks.rulesheets                                        # the library
python -m benchmarks.rulesheets FOLDER game.kif --traces FOLDER --csv out.csv

Every game runs in a process of its own, nothing cached, on one thread; times are CPU seconds. A
row is appended to the JSON lines as soon as it is known, and games that have one are passed over:
after an interruption the same command goes on. Counted as mismatches:

- replay: differences to the recorded states of the game's traces (also those in ``long/``);
- networks: goals of 300 states of random games that a sound network gets wrong;
- regression: goals after a random joint move in these states that the regressed goal, or the
  regressed goal of a role's single move, gets wrong.
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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neurogame.circuit.circuit import Circuit
    from neurogame.simulate.game import Game
    from neurogame.simulate.states import StateBatch

STATES = 300
"""States that networks and regressed goals are tried on."""

PLIES = 60
SECONDS = 60.0
MIB = 6144.0
"""A step within this many seconds, and a game within this much memory, is in order."""

# (heading, field, format)
COLUMNS = (
    *(("game", "game", "s"), ("parse s", "parse_s", ".2f"), ("ground s", "ground_s", ".2f")),
    *(("circuit s", "circuit_s", ".2f"), ("fluents", "fluents", ",d"), ("moves", "moves", ",d")),
    *(("rules", "rules", ",d"), ("gates", "gates", ",d"), ("levels", "levels", ",d")),
    *(("cycles", "cycles", ",d"), ("front MiB", "front_mib", ",.0f")),
    *(("neurons", "neurons", ",d"), ("edges", "edges", ",d"), ("redirected", "redirected", ",d")),
    *(("cilp-paper s", "cilp_paper_s", ".2f"), ("cilp s", "cilp_s", ".2f")),
    *(("300 states s", "forward_s", ".2f"), ("wrong", "network_mismatches", ",d")),
    *(("R gates", "regressed_gates", ",d"), ("R s", "regress_s", ".2f")),
    *(("gates of moves", "move_gates", ",d"), ("moves s", "moves_s", ".2f")),
    *(("own", "own_formulas", "s"), ("wrong ", "regress_mismatches", ",d")),
    *(("replayed", "replayed", ",d"), ("mismatches", "replay_mismatches", ",d")),
    *(("peak MiB", "peak_mib", ",.0f"), ("verdict", "verdict", "s")),
)
Row = dict[str, Any]


def main() -> int:
    """Measure the games, or one of them in this process; return 1 if any is not in order."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", help="library names, files or folders (the library)")
    parser.add_argument("--traces", type=Path, help="folder of traces named after the games")
    parser.add_argument("--json", type=Path, default=Path("coverage.jsonl"), help="rows, appended")
    parser.add_argument("--csv", type=Path, help="where to write the table")
    parser.add_argument("--seconds", type=float, default=900.0, help="limit per game (900)")
    parser.add_argument("--memory", type=float, default=12_000.0, help="limit in MiB (12000)")
    parser.add_argument("--again", action="store_true", help="measure again what is not in order")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        try:
            measure(options.games[0], options.traces)
        except Exception as found:
            report(error=f"{type(found).__name__}: {str(found).partition(chr(10))[0]}")
        return 0
    names = named_games(options.games)
    rows = known_rows(options.json)
    done = {game for game, row in rows.items() if row["verdict"] == "ok" or not options.again}
    try:
        cover([name for name in names if Path(name).stem not in done], options, rows)
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on after {len(rows)} games", file=sys.stderr)
    wanted = [rows[Path(name).stem] for name in names if Path(name).stem in rows]
    if options.csv:
        write_csv(wanted, options.csv)
        print(totals(wanted))
    else:
        print("\n".join([*table(wanted), "", totals(wanted), ""]))
    return 0 if len(wanted) == len(names) and all(r["verdict"] == "ok" for r in wanted) else 1


def cover(names: Sequence[str], options: argparse.Namespace, rows: dict[str, Row]) -> None:
    """Measure games one after the other, and add their rows to the file and to ``rows``."""
    from tqdm import tqdm

    with tqdm(names, unit="game") as bar:
        for name in bar:
            game = Path(name).stem
            bar.set_postfix_str(game)
            row = judged({"game": game, **in_a_process(name, options)})
            with options.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            rows[game] = row


def in_a_process(name: str, options: argparse.Namespace) -> Row:
    """Return what a child process finds out about a game, as far as it comes."""
    command = [sys.executable, __file__, "--child", name]
    if options.traces:
        command += ["--traces", str(options.traces)]
    limit = int(options.memory * 2**20)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    error = None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=options.seconds,
            env=environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
        )
        output = done.stdout
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip().splitlines()
            error = last[-1] if last else f"ended with status {done.returncode}"
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        error = f"not done within {options.seconds:g} s"
    row: Row = {}
    for line in output.decode().splitlines():
        row.update(json.loads(line))
    return row if error is None else {"error": error, **row}


def measure(name: str, traces: Path | None) -> None:
    """Take a game through all steps; print what each finds as one line of JSON."""
    game = front_end(name)
    if traces:
        replayed(game, traces)
    states, moves, following = steps(game)
    networks(game, states)
    regressed(game, states, moves, following)
    report(peak_mib=peak_mib())


def front_end(name: str) -> Game:
    """Go from a rulesheet to its circuit."""
    from neurogame.circuit.build import build_circuit
    from neurogame.circuit.cycles import find_cycles
    from neurogame.gdl.library import load_rules
    from neurogame.ground.ground import ground

    rules, seconds = timed(lambda: load_rules(name))
    report(parse_s=seconds)
    program, seconds = timed(lambda: ground(rules))
    report(ground_s=seconds, rules=program.rule_count)
    circuit, seconds = timed(lambda: build_circuit(program, rules))
    report(
        circuit_s=seconds,
        fluents=len(circuit.fluents),
        moves=circuit.move_count,
        gates=circuit.gate_count,
        levels=int(circuit.graph.level.max(initial=0)),
        cycles=len(find_cycles(program)),
        front_mib=peak_mib(),
    )

    # Only now, so that the memory of the steps before is theirs.
    import torch

    from neurogame.simulate.game import Game

    torch.set_num_threads(1)
    return Game(Path(name).stem, rules, circuit)


def replayed(game: Game, traces: Path) -> None:
    """Compare the game with all its traces."""
    from neurogame.simulate.replay import replay
    from neurogame.simulate.trace_backends import CircuitBackend

    backend = CircuitBackend(game)
    found = [traces / folder / f"{game.name}.jsonl.gz" for folder in ("", "long")]
    reports = [replay(path, backend) for path in found if path.exists()]
    if reports:
        report(
            replayed=sum(one.states for one in reports),
            replay_mismatches=sum(one.mismatches for one in reports),
        )


def steps(game: Game) -> tuple[StateBatch, Any, StateBatch]:
    """Return states of random games, a random joint move in each, int64 ``[B, R]``, and after."""
    import numpy as np
    import torch

    from neurogame.simulate.samples import sample_states

    simulator = game.simulator()
    states = sample_states(simulator, STATES, seed=1, max_plies=PLIES)
    legal = simulator.status(states)[0].numpy()
    score = np.where(legal, np.random.default_rng(1).random(legal.shape), -1.0)
    pairs = zip(game.move_offsets[:-1], game.move_offsets[1:], strict=True)
    moves = torch.from_numpy(np.stack([score[:, a:b].argmax(axis=1) for a, b in pairs], axis=1))
    return states, moves, simulator.step(states, moves)


def networks(game: Game, states: StateBatch) -> None:
    """Build the goal networks in both settings and try the sound ones."""
    import torch

    from neurogame.evaluators.build import make_evaluator
    from neurogame.evaluators.goal_networks import GoalNetworks

    _, seconds = timed(lambda: make_evaluator(game, "cilp-paper"))
    report(cilp_paper_s=seconds)
    evaluator, seconds = timed(lambda: make_evaluator(game, "cilp"))
    assert isinstance(evaluator, GoalNetworks)
    wiring = evaluator.wiring
    report(
        cilp_s=seconds,
        neurons=wiring.unit_count,
        edges=wiring.edge_count,
        redirected=len(wiring.proof.redirected),
    )
    with torch.no_grad():
        outputs, seconds = timed(lambda: evaluator.networks(states.to_bool()))
    truth = game.simulator().derive(states).goal_flags
    report(forward_s=seconds, network_mismatches=int(((outputs > 0) != truth).sum()))


def regressed(game: Game, states: StateBatch, moves: Any, following: StateBatch) -> None:
    """Regress all goals, jointly and for every move, and try them."""
    import numpy as np

    from neurogame.graph.evaluate import holds
    from tests.regress.goals import goals_of_moves, regressed_goals

    circuit: Circuit = game.circuit
    goals, seconds = timed(lambda: regressed_goals(circuit))
    report(regressed_gates=goals.gate_count, regress_s=seconds)
    singles, seconds = timed(lambda: goals_of_moves(circuit))
    own = sum(single.specialised for single in singles)
    report(
        move_gates=sum(single.graph.gate_count for single in singles),
        moves_s=seconds,
        own_formulas=f"{own}/{len(singles)}",
    )
    truth = game.simulator().derive(following).goal_flags.numpy()
    chosen = moves.numpy()
    does = np.zeros((len(chosen), circuit.move_count), np.bool_)
    for role, offset in enumerate(game.move_offsets[:-1]):
        does[np.arange(len(chosen)), offset + chosen[:, role]] = True
    inputs = np.concatenate([states.to_bool().numpy(), does], axis=1)
    wrong = int((holds(goals, inputs) != truth).sum())
    place = 0
    for single in singles:
        some, column = np.unique(chosen[:, single.role], return_inverse=True)
        found = holds(single.of_moves(some), inputs)
        for row in range(len(single.literals)):
            value = found[np.arange(len(found)), row * len(some) + column.reshape(-1)]
            wrong += int((value != truth[:, place + row]).sum())
        place += len(single.literals)
    report(regress_mismatches=wrong)


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """Return what an action gives, and its CPU seconds."""
    start = time.process_time()
    result = action()
    return result, round(time.process_time() - start, 4)


def report(**values: object) -> None:
    """Print values for the parent process."""
    print(json.dumps(values), flush=True)


def peak_mib() -> float:
    """Return the most memory that this process has had, in MiB."""
    from neurogame.ground.limits import peak_memory_mb

    return round(peak_memory_mb(), 1)


def judged(row: Row) -> Row:
    """Return a row with its verdict: ok, or what is not in order."""
    if "error" in row:
        return {**row, "verdict": row["error"]}
    wrong = [] if grounded(row) else ["not grounded in time"]
    wrong += [
        f"{row[name]} {name.replace('_', ' ')}"
        for name in ("replay_mismatches", "network_mismatches", "regress_mismatches")
        if row.get(name)
    ]
    if not (quick(row, "cilp_paper_s") and quick(row, "cilp_s")):
        wrong.append("networks not built in time")
    if not (quick(row, "regress_s") and quick(row, "moves_s")):
        wrong.append("goals not regressed in time")
    if row["peak_mib"] > MIB:
        wrong.append(f"more than {MIB:,.0f} MiB")
    return {**row, "verdict": "; ".join(wrong) or "ok"}


def grounded(row: Row) -> bool:
    """Return whether text became a circuit in time."""
    return "circuit_s" in row and row["parse_s"] + row["ground_s"] + row["circuit_s"] <= SECONDS


def quick(row: Row, field: str) -> bool:
    """Return whether a step was done in time."""
    return bool(row.get(field, float("inf")) <= SECONDS)


def totals(rows: Sequence[Row]) -> str:
    """Return the line below the table."""
    compared = [row for row in rows if "replayed" in row]
    exact = sum(row["replay_mismatches"] == 0 for row in compared)
    states = sum(row["replayed"] for row in compared)
    built = sum(quick(row, "cilp_paper_s") and quick(row, "cilp_s") for row in rows)
    done = sum(quick(row, "regress_s") and quick(row, "moves_s") for row in rows)
    own = sum(len(set(row.get("own_formulas", "0/1").split("/"))) == 1 for row in rows)
    return (
        f"{len(rows)} games: {sum(map(grounded, rows))} grounded within {SECONDS:g} s, {exact} of "
        f"{len(compared)} replayed without a mismatch ({states:,} states), {built} with networks "
        f"and {done} with regressed goals of all moves within {SECONDS:g} s ({own} with formulas "
        f"of their own for every move); most memory "
        f"{max((row.get('peak_mib', 0) for row in rows), default=0):,.0f} MiB; "
        f"{sum(row['verdict'] == 'ok' for row in rows)} in order"
    )


def table(rows: Sequence[Row]) -> list[str]:
    """Return the rows as Markdown."""
    head = [heading for heading, _, _ in COLUMNS]
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 2) + "---|"]
    for row in rows:
        cells = [format(row[n], f) if row.get(n) is not None else "–" for _, n, f in COLUMNS]
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return lines


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write the rows as CSV, numbers as in the table but without separators."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([name for _, name, _ in COLUMNS])
        for row in rows:
            cells = [(row.get(name), form.replace(",", "")) for _, name, form in COLUMNS]
            writer.writerow(["" if cell is None else format(cell, form) for cell, form in cells])


def known_rows(path: Path) -> dict[str, Row]:
    """Return the rows of an earlier run by game."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {row["game"]: row for row in rows}


def named_games(names: Sequence[str]) -> list[str]:
    """Return the rulesheets that are named; a folder stands for all that are in it."""
    from neurogame.gdl.library import library_names

    found: list[str] = []
    for name in names or library_names():
        folder = Path(name)
        found += sorted(map(str, folder.glob("*.kif"))) if folder.is_dir() else [name]
    return found


if __name__ == "__main__":
    sys.exit(main())

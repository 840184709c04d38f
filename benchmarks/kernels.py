"""The targets of the playout kernels, and what is measured beside them.

python -m benchmarks.kernels ../shared/games --resume kernels.jsonl --markdown
python -m benchmarks.kernels ../shared/games --equal --games ticTacToe connectFour

Rates are plies per second of processor time on one thread, medians of several runs; cold and warm
starts are processor seconds, too (``neurogame bench`` measures them). Every measurement is a
process of its own with a limit of time, so none can end the others; with ``--resume``, what the
file holds already is not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch

from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.codegen.kernel import STRAIGHT_GATES
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.leaves.expander import ChildBlocks, Expander, fill_children
from neurogame.kernels.playout import GivenLanes, PlayoutRun, Tally
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.native.entries import entry
from neurogame.simulate.game import Game

Row: TypeAlias = dict[str, Any]

MILLION = 1_000_000
EQUAL_GAMES = MILLION
EQUAL_LANES = 1 << 15
WARM_SECONDS = 0.3
THREADS_TARGET = 1.7
CHILD_TARGET = 1e-6


@dataclass(frozen=True)
class Target:
    """What a game is to reach.

    Attributes:
        game: name of the rulesheet.
        rival: fastest rival measured, million plies per second; None: not known.
        target: million plies per second; None: it is to run.
        prototype: million plies per second of the prototype compiled by LLVM; None: there was none.
        cold: seconds from the text of the rules to the first playout; None: no target.
        memory: MiB; None: no target.
    """

    game: str
    rival: float | None = None
    target: float | None = None
    prototype: float | None = None
    cold: float | None = None
    memory: float | None = None


TARGETS = (
    Target("ticTacToe", 29.7, 5000, 6500, cold=1),
    Target("connectFour", 179, 2500, 3000, cold=1),
    Target("pentago", 4.7, 1800, 2100, cold=1),
    Target("breakthroughSmall", None, 1000, 1200, cold=1),
    Target("breakthrough", 16.9, 500, 600, cold=1),
    Target("reversi", 17, 250, 160),
    Target("nineBoardTicTacToe", 1.4, 500),
    Target("tictactoe_3d_2player", 4.5, 1000),
    Target("biddingTicTacToe", 0.80, 200 * 0.80),
    Target("blocker", 2.2, 200 * 2.2),
    Target("chineseCheckers2", 2.8, 200 * 2.8),
    Target("ghostMaze2p", 2.6, 200 * 2.6),
    Target("sheepAndWolf", 0.36, 200 * 0.36),
    Target("checkers", 25, 60),
    Target("checkersSmall", None, 60),
    Target("battle", 0.47, 100 * 0.47),
    Target("chinook", 0.48, 100 * 0.48),
    Target("crisscross", 0.30, 100 * 0.30),
    Target("skirmish", 1.2, 15, cold=10),
    Target("chess_200", 0.35, 5, cold=20, memory=1000),
    Target("amazons"),
    Target("alexChess"),
    Target("chess"),
)


def speed(rules: Path, options: argparse.Namespace) -> Row:
    """Return the row of ``neurogame bench``."""
    line = ["neurogame.cli.main", "bench", str(rules), "--backend", "llvm", "--json", "--quiet"]
    line += ["--runs", str(options.runs), "--seconds", str(options.seconds)]
    found = _in_new_process(line, options.limit)
    return {"host": found["host"], **found["rows"][0]} if "rows" in found else found


def threads(rules: Path) -> Row:
    """Return how much faster two threads play than one, by the clock on the wall."""
    player = LlvmPlayouts(Game.load(rules).circuit)

    def seconds(count: int, steps: int) -> float:
        start = time.perf_counter()
        player.run(PlayoutRun(seed=1, lanes=1 << 16, steps=steps, threads=count))
        return time.perf_counter() - start

    seconds(2, 20)
    steps = max(round(20 / seconds(1, 20)), 20)
    # Neighbours in time, so that other work of the machine meets both alike.
    ratios = [seconds(1, steps) / seconds(2, steps) for _ in range(7)]
    return {"ratio": statistics.median(ratios), "ratios": ratios, "load": os.getloadavg()[0]}


def expansion(rules: Path) -> Row:
    """Return the seconds per child of expanding one state, and many states at once."""
    game = Game.load(rules)
    expander, player = Expander(game.circuit), LlvmPlayouts(game.circuit)
    initial = torch.from_numpy(-game.circuit.initial.astype(np.int64))[:, None].repeat(1, 16)
    words = player.finish(GivenLanes(initial, torch.arange(16), 3, steps=4)).words.numpy()
    flags = words[:, :, None] >> np.arange(64) & 1
    states = pack_lanes(flags.reshape(len(flags), -1).T.astype(np.bool_))
    legal = expander.look(states).legal
    blocks = expander.expansion

    def made(begin: int, end: int) -> int:
        """Make all children of some of the states; return how many they are."""
        blocks.states, blocks.legal = states[begin:end], legal[begin:end]
        blocks.given, blocks.state, blocks.left, total = end - begin, -1, 0, 0
        while True:
            entry(_next_children)(blocks)
            if blocks.count == 0:
                return total
            total += blocks.count

    children = made(0, len(states))
    one = [made(i, i + 1) for i in range(100)]

    def each() -> None:
        for i in range(100):
            made(i, i + 1)

    return {
        "states": len(states),
        "children": children,
        "one_state_seconds_per_child": _cpu_seconds(each, 7) / sum(one),
        "many_states_seconds_per_child": _cpu_seconds(lambda: made(0, len(states)), 7) / children,
    }


def _next_children(blocks: ChildBlocks) -> None:
    fill_children(blocks)


def equal(rules: Path, seconds: float) -> Row:
    """Compare the statistics of many games between the backends, move by move.

    Args:
        rules: of the game.
        seconds: how long plain torch may play; on slow games fewer games are compared.
    """
    torch.set_num_threads(1)
    circuit = Game.load(rules).circuit
    plain, chosen = TorchPlayouts(circuit), LlvmPlayouts(circuit)
    first = PlayoutRun(seed=0, lanes=512, games=512, lengths=True, moves=True)
    once = _cpu_seconds(lambda: plain.run(first), 1)
    # More lanes cost plain torch less each.
    games = min(EQUAL_GAMES, max(512, round(4 * 512 * seconds / max(once, 1e-3))))
    plan = PlayoutRun(seed=4, lanes=min(games, EQUAL_LANES), games=games, lengths=True, moves=True)
    expected = plain.run(plan)
    others = [chosen]
    if chosen.name == "llvm-straight":
        others.append(LlvmPlayouts(circuit, "table"))
    elif chosen.kernel().gates <= 2 * STRAIGHT_GATES:
        others.append(LlvmPlayouts(circuit, "straight"))
    found = {other.name: _differences(other.run(plan), expected) for other in others}
    return {"games": games, "plies": expected.played, "differences": found}


def _differences(found: Tally, expected: Tally) -> list[str]:
    """Return the names of the counts that differ."""
    return [
        name
        for name in vars(expected)
        if not np.array_equal(getattr(found, name), getattr(expected, name))
    ]


def _cpu_seconds(work: Callable[[], object], runs: int) -> float:
    """Return the median of the processor seconds of some runs."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return statistics.median(found)


def _in_new_process(line: Sequence[str], limit: float) -> Row:
    """Run a module that prints JSON; of a failure, its last line."""
    process = subprocess.Popen(
        [sys.executable, "-m", *line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        # The process has processes of its own.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"error": f"not done in {limit:g} s"}
    if process.returncode:
        last = errors.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        return {"error": last[0]}
    found: Row = json.loads(output.splitlines()[-1])
    return found


def _child(kind: str, rules: Path, seconds: float) -> Row:
    """Measure one thing in this process."""
    if kind == "equal":
        return equal(rules, seconds)
    return {"threads": threads, "expansion": expansion}[kind](rules)


def _measure(kind: str, game: str, options: argparse.Namespace) -> Row:
    """Return one row, measured in a process of its own."""
    rules = options.folder / f"{game}.kif"
    if not rules.exists():
        return {"error": f"there is no {rules.name} in that folder"}
    if kind == "speed":
        return speed(rules, options)
    line = ["benchmarks.kernels", str(options.folder), "--games", game, "--child", kind]
    return _in_new_process([*line, "--equal-seconds", str(options.equal_seconds)], options.limit)


def _collect(wanted: Sequence[tuple[str, str]], options: argparse.Namespace) -> dict[Any, Row]:
    """Return a row for everything that is wanted; what is measured now is added to the file."""
    rows: dict[tuple[str, str], Row] = {}
    if options.resume is not None and options.resume.exists():
        for line in options.resume.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows[row["kind"], row["key"]] = row
    for kind, game in wanted:
        if (kind, game) in rows:
            continue
        row = {"kind": kind, "key": game, **_measure(kind, game, options)}
        rows[kind, game] = row
        print(f"{kind} {game}: {row.get('error', 'done')}", file=sys.stderr, flush=True)
        if options.resume is not None:
            with options.resume.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    return rows


def _speed_table(names: Sequence[str], rows: dict[Any, Row]) -> list[list[str]]:
    """Return the table of targets: a head, and a line per game."""
    head = ["game", "prototype M/s", "target M/s", "rival M/s", "measured M/s", "of the target"]
    head += ["reached", "of the rival", "variant", "gates", "cycles", "of the bound"]
    table = [[*head, "cold CPU s", "warm CPU s", "MB"]]
    known = {target.game: target for target in TARGETS}
    for name in names:
        target, row = known.get(name, Target(name)), rows["speed", name]
        goals = [_text(target.prototype), _text(target.target), _text(target.rival)]
        if "error" in row:
            table.append([name, *goals, *["–"] * 10, row["error"]])
            continue
        rate = row["plies_per_second"] / MILLION
        table.append(
            [
                *(name, *goals, _text(rate)),
                *(
                    _ratio(rate, target.target),
                    _yes(rate, target.target),
                    _ratio(rate, target.rival),
                ),
                *(row["backend"], f"{row['gates']:,d}", f"{row['cycles']:,.0f}"),
                f"{row['share_of_bound']:.0%}",
                _limited(row["cold_start_cpu_seconds"], target.cold),
                _limited(row["warm_start_cpu_seconds"], WARM_SECONDS),
                _limited(row["peak_mb"], target.memory, ".0f"),
            ]
        )
    return table


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4g}"


def _ratio(value: float, other: float | None) -> str:
    return "–" if other is None else f"{value / other:.3g} ×"


def _yes(value: float, target: float | None) -> str:
    return "runs" if target is None else "yes" if value >= target else "no"


def _limited(value: float, limit: float | None, form: str = ".2f") -> str:
    """Return a figure, and its limit where it is exceeded."""
    over = limit is not None and value > limit
    return f"{value:{form}}" + (f" (> {limit:g})" if over else "")


def _show(table: list[list[str]], *, markdown: bool) -> None:
    """Print a table for a terminal or a document."""
    if markdown:
        table = [table[0], ["---"] * len(table[0]), *table[1:]]
        print("\n".join(f"| {' | '.join(line)} |" for line in table))
        return
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)))


def _show_more(rows: dict[Any, Row], game: str) -> None:
    """Print what is measured of one game alone."""
    row = rows["threads", game]
    shown = row.get("error") or (
        f"{row['ratio']:.2f} × one (target {THREADS_TARGET}; load of the machine {row['load']:.1f})"
    )
    print(f"\ntwo threads on {game}: {shown}")
    row = rows["expansion", game]
    shown = row.get("error") or (
        f"{row['one_state_seconds_per_child'] * 1e6:.2f} µs per child for a state at a time, "
        f"{row['many_states_seconds_per_child'] * 1e6:.3f} µs for {row['states']} states at once "
        f"(target {CHILD_TARGET * 1e6:g} µs)"
    )
    print(f"expansion of {game}: {shown}")


def _show_equal(names: Sequence[str], rows: dict[Any, Row], *, markdown: bool) -> int:
    """Print the comparison of the backends; return 1 if one differs."""
    table = [["game", "games", "plies", "backends equal to torch", "differences"]]
    wrong = 0
    for name in names:
        row = rows["equal", name]
        if "error" in row:
            table.append([name, "", "", "", row["error"]])
            continue
        same = [backend for backend, found in row["differences"].items() if not found]
        other = [f"{b}: {', '.join(f)}" for b, f in row["differences"].items() if f]
        wrong += len(other)
        line = [name, f"{row['games']:,d}", f"{row['plies']:,d}", ", ".join(same)]
        table.append([*line, "; ".join(other) or "0"])
    _show(table, markdown=markdown)
    return int(wrong > 0)


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the rulesheets lie")
    parser.add_argument(
        "--games", nargs="*", help="names of rulesheets; 'all': the folder's (the table's)"
    )
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
    parser.add_argument("--resume", type=Path, help="JSON lines: rows to keep and to add to")
    parser.add_argument("--runs", type=int, default=5, help="runs, of which the median (5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a run (0.5)")
    parser.add_argument("--limit", type=float, default=900, help="seconds of a process (900)")
    parser.add_argument("--one-game", default="connectFour", help="for threads and expansion")
    parser.add_argument("--equal", action="store_true", help="compare backends instead")
    parser.add_argument(
        "--equal-seconds", type=float, default=60, help="of plain torch per game (60)"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.games or [target.game for target in TARGETS]
    if names == ["all"]:
        names = sorted(path.stem for path in options.folder.glob("*.kif"))
    if options.child is not None:
        rules = options.folder / f"{names[0]}.kif"
        print(json.dumps(_child(options.child, rules, options.equal_seconds)))
        return 0
    if options.equal:
        rows = _collect([("equal", name) for name in names], options)
        return _show_equal(names, rows, markdown=options.markdown)
    more = [(kind, options.one_game) for kind in ("threads", "expansion")]
    rows = _collect([*(("speed", name) for name in names), *more], options)
    _show(_speed_table(names, rows), markdown=options.markdown)
    _show_more(rows, options.one_game)
    return 0


if __name__ == "__main__":
    sys.exit(main())

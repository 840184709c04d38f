"""``neurogame runs``: the training runs that are there: list, compare, export, delete."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurogame.errors import ConfigurationError

if TYPE_CHECKING:
    from neurogame.arena.run_head import RunHead
    from neurogame.arena.run_record import RunRecord
    from neurogame.inspect.table import Part

RUNS = Path("runs")
"""Where ``train`` puts runs unless it is told."""
_ACTIONS = {
    "list": "list runs (what is done without an action)",
    "compare": "strength of two runs or more, and settings that differ",
    "export": "write one zip with settings, weights, curves, rules and commands of a run",
    "prune": "delete the runs that are surely weaker than another one of their game, with --yes",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    folder = f"where runs are looked for, and names of runs (default {RUNS})"
    as_json = "of the list: print one JSON object"
    parser.add_argument("--folder", type=Path, default=RUNS, help=folder)
    parser.add_argument("--json", action="store_true", help=as_json)
    parser.set_defaults(runs=[])
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    for name, summary in _ACTIONS.items():
        own = actions.add_parser(name, help=summary, description=summary)
        own.add_argument(
            "runs", nargs="*", type=Path, metavar="RUN", help="folder of a run, or name in --folder"
        )
        # What was said before the action stays.
        own.add_argument("--folder", type=Path, default=argparse.SUPPRESS, help=folder)
        if name == "list":
            own.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=as_json)
        elif name == "export":
            own.add_argument("--out", type=Path, metavar="FILE", help="default: RUN.zip")
        elif name == "prune":
            own.add_argument("--yes", action="store_true", help="do delete")


def run(options: argparse.Namespace) -> int:
    """List runs, or do what is asked with them."""
    from neurogame.arena.run_head import find_runs, read_head

    action, folder = options.action or "list", options.folder
    if options.json and action != "list":
        raise ConfigurationError(f"--json goes with the list of runs, not with {action}")
    paths = [p if p.exists() or not (folder / p).exists() else folder / p for p in options.runs]
    if action != "list":
        _act(action, options, paths)
        return 0
    heads = [read_head(path) for path in paths] or find_runs(folder, read_head)
    if options.json:
        print(json.dumps({"runs": [{**_row(one), "hash": _hash(one)} for one in heads]}))
    else:
        print(listed(heads) or f"no runs in {folder}; 'neurogame train GAME' makes one")
    return 0


def _act(action: str, options: argparse.Namespace, paths: list[Path]) -> None:
    """Compare, export or delete runs."""
    from neurogame.arena.run_head import find_runs
    from neurogame.arena.run_record import delete_run, export_run, read_run, surpassed
    from neurogame.inspect.table import told

    runs = [read_run(path) for path in paths] or find_runs(options.folder, read_run)
    if action == "compare" and len(paths) < 2:
        raise ConfigurationError("compare: name two runs or more, by their folders")
    if action == "export" and len(paths) != 1:
        raise ConfigurationError("export: name one run, by its folder")
    if action == "export":
        out = options.out or Path(f"{paths[0].resolve().name}.zip")
        print(f"{out}: {export_run(runs[0], out) / 1e6:.1f} MB")
    elif action == "compare":
        print(told(_compared(runs)))
    else:
        weaker = surpassed(runs)
        for path, best in weaker.items():
            left = delete_run(path) if options.yes else ""
            done = "would delete" if not options.yes else "kept" if left else "deleted"
            print(f"{done} {path}: {best} is stronger{left and '; but '}{left}")
        if not weaker:
            print("nothing to delete: no run is surely weaker than another one of its game")
        elif not options.yes:
            print("nothing is deleted without --yes; runs that train or were not measured stay")


def listed(runs: list[RunHead]) -> str:
    """Return runs as a table; empty if there are none."""
    from neurogame.inspect.table import Table, told

    columns = "run={run} | game={game} | seconds={seconds:.0f} | games={games:,} | "
    columns += "releases={releases} | MB={mb:.1f} | last release={told}"
    rows = [{**row, "mb": row["bytes"] / 1e6} for row in map(_row, runs)]
    return told([Table(rows, columns)])


def _row(run: RunHead) -> dict[str, Any]:
    return {
        "run": str(run.path),
        "game": run.game,
        "seconds": run.seconds,
        "games": run.games,
        "releases": run.releases,
        "bytes": run.size,
        "told": ", ".join(filter(None, ["trains now" * run.is_training, run.strength])) or "–",
    }


def _hash(run: RunHead) -> str | None:
    from neurogame.arena.run_record import read_run

    held = read_run(run.path).checkpoint
    return held.hash if held else None


def _compared(runs: list[RunRecord]) -> list[Part]:
    """Return how runs differ."""
    from neurogame.arena.strength_table import still_rises, strength_table
    from neurogame.inspect.table import grid

    parts: list[Part] = []
    for one in runs:
        table = strength_table(one.strength) if one.strength else "its strength was not measured"
        sentence = still_rises(one.checkpoint.results if one.checkpoint else [])
        parts.append("\n".join(filter(None, [f"{one.path}, {one.game}", table, sentence])))
    settings = [one.settings() for one in runs]
    names = {name: None for own in settings for name in own}
    rows = [(n, *(str(own.get(n, "–")) for own in settings)) for n in names]
    differing = [row for row in rows if len(set(row[1:])) > 1]
    heads = ["setting", *(str(one.path) for one in runs)]
    parts += [grid(heads, *differing) if differing else "all settings are the same"]
    held = [one.checkpoint for one in runs]
    if all(held) and len({one.signature for one in held if one}) == 1:
        players = " ".join(f"alphabeta:{one.path}/latest.pt,depth=2" for one in runs)
        parts.append(f"matches:  neurogame arena --game {runs[0].game} --players {players}")
    return parts

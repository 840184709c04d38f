"""``neurogame reproduce``: the papers' tables and figures again, ours beside theirs."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from neurogame.cli.papers.declared import DIR, SCALES, PaperTable, declarations, paper_tables
from neurogame.errors import ConfigurationError

if TYPE_CHECKING:
    from neurogame.cli.papers.measured import CellJob

_EPILOG = """\
Without PAPER and --scale it lists what there is. What is finished stays in the folder and is not
measured again; the same command goes on after Ctrl-C. See docs/papers.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EPILOG
    parser.add_argument("paper", nargs="?", metavar="PAPER", help="one paper (default: all)")
    parser.add_argument("table", nargs="?", metavar="TABLE", help="one of its tables or figures")
    parser.add_argument(
        "--scale",
        choices=SCALES,
        help="how much: smoke shows that it runs, hour is what a laptop can do, full is as much "
        "as the paper (smoke)",
    )
    parser.add_argument(
        "--cells", nargs="+", metavar="TEXT", help="only cells with these in a name"
    )
    parser.add_argument(
        "--rulesheets", type=Path, metavar="DIR", help="public rulesheets, as of games.ggp.org"
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="cores to use (1)")
    parser.add_argument("--seed", type=int, default=0, help="decides everything but time (0)")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs/reproduce"),
        metavar="DIR",
        help="folder of records, of what they came from, and of REPORT.md (runs/reproduce)",
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="measure nothing; write the records' page there"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace) -> int:
    """Measure what is missing and write the report; exit code 130 if it was interrupted."""
    tables = paper_tables(options.paper, options.table)
    if options.page is not None:
        from neurogame.cli.papers.measured import read_records
        from neurogame.cli.papers.report import write_report
        from neurogame.files import check_output

        check_output("--page", options.page)
        if not read_records(options.out):
            raise ConfigurationError(
                f"--out {options.out} holds no records, of which --page could be made; without "
                "--page they are measured"
            )
        write_report(tables, options.out, options.page)
        return 0
    if options.paper is None and options.scale is None:
        print(_listing(tables))
        return 0
    if options.workers < 1:
        raise ConfigurationError(f"--workers {options.workers}: at least 1 is needed")
    return _measure(tables, options)


def _listing(tables: Sequence[PaperTable]) -> str:
    """Return the papers and their tables, what each asks, and how long it takes."""
    lines, paper = [], ""
    for table in tables:
        if table.paper != paper:
            paper = table.paper
            lines += ["", f"{paper}: {declarations()['papers'][paper]}"]
        times = ", ".join(f"{scale} {_duration(table.minutes[scale])}" for scale in SCALES)
        lines += [f"  {table.name:<12}{table.title} ({len(table.cells)} cells; {times})"]
        lines.append(f"  {'':<12}{table.asks}")
    lines += ["", "Times are of one core, roughly. One of them: neurogame reproduce PAPER TABLE"]
    return "\n".join(lines[1:])


def _duration(minutes: float) -> str:
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.0f} h"


def _measure(tables: Sequence[PaperTable], options: argparse.Namespace) -> int:
    """Run what has no record yet, write the report and print the verdicts."""
    from tqdm import tqdm

    from neurogame.bars import bar_stream
    from neurogame.cli.papers.measured import read_records, run_jobs
    from neurogame.cli.papers.report import best_records, verdict, write_report
    from neurogame.files import writing
    from neurogame.workers.local import local_workers

    folder = options.out
    with writing(f"--out {folder}", "name a folder"):
        folder.mkdir(parents=True, exist_ok=True)
    wanted = list(_jobs(tables, options))
    if not wanted:
        names = "; ".join(dict.fromkeys(cell.name for one in tables for cell in one.cells))
        raise ConfigurationError(
            f"no cell can be measured; see above, or give --cells parts of {shorten(names, 600)}"
        )
    known = {one.key: set(one.figures) for one in read_records(folder)}
    missing = [
        job
        for job in wanted
        if any(one.label not in known.get(job.record.key, ()) for one in job.cell.figures)
    ]
    failed, interrupted = list[str](), False
    shown = {"disable": options.quiet, "file": bar_stream(), "initial": len(wanted) - len(missing)}
    try:
        with tqdm(total=len(wanted), desc="reproduce", unit="cell", **shown) as bar:
            if missing:
                with local_workers(options.workers) as workers:
                    failed = run_jobs(missing, workers, options.workers, folder, bar)
    except KeyboardInterrupt:
        interrupted = True
    write_report(tables, folder, folder / "REPORT.md")
    best = best_records(read_records(folder))
    for table in tables:
        print(f"{table.paper} {table.name}: {verdict(table, best).replace('*', '')}")
    print(f"{folder / 'REPORT.md'}: figures, intervals and commands ({DIR} there is {folder})")
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    if interrupted:
        print("interrupted; the same command goes on", file=sys.stderr)
    return 130 if interrupted else 1 if failed else 0


def _jobs(tables: Sequence[PaperTable], options: argparse.Namespace) -> Iterator[CellJob]:
    """Yield what is asked for; say why cells are left out."""
    from neurogame.cli.papers.measured import cell_job

    refused, scale = Counter[str](), options.scale or SCALES[0]
    for table in tables:
        for cell in table.cells:
            if options.cells and not any(text in cell.name for text in options.cells):
                continue
            try:
                yield cell_job(table, cell, scale, options.seed, options.rulesheets)
            except ConfigurationError as error:
                refused[str(error)] += 1
    for reason, count in refused.items():
        print(f"{count} cells are left out: {reason}", file=sys.stderr)

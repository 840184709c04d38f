"""Runs the commands of cells, and keeps what they came to: one line of JSON each."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from neurogame.cli.papers.declared import DIR, SCALES, PaperCell, PaperFigure, PaperTable
from neurogame.errors import ConfigurationError, NeurogameError
from neurogame.files import read_rows
from neurogame.version import __version__

if TYPE_CHECKING:
    from tqdm import tqdm

RECORDS = "records.jsonl"
"""File of the folder with the records."""

_GLANCE = 1.0
"""Seconds between two looks at what is under way: so a bar shows that time passes."""

_SCRIPTS = Path(__file__).parents[3]
"""Where commands of a checkout find ``experiments``."""


@final
@dataclass(frozen=True)
class CellRecord:
    """What a cell came to.

    Attributes:
        paper: key of the paper.
        table: of the table.
        cell: of the cell.
        command: that was run, with ``DIR`` for the folder of results.
        scale: at which; the highest one with this command.
        seed: of the command.
        figures: of each label the value, and the ends of its 95 % interval or twice None; empty
            before it was run.
        seconds: of processors, for what was not done yet in its folder.
        version: of the package.
    """

    paper: str
    table: str
    cell: str
    command: str
    scale: str
    seed: int
    figures: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    seconds: float = 0.0
    version: str = __version__

    @property
    def key(self) -> tuple[str, ...]:
        """What tells whether two records are of the same measurement."""
        return self.paper, self.table, self.cell, self.command


@final
@dataclass(frozen=True)
class CellJob:
    """A command that is to be run for a cell.

    Attributes:
        cell: whose figures are read.
        record: what is known of its record.
        rules: the rulesheet that is played.
    """

    cell: PaperCell
    record: CellRecord
    rules: str


def cell_job(
    table: PaperTable, cell: PaperCell, scale: str, seed: int, rulesheets: Path | None
) -> CellJob:
    """Return what has to be run for a cell.

    Args:
        table: of the cell.
        cell: what is measured.
        scale: how much; a command that is the same at a higher one counts as that.
        seed: decides everything but time.
        rulesheets: folder of public rulesheets, if there is one.

    Raises:
        ConfigurationError: a rulesheet or a script is missing.
    """
    rules = cell.rulesheet(rulesheets)
    texts = {one: cell.filled(cell.command, one, rules, seed) for one in SCALES}
    for words in _commands(texts[scale]):
        if words[0] == "python" and not (_SCRIPTS / words[1]).is_file():
            raise ConfigurationError("they need experiments/ of a checkout, which no wheel has")
    reached = next(one for one in reversed(SCALES) if texts[one] == texts[scale])
    named = CellRecord(table.paper, table.name, cell.name, texts[scale], reached, seed)
    return CellJob(cell, named, rules)


def read_records(folder: Path) -> list[CellRecord]:
    """Return the records of a folder; of equal commands the last, a line cut off left out."""
    found = dict[tuple[str, ...], CellRecord]()
    for row in read_rows(folder / RECORDS):
        with contextlib.suppress(TypeError):
            one = CellRecord(**row)
            found[one.key] = one
    return list(found.values())


def keep_record(folder: Path, record: CellRecord) -> None:
    """Append a record to the file of a folder; a line that was cut off before it stays alone."""
    with (folder / RECORDS).open("a+b") as stream:
        stream.seek(max(stream.tell() - 1, 0))
        begin = "\n" if stream.read() not in (b"", b"\n") else ""
        stream.write(f"{begin}{json.dumps(asdict(record))}\n".encode())


def run_jobs(
    jobs: Iterable[CellJob],
    executor: Executor,
    at_once: int,
    folder: Path,
    bar: tqdm[None],
) -> list[str]:
    """Run jobs, those with one command together, and keep a record of each as soon as it is over.

    Args:
        jobs: what is to be run.
        executor: does it.
        at_once: commands under way at the same time.
        folder: of results, which is there.
        bar: counts what is over, and names what is under way.

    Returns:
        What failed, and why.
    """
    by_command = dict[str, list[CellJob]]()
    for job in jobs:
        by_command.setdefault(job.record.command, []).append(job)
    waiting, failed = iter(by_command.values()), list[str]()
    under_way = dict[Future[CommandAnswer], list[CellJob]]()
    while True:
        while len(under_way) < at_once and (group := next(waiting, None)) is not None:
            under_way[executor.submit(run_command, group[0].record.command, str(folder))] = group
        if not under_way:
            return failed
        over, _ = wait(under_way, _GLANCE, FIRST_COMPLETED)
        for future in over:
            group, answer = under_way.pop(future), future.result()
            for job in group:
                try:
                    keep_record(folder, record_of(job, answer))
                except NeurogameError as error:
                    failed.append(f"{_title([job])}: {error}")
            bar.update(len(group))
        bar.set_postfix_str("; ".join(map(_title, under_way.values())))


def _title(group: Sequence[CellJob]) -> str:
    return " ".join(group[0].record.key[:3])


@final
@dataclass(frozen=True)
class CommandAnswer:
    """What a command came to.

    Attributes:
        found: the JSON object that it printed.
        seconds: of processors, for what was not done yet in its folder.
        error: the last line that it said if it failed, else empty.
    """

    found: Mapping[str, Any]
    seconds: float
    error: str = ""


def run_command(text: str, folder: str) -> CommandAnswer:
    """Run what a cell's command says in this process, and return what it prints as JSON.

    Args:
        text: one or several commands of ``neurogame``, or scripts of ``experiments``; objects
            that several print are merged.
        folder: what ``DIR`` stands for.
    """
    began, found = sum(os.times()[:4]), dict[str, Any]()
    for words in _commands(text):
        words = [word.replace(f"{DIR}/work/", f"{folder}/work/") for word in words]
        for one in words:
            if one.startswith(folder):
                Path(one).parent.mkdir(parents=True, exist_ok=True)
        out, errors, code = io.StringIO(), io.StringIO(), object()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                code = _script(words[1:]) if words[0] == "python" else _subcommand(words[1:])
            except SystemExit as end:
                code = end.code
                errors.write(code if isinstance(code, str) else "")
            except Exception as error:
                code, _ = 1, errors.write(f"\n{type(error).__name__}: {error}")
        if code:
            said = errors.getvalue().strip().splitlines() or [f"exit code {code}"]
            return CommandAnswer(found, sum(os.times()[:4]) - began, said[-1])
        found |= json.loads(out.getvalue().strip().splitlines()[-1])
    return CommandAnswer(found, sum(os.times()[:4]) - began)


def _commands(text: str) -> Iterator[list[str]]:
    for part in text.split(" && "):
        yield shlex.split(part)


def _subcommand(words: Sequence[str]) -> int:
    from neurogame.cli.main import build_parser

    options = build_parser(words[0]).parse_args([*words, "--json"])
    options.begun = time.monotonic()
    return int(options.run(options))


def _script(words: Sequence[str]) -> int:
    path, before = _SCRIPTS / words[0], (sys.argv, list(sys.path))
    sys.argv, sys.path[:0] = [str(path), *words[1:]], [str(path.parent)]
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before
    return 0


def record_of(job: CellJob, answer: CommandAnswer) -> CellRecord:
    """Return the record of a job.

    Args:
        job: what was run.
        answer: what it came to.

    Raises:
        ConfigurationError: the command failed, or did not print a figure.
    """
    if answer.error:
        raise ConfigurationError(answer.error)
    figures = {}
    for figure in job.cell.figures:
        try:
            figures[figure.label] = _read(job, figure, answer.found)
        except (LookupError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ConfigurationError(f"{figure.label} is not in its answer: {error!r}") from error
    return replace(job.record, figures=figures, seconds=round(answer.seconds, 1))


def _read(job: CellJob, figure: PaperFigure, found: Mapping[str, Any]) -> list[float | None]:
    """Return a figure's value and the ends of its interval."""

    def at(path: str) -> Any:
        return _reach(found, job.cell.filled(path, job.record.scale, job.rules, job.record.seed))

    value = float(at(figure.value))
    value = value / float(at(figure.over)) if figure.over else value
    ends = at(figure.interval) if figure.interval else None
    numbers = [value, *(ends or (None, None))]
    return [None if one is None else round(figure.factor * one, 6) for one in numbers]


def _reach(found: Any, path: str) -> Any:
    """Return what stands at a place of a JSON object; see :class:`PaperFigure`."""
    for part in path.split("/"):
        if isinstance(found, list):
            name, equal, text = part.partition("=")
            found = next(one for one in found if one[name] == text) if equal else found[int(part)]
        else:
            found = found[part]
    return found

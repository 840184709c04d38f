"""The page of the papers: their figures, ours with intervals, a verdict for each table."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from neurogame.cli.papers.declared import (
    BEYOND,
    DIR,
    SCALES,
    PaperCell,
    PaperFigure,
    PaperTable,
    declarations,
    file_name,
)
from neurogame.cli.papers.measured import RECORDS, CellRecord, read_records
from neurogame.files import write_text

Place: TypeAlias = tuple[str, str, str]
"""Paper, table and cell."""

_WIDE = 15.0
"""Half an interval of a share in per cent above which it decides nothing."""

_REACHED = {
    "reproduced": "reached",
    "partly reproduced": "partly reached",
    "refuted": "not reached",
}
"""Verdicts on goals that are not the papers'."""
_STANDINGS = ("agrees", "better", "worse", "other", "open")


def page(tables: Sequence[PaperTable], folder: Path, path: Path) -> str:
    """Return the page as Markdown.

    Args:
        tables: what it tells of.
        folder: with the records, and pictures beside them.
        path: where the page will be: links begin there.
    """
    best = best_records(read_records(folder))
    below = f"{folder.name}/" if folder.parent == path.parent else ""
    declared = declarations()
    lines = [declared["about"].format(records=f"{below}{RECORDS}", folder=DIR)]
    lines += ["| paper | table | verdict | command |", "|---|---|---|---|"]
    for table in tables:
        command = f"`neurogame reproduce {table.paper} {table.name}`"
        link = f"[{table.title}](#{_anchor(table.title)})"
        lines.append(f"| {table.paper} | {link} | {verdict(table, best)} | {command} |")
    paper = ""
    for table in tables:
        if table.paper != paper:
            paper = table.paper
            lines += ["", f"## {declared['papers'][paper]}"]
        lines += ["", *_section(table, best, below)]
    return "\n".join(lines) + "\n"


def write_report(tables: Sequence[PaperTable], folder: Path, path: Path) -> None:
    """Write the page, and copy the pictures of cells beside the records.

    Args:
        tables: what it tells of.
        folder: with the records and the work of cells.
        path: of the page.
    """
    best = best_records(read_records(folder))
    for table in tables:
        for cell in table.cells:
            record = best.get(_key(table, cell))
            for word in record.command.split() if record and cell.picture else ():
                drawn = Path(word.replace(DIR, str(folder), 1))
                if drawn.name == cell.picture and drawn.is_file():
                    shutil.copyfile(drawn, folder / _picture(table, cell))
    write_text(path, page(tables, folder, path))


def best_records(records: Iterable[CellRecord]) -> dict[Place, CellRecord]:
    """Return of several records of a cell the last one at the highest scale."""
    ordered = sorted(records, key=lambda one: SCALES.index(one.scale))
    return {(one.paper, one.table, one.cell): one for one in ordered}


def verdict(table: PaperTable, best: Mapping[Place, CellRecord]) -> str:
    """Return in one line what has come of a table.

    Args:
        table: which one.
        best: the record of each cell, by paper, table and cell.
    """
    found = [(cell, best[key]) for cell in table.cells if (key := _key(table, cell)) in best]
    if not found:
        return "not run"
    counts = Counter(
        standing(figure, record.figures[figure.label], record.scale)
        for cell, record in found
        for figure in cell.figures
        if figure.label in record.figures
    )
    agree, better, worse, other = (counts[one] for one in _STANDINGS[:-1])
    told = agree + better + worse + other
    if not told:
        tried = all(record.scale == SCALES[0] for _, record in found)
        word = "not comparable at this scale" if tried else "undecided"
    elif worse + other == 0:
        word = "beaten" if better >= max(agree, 1) else "reproduced"
    else:
        word = "partly reproduced" if agree + better >= max(worse, 1) else "refuted"
    numbers = ", ".join(f"{counts[one]} {one.rstrip('s')}" for one in _STANDINGS if counts[one])
    missing = len(table.cells) - len(found)
    rest = f"; {missing} of {len(table.cells)} cells not run" if missing else ""
    if table.paper == BEYOND:
        word = _REACHED.get(word, word)
    so_far = " so far" if told and counts["open"] + missing > told else ""
    return f"**{word}{so_far}** ({numbers}{rest})"


def standing(figure: PaperFigure, found: Sequence[float | None], scale: str) -> str:
    """Return how a figure stands to the paper, in a word; nothing where nothing is compared.

    Args:
        figure: what is published or claimed.
        found: its value and the ends of its interval.
        scale: at which it was measured.
    """
    value, low, high = found
    assert value is not None
    if not figure.paper and not figure.claim:
        return ""
    if scale == SCALES[0] or (figure.interval and (low is None or high is None)):
        return "open"
    ends = (value, value) if low is None or high is None else (low, high)
    if figure.claim:
        sign, _, text = figure.claim.partition(" ")
        inside = [end > float(text) if sign == ">" else end < float(text) for end in ends]
        return "agrees" if all(inside) else "open" if any(inside) else "worse"
    if ends[1] - ends[0] > 2 * _WIDE:
        return "open"
    paper, half = float(figure.paper), float(figure.half)
    if ends[0] <= paper + half and paper - half <= ends[1]:
        return "agrees"
    if not figure.better:
        return "other"
    above = ends[0] > paper + half
    return "better" if above == (figure.better == "above") else "worse"


def _section(table: PaperTable, best: Mapping[Place, CellRecord], below: str) -> list[str]:
    """Return the part of the page that tells of a table."""
    lines = [f"### {table.title}", "", table.asks, "", f"*What differs:* {table.differs}", ""]
    lines += [f"*Verdict:* {verdict(table, best)}", ""]
    lines += ["| cell | figure | paper, or asked | ours | | scale |", "|---|---|---|---|---|---|"]
    commands, pictures = dict[str, str](), []
    for cell in table.cells:
        record = best.get(_key(table, cell))
        if record is None:
            lines.append(f"| {cell.name} | | | not run | | |")
            continue
        commands.setdefault(record.command, f"{cell.name}, {record.seconds:.0f} s")
        # Labels may have changed since a record was made; then the cell is run again.
        for figure in (one for one in cell.figures if one.label in record.figures):
            own = record.figures[figure.label]
            word = standing(figure, own, record.scale)
            ours = _shown(figure, own)
            published = _published(figure)
            lines.append(
                f"| {cell.name} | {figure.label} | {published} | {ours} | {word} | {record.scale} |"
            )
        if cell.picture and record.scale != SCALES[0]:
            pictures.append(f"![{table.title}, {cell.name}]({below}{_picture(table, cell)})")
    if commands:
        lines += ["", *(f"- {note}: `{text}`" for text, note in commands.items())]
    return [*lines, *(line for picture in pictures for line in ("", picture))]


def _published(figure: PaperFigure) -> str:
    if not figure.paper:
        return figure.claim or "–"
    return figure.paper + (f" ± {figure.half}" if float(figure.half) else "")


def _shown(figure: PaperFigure, found: Sequence[float | None]) -> str:
    value, low, high = (
        None if one is None else f"{one:,.{figure.digits}f}".replace("-", "−") for one in found
    )
    return str(value) if low is None else f"{value} [{low}, {high}]"


def _key(table: PaperTable, cell: PaperCell) -> Place:
    return table.paper, table.name, cell.name


def _picture(table: PaperTable, cell: PaperCell) -> str:
    return file_name(f"{table.paper}-{table.name}-{cell.name}{Path(cell.picture).suffix}")


def _anchor(title: str) -> str:
    """Return the anchor that a heading has."""
    kept = (letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return "".join(kept).replace(" ", "-")

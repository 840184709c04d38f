"""What there is to reproduce, as ``papers.toml`` and the published figures beside it declare it."""

from __future__ import annotations

import csv
import shlex
import tomllib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, final

from neurogame.errors import ConfigurationError

SCALES = ("smoke", "hour", "full")
"""How much is measured: to see that it runs, what a laptop can do, and as much as the paper."""

DIR = "DIR"
"""What commands call the folder of results; so a record does not depend on where it lies."""

BEYOND = "beyond"
"""Stands where others have a paper's key: goals beyond the papers."""

_HERE = files(__package__)


@final
@dataclass(frozen=True, kw_only=True)
class PaperFigure:
    """One number of a cell, and what the paper says of it.

    Attributes:
        label: what it is.
        value: where it stands in what the command prints: names, places, or ``name=text`` of an
            entry of a list, with ``/`` between them.
        over: the same of what it is divided by; empty: nothing.
        interval: where its 95 % interval stands; empty: it has none.
        factor: by which value and interval are multiplied.
        digits: shown behind the point.
        paper: the published figure; empty: none.
        half: half the published 95 % interval, or what the figure is rounded by.
        claim: what the paper says of it without a figure, such as ``> 50``.
        better: ``above`` or ``below``: where a figure is better than the published one; empty:
            nowhere.
    """

    label: str
    value: str
    over: str = ""
    interval: str = ""
    factor: float = 1.0
    digits: int = 1
    paper: str = ""
    half: str = "0"
    claim: str = ""
    better: str = "above"


@final
@dataclass(frozen=True, kw_only=True)
class PaperCell:
    """One measurement: a command at each scale, and the figures that are read from its answer.

    Attributes:
        name: unique in its table.
        command: with braces for what is filled in; ``&&`` between several.
        row: what fills the braces at every scale, ``rules`` and ``library`` among it.
        scales: what fills them at each.
        figures: read from the answers.
        folder: begins the name of that in which it keeps what it has done.
        picture: a file there that it draws; empty: none.
    """

    name: str
    command: str
    row: Mapping[str, str]
    scales: Mapping[str, Mapping[str, object]]
    figures: tuple[PaperFigure, ...]
    folder: str
    picture: str

    def filled(self, text: str, scale: str, rules: str, seed: int) -> str:
        """Fill in the braces of a text of this cell."""
        own = {"rules": shlex.quote(rules), "stem": Path(rules).stem, "seed": seed, "out": ""}
        filling = {**self.row, **self.scales[scale], **own}
        # Other numbers, other folder: what is done goes on only where it is the same.
        mark = zlib.crc32(self.command.format_map(filling).encode())
        filling["out"] = f"{DIR}/work/{self.folder}-{mark:08x}"
        return text.format_map(filling)

    def rulesheet(self, folder: Path | None) -> str:
        """Return the rulesheet that is played: the paper's, or else one of the library.

        Args:
            folder: of public rulesheets, if there is one.

        Raises:
            ConfigurationError: the rulesheet is not there, and nothing stands in for it.
        """
        name, stand_in = self.row.get("rules", ""), self.row.get("library", "")
        if name and folder is not None:
            path = folder if name == "." else folder / f"{name}.kif"
            if path.exists():
                return str(path)
        if name and not stand_in:
            what = "public rulesheets" if folder is None else f"{name}.kif"
            raise ConfigurationError(f"they need {what} (games.ggp.org), see --rulesheets")
        return stand_in


@final
@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table, figure or observation of a paper.

    Attributes:
        paper: key of the paper, such as ``michulke``.
        name: its own key, unique in the paper.
        title: what the paper calls it.
        asks: the question that it answers.
        differs: what ours does otherwise.
        minutes: of one processor, roughly, at each scale.
        cells: what is measured.
    """

    paper: str
    name: str
    title: str
    asks: str
    differs: str
    minutes: Mapping[str, float]
    cells: tuple[PaperCell, ...]


def file_name(name: str) -> str:
    """Return a name for a file or folder: without blanks and commas."""
    return "-".join(name.replace(",", "").split())


def paper_tables(paper: str | None = None, table: str | None = None) -> list[PaperTable]:
    """Return the tables of all papers, of one, or one of them.

    Args:
        paper: its key.
        table: the table's.

    Raises:
        ConfigurationError: nothing has this key.
    """
    declared = declarations()
    found = [_table(one, declared["figures"]) for one in declared["table"]]
    for kind, wanted in (("paper", paper), ("name", table)):
        if wanted is not None:
            known = sorted({getattr(one, kind) for one in found})
            found = [one for one in found if getattr(one, kind) == wanted]
            if not found:
                what = "paper" if kind == "paper" else f"table of {paper}"
                raise ConfigurationError(f"no {what} is called {wanted!r}: {', '.join(known)}")
    return found


@cache
def declarations() -> dict[str, Any]:
    """Return what the file declares: the text ``about`` the page, titles of ``papers``, tables."""
    return tomllib.loads((_HERE / "papers.toml").read_text(encoding="utf-8"))


def _table(declared: Mapping[str, Any], shared: Mapping[str, Any]) -> PaperTable:
    """Make a table of what is declared; each cell once for every row of published figures."""
    cells = [
        cell
        for one in declared["cell"]
        for row in _rows(declared.get("rows", ""))
        for cell in [_cell(declared, one, row, shared)]
    ]
    named = {key: declared[key] for key in ("paper", "name", "title", "asks", "differs", "minutes")}
    return PaperTable(**named, cells=tuple(cells))


def _cell(
    declared: Mapping[str, Any],
    one: Mapping[str, Any],
    row: Mapping[str, str],
    shared: Mapping[str, Any],
) -> PaperCell:
    own = {**row, **{key: one[key] for key in ("rules", "library") if key in one}}
    name = one["name"].format_map(own)
    folder = one.get("folder", f"{declared['paper']}-{declared['name']}-{one['name']}")
    figures: Sequence[Mapping[str, Any]] = one["figures"]
    if isinstance(figures, str):
        figures = shared[figures]
    published = [
        {**each, **{key: each[key].format_map(own) for key in ("paper", "half") if key in each}}
        for each in figures
    ]
    return PaperCell(
        name=name,
        command=one["command"],
        row=own,
        scales={scale: {**declared.get(scale, {}), **one.get(scale, {})} for scale in SCALES},
        figures=tuple(PaperFigure(**each) for each in published),
        folder=file_name(folder.format_map(own)),
        picture=one.get("picture", ""),
    )


def _rows(name: str) -> Iterator[Mapping[str, str]]:
    """Yield the rows of a file of published figures; one empty row without a file."""
    if not name:
        yield {}
        return
    yield from csv.DictReader((_HERE / name).read_text(encoding="utf-8").splitlines())

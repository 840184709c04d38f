"""Rows of a report as people read them: as lines of text, and as a part of a view.

A report is JSON-able, and its lists of rows are what tables show; so each thing that is told is
told once, and printed in three ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from neurogame.inspect.html.elements import FAINT, Content, Element, bar, element, more

Row: TypeAlias = Mapping[str, Any]
_WHOLE = 20
"""Texts in views that are no longer than this are not broken into lines."""
_NUMBER = re.compile(r"|–|[+-]?[\d.,]+(%|e[+-]\d+)?")


@final
@dataclass(frozen=True)
class Table:
    """Some rows of a report.

    Attributes:
        rows: each with what the columns name; also ``squares``, see
            :class:`~neurogame.inspect.html.elements.Element`.
        columns: headings, which may be empty, and the cells below, as :meth:`str.format` makes them
            of a row: ``"rule={source} | drift={drift:.4f}"``.
        title: what they are; empty where that is said already.
        bars: of views: heading -> what a bar beside the column shows: a name in the row, and what
            is the whole length, or 0 for the largest of all. A row without that name has none.
        listed: rows that views show at once; the others when they are asked for.
    """

    rows: Sequence[Row]
    columns: str
    title: str = ""
    bars: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    listed: int = 1000

    def text(self) -> str:
        """Return the table as lines."""
        right, heads = self._right, [name for name, _ in self._columns]
        lines = [heads, *self._cells] if any(heads) else self._cells
        widths = [max(len(line[place]) for line in lines) for place in range(len(right))]
        texts = [
            "  ".join(
                cell.rjust(width) if ends else cell.ljust(width)
                for cell, width, ends in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *texts] if self.title else texts)

    def element(self) -> Element:
        """Return the table as a part of a view."""
        rows = self._lines()
        heads = [text for name, _ in self._columns for text in (name, *[""] * (name in self.bars))]
        head = [element("th", f"{_CELL}color:{FAINT};font-weight:500", text) for text in heads]
        first = [element("tr", _ROW, *head)] if any(heads) else []
        title = [element("div", f"color:{FAINT}", self.title)] if self.title else []
        shown, rest = rows[: self.listed], rows[self.listed :]
        others = [more(f"{len(rest)} more", _framed([*first, *rest]))] if rest else []
        return element("div", "", *title, _framed([*first, *shown]), *others)

    @property
    def _columns(self) -> list[tuple[str, str]]:
        """Headings and forms of the cells."""
        parts = (column.partition("=") for column in self.columns.split(" | "))
        return [(name, form) for name, _, form in parts]

    @property
    def _cells(self) -> list[list[str]]:
        return [[form.format_map(row) for _, form in self._columns] for row in self.rows]

    @property
    def _right(self) -> list[bool]:
        """Which columns hold numbers, which end at the right."""
        return [all(map(_NUMBER.fullmatch, column)) for column in zip(*self._cells, strict=True)]

    def _lines(self) -> list[Element]:
        right = self._right
        shares = {
            name: _shares([row.get(of) for row in self.rows], whole)
            for name, (of, whole) in self.bars.items()
        }
        lines = []
        for number, (row, texts) in enumerate(zip(self.rows, self._cells, strict=True)):
            cells: list[Content] = []
            for (name, _), text, ends in zip(self._columns, texts, right, strict=True):
                whole = ends or len(text) <= _WHOLE
                side = "text-align:right;" if ends else ""
                cells.append(element("td", _CELL + side + (_KEPT if whole else _BROKEN), text))
                if name in shares:
                    cells.append(element("td", _CELL, shares[name][number]))
            lines.append(Element("tr", _ROW, tuple(cells), tuple(row.get("squares", ()))))
        return lines


Part: TypeAlias = str | Table
"""Of what is told: a text, or a table."""


def told(parts: Iterable[Part]) -> str:
    """Return parts as text, a line between them; tables without rows are left out."""
    texts = [part if isinstance(part, str) else part.text() for part in parts if _is_there(part)]
    return "\n\n".join(texts)


def shown(parts: Iterable[Part]) -> list[Content]:
    """Return parts as parts of a view; tables without rows are left out."""
    return [part if isinstance(part, str) else part.element() for part in parts if _is_there(part)]


def facts(pairs: Mapping[str, object]) -> Table:
    """Return names and what they are, one pair per line."""
    return Table([{"name": n, "fact": fact} for n, fact in pairs.items()], "={name} | ={fact}")


def grid(headings: Sequence[str], *rows: Sequence[object], **more: Any) -> Table:
    """Return cells as they are; ``more``: fields of :class:`Table`."""
    columns = " | ".join(f"{name}={{{name}}}" for name in headings)
    return Table([dict(zip(headings, row, strict=True)) for row in rows], columns, **more)


def _is_there(part: Part) -> bool:
    return bool(part if isinstance(part, str) else part.rows)


def _framed(lines: Sequence[Element]) -> Element:
    return element("table", _TABLE, element("tbody", "", *lines))


def _shares(numbers: Sequence[float | None], whole: float) -> list[Content]:
    """Return numbers as bars."""
    known = [number for number in numbers if number is not None]
    largest = whole or max(map(abs, known), default=0) or 1
    signed = min(known, default=0) < 0
    return ["" if amount is None else bar(amount / largest, signed=signed) for amount in numbers]


# Pages of notebooks style tables, often for a dark background; so every element says what it wants.
_TABLE = "border-collapse:collapse;margin:0;color:inherit;background:transparent;font-size:13px"
_ROW = "background:transparent"
_KEPT = "white-space:nowrap;"
_BROKEN = "overflow-wrap:anywhere;min-width:110px;"
_CELL = "padding:2px 12px 2px 0;border:0;vertical-align:top;text-align:left;"

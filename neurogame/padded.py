"""Lines of cells, as wide as the columns that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def padded(lines: Sequence[Sequence[str]], left: int) -> Iterator[list[str]]:
    """Yield lines whose cells are as wide as their columns.

    Args:
        lines: of cells, at least one.
        left: columns whose cells begin at the left; those of all others end at the right.
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = zip(line, widths, strict=True)
        yield [c.ljust(w) if n < left else c.rjust(w) for n, (c, w) in enumerate(cells)]

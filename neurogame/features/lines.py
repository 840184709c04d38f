"""Features of lines: how many conditions of the goals are so far complete and still open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.array_types import Int64s
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import FeatureMaker, look_ups
from neurogame.features.on_boards import marker_fluents, marker_text
from neurogame.features.roles import owner_of
from neurogame.structure.relations import Relations
from neurogame.structure.structure import Structure


def line_features(
    maker: FeatureMaker, structure: Structure, relations: Relations
) -> Iterator[Feature]:
    """Yield, marker by marker, the number of open lines of which so many squares are taken.

    A line is a condition of the goals that asks for the same marker on two or more squares. It is
    open while no square has another content but the blank one, and blocked otherwise: what is
    blocked for good can no longer matter.
    """
    for marker in relations.markers:
        marked = set(marker_fluents(marker).tolist())
        blanks = set(marker.board.empty_fluents.tolist())
        lines = [one for one in structure.conditions if set(one) <= marked]
        owner, text = owner_of(maker.circuit, marker.name), marker_text(marker)
        for length in sorted({len(one) for one in lines}):
            same = [one for one in lines if len(one) == length]
            rows = [_reads(structure, one, blanks) for one in same]
            ranges = {
                f"open lines of {length} with {taken} of {text}": slice(taken, taken + 1)
                for taken in range(1, length)
            }
            ranges[f"blocked lines of {length} of {text}"] = slice(length + 1, None)
            for words, counted in ranges.items():
                tables = look_ups(
                    [(fluents, addends, _values(addends, counted)) for fluents, addends in rows]
                )
                yield maker.of_look_ups(FeatureKind.LINES, words, tables, owner)


def _reads(structure: Structure, line: tuple[int, ...], blanks: set[int]) -> tuple[Int64s, Int64s]:
    """Return the fluents that a line's row depends on, and their addends.

    Its own squares count one each; another content counts more than all of them.
    """
    addends: dict[int, int] = {}
    for fluent in line:
        for other in structure.variables[int(structure.variable_of[fluent])].fluents.tolist():
            if other not in blanks:
                addends.setdefault(other, len(line) + 1)
    addends |= dict.fromkeys(line, 1)
    return np.array(list(addends)), np.array(list(addends.values()))


def _values(addends: Int64s, counted: slice) -> list[float]:
    """Return the rows' values: 1 for the rows that are counted."""
    values = np.zeros(int(addends.sum()) + 1)
    values[counted] = 1.0
    return [float(value) for value in values]

"""The boards of a game: which fluents are the squares of a grid, and what stands there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, final

if TYPE_CHECKING:
    from neurogame.simulate.game import State

Place: TypeAlias = tuple[int, int, int]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """One relation of the state, read as a grid.

    The first of the two grid arguments runs to the right, the second upwards. A board with
    more coordinates consists of slices, one grid per value of the other coordinates.

    Attributes:
        name: the relation.
        columns: values of the argument that runs to the right, from left to right.
        rows: values of the argument that runs upwards, from bottom to top.
        slices: values of the other coordinates, one tuple per slice; a single empty tuple for
            a plain board.
        arrangement: indices of the slices as they are shown, rows from the top, each from the
            left. Two other coordinates run to the right and upwards too, a single one to the
            right in as many lines as it takes.
        places: the squares that exist, each ``(slice, column, row)``.
        squares: per fluent of this board its square and its content.
        contents: what may stand on a square, each a tuple of the remaining arguments.
        labels: short unique text of each content.
        blank: which content means that nothing stands there, if there is one. In other games
            an empty square simply has no content.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    slices: tuple[tuple[str, ...], ...]
    arrangement: tuple[tuple[int, ...], ...]
    places: frozenset[Place]
    squares: dict[int, tuple[Place, int]]
    contents: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    blank: int | None

    def occupied(self, state: State) -> dict[Place, list[int]]:
        """Return the contents, mostly one, of each square where something stands."""
        contents: dict[Place, list[int]] = {}
        for fluent in state.fluents.nonzero().view(-1).tolist():
            if fluent in self.squares:
                place, content = self.squares[fluent]
                if content != self.blank:
                    contents.setdefault(place, []).append(content)
        return contents

    def title(self, index: int) -> str:
        """Return the relation with the other coordinates of one slice."""
        return " ".join([self.name, *self.slices[index]])

    @property
    def shown_contents(self) -> list[int]:
        """The contents that are pieces."""
        return [content for content in range(len(self.contents)) if content != self.blank]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class ListedRelation:
    """One relation that is no board.

    Attributes:
        name: the relation.
        texts: per fluent its index and its arguments as text.
        longest: the most characters that a list of it took in any sampled state.
    """

    name: str
    texts: tuple[tuple[int, str], ...]
    longest: int


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class StateLayout:
    """How the states of a game are shown.

    Attributes:
        boards: the boards, in the order of their relations.
        facts: the relations on no board.
    """

    boards: tuple[Board, ...]
    facts: tuple[ListedRelation, ...]

    def fact_lines(self, state: State) -> list[str]:
        """Return one line per relation of which something holds: ``control: white``."""
        held = state.fluents.tolist()
        lines = []
        for facts in self.facts:
            texts = [text for index, text in facts.texts if held[index]]
            if texts:
                lines.append(f"{facts.name}: {', '.join(texts)}" if any(texts) else facts.name)
        return lines

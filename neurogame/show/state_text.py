"""One state as text: its boards as aligned grids, its other fluents as a list.

The first coordinate of a board runs to the right, the second upwards. A dot is an empty
square, a gap a square that does not exist.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from neurogame.show.board import Board, Place
from neurogame.show.layout import find_layout
from neurogame.simulate.game import Game, State

_WIDTH = 100
_GAP = "   "
_TIE = "\N{NO-BREAK SPACE}"


def state_text(state: State) -> str:
    """Return a state as text.

    Args:
        state: any state; its boards are found from the fluents of its game.
    """
    if not state.game.has_circuit:
        # Boards are found in the circuit.
        return "\n".join(wrapped(", ".join(state.fluent_texts), _WIDTH)) or "(no fluent holds)"
    layout = find_layout(state.game)
    blocks = [_board_text(board, state) for board in layout.boards]
    facts = [line for fact in layout.fact_lines(state) for line in wrapped(fact, _WIDTH)]
    if facts:
        blocks.append("\n".join(facts))
    return "\n\n".join(blocks) or "(no fluent holds)"


def wrapped(line: str, width: int) -> list[str]:
    """Return a line cut at its commas, if possible, into lines of at most ``width`` characters."""
    tied = line.replace(" ", _TIE).replace(f",{_TIE}", ", ")
    lines = textwrap.wrap(tied, width, subsequent_indent="  ")
    return [part.replace(_TIE, " ") for part in lines]


def squares_text(game: Game, fluents: Sequence[int]) -> str:
    """Return in one line which squares fluents lie on: rows from the top, ``..x/.x./x..``.

    Args:
        game: the game.
        fluents: their indices; of boards and slices on which none lies nothing is said.

    Returns:
        The boards; empty where there is none, or they do not fit into a line.
    """
    grids = []
    for board in find_layout(game).boards:
        marked = {board.squares[fluent][0] for fluent in fluents if fluent in board.squares}
        for index in sorted({place[0] for place in marked}):
            marks = {place: "x" if place in marked else "." for place in board.places}
            rows = [
                "".join(marks.get((index, x, y), " ") for x in range(len(board.columns)))
                for y in reversed(range(len(board.rows)))
            ]
            title = " ".join(board.slices[index])
            grids.append(f"{title}: {'/'.join(rows)}" if title else "/".join(rows))
    text = " | ".join(grids)
    return text if len(text) <= _WIDTH else ""


def _board_text(board: Board, state: State) -> str:
    occupied = board.occupied(state)
    lines = []
    for row in board.arrangement:
        grids = [_grid(board, index, occupied) for index in row]
        widths = [max(len(line) for line in grid) for grid in grids]
        for parts in zip_longest(*grids, fillvalue=""):
            padded = (part.ljust(width) for part, width in zip(parts, widths, strict=True))
            lines.append(_GAP.join(padded).rstrip())
        lines.append("")
    names = {board.labels[c]: " ".join(board.contents[c]) for c in board.shown_contents}
    key = ", ".join(f"{label} = {name}" for label, name in names.items() if name not in ("", label))
    lines += wrapped(key, _WIDTH)
    return "\n".join(lines).rstrip()


def _grid(board: Board, index: int, occupied: dict[Place, list[int]]) -> list[str]:
    """Return the lines of one slice, the title first and the column labels last."""
    table = []
    for row in reversed(range(len(board.rows))):
        places = [(index, column, row) for column in range(len(board.columns))]
        table.append([board.rows[row], *(_square(board, place, occupied) for place in places)])
    table.append(["", *board.columns])
    margin = max(len(line[0]) for line in table)
    width = max(len(text) for line in table for text in line[1:])
    rows = [[line[0].rjust(margin), *(text.rjust(width) for text in line[1:])] for line in table]
    return [board.title(index), *(" ".join(row) for row in rows)]


def _square(board: Board, place: Place, occupied: dict[Place, list[int]]) -> str:
    if place in occupied:
        return "/".join(board.labels[content] for content in occupied[place])
    return "." if place in board.places else ""

"""Independent solvers of small games: bitboards and plain negamax, nothing of the package."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import reduce
from operator import xor


def straight_lines(sizes: tuple[int, ...], length: int) -> list[int]:
    """Return all straight lines of a grid as sets of cells; cell = sum of coordinate * stride."""
    strides = [1]
    for size in sizes[:-1]:
        strides.append(strides[-1] * size)
    lines = set()
    for start in itertools.product(*map(range, sizes)):
        for way in itertools.product((-1, 0, 1), repeat=len(sizes)):
            ends = [s + (length - 1) * w for s, w in zip(start, way, strict=True)]
            if any(way) and all(0 <= e < size for e, size in zip(ends, sizes, strict=True)):
                cells = [
                    sum((s + i * w) * t for s, w, t in zip(start, way, strides, strict=True))
                    for i in range(length)
                ]
                lines.add(sum(1 << cell for cell in cells))
    return sorted(lines)


class LineGame:
    """Two players claim cells in turn; who fills a line first has won, a full board is a draw.

    A position is a pair of sets of cells: of who is to move, and of the other.
    """

    def __init__(self, sizes: tuple[int, ...], length: int, *, gravity: bool = False) -> None:
        self.cells = 1
        for size in sizes:
            self.cells *= size
        self._lines = straight_lines(sizes, length)
        self._through = [[w for w in self._lines if w >> c & 1] for c in range(self.cells)]
        self._width = sizes[0]
        self._gravity = gravity
        self._known: dict[tuple[int, int], int] = {}

    def moves(self, mine: int, theirs: int) -> list[int]:
        """Return the cells that may be claimed."""
        taken = mine | theirs
        free = [cell for cell in range(self.cells) if not taken >> cell & 1]
        if self._gravity:
            free = [c for c in free if c < self._width or taken >> (c - self._width) & 1]
        return free

    def wins(self, mine: int, cell: int) -> bool:
        """Return whether claiming a cell fills a line."""
        after = mine | 1 << cell
        return any(after & line == line for line in self._through[cell])

    def value(self, mine: int, theirs: int) -> int:
        """Return 1, 0 or -1 for a win, draw or loss of who is to move."""
        key = (mine, theirs)
        if key not in self._known:
            self._known[key] = self._search(mine, theirs)
        return self._known[key]

    def _search(self, mine: int, theirs: int) -> int:
        moves = self.moves(mine, theirs)
        if not moves:
            return 0
        if any(self.wins(mine, cell) for cell in moves):
            return 1
        blocks = [cell for cell in moves if self.wins(theirs, cell)]
        if len(blocks) > 1:
            return -1
        best = -1
        for cell in blocks or sorted(moves, key=lambda c: -len(self._through[c])):
            best = max(best, -self.value(theirs, mine | 1 << cell))
            if best == 1:
                break
        return best

    def best_moves(self, mine: int, theirs: int) -> set[int]:
        """Return all cells that keep the value."""
        value = self.value(mine, theirs)
        return {
            cell for cell in self.moves(mine, theirs) if self._after(mine, theirs, cell) == value
        }

    def _after(self, mine: int, theirs: int, cell: int) -> int:
        return 1 if self.wins(mine, cell) else -self.value(theirs, mine | 1 << cell)


def nim_is_won(heaps: tuple[int, ...]) -> bool:
    """Return whether who is to move wins, by Bouton's theorem."""
    return reduce(xor, heaps) != 0


def nim_best_moves(heaps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield heap and what remains of it, for each move that keeps the value."""
    won = nim_is_won(heaps)
    for heap, count in enumerate(heaps):
        for rest in range(count):
            if not won or not nim_is_won((*heaps[:heap], rest, *heaps[heap + 1 :])):
                yield heap, rest


def cube_rules() -> str:
    """Return the rulesheet of tic-tac-toe on a cube of 3 x 3 x 3 cells, numbered 0..26."""
    lines = [[c for c in range(27) if line >> c & 1] for line in straight_lines((3, 3, 3), 3)]
    won = "\n".join(
        f"(<= (won ?p) {' '.join(f'(true (cell {c} ?p))' for c in line)})" for line in lines
    )
    cells = " ".join(f"(place {cell})" for cell in range(27))
    return f"""
(role x) (role o) (opponent x o) (opponent o x) {cells} (init (control x))
(<= (base (cell ?c ?p)) (place ?c) (role ?p))
(<= (base (control ?p)) (role ?p))
(<= (input ?p (mark ?c)) (role ?p) (place ?c))
(<= (input ?p noop) (role ?p))
(<= taken_some (true (cell ?c ?p)))
(<= (taken ?c) (true (cell ?c ?p)))
(<= (legal ?p (mark ?c)) (true (control ?p)) (place ?c) (not (taken ?c)))
(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
(<= (next (cell ?c ?p)) (does ?p (mark ?c)))
(<= (next (cell ?c ?p)) (true (cell ?c ?p)))
(<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
{won}
(<= free (place ?c) (not (taken ?c)))
(<= terminal (won ?p))
(<= terminal (not free))
(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0) (opponent ?p ?q) (won ?q))
(<= decided (won ?p))
(<= (goal ?p 50) (role ?p) (not decided))
"""

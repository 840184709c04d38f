"""How the states of a game are laid out: its boards as grids, its other relations as lists.

Which relations are boards is found by structure (:mod:`neurogame.structure.boards`), whatever
their names. Names matter only for the order of axes that no successor relation orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from weakref import WeakKeyDictionary

import numpy as np

from neurogame.array_types import Int64s
from neurogame.show.axis_order import axis_order
from neurogame.show.board import Board, ListedRelation, Place, StateLayout
from neurogame.show.piece_labels import piece_labels
from neurogame.simulate.game import Game
from neurogame.structure.boards import GameBoard
from neurogame.structure.fluent_relations import FluentRelation
from neurogame.structure.relations import Relations

_WIDEST = 36


_layouts: WeakKeyDictionary[Game, StateLayout] = WeakKeyDictionary()


def find_layout(game: Game) -> StateLayout:
    """Return how the states of a game are shown; found once per game, always the same."""
    if game not in _layouts:
        _layouts[game] = _find_layout(game)
    return _layouts[game]


def _find_layout(game: Game) -> StateLayout:
    relations = game.relations
    boards = {board.relation: board for board in relations.boards}
    return StateLayout(
        boards=tuple(_board(boards[r], relations) for r in relations.state if r in boards),
        facts=tuple(_listed(r, relations) for r in relations.state if r not in boards),
    )


def _listed(relation: FluentRelation, relations: Relations) -> ListedRelation:
    texts = [
        " ".join(domain[code] for domain, code in zip(relation.domains, row, strict=True))
        for row in relation.codes.tolist()
    ]
    lengths = np.array([len(text) + 2 if text else 1 for text in texts])
    held = relations.sample[:, relation.fluents]
    return ListedRelation(
        name=relation.name,
        texts=tuple(zip(relation.fluents.tolist(), texts, strict=True)),
        longest=len(relation.name) + int((held @ lengths).max()),
    )


def _board(board: GameBoard, relations: Relations) -> Board:
    relation = board.relation
    domains, codes = _sorted_values(relation, relations)
    axes = _grid(board)
    outer = sorted({*board.axes, *board.index} - set(axes))
    rows = [tuple(row) for row in codes[:, list(board.content)].tolist()]
    contents = sorted(set(rows))
    slices = list(product(*(range(len(domains[axis])) for axis in outer)))
    squares: dict[int, tuple[Place, int]] = {}
    blank = None
    for i, fluent in enumerate(relation.fluents.tolist()):
        place = (
            slices.index(tuple(codes[i, outer].tolist())),
            int(codes[i, axes[0]]),
            int(codes[i, axes[1]]),
        )
        content = contents.index(rows[i])
        squares[fluent] = (place, content)
        if board.content_of[i] == board.blank:
            blank = content
    texts = _texts(domains, board.content, contents)
    return Board(
        name=relation.name,
        columns=domains[axes[0]],
        rows=domains[axes[1]],
        slices=_texts(domains, outer, slices),
        arrangement=_arrange([len(domains[axis]) for axis in outer], len(domains[axes[0]])),
        places=frozenset(place for place, _ in squares.values()),
        squares=squares,
        contents=texts,
        labels=tuple(piece_labels(texts)),
        blank=blank,
    )


def _sorted_values(
    relation: FluentRelation, relations: Relations
) -> tuple[list[tuple[str, ...]], Int64s]:
    """Return the values of each argument as they are shown, and the fluents' numbers in them."""
    domains = []
    codes = np.zeros_like(relation.codes)
    for place, values in enumerate(relation.domains):
        argument = relations.order_of(relation, place)
        first = () if argument is None else (argument.successor,)
        shown = axis_order(values, (*first, *relations.successors))
        domains.append(shown)
        number = {value: i for i, value in enumerate(shown)}
        codes[:, place] = np.array([number[value] for value in values])[relation.codes[:, place]]
    return domains, codes


def _texts(
    domains: Sequence[tuple[str, ...]], places: Sequence[int], rows: Sequence[tuple[int, ...]]
) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(domains[p][c] for p, c in zip(places, row, strict=True)) for row in rows)


def _grid(board: GameBoard) -> tuple[int, int]:
    """Return the two axes of the grids; of a cube the longest, and of equal ones the first."""
    sizes = [len(domain) for domain in board.relation.domains]
    return max(combinations(board.axes, 2), key=lambda pair: sizes[pair[0]] * sizes[pair[1]])


def _arrange(outer: list[int], width: int) -> tuple[tuple[int, ...], ...]:
    """Return the indices of the slices in the lines in which they are shown."""
    total = int(np.prod(outer))
    if len(outer) == 2 and outer[0] * (width + 2) <= 2 * _WIDEST:
        numbers = np.arange(total).reshape(outer)
        return tuple(tuple(row) for row in numbers.T[::-1].tolist())
    each = max(_WIDEST // (width + 2), 1)
    return tuple(tuple(range(b, min(b + each, total))) for b in range(0, total, each))

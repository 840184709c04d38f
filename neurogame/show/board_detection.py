"""Finding the boards of a game by the structure of its fluents, whatever their names.

A relation is a board if some of its arguments determine the others in the sampled states (a
square has one content, but for rare exceptions), and two of these arguments span a grid. Names
matter only for the order of the axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias, final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import torch

from neurogame.show.axis_order import Successors, axis_order, successor_facts
from neurogame.show.board import Board, ListedRelation, StateLayout
from neurogame.show.piece_labels import piece_labels
from neurogame.simulate.game import Game

BoolArray: TypeAlias = npt.NDArray[np.bool_]

_GAMES = 32
_MOST_PLIES = 64
_FEWEST_PLIES = 8
_GATES_TO_EVALUATE = 4_000_000
_LONGEST_AXIS = 40
_FILLED_GRID = 0.5
_SHARED_SQUARES = 0.02
_MOST_SLICES = 36
_WIDEST = 36
_MOST_COORDINATES = 5

_layouts: WeakKeyDictionary[Game, StateLayout] = WeakKeyDictionary()


def find_layout(game: Game) -> StateLayout:
    """Return how the states of a game are shown; found once per game, always the same."""
    if game not in _layouts:
        _layouts[game] = _find_layout(game)
    return _layouts[game]


def split_fluent(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the relation and the arguments of compact KIF.

    >>> split_fluent("(cell (at 1 2) b)")
    ('cell', ('(at 1 2)', 'b'))
    """
    if not text.startswith("("):
        return text, ()
    parts: list[str] = []
    depth = 0
    for word in text[1:-1].split(" "):
        if depth:
            parts[-1] += " " + word
        else:
            parts.append(word)
        depth += word.count("(") - word.count(")")
    return parts[0], tuple(parts[1:])


def sample_states(game: Game) -> BoolArray:
    """Play a few games at random and return their states; bool ``[T, B, F]``, from the start.

    Games that have ended stay as they are. The choice is fixed by the game alone.
    """
    simulator = game.simulator()
    generator = torch.Generator().manual_seed(0)
    plies = _GATES_TO_EVALUATE // (game.circuit.gate_count + 1)
    states = simulator.initial(_GAMES)
    seen = [states.to_bool()]
    for _ in range(min(max(plies, _FEWEST_PLIES), _MOST_PLIES)):
        legal, terminal = simulator.status(states)
        if bool(terminal.all()):
            break
        columns = []
        for begin, end in zip(game.move_offsets, game.move_offsets[1:], strict=False):
            draw = torch.rand((_GAMES, end - begin), generator=generator)
            columns.append((draw + legal[:, begin:end]).argmax(dim=1))
        # A role without a legal move, an error of the rules, must not keep us from looking.
        states = simulator.step(states, torch.stack(columns, dim=1), check=False)
        seen.append(states.to_bool())
    return torch.stack(seen).numpy()


@final
@dataclass(frozen=True, eq=False)
class _Relation:
    """The fluents of one relation.

    ``codes`` are the arguments as numbers in ``domains``, int64 ``[K, arity]``; ``held`` says
    in which sampled states each fluent holds, bool ``[T, B, K]``.
    """

    name: str
    fluents: list[int]
    domains: list[tuple[str, ...]]
    codes: npt.NDArray[np.int64]
    held: BoolArray

    def squares(self, key: Sequence[int]) -> tuple[npt.NDArray[np.int64], int]:
        """Return the number of each fluent's square, and how many squares there are."""
        unique, index = np.unique(self.codes[:, key], axis=0, return_inverse=True)
        return index.reshape(-1), len(unique)

    def counts(self, key: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return how many fluents hold per sampled state and square; int64 ``[T * B, S]``."""
        index, total = self.squares(key)
        held = self.held.reshape(-1, len(self.fluents))
        state, fluent = held.nonzero()
        flat = np.bincount(state * total + index[fluent], minlength=len(held) * total)
        return flat.reshape(len(held), total)


def _find_layout(game: Game) -> StateLayout:
    sample = sample_states(game)
    successors = successor_facts(game.rules)
    groups: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]] = {}
    for index, text in enumerate(game.fluents):
        name, arguments = split_fluent(text)
        groups.setdefault((name, len(arguments)), []).append((index, arguments))
    boards: list[Board] = []
    facts: list[ListedRelation] = []
    for (name, arity), fluents in groups.items():
        relation = _relation(name, fluents, sample, successors)
        key = _best_key(relation) if arity >= 2 else None
        if key is not None:
            boards.append(_board(relation, key))
            continue
        lengths = np.array([sum(len(a) + 1 for a in args) + 1 for _, args in fluents])
        texts = tuple((index, " ".join(args)) for index, args in fluents)
        longest = len(name) + int((relation.held @ lengths).max())
        facts.append(ListedRelation(name=name, texts=texts, longest=longest))
    return StateLayout(boards=tuple(boards), facts=tuple(facts))


def _relation(
    name: str,
    fluents: list[tuple[int, tuple[str, ...]]],
    sample: BoolArray,
    successors: Successors,
) -> _Relation:
    indices = [index for index, _ in fluents]
    by_argument = list(zip(*(arguments for _, arguments in fluents), strict=True))
    domains = [axis_order(values, successors) for values in by_argument]
    numbers = [{value: i for i, value in enumerate(domain)} for domain in domains]
    codes = [[n[a] for n, a in zip(numbers, args, strict=True)] for _, args in fluents]
    return _Relation(name, indices, domains, np.array(codes, np.int64), sample[:, :, indices])


def _best_key(relation: _Relation) -> tuple[int, ...] | None:
    """Return the arguments that number the squares, or None if this is no board.

    They determine the other arguments, no part of them does, and two of them span a grid. Of
    several such sets, the smallest wins, then the one that fills its squares best.
    """
    arity = len(relation.domains)
    if relation.held.sum(axis=2).max() < 2:
        return None
    keys: list[tuple[int, ...]] = []
    for size in range(1, min(arity, _MOST_COORDINATES) + 1):
        best = (0.0, 0.0)
        best_key: tuple[int, ...] | None = None
        for key in combinations(range(arity), size):
            if any(set(smaller) < set(key) for smaller in keys):
                continue
            counts = relation.counts(key)
            if (counts > 1).sum() > _SHARED_SQUARES * (counts > 0).sum():
                continue
            keys.append(key)
            pair = _axes(relation, key)
            if pair is None:
                continue
            score = (float(counts.mean()), _overlap(relation, *pair))
            if score > best:
                best, best_key = score, key
        if best_key is not None:
            return best_key
    return None


def _axes(relation: _Relation, key: Sequence[int]) -> tuple[int, int] | None:
    """Return the two coordinates that span the grid: alike, and long.

    Of equal ones, the first two of three (a cube in slices) and the last two of more (a board
    of boards).
    """
    pairs = [pair for pair in combinations(key, 2) if _spans_grid(relation, pair)]
    sizes = [len(domain) for domain in relation.domains]
    cells = math.prod(sizes[axis] for axis in key)
    pairs = [pair for pair in pairs if cells <= _MOST_SLICES * sizes[pair[0]] * sizes[pair[1]]]
    if not pairs:
        return None
    if len(key) > 3:
        pairs.reverse()
    return max(pairs, key=lambda pair: (_overlap(relation, *pair), sizes[pair[0]] * sizes[pair[1]]))


def _spans_grid(relation: _Relation, pair: tuple[int, int]) -> bool:
    width, height = (len(relation.domains[axis]) for axis in pair)
    if min(width, height) < 2 or max(width, height) > _LONGEST_AXIS:
        return False
    return relation.squares(pair)[1] >= _FILLED_GRID * width * height


def _overlap(relation: _Relation, first: int, second: int) -> float:
    """Return how alike two arguments are: common values / all values, 0 if less than half."""
    one, other = set(relation.domains[first]), set(relation.domains[second])
    share = len(one & other) / len(one | other)
    return share if share >= 0.5 else 0.0


def _board(relation: _Relation, key: tuple[int, ...]) -> Board:
    axes = _axes(relation, key)
    assert axes is not None
    domains = relation.domains
    outer = [axis for axis in key if axis not in axes]
    inner = [axis for axis in range(len(domains)) if axis not in key]
    slices = list(product(*(range(len(domains[axis])) for axis in outer)))
    contents = sorted({tuple(row) for row in relation.codes[:, inner].tolist()})
    squares = {}
    number = np.zeros(len(relation.fluents), np.int64)
    for i, (fluent, row) in enumerate(zip(relation.fluents, relation.codes.tolist(), strict=True)):
        number[i] = contents.index(tuple(row[axis] for axis in inner))
        place = (slices.index(tuple(row[a] for a in outer)), row[axes[0]], row[axes[1]])
        squares[fluent] = (place, int(number[i]))
    texts = tuple(tuple(domains[a][c] for a, c in zip(inner, row, strict=True)) for row in contents)
    return Board(
        name=relation.name,
        columns=domains[axes[0]],
        rows=domains[axes[1]],
        slices=tuple(tuple(domains[a][c] for a, c in zip(outer, s, strict=True)) for s in slices),
        arrangement=_arrange([len(domains[axis]) for axis in outer], len(domains[axes[0]])),
        places=frozenset(place for place, _ in squares.values()),
        squares=squares,
        contents=texts,
        labels=tuple(piece_labels(texts)),
        blank=_blank(relation, key, number),
    )


def _arrange(outer: list[int], width: int) -> tuple[tuple[int, ...], ...]:
    """Return the indices of the slices in the lines in which they are shown."""
    total = int(np.prod(outer))
    if len(outer) == 2 and outer[0] * (width + 2) <= 2 * _WIDEST:
        numbers = np.arange(total).reshape(outer)
        return tuple(tuple(row) for row in numbers.T[::-1].tolist())
    each = max(_WIDEST // (width + 2), 1)
    return tuple(tuple(range(b, min(b + each, total))) for b in range(0, total, each))


def _blank(relation: _Relation, key: tuple[int, ...], content: npt.NDArray[np.int64]) -> int | None:
    """Return the content that means an empty square.

    There is one only where every square that can have several contents always has one. It is
    what stands on most squares at the start; of several, the one that comes and goes most
    often.
    """
    kinds = int(content.max()) + 1
    several = np.bincount(relation.squares(key)[0]) > 1
    if kinds < 2 or not several.any() or int(relation.counts(key)[:, several].min()) < 1:
        return None
    held = relation.held
    at_start = np.bincount(content[held[0, 0]], minlength=kinds)
    changed = (held[1:] != held[:-1]).sum(axis=(0, 1))
    changes = np.bincount(content, weights=changed, minlength=kinds)
    return max(range(kinds), key=lambda kind: (int(at_start[kind]), float(changes[kind])))

"""What a tree says of a node, read in plain Python: the twin of the compiled reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.search.mcts.compiled.tree import (
    BOUND,
    CLOSED,
    COLUMNS,
    COUNT,
    DECIDERS,
    EXACT,
    JUDGED,
    KNOWN,
    MOST,
    MOVE,
    NO_LINK,
    ROLE,
    SUMS,
    VALUES,
    Decider,
    Edges,
    Node,
    Record,
    Tree,
    edges_start,
    padded_length,
)
from neurogame.splitmix import G1, G2, MIX_1, MIX_2

_WORDS = 1 << 64


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class DeciderMoves:
    """The moves that a deciding role has tried, or may try, at a node.

    Attributes:
        role: who decides.
        moves: numbers of the moves among those of all roles; int64 ``[A]``.
        visits: simulations of each; int64 ``[A]``.
        sums: of their results for the role; float64 ``[A]``.
        known: whether the move's value is proved; bool ``[A]``.
        links: where it leads, if nobody else decides; int64 ``[A]``.
        plies: to the end after the move, at most, in the lines of the proof; -1 where nothing is
            proved; int64 ``[A]``.
        before: of proved moves the mean result for the role before that, one half where there is
            none; float64 ``[A]``.
        priors: what a judge says of it, 0..1, None where it was not asked; float64 ``[A]``.
    """

    role: int
    moves: Int64s
    visits: Int64s
    sums: Float64s
    known: Bools
    links: Int64s
    plies: Int64s
    before: Float64s
    priors: Float64s | None = None

    @property
    def means(self) -> Float64s:
        """Mean result of each move, NaN where there is none."""
        with np.errstate(invalid="ignore"):
            means: Float64s = self.sums / self.visits
        return means


def choices(tree: Tree, node: int) -> list[DeciderMoves]:
    """Return the choices of the roles that decide at a node; none if it has no record.

    Args:
        tree: the tree.
        node: its place.
    """
    record = node_of(tree, node).record
    if record == 0:
        return []
    status, roles, deciders = record_of(tree, node).status, len(tree.best), []
    place = record + edges_start(roles, status >> DECIDERS)
    for number in range(status >> DECIDERS):
        decider = Decider.over(tree.heap, record + SUMS + roles + 2 * number)
        count, length = decider.head & COUNT, padded_length(decider.head & COUNT)
        edges = Edges.over(tree.heap, place, length, tree.width - COLUMNS)
        words = edges.moves[:count].astype(np.int64)
        priors = edges.extra[tree.priors, :count] if status & JUDGED else None
        known, role = words & KNOWN != 0, decider.head >> ROLE
        links = edges.links[:count].astype(np.int64)
        plies, before = _proofs(tree, role, np.where(known, links, NO_LINK))
        deciders.append(
            DeciderMoves(
                role=role,
                moves=(words & ~KNOWN) >> MOVE,
                visits=edges.visits[:count].astype(np.int64),
                sums=edges.sums[:count].astype(np.float64),
                known=known,
                links=links,
                plies=plies,
                before=before,
                priors=None if priors is None else priors.astype(np.float64),
            )
        )
        place += tree.width * length
    return deciders


def _proofs(tree: Tree, role: int, links: Int64s) -> tuple[Int64s, Float64s]:
    """Return what :class:`DeciderMoves` says of proved moves.

    Args:
        tree: the tree.
        role: who decides.
        links: of the moves that are proved and lead to something; :data:`NO_LINK` elsewhere.
    """
    plies, before = np.full(len(links), -1, np.int64), np.full(len(links), 0.5)
    for number in np.flatnonzero(links != NO_LINK):
        node = linked_node(tree, int(links[number]))
        plies[number] = plies_left(tree, node)
        record = node_of(tree, node).record
        if record > 0:
            visits = max(record_of(tree, node).visits, 1)
            before[number] = tree.reals[record + SUMS + role] / visits
    return plies, before


def linked_node(tree: Tree, link: int) -> int:
    """Return the node that a link leads to, 0 if it leads nowhere."""
    if link == NO_LINK:
        return 0
    return Record.over(tree.heap, link).node if link >= 0 else CLOSED - link


def child(tree: Tree, node: int, decided: Sequence[DeciderMoves], picks: Sequence[int]) -> int:
    """Return the node to which a joint move leads, 0 if it is not in the tree.

    Args:
        tree: the tree.
        node: from which.
        decided: its choices.
        picks: of each of them, the number of the move.
    """
    if len(decided) == 1:
        link = int(decided[0].links[picks[0]])
        return linked_node(tree, link)
    joint = 0
    for one, pick in zip(decided, picks, strict=True):
        joint = _mixed(joint + (int(one.moves[pick]) + 1) * G2)
    key = np.array([(joint + node * G1) % _WORDS], np.uint64).view(np.int64)
    places = np.flatnonzero((tree.joints[:, 0] == key) & (tree.joints[:, 1] != 0))
    return (int(tree.joints[places[0], 1]) % (1 << 32)) >> 1 if len(places) else 0


def _mixed(word: int) -> int:
    """Scramble a word as the tree's table of joint moves does."""
    word %= _WORDS
    word = (word ^ (word >> 30)) * MIX_1 % _WORDS
    word = (word ^ (word >> 27)) * MIX_2 % _WORDS
    return word ^ (word >> 31)


def node_of(tree: Tree, node: int) -> Node:
    """Return what is known of a node."""
    return Node.over(tree.heap, node)


def record_of(tree: Tree, node: int) -> Record:
    """Return a node's record, which it must have."""
    return Record.over(tree.heap, node_of(tree, node).record)


def is_exact(tree: Tree, node: int) -> bool:
    """Return whether a node's values are proved."""
    return bool(node_of(tree, node).flags & EXACT)


def plies_left(tree: Tree, node: int) -> int:
    """Return the plies from a proved node to the end, at most, in the lines of its proof."""
    return node_of(tree, node).flags >> MOST & BOUND


def node_values(tree: Tree, node: int) -> Float64s | None:
    """Return a node's proved values, or its mean results; None if there are none.

    Args:
        tree: the tree.
        node: its place.

    Returns:
        float64 ``[R]``.
    """
    header, total, visits = node_of(tree, node), node + VALUES, 1
    if not header.flags & EXACT:
        visits = header.ends
        if header.record > 0:
            total, visits = header.record + SUMS, record_of(tree, node).visits
    if visits == 0:
        return None
    values: Float64s = tree.reals[total : total + len(tree.best)].astype(np.float64) / visits
    return values


def only_moves(tree: Tree, node: int) -> list[int]:
    """Return the first legal move of each role, numbered among those of all roles.

    Args:
        tree: the tree.
        node: one that is not terminal.
    """
    roles = len(tree.best)
    counts = node + VALUES + (2 * roles if tree.hinted else roles)
    moves, number = [], 0
    for role in range(roles):
        moves.append(_listed(tree, counts + roles, number))
        number += int(tree.heap[counts + role])
    return moves


def _listed(tree: Tree, start: int, number: int) -> int:
    if tree.wide:
        return int(tree.heap[start + number])
    return int(tree.heap[start + (number >> 1)]) >> ((number & 1) << 4) & 0xFFFF

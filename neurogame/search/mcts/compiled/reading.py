"""Reading a tree: what a role knows of its moves, the one to make, and the line that follows."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float64s1, Int32s2, Int64s1
from neurogame.circuit.circuit import Circuit
from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.native.struct import Struct
from neurogame.search.mcts.compiled.distance import most_plies
from neurogame.search.mcts.compiled.lookup import add_move, find_joint, joint_child, joint_key
from neurogame.search.mcts.compiled.nodes import first_moves
from neurogame.search.mcts.compiled.tree import (
    BOUND,
    COUNT,
    EXACT,
    KNOWN,
    NO_LINK,
    ROLE,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    linked,
    move_of,
    node_at,
    record_at,
    results_of,
    sums_of,
    visits_of,
)
from neurogame.search.mcts.settings import MctsSettings

RULES = ("robust", "max", "secure")
"""How the final move is chosen, by the values of ``RootReading.rule``."""
_ROBUST, _SECURE = 0, 2
LONGEST_LINE = 64
_EVEN = 0.5
"""Value below which a role is better off the later the game ends."""


class Moves(Struct):
    """The moves of a role at a node; room for ``A``.

    Attributes:
        count: how many moves there are; 0 where the role has no choice.
        chosen: which of them is the final one.
        moves: numbers among the moves of the role; ``[A]``.
        visits: simulations of each; ``[A]``.
        known: whether the move's value is proved; ``[A]``.
        means: mean result for the role, of a proved move its value; -1 where it was never made;
            ``[A]``.
        plies: to the end after the move, at most, in the lines of the proof; -1 where nothing is
            proved; ``[A]``.
        before: of proved moves the mean result for the role before that, one half where there is
            none; ``[A]``.
        links: as the edges have them; ``[A]``.
    """

    count: int = 0
    chosen: int = 0
    moves: Int64s1
    visits: Int64s1
    known: Int64s1
    means: Float64s1
    plies: Int64s1
    before: Float64s1
    links: Int64s1


class RootReading(Struct):
    """What a tree says of its root; ``R`` roles.

    Attributes:
        tree: the tree.
        rule: of the final move.
        constant: of the bound of the secure one.
        role: who asks.
        root: its moves there.
        move: that it makes, as a number among its own; its first legal one if it has no choice.
        proved: whether the root is.
        plies: from there to the end then, at most.
        settled: whether the values are the root's own, and not those of the move's child.
        below: moves in the line.
        bests: best value of each role in this game; ``[R]``.
        values: of each role at the root once the move is made; ``[R]``.
        line: joint moves, as numbers of each role's own; ``[LONGEST_LINE, R]``.
        nodes: on the line; ``[LONGEST_LINE]``.
        length: of the line.
    """

    tree: Tree
    rule: int
    constant: float
    role: int = 0
    root: Moves
    move: int = 0
    proved: int = 0
    plies: int = 0
    settled: int = 0
    below: Moves
    bests: Float64s1
    values: Float64s1
    line: Int32s2
    nodes: Int64s1
    length: int = 0


def make_reading(tree: Tree, circuit: Circuit, settings: MctsSettings) -> RootReading:
    """Reserve memory.

    Args:
        tree: to be read.
        circuit: the game.
        settings: how the final move is chosen.
    """
    widest, roles = int(np.diff(circuit.move_offsets).max()), len(circuit.roles)
    root, below = (
        Moves(moves=n[0], visits=n[1], known=n[2], plies=n[3], links=n[4], means=r[0], before=r[1])
        for n, r in zip(np.zeros((2, 5, widest), np.int64), np.zeros((2, 2, widest)), strict=True)
    )
    return RootReading(
        tree=tree,
        rule=RULES.index(settings.final),
        constant=settings.exploration_constant,
        root=root,
        below=below,
        bests=np.array(circuit.best, np.float64),
        values=np.zeros(roles),
        line=np.zeros((LONGEST_LINE, roles), np.int32),
        nodes=np.zeros(LONGEST_LINE, np.int64),
    )


def exact_value(value: float) -> float:
    """Return a goal / 100 without the error of single precision; a mean of goals as it is.

    NaN, for what is unknown, stays that.
    """
    goal = value if math.isnan(value) else round(value * 100) / 100
    return goal if abs(goal - value) < 1e-6 else value


exact = inner(exact_value)


def read_root(reading: RootReading) -> None:
    """Read what a role knows of its moves at the root, and choose one if there are several."""
    tree, moves = reading.tree, reading.root
    record = node_at(tree.heap, tree.root).record
    first_moves(tree, tree.root, reading.line[0])
    moves.count, reading.move = 0, reading.line[0, reading.role] - tree.offsets[reading.role]
    if record > 0:
        for number in range(deciders_of(tree, record)):
            head = decider_of(tree, record, number).head
            if head >> ROLE == reading.role and head & COUNT > 1:
                _read(tree, record, number, moves)
                _choose(reading, moves, reading.role)
                reading.move = moves.moves[moves.chosen]
    reading.proved = node_at(tree.heap, tree.root).flags & EXACT
    reading.plies = most_plies(tree, tree.root)


def choose(reading: RootReading) -> None:
    """Choose the final move at the root; see :func:`_choose`."""
    _choose(reading, reading.root, reading.role)


@inner
def _choose(reading: RootReading, moves: Moves, role: int) -> None:
    """Choose the final move of a role.

    A move that is proved to be the best of the game is taken. Else the rule chooses among the
    moves that are not proved, and the best proved one is taken if it is worth more; a proved
    loss only where nothing else is left. Of proved moves that are worth the same, the one that wins
    soonest is taken if that is the best of the game, the one that loses latest if it is worth less
    than one half, and between those that still are alike the mean before the proof decides. Their
    order decides between equal ones.

    *Reference:* Chaslot et al., "Progressive strategies for Monte-Carlo tree search" (2008).
    """
    best, sure, value, plies, before = reading.bests[role], -1, 0.0, 0.0, 0.0
    likely, first, second, total = -1, 0.0, 0.0, 0
    for number in range(moves.count):
        total += moves.visits[number]
    for number in range(moves.count):
        mean, visits = moves.means[number], float(moves.visits[number])
        if moves.known[number]:
            own, near, mean_before = exact(mean), float(moves.plies[number]), moves.before[number]
            if own >= best:
                # Where memory is short the plies are unknown: the move is taken to be the worst.
                near = -near if near >= 0 else -float(BOUND)
            elif own >= _EVEN:
                near = 0.0
            same = own == value and (near > plies or (near == plies and mean_before > before))
            if sure < 0 or own > value or same:
                sure, value, plies, before = number, own, near, mean_before
            continue
        one, other = mean, visits
        if reading.rule == _ROBUST:
            one, other = visits, mean
        elif reading.rule == _SECURE and visits > 0:
            one -= reading.constant * math.sqrt(math.log(float(max(total, 1))) / visits)
        if likely < 0 or one > first or (one == first and other > second):
            likely, first, second = number, one, other
    moves.chosen = likely
    if sure >= 0:
        worth = likely >= 0 and moves.means[sure] <= max(moves.means[likely], 0.0)
        moves.chosen = likely if worth and value < best else sure


def read_line(reading: RootReading) -> None:
    """Read the line that is expected once the role has made its move, and what it is worth."""
    tree, moves, roles = reading.tree, reading.below, len(reading.values)
    for role in range(roles):
        reading.values[role] = _EVEN
    _read_values(reading, tree.root)
    node, reading.length = whole(tree.root), 0
    while node > 0 and reading.length < LONGEST_LINE:
        record, length, joint = node_at(tree.heap, node).record, reading.length, np.uint64(0)
        for ply in range(length):
            if reading.nodes[ply] == node:
                return
        if record == 0:
            return
        deciders, after, total = deciders_of(tree, record), 0, 0
        first_moves(tree, node, reading.line[length])
        for number in range(deciders):
            role = decider_of(tree, record, number).head >> ROLE
            _read(tree, record, number, moves)
            _choose(reading, moves, role)
            for one in range(moves.count):
                total += moves.visits[one]
                if length == 0 and role == reading.role and moves.moves[one] == reading.move:
                    moves.chosen = one
            move, link = moves.moves[moves.chosen], moves.links[moves.chosen]
            reading.line[length, role] = move + tree.offsets[role]
            joint = add_move(joint, reading.line[length, role])
            if deciders == 1 and link != NO_LINK:
                after = linked(tree, link)
        if total == 0:
            return
        for role in range(roles):
            reading.line[length, role] -= tree.offsets[role]
        if deciders > 1:
            place = find_joint(tree, joint_key(joint, node))
            after = joint_child(tree, place) if place >= 0 else 0
        elif length == 0 and reading.settled == 0 and after > 0:
            _read_values(reading, after)
        reading.nodes[length], reading.length, node = node, length + 1, after


@inner
def _read(tree: Tree, record: int, number: int, moves: Moves) -> None:
    """Read the moves of one of the deciders of a record."""
    head = decider_of(tree, record, number).head
    moves.count, role = head & COUNT, head >> ROLE
    edges = edges_of(tree, record, deciders_of(tree, record), number)
    for edge in range(moves.count):
        word, link, visits = whole(edges.moves[edge]), whole(edges.links[edge]), edges.visits[edge]
        known = word & KNOWN != 0
        moves.moves[edge] = move_of(word) - tree.offsets[role]
        moves.visits[edge], moves.known[edge], moves.links[edge] = visits, known, link
        moves.means[edge] = np.float64(edges.sums[edge]) / visits if visits > 0 else -1.0
        moves.plies[edge], moves.before[edge] = -1, _EVEN
        if known and link != NO_LINK:
            child = linked(tree, link)
            moves.plies[edge], below = most_plies(tree, child), node_at(tree.heap, child).record
            if below > 0:
                before = np.float32(max(record_at(tree.heap, below).visits, 1))
                moves.before[edge] = sums_of(tree, below).sums[role] / before


@inner
def _read_values(reading: RootReading, node: int) -> None:
    """Read a node's proved values, or its mean results, if there are any."""
    tree, header = reading.tree, node_at(reading.tree.heap, node)
    if header.flags & EXACT:
        for role in range(len(reading.values)):
            reading.values[role] = results_of(tree, node).values[role]
    elif visits_of(tree, node) > 0:
        for role in range(len(reading.values)):
            total = results_of(tree, node).values[role]
            if header.record > 0:
                total = sums_of(tree, header.record).sums[role]
            reading.values[role] = np.float64(total) / visits_of(tree, node)

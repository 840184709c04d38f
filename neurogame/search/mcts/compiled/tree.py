"""The tree, and how it lies in memory.

A tree is a heap of 32-bit words. Every state in it has a *node* there, and once simulations are to
pass through it a *record*. Nodes and records are known by their places in the heap, so that older
ones have smaller numbers; 0 means none. A record holds, beside counts, the *edges* of each role
that has a choice, its moves: header and edges side by side, so that a visit touches few cache lines
and these can be asked for ahead of time.

A node::

    Node  values[R]  ( hints[R] )  numbers of legal moves[R]  moves

``values`` sum up the results that ended here, until there is a record; once they are proved they
are the proved ones. Moves are in ascending order, two to a word if their numbers fit 16 bits.
Terminal nodes have no moves.

A record, at a multiple of 8 words::

    Record  sums[R]  Decider[D]  ( JointProofs )
    per decider:  Edges

``R`` roles, of which ``D`` decide: those with more than one legal move, or role 0 where there is
none such. Each array of edges is as long as the role has moves, rounded up to a multiple of 8.
"""

from __future__ import annotations

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Float32s3,
    Int32s1,
    Int64s1,
    Int64s2,
    UInt64s2,
)
from neurogame.native.arrays import overlay
from neurogame.native.columns import Columns, columns
from neurogame.native.compiled import inner
from neurogame.native.layout import Int32
from neurogame.native.struct import Struct

FIRST_WORD = 8
"""First word of the heap in use, so that 0 means none."""


class Node(Struct):
    """A state in the tree; its values, hints and legal moves follow.

    Attributes:
        index: row of the state.
        record: place of the record, 0 if there is none.
        ends: simulations that ended here; once there is a record, GRAVE's table.
        flags: :data:`TERMINAL`, :data:`EXACT`, and from bits :data:`LEAST`, :data:`MOST` and
            :data:`WINNER` on what is known of the plies to the end, see ``distance.py``.
    """

    index: Int32
    record: Int32
    ends: Int32
    flags: Int32


class Results(Columns):
    """What a node is worth to each role.

    Attributes:
        values: sums of the results that ended here, or proved values; ``[R]``.
        hints: values by an evaluator, if the tree has them; ``[R]``.
    """

    values: Float32s1
    hints: Float32s1


TERMINAL, EXACT = 1, 2
"""Flags of a node: the game is over here; ``values`` are proved."""
# Three bits of the role: the sign of the word stays free, and `flags >> WINNER` needs no mask.
LEAST, MOST, WINNER = 2, 16, 28
"""First bits, in the flags of a node, of a lower and an upper bound of the plies to the end, and of
the role (+ 1) to whose win the lower one belongs."""
BOUND = (1 << 12) - 1
"""Bits of such a bound."""
VALUES = 4
"""Words of a node, which its values follow."""


class Record(Struct):
    """What is counted at a node that simulations have passed; sums of results follow.

    Attributes:
        visits: simulations that came here; once the values are proved, those before that, or of a
            move of a lost root those that have compared it, see ``ties.py``.
        ends: those of them that ended here.
        status: simulations on their way, flags, and from bit :data:`DECIDERS` on the number of
            deciding roles.
        node: whose record it is.
    """

    visits: Int32
    ends: Int32
    status: Int32
    node: Int32


class Sums(Columns):
    """Sums of the results that came to a record.

    Attributes:
        sums: of each role; ``[R]``.
    """

    sums: Float32s1


PENDING = (1 << 10) - 1
"""Bits of the status, and of an edge's word of moves: simulations on their way."""
PROVED = 1 << 10
"""Bit of the status: the node's values are proved."""
SETTLED = 1 << 11
"""Bit of the status: a proved child is the best that the deciding role can get in this game."""
PARTED = 1 << 12
"""Bit of the status: some edge leads to a child with proved values."""
JUDGED = 1 << 13
"""Bit of the status: the edges have priors."""
KEPT = 1 << 14
"""Bit of the status, and of the flags of a node without a record: kept by a compaction that is
under way."""
DECIDERS = 16
"""First bit of the number of deciding roles in the status."""
SUMS = 4
"""Words of a record, which its sums follow."""


class Decider(Struct):
    """A role that has a choice at a node.

    Attributes:
        head: number of its moves, and from bit :data:`ROLE` on the role.
        tried: number of edges that have been chosen at least once.
    """

    head: Int32
    tried: Int32


ROLE = 24
"""First bit of the role."""
COUNT = (1 << ROLE) - 1
"""Bits of the number of moves."""


class JointProofs(Struct):
    """What is proved where several roles decide.

    Attributes:
        count: number of proved joint moves.
        same: a child with the values that all of them have, 0 if they differ.
    """

    count: Int32
    same: Int32


class Edges(Columns):
    """The moves of a decider, in random order.

    The first ones, ``Decider.tried``, have been chosen at least once; once a record has priors the
    others have the greatest first.

    Attributes:
        visits: simulations that came back; ``[A]``.
        sums: of their results for the role; ``[A]``.
        moves: simulations on their way, the move from bit :data:`MOVE` on, :data:`KNOWN`; ``[A]``.
        links: where one role decides, the child: from 0 on its record, :data:`NO_LINK`, below
            that ``CLOSED - node``. Where several do, children are found by the node and the joint
            move, and this counts proved children that are the best the role can get; ``[A]``.
        extra: rows that this search has: an evaluator's hints, priors, and of all moves as first
            how often they were seen, and the sums of results; ``[*, A]``.
    """

    visits: Int32s1
    sums: Float32s1
    moves: Int32s1
    links: Int32s1
    extra: Float32s2


# A word of moves: ten bits of simulations on their way (a block has 512 at most), twenty of the
# move, `KNOWN`, and a sign that stays free. Adding and taking 1 counts simulations.
COLUMNS = 4
"""Number of columns before the extra ones."""
HINTS = 0
"""Row of an evaluator's hints in ``Edges.extra``, where there are any."""
MOVE = 10
"""First bit of the move in an edge's word of moves."""
KNOWN = 1 << 30
"""Bit of an edge's word of moves: the child's values are proved."""
MOST_MOVES = 1 << 20
"""Bound on move numbers."""
NO_LINK = -1
"""Link where there is no child yet."""
CLOSED = -2
"""See :class:`Edges`."""


class Tree(Struct):
    """A tree of at most ``N`` nodes.

    ``R`` roles, ``M`` moves of all roles, ``Fw`` words of a packed state.

    Attributes:
        heap: nodes and records; ``[H]``.
        reals: the same memory; ``[H]``.
        nodes: in order of their making; ``[N]``.
        states: of the nodes, packed; ``[N, Fw]``.
        table: where states are found by their hashes: upper half of the hash, number of the
            node + 1; length a power of two.
        joints: where children are found by node and joint move: key; node, child, whether it is
            proved; ``[J, 2]``, ``J`` a power of two.
        proofs: numbers of nodes proved since they were last read; ``[N]``.
        worth: of each of GRAVE's tables and each move: times made, and sum of the results;
            ``[T, M, 2]``. The first one stays empty.
        offsets: first move of each role, and ``M``; ``[R + 1]``.
        owner: role of each move; ``[M]``.
        best: best value of each role in this game, more than there is of chance; ``[R]``.
        chance: the role that is chance, whose values are all 0; -1 if there is none.
        hinted: whether nodes have an evaluator's hints.
        priors: row of priors, if there are any.
        seen: row of how often moves were seen, if there is one; sums of results follow.
        width: number of columns of edges.
        wide: whether a node has one move to a word.
        far: plies to the end from ends: 1 where they are foreseen, else 0.
        most_nodes: how many nodes there may be, ``N`` or less.
        full: whether some node or record was not made for lack of room.
        size: number of nodes.
        end: first word of the heap that is free.
        joint_count: joint moves in the table.
        proof_count: proofs.
        table_count: GRAVE's tables in use.
        root: the node from which to search; -1 if there was no room for it.
    """

    heap: Int32s1
    reals: Float32s1
    nodes: Int32s1
    states: UInt64s2
    table: Int64s1
    joints: Int64s2
    proofs: Int32s1
    worth: Float32s3
    offsets: Int64s1
    owner: Int64s1
    best: Float32s1
    chance: int
    hinted: int
    priors: int
    seen: int
    width: int
    wide: int
    far: int
    most_nodes: int
    full: int = 0
    size: int = 0
    end: int = FIRST_WORD
    joint_count: int = 0
    proof_count: int = 0
    table_count: int = 0
    root: int = 0


node_at = overlay(Node)
record_at = overlay(Record)
decider_at = overlay(Decider)
joint_proofs_at = overlay(JointProofs)
edges_at = columns(Edges)
_results_at = columns(Results)
_sums_at = columns(Sums)


def padded_length(count: int) -> int:
    """Return the length of an array of edges."""
    return (count + 7) & ~7


def edges_start(roles: int, deciders: int) -> int:
    """Return where a record's edges begin, in words from its start."""
    # Two words for each decider, and two for joint proofs where several decide; then up to a
    # multiple of eight, as columns are read eight edges at a time.
    return (SUMS + roles + 2 * deciders + (2 if deciders > 1 else 0) + 7) & ~7


padded = inner(padded_length)
first_edges = inner(edges_start)


@inner
def results_of(tree: Tree, node: int) -> Results:
    """Return the values and hints of a node."""
    return _results_at(tree.heap, node + VALUES, len(tree.best))


@inner
def sums_of(tree: Tree, record: int) -> Sums:
    """Return the sums of results of a record."""
    return _sums_at(tree.heap, record + SUMS, len(tree.best))


@inner
def deciders_of(tree: Tree, record: int) -> int:
    """Return the number of roles that decide at a record."""
    return record_at(tree.heap, record).status >> DECIDERS


@inner
def decider_of(tree: Tree, record: int, number: int) -> Decider:
    """Return one of the deciders of a record."""
    return decider_at(tree.heap, record + SUMS + len(tree.best) + 2 * number)


@inner
def joint_proofs_of(tree: Tree, record: int, deciders: int) -> JointProofs:
    """Return what is proved of joint moves, where several roles decide."""
    return joint_proofs_at(tree.heap, record + SUMS + len(tree.best) + 2 * deciders)


@inner
def edges_of(tree: Tree, record: int, deciders: int, number: int) -> Edges:
    """Return the edges of one of the deciders of a record.

    Args:
        tree: the tree.
        record: its place.
        deciders: how many there are.
        number: which of them.
    """
    place = record + first_edges(len(tree.best), deciders)
    # Deciders have different numbers of moves, so those before have to be passed.
    for other in range(number):
        place += tree.width * padded(decider_of(tree, record, other).head & COUNT)
    return edges_at(tree.heap, place, padded(decider_of(tree, record, number).head & COUNT))


@inner
def move_of(word: int) -> int:
    """Return the move in an edge's word of moves."""
    return (word & ~KNOWN) >> MOVE


@inner
def linked(tree: Tree, link: int) -> int:
    """Return the child to which a link leads."""
    return record_at(tree.heap, link).node if link >= 0 else CLOSED - link


@inner
def visits_of(tree: Tree, node: int) -> int:
    """Return how many simulations have come to a node."""
    header = node_at(tree.heap, node)
    return record_at(tree.heap, header.record).visits if header.record > 0 else header.ends


def clear(tree: Tree) -> None:
    """Forget all nodes."""
    if tree.size:
        tree.table[:] = 0
    if tree.joint_count:
        tree.joints[:] = 0
    tree.size = tree.joint_count = tree.proof_count = tree.table_count = tree.root = 0
    tree.full = 0
    tree.end = FIRST_WORD

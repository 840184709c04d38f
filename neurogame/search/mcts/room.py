"""How many nodes a tree has room for in some memory, and that memory."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.call import aligned
from neurogame.machine_memory import free_memory, sharers
from neurogame.search.mcts.compiled.tree import COLUMNS, VALUES, Tree, edges_start, padded_length

_FIRST_NODES = 1 << 16
"""Nodes for which there are places in the first tables, see ``tables.py``."""
_SHARERS = 4
"""Searches of a process that are taken to live at once, each with its part of what is free."""
_UNKNOWN = 1 << 32
"""Bytes that are taken to be free where the system tells nothing."""
_NODE_WORDS = 64, 512
"""Fewest and most words of the heap for each node, where the number of nodes is given."""
_RECORDS = 0.4
"""Records per node for which there is room, where it is not; there are 0.2 to 0.35."""
_LEAST_WORDS = 40
"""Fewest words for each node then: there may be more moves later."""
_MOST_WORDS, _MOST_NODES = (1 << 31) - (1 << 20), 1 << 30
"""Words that no heap exceeds, as places are 31 bits: 8 GiB; and nodes."""
_PLACES = 3 * 8
"""Bytes of the table of states per node: between two and four places."""
_TABLE_BYTES = 1 << 28
"""Most memory of GRAVE's tables."""


@final
class NodeLayout(NamedTuple):
    """What decides how much memory a node takes.

    Attributes:
        roles: of the game.
        fluents: of the game.
        moves: of all roles.
        legal: those of the first root.
        hinted: whether nodes and edges have an evaluator's hints.
        judged: whether edges have priors.
        all_moves: whether edges have all-moves-as-first values.
        wide: whether move numbers take a word each.
    """

    roles: int
    fluents: int
    moves: int
    legal: int
    hinted: bool
    judged: bool
    all_moves: bool
    wide: bool

    @property
    def columns(self) -> int:
        """Number of columns of edges."""
        return COLUMNS + self.hinted + self.judged + 2 * self.all_moves

    @property
    def words(self) -> float:
        """Words of the heap that a node takes with its part of the records, at the first root."""
        node = VALUES + (2 + self.hinted) * self.roles
        node += self.legal if self.wide else (self.legal + 1) // 2
        record = edges_start(self.roles, 1) + self.columns * padded_length(self.legal)
        return max(node + _RECORDS * record, _LEAST_WORDS)

    @property
    def bytes_beside(self) -> int:
        """Bytes that a node takes beside the heap: state, number, proof, places in the table."""
        return 8 * ((self.fluents + 63) // 64) + 4 + 4 + _PLACES


@final
class Room(NamedTuple):
    """What is reserved for a tree.

    Attributes:
        nodes: most nodes, at least 2.
        words: of the heap.
        tables: of GRAVE.
    """

    nodes: int
    words: int
    tables: int


def usual_memory() -> int:
    """Return the bytes that a search may take if nobody has said: a quarter of what is free.

    Processes that search side by side share that.
    """
    free = free_memory()
    return (_UNKNOWN if free is None else free) // (_SHARERS * sharers())


def room_of(layout: NodeLayout, *, memory: int, capacity: int | None, ref: int | None) -> Room:
    """Return what fits some memory.

    Args:
        layout: of nodes.
        memory: bytes.
        capacity: most nodes; None: no other bound than memory.
        ref: visits from which GRAVE reads a node's table; None: there are no tables.
    """
    # At least the root fits, whatever its moves.
    root = 4 * layout.legal * layout.columns + 1024
    if capacity is None:
        nodes = int(memory / (4 * layout.words + layout.bytes_beside))
        nodes = max(min(nodes, int(_MOST_WORDS / layout.words), _MOST_NODES), 2)
        words = int(nodes * layout.words)
    else:
        low, high = _NODE_WORDS
        nodes = min(capacity, _MOST_NODES)
        words = nodes * min(max(24 + 4 * layout.legal, low), high)
        words = min(words, max((memory - nodes * layout.bytes_beside) // 4, 0))
    tables = 0
    if ref is not None:
        tables = min(2 + 2 * nodes // ref, 2 + _TABLE_BYTES // (8 * layout.moves))
    return Room(nodes, min(words + root, _MOST_WORDS), tables)


def halved(room: Room) -> Room:
    """Return half of the room."""
    return Room(max(room.nodes // 2, 2), room.words // 2 + 1024, room.tables // 2)


def make_tree(layout: NodeLayout, room: Room, circuit: Circuit) -> Tree:
    """Reserve memory for a tree; most of it is taken only when it is written.

    Args:
        layout: of its nodes.
        room: how many there may be.
        circuit: the game.
    """
    nodes, hinted = room.nodes, int(layout.hinted)
    places = 1 << (2 * min(nodes, _FIRST_NODES) - 1).bit_length()
    heap = aligned((room.words + 1) // 2).view(np.int32)
    best = np.array(circuit.best, np.float32)
    if circuit.chance is not None:
        # Nothing is best for a role that wants nothing.
        best[circuit.chance] = np.inf
    return Tree(
        heap=heap,
        reals=heap.view(np.float32),
        nodes=np.zeros(nodes, np.int32),
        states=np.zeros((nodes, (layout.fluents + 63) // 64), np.uint64),
        table=np.zeros(places, np.int64),
        joints=np.zeros((places, 2), np.int64),
        proofs=np.zeros(nodes, np.int32),
        worth=np.zeros((room.tables, layout.moves if room.tables else 0, 2), np.float32),
        offsets=circuit.move_offsets,
        owner=circuit.role_of_move,
        best=best,
        chance=-1 if circuit.chance is None else circuit.chance,
        hinted=hinted,
        priors=hinted,
        seen=hinted + layout.judged,
        width=layout.columns,
        wide=int(layout.wide),
        far=int(circuit.origin is not None),
        most_nodes=nodes,
    )

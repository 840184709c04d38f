"""Nodes of the search graph and the transposition table that holds them."""

from __future__ import annotations

import math
from typing import final

from neurogame.search.tree import Bytes, Flags, Frontier, Integers, Reals, joint_grid

UPPER = -1
EXACT = 0
LOWER = 1


@final
class Node:
    """One non-terminal state, seen with the eyes of one searching role.

    Attributes:
        key: the packed state: equal states share one node, different states never do.
        state: packed state; uint8 ``[1, P]``.
        legal: packed legal moves; uint8 ``[1, Q]``.
        counts: legal moves of each role; int64 ``[R]``.
        children: rows of the children, or None while the node is not expanded.
        grid: row numbers by own move and by the answers of the others; int64 ``[A, B]``.
        nodes: per row the child's node, or None as long as nobody needed it.
        open: per row whether the child can be searched further: neither terminal, nor stuck without
            joint moves, nor too wide; bool ``[K]``.
        static: each child's value for the searching role before any search; float64 ``[K]``.
        estimate: best guess of each child's value for the searching role, used for ordering
            only; float64 ``[K]``.
        low: proved lower bound of each child's value for the searching role; float64 ``[K]``.
        high: proved upper bound; float64 ``[K]``.
        proved_low: proved lower bound of this state's own value.
        proved_high: proved upper bound of this state's own value.
        depth: how deep the stored value looked; 0 if there is none.
        value: the stored value for the searching role, in 0..1.
        bound: whether the stored value is ``EXACT``, a ``LOWER`` or an ``UPPER`` bound.
        best: row of the best child found, or -1.
        leaf: per-role values at the end of the principal line; float64 ``[R]``.
        solved: max^n only: every line below ends in a terminal state.
    """

    __slots__ = (
        "best",
        "bound",
        "children",
        "counts",
        "depth",
        "estimate",
        "grid",
        "high",
        "key",
        "leaf",
        "legal",
        "low",
        "nodes",
        "open",
        "proved_high",
        "proved_low",
        "solved",
        "state",
        "static",
        "value",
    )

    def __init__(self, key: bytes, state: Bytes, legal: Bytes, counts: Integers) -> None:
        """Make a node that nothing is known of.

        Args:
            key: the packed state as bytes.
            state: packed state; uint8 ``[1, P]``.
            legal: packed legal moves; uint8 ``[1, Q]``.
            counts: legal moves of each role; int64 ``[R]``.
        """
        self.key = key
        self.state = state
        self.legal = legal
        self.counts = counts
        self.children: Frontier | None = None
        self.nodes: list[Node | None] = []
        self.proved_low = 0.0
        self.proved_high = 1.0
        self.depth = 0
        self.value = 0.0
        self.bound = EXACT
        self.best = -1
        self.leaf: Reals | None = None
        self.solved = False

    @property
    def child_count(self) -> int:
        """Number of joint moves."""
        return math.prod(self.counts.tolist())

    @property
    def proved(self) -> bool:
        """Whether the value is known exactly, from terminal states alone."""
        return self.proved_low == self.proved_high

    def adopt(self, children: Frontier, static: Reals, open_rows: Flags, role: int) -> None:
        """Attach the generated children.

        Args:
            children: all children of this node alone.
            static: their values for the searching role, true goals in terminal states;
                float64 ``[K]``.
            open_rows: which of them can be searched further; bool ``[K]``.
            role: the searching role.
        """
        self.children = children
        self.static = static
        self.open = open_rows
        self.nodes = [None] * len(children)
        self.grid = joint_grid(self.counts, role)
        self.estimate = static.copy()
        self.low = static * children.terminal
        self.high = self.low + ~children.terminal
        self.tighten()
        row = self.proved_row()
        self.leaf = children.values[row]
        if self.proved:
            self.best = row

    def proved_row(self) -> int:
        """Return the row of a best own move and of the answer with the lowest proved bounds."""
        own = int(self.low[self.grid].min(axis=1).argmax())
        answers = self.grid[own]
        return int(answers[(self.low[answers] + self.high[answers]).argmin()])

    def tighten(self) -> None:
        """Derive the proved bounds of this state from those of its children.

        The searching role can be sure of the best of its moves against the worst answer; it can
        never get more than the others allow who commit themselves first. With one role to
        choose both are plain minimax.
        """
        if self.grid.shape[0] == 1:
            low, high = float(self.low.min()), float(self.high.min())
        elif self.grid.shape[1] == 1:
            low, high = float(self.low.max()), float(self.high.max())
        else:
            low = float(self.low[self.grid].min(axis=1).max())
            high = float(self.high[self.grid].max(axis=0).min())
        self.proved_low = max(self.proved_low, low)
        self.proved_high = min(self.proved_high, high)


@final
class Table:
    """The transposition table: packed state -> node.

    The whole packed state is the key, so there are no false hits and nothing to verify.

    Attributes:
        rows: children generated by the nodes of the table; what the capacity counts.
        proofs: nodes whose value became certain since somebody last emptied this list.
    """

    def __init__(self, *, shared: bool = True) -> None:
        """Make an empty table.

        Args:
            shared: whether equal states share a node; False keeps a tree (for comparison).
        """
        self.rows = 0
        self.proofs: list[Node] = []
        self._shared = shared
        self._nodes: dict[bytes, Node] = {}

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._nodes)

    def node(self, state: Bytes, legal: Bytes, counts: Integers) -> Node:
        """Return the node of a state, made if it is new.

        Args:
            state: packed state; uint8 ``[1, P]``.
            legal: packed legal moves; uint8 ``[1, Q]``.
            counts: legal moves of each role; int64 ``[R]``.
        """
        key = state.tobytes()
        if not self._shared:
            return Node(key, state, legal, counts)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Node(key, state, legal, counts)
        return found

    def child(self, node: Node, row: int) -> Node:
        """Return the node of a non-terminal child.

        Args:
            node: an expanded node.
            row: row of the child.
        """
        found = node.nodes[row]
        if found is None:
            children = node.children
            assert children is not None
            found = self.node(
                children.states[row : row + 1],
                children.legal[row : row + 1],
                children.counts[row],
            )
            node.nodes[row] = found
        return found

    def clear(self) -> None:
        """Forget every node."""
        self._nodes.clear()
        self.proofs.clear()
        self.rows = 0

"""Alpha-beta to a fixed depth: the searching role maximises, all others minimise its value."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.search.clock import Clock
from neurogame.search.expander import Expander
from neurogame.search.history import History
from neurogame.search.node import EXACT, LOWER, UPPER, Node
from neurogame.search.settings import SearchSettings
from neurogame.search.tree import Integers, Reals


@final
class Paranoid:
    """Fail-soft alpha-beta on the searching role's own value.

    For one role it is plain maximisation, for two roles with a constant sum of goals exact
    minimax, for more roles the paranoid algorithm, whose bounds hold as all opponents act as one.
    Where several roles move at once, the others are assumed to know our move and to answer it
    jointly: a value that the role can rely on, whatever they do.

    A node at which every child is a leaf is decided in one array operation; above that, children
    are expanded in growing batches, so that a cutoff wastes little and a full scan few calls.

    *Reference:* Knuth and Moore, An analysis of alpha-beta pruning (1975), fail-soft by Fishburn;
    Sturtevant and Korf, On pruning techniques for multi-player games (2000), for paranoid.
    """

    def __init__(
        self,
        role: int,
        expander: Expander,
        history: History,
        clock: Clock,
        settings: SearchSettings,
    ) -> None:
        """Prepare one search.

        Attributes ``visits`` (nodes visited) and ``horizon`` (whether a value rested on an
        estimate since it was last reset) are for the iterations to read.

        Args:
            role: the searching role.
            expander: generates children.
            history: move ordering knowledge, updated.
            clock: raises when a limit is reached.
            settings: batch sizes and weights.
        """
        self.visits = 0
        self.horizon = False
        self._role = role
        self._expander = expander
        self._history = history
        self._clock = clock
        self._settings = settings

    def visit(
        self,
        node: Node,
        depth: int,
        alpha: float,
        beta: float,
        random: np.random.Generator | None = None,
    ) -> float:
        """Return the value of a node: exact inside the window, otherwise a bound.

        Args:
            node: a non-terminal node.
            depth: plies to look ahead, at least 1.
            alpha: values at or below are of no interest.
            beta: values at or above are of no interest.
            random: shuffles moves of equal promise (at the root).

        Raises:
            SearchStopped: a limit was reached.
        """
        self.visits += 1
        known = _known_value(node, depth, alpha, beta)
        if known is not None:
            self.horizon |= not node.proved
            return known
        self._clock.check()
        self._expander.expand((node,))
        if depth == 1:
            return self._decide_leaves(node, random)
        return self._scan(node, depth, alpha, beta, random)

    def _decide_leaves(self, node: Node, random: np.random.Generator | None) -> float:
        """Value of a node one ply above the horizon, from all its children at once."""
        children = node.children
        assert children is not None
        self.horizon |= not node.proved
        leaves = node.static.clip(node.low, node.high)
        answers = leaves[node.grid]
        worst = answers.min(axis=1)
        value = float(worst.max())
        own = int(worst.argmax())
        if random is not None:
            own = int(random.choice(np.flatnonzero(worst == value)))
        row = int(node.grid[own, answers[own].argmin()])
        if node.depth <= 1:
            node.depth, node.value, node.bound = 1, value, EXACT
            node.best, node.leaf = row, children.values[row]
        return value

    def _scan(
        self,
        node: Node,
        depth: int,
        alpha: float,
        beta: float,
        random: np.random.Generator | None,
    ) -> float:
        """Value of a node from the values of its children, the most promising first."""
        groups = self._order(node, random)
        queue = [row for group in groups for row in group]
        done = 0
        ahead = self._settings.first if _may_cut(node, alpha, beta) else len(queue)
        best, best_row, best_leaf = -np.inf, -1, node.leaf
        for group in groups:
            worst, worst_row, worst_leaf = np.inf, -1, node.leaf
            # Not the proved lower bound, too: a refuted move would then look as good as the move
            # that the bound came from.
            floor = max(alpha, best)
            for at, row in enumerate(group, start=done):
                if self._needs_expansion(node, row):
                    self._expander.ahead(node, queue[at:], ahead)
                    ahead *= 4
                value, leaf = self._child(node, row, depth, floor, min(beta, worst))
                if value < worst:
                    worst, worst_row, worst_leaf = value, row, leaf
                    if worst <= floor:
                        break
            done += len(group)
            if worst > best:
                best, best_row, best_leaf = worst, worst_row, worst_leaf
                if best >= min(beta, node.proved_high):
                    break
        proved_before = node.proved
        node.tighten()
        if node.proved and not proved_before:
            self._expander.table.proofs.append(node)
        if depth >= node.depth:
            node.depth, node.value, node.best, node.leaf = depth, best, best_row, best_leaf
            node.bound = UPPER if best <= alpha else LOWER if best >= beta else EXACT
        # A refutation counts for whoever found it; where every move failed there is no lesson.
        if best > alpha if node.grid.shape[0] > 1 else best < beta:
            assert node.children is not None
            self._history.reward(node.children.joint[best_row], node.counts, depth)
        return best

    def _child(
        self, node: Node, row: int, depth: int, alpha: float, beta: float
    ) -> tuple[float, Reals]:
        """Value of one child and the per-role values at the end of its principal line."""
        children = node.children
        assert children is not None
        if not node.open[row] or node.low[row] == node.high[row]:
            value = float(node.static[row].clip(node.low[row], node.high[row]))
            child = node.nodes[row]
            return value, children.values[row] if child is None else _leaf(child)
        child = self._expander.table.child(node, row)
        value = self.visit(child, depth - 1, alpha, beta)
        node.low[row], node.high[row] = child.proved_low, child.proved_high
        node.estimate[row] = value
        return value, _leaf(child)

    def _needs_expansion(self, node: Node, row: int) -> bool:
        """Return whether a child's node is about to be visited without children."""
        if not node.open[row] or node.low[row] == node.high[row]:
            return False
        return self._expander.table.child(node, row).children is None

    def _order(self, node: Node, random: np.random.Generator | None) -> list[list[int]]:
        """Return the rows grouped by own move, the best move and the worst answers first."""
        children = node.children
        assert children is not None
        promise, threat = node.estimate, -node.estimate
        weight = self._settings.history
        if weight:
            for role in np.flatnonzero(node.counts > 1).tolist():
                scores = weight * self._history.scores(children.joint, role)
                if role == self._role:
                    promise = promise + scores
                else:
                    threat = threat + scores
        if node.best >= 0:
            promise, threat = promise.copy(), threat.copy()
            promise[node.best] = threat[node.best] = np.inf
        return _sorted_groups(node.grid, promise, threat, node.best, random)


def _may_cut(node: Node, alpha: float, beta: float) -> bool:
    """Return whether an estimate of a child could make its siblings needless.

    Proofs could always; they are too rare to search child by child for them.
    """
    own_choice, answers = node.grid.shape
    return (own_choice > 1 and beta < 1.0) or (answers > 1 and (alpha > 0.0 or own_choice > 1))


def _known_value(node: Node, depth: int, alpha: float, beta: float) -> float | None:
    """Return what is known well enough already, or None."""
    if node.proved_low >= beta or node.proved:
        return node.proved_low
    if node.proved_high <= alpha:
        return node.proved_high
    if node.depth < depth:
        return None
    if node.bound == EXACT:
        return node.value
    if node.bound == LOWER and node.value >= beta:
        return node.value
    if node.bound == UPPER and node.value <= alpha:
        return node.value
    return None


def _leaf(node: Node) -> Reals:
    """Per-role values at the end of the node's principal line."""
    assert node.leaf is not None
    return node.leaf


def _sorted_groups(
    grid: Integers, promise: Reals, threat: Reals, best: int, random: np.random.Generator | None
) -> list[list[int]]:
    """Sort the rows of each own move by threat, and the own moves by promise."""
    if grid.shape[1] > 1:
        inner = np.argsort(-threat[grid], axis=1, kind="stable")
        grid = np.take_along_axis(grid, inner, axis=1)
    if grid.shape[0] > 1:
        # A move is as good as its worst answer, except that the remembered move goes first.
        worth = promise[grid].min(axis=1)
        if best >= 0:
            worth[(grid == best).any(axis=1)] = np.inf
        rows = np.arange(len(worth)) if random is None else random.permutation(len(worth))
        grid = grid[rows[np.argsort(-worth[rows], kind="stable")]]
    ordered: list[list[int]] = grid.tolist()
    return ordered

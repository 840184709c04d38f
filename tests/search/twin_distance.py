"""How far the end is where the outcome is proved, in plain Python: a part of the twin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.search.twin_nodes import Edge, Node

Real = np.float32


def plies_by_child(node: Node, child: Node, best: Sequence[float]) -> int:
    """The plies to the end from a node that a child proves; its edges know what is proved."""
    assert child.exact is not None
    (role,) = node.edges
    value = child.exact[role]
    plies = [child.plies]
    for edge in node.edges[role]:
        other = node.children.get((edge.move,))
        if edge.known is not None and other is not None and edge.known == value:
            plies.append(other.plies)
    return 1 + (min(plies) if value >= best[role] else max(plies))


def bounds(node: Node, winner: int, best: float) -> tuple[float, float]:
    """Bounds of the plies to the winner's win; infinite where there is none, or none is known."""
    if node.exact is not None and node.exact[winner] < best:
        return math.inf, math.inf
    least = 0 if node.state.is_terminal else node.least.get(winner, 1)
    return least, math.inf if node.exact is None else node.plies


def _bounds_after(node: Node, edge: Edge, winner: int, best: float) -> tuple[float, float]:
    child = node.children.get((edge.move,))
    return (0, math.inf) if child is None else bounds(child, winner, best)


def narrow(node: Node, winner: int, best: float) -> None:
    """One ply more than the winner's nearest child, or than the farthest of another role's."""
    least, most = bounds(node, winner, best)
    if len(node.edges) > 1 or (least, most) == (math.inf, math.inf):
        return
    ((role, edges),) = node.edges.items()
    chosen = min if role == winner else max
    found = [_bounds_after(node, edge, winner, best) for edge in edges]
    node.least[winner] = max(least, 1 + chosen(low for low, _ in found))
    if node.exact is not None:
        node.plies = int(min(most, 1 + chosen(high for _, high in found)))


def pursue(node: Node, winner: int, best: float) -> int | None:
    """The number of the edge to follow, None if there is none."""
    if len(node.edges) > 1:
        return None
    ((role, edges),) = node.edges.items()
    tried = node.tried[role]
    if role == winner and tried < len(edges):
        return tried
    ranks: list[tuple[tuple[float, float, Real], int]] = []
    for number, edge in enumerate(edges[:tried]):
        low, high = _bounds_after(node, edge, winner, best)
        is_news = high < math.inf and edge.known is None
        if is_news and role == winner:
            low -= 1000
        if low < high or is_news:
            total = edge.total if edge.known is None else edge.known * Real(edge.visits)
            mean = total / Real(edge.visits) if edge.visits else Real(0.5)
            bound = (-low - edge.pending, 0.0) if role == winner else (high, low)
            ranks.append(((*bound, mean), -number))
    if tried < len(edges) and (not ranks or max(ranks)[0][0] < math.inf):
        return tried
    return -max(ranks)[1] if ranks else None


def next_tied(root: Node, winner: int) -> int | None:
    """The number of the edge of a lost root to try, of those that lose latest; 256 tries each."""
    ((role, edges),) = root.edges.items()
    if role == winner:
        return None
    # A child that is terminal has no edges: nothing can be tried there.
    children = {n: root.children[(edge.move,)] for n, edge in enumerate(edges)}
    children = {n: child for n, child in children.items() if child.edges}
    latest = max((child.plies for child in children.values()), default=0)
    tied = {n: child for n, child in children.items() if child.plies == latest}
    made = {n: edges[n].pending + (c.visits if c.compared else 0) for n, c in tied.items()}
    best = min(made, key=lambda n: (made[n], n), default=None)
    return best if best is not None and len(tied) > 1 and made[best] < 256 else None


def count_tied(root: Node, number: int, values: list[Real]) -> None:
    """Count what such a try has brought back: it takes the place of what was there before."""
    ((_, edges),) = root.edges.items()
    edge = edges[number]
    child = root.children[(edge.move,)]
    root.pending -= 1
    edge.pending -= 1
    edge.visits += 1
    if not child.compared:
        child.compared, child.visits, child.sums = True, 0, [Real(0)] * len(values)
    child.visits += 1
    child.sums = [s + v for s, v in zip(child.sums, values, strict=True)]


def close(node: Node, winner: int, best: float) -> None:
    """No way leads on: the children are known, or nobody can know more."""
    narrow(node, winner, best)
    node.least[winner] = max(bounds(node, winner, best))


def is_decided(root: Node, winner: int, best: float) -> bool:
    """Whether it is known which moves of a proved root win soonest, or lose latest."""
    if len(root.edges) > 1:
        return True
    ((role, edges),) = root.edges.items()
    if role == winner:
        least, most = bounds(root, winner, best)
        return least >= most
    found = [_bounds_after(root, edge, winner, best) for edge in edges]
    latest = max(low for low, _ in found)
    return not any(low < high and high >= latest for low, high in found)

"""Strongly connected components, and what can be reached: relations, rules, ground atoms."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strong_components(
    nodes: Iterable[Node], successors: Mapping[Node, Sequence[Node]]
) -> list[list[Node]]:
    """Return the strongly connected components, each after all that it can reach.

    Tarjan's algorithm with an explicit stack, so deep graphs do not overflow Python's.

    Args:
        nodes: all nodes, in the order in which they are tried.
        successors: edges; nodes without an entry have none.

    Returns:
        The components in reverse topological order (a component follows its successors).
    """
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    components: list[list[Node]] = []
    for root in nodes:
        if root in number:
            continue
        work = [(root, iter(successors.get(root, ())))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for after in rest:
                if after not in number:
                    number[after] = low[after] = len(number)
                    stack.append(after)
                    on_stack.add(after)
                    work.append((after, iter(successors.get(after, ()))))
                    break
                if after in on_stack:
                    low[node] = min(low[node], number[after])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == number[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    components.append(component)
    return components


def reachable(start: Iterable[Node], successors: Mapping[Node, Iterable[Node]]) -> set[Node]:
    """Return some nodes and all that they can reach.

    Args:
        start: the nodes.
        successors: edges; nodes without an entry have none.
    """
    reached = set(start)
    waiting = list(reached)
    while waiting:
        for node in successors.get(waiting.pop(), ()):
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    return reached

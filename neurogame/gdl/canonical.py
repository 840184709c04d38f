"""The canonical form of a rulesheet: one and the same for all its renamings and orders.

The nodes of the rule graph are numbered by structure alone. Refinement numbers most; where some
nodes are still alike, each in turn is singled out and the rest refined, which gives a tree whose
leaves are complete numberings. The form is the least of the graphs so numbered. Branches that a
proved symmetry carries into one another have the same leaves, so one of them is enough.

*Reference:* McKay & Piperno, Practical Graph Isomorphism II (2014), sections 2.2 to 2.4.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.errors import LimitError
from neurogame.gdl.automorphism import (
    Automorphism,
    exchange,
    is_automorphism,
    orbits,
    unlike_pair,
)
from neurogame.gdl.refine import Partition, refined_kinds, singled_out
from neurogame.gdl.rule_graph import RuleGraph, draw_rules
from neurogame.gdl.terms import Rule

TRIALS = 10_000
"""Most nodes that are singled out in one search. The public rulesheets need none or a few; 2000
interchangeable names need 2001, a strongly regular graph of facts on 16 names about 50."""


@final
@dataclass(frozen=True, eq=False)
class CanonicalForm:
    """A rule graph with its nodes numbered by structure; ``N`` nodes, ``E`` edges.

    Attributes:
        words: the kinds of nodes and labels of edges, sorted.
        kinds: index of each node's kind in ``words``; int64 ``[N]``.
        edges: one integer per edge (:meth:`ColouredGraph.edge_keys`), ascending; int64 ``[E]``.
        names: the names of the rulesheet in the order of their nodes; no part of the structure.
    """

    words: tuple[str, ...]
    kinds: Int64s
    edges: Int64s
    names: tuple[str, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the structure, 64 hexadecimal digits."""
        header = json.dumps([self.words, len(self.kinds), len(self.edges)]).encode()
        numbers = np.concatenate([self.kinds, self.edges]).astype("<i8").tobytes()
        return hashlib.sha256(header + numbers).hexdigest()

    def same_structure(self, other: CanonicalForm) -> bool:
        """Return whether two rulesheets are one but for names and order."""
        return (
            self.words == other.words
            and np.array_equal(self.kinds, other.kinds)
            and np.array_equal(self.edges, other.edges)
        )


def canonical_form(rules: Iterable[Rule], kept: Collection[str] | None) -> CanonicalForm:
    """Return the canonical form of some rules.

    Args:
        rules: the rules; their order, that of the literals of a body and of the branches of an
            ``or`` have no part, nor has anything written twice.
        kept: the names whose spelling counts; None for all.

    Raises:
        LimitError: the rules are so regular that :data:`TRIALS` nodes did not tell all apart.
    """
    return _Search(draw_rules(_without_copies(list(rules)), kept)).run()


def _without_copies(rules: list[Rule]) -> list[Rule]:
    """Return the rules without those that are others with other variables."""
    graph = draw_rules(rules, None)
    colours = refined_kinds(graph.graph).colours[graph.rules]
    _, group, sizes = np.unique(colours, return_inverse=True, return_counts=True)
    distinct: dict[str, Rule] = {}
    for index, rule in enumerate(rules):
        one = sizes[group[index]] == 1
        key = str(index) if one else _Search(draw_rules([rule], None)).run().digest
        distinct.setdefault(key, rule)
    return list(distinct.values())


@final
@dataclass(frozen=True, eq=False)
class _Branch:
    """A step down the search tree that is still to be taken.

    Attributes:
        above: the stable partition that the step starts from.
        path: the nodes singled out so far, in order.
        traces: the traces of the steps so far.
        chosen: the nodes to single out: one, or all but one of a colour.
        explored: the nodes of the steps beside this one that were taken, with where they led.
    """

    above: Partition
    path: tuple[int, ...]
    traces: tuple[bytes, ...]
    chosen: tuple[int, ...]
    explored: list[tuple[int, Partition]]


@final
@dataclass(frozen=True, eq=False)
class _Leaf:
    """A complete numbering.

    Attributes:
        path: the nodes singled out, in order.
        rank: the traces of these steps, and the digest of the form; the least is canonical.
        place: the number of each node; int64 ``[N]``.
    """

    path: tuple[int, ...]
    rank: tuple[tuple[bytes, ...], str]
    place: Int64s


@final
class _Search:
    """The search for the least leaf of one graph."""

    def __init__(self, rules: RuleGraph) -> None:
        self._rules, self._graph = rules, rules.graph
        self._edges = self._graph.all_edge_keys()
        self._symmetries: list[Automorphism] = []
        self._orbits: tuple[tuple[tuple[int, ...], int], Int64s] = (((), -1), np.empty(0, np.int64))
        self._stack: list[_Branch] = []
        self._leaves: dict[str, _Leaf] = {}
        self._best: _Leaf | None = None
        self._trials = 0

    def run(self) -> CanonicalForm:
        """Return the form of the least leaf."""
        self._visit(refined_kinds(self._graph), (), ())
        while self._stack:
            branch = self._stack.pop()
            if self._is_carried(branch):
                continue
            below = self._single_out(branch.above, branch.chosen)
            traces = (*branch.traces, below.trace)
            if self._best and traces > self._best.rank[0][: len(traces)]:
                continue
            symmetries = (self._symmetry(other, below) for _, other in branch.explored)
            symmetry = next((one for one in symmetries if one is not None), None)
            if symmetry is not None:
                self._symmetries.append(symmetry)
                continue
            branch.explored.append((branch.chosen[0], below))
            self._visit(below, branch.path + branch.chosen, traces)
        assert self._best is not None
        return self._form(self._best.place)

    def _visit(
        self, partition: Partition, path: tuple[int, ...], traces: tuple[bytes, ...]
    ) -> None:
        """Note a leaf, or what is to be done below a partition."""
        if partition.is_discrete:
            self._visit_leaf(path, traces, partition.colours)
            return
        cell = tuple(self._cell(partition).tolist())
        # Where any two members may be exchanged alone, any order of them is as good as another.
        steps = [cell[:-1]] if self._are_alike(partition, cell) else [(node,) for node in cell]
        explored: list[tuple[int, Partition]] = []
        for chosen in reversed(steps):
            self._stack.append(_Branch(partition, path, traces, chosen, explored))

    def _visit_leaf(self, path: tuple[int, ...], traces: tuple[bytes, ...], place: Int64s) -> None:
        """Note a numbering; if it gives a graph seen before, that is a symmetry."""
        digest = self._form(place).digest
        leaf = _Leaf(path, (traces, digest), place)
        if digest not in self._leaves:
            self._leaves[digest] = leaf
            if self._best is None or leaf.rank < self._best.rank:
                self._best = leaf
            return
        other = self._leaves[digest]
        images = np.argsort(place)[other.place]
        moved = np.flatnonzero(images != np.arange(len(images)))
        self._symmetries.append(Automorphism(moved, images[moved]))
        # All that hangs below the step in which the two paths part is the image of what was seen.
        pairs = zip(other.path, path, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) + 1
        while self._stack and self._stack[-1].path[:shared] == path[:shared]:
            self._stack.pop()

    def _is_carried(self, branch: _Branch) -> bool:
        """Return whether a symmetry known carries a step taken before into this one."""
        if not branch.explored:
            return False
        key = (branch.path, len(self._symmetries))
        if self._orbits[0] != key:
            nodes = len(self._graph.kinds)
            self._orbits = (key, orbits(nodes, self._symmetries, branch.path))
        orbit = self._orbits[1]
        return orbit[branch.chosen[0]] in orbit[[node for node, _ in branch.explored]]

    def _symmetry(self, first: Partition, second: Partition) -> Automorphism | None:
        """Return a symmetry that carries one partition into another, if one is soon found.

        Where the nodes singled out alike are not enough, some that must follow them are added.
        """
        while first.trace == second.trace:
            candidate = exchange(first, second)
            if candidate is None:
                return None
            if is_automorphism(self._graph, self._edges, candidate):
                return candidate
            pair = unlike_pair(first, second, candidate)
            if pair is None:
                return None
            first, second = (
                self._single_out(partition, (node,))
                for partition, node in zip((first, second), pair, strict=True)
            )
        return None

    def _are_alike(self, partition: Partition, cell: tuple[int, ...]) -> bool:
        """Return whether symmetries exchange the first node of a colour with each other one.

        Each shall leave the rest of the colour where it is: together they give all its orders.
        The answer follows from structure alone, whichever node is the first.
        """
        first = self._single_out(partition, cell[:1])
        automorphisms: list[Automorphism] = []
        for node in cell[1:]:
            second = self._single_out(partition, (node,))
            swap = exchange(first, second) if first.trace == second.trace else None
            if (
                swap is None
                or np.count_nonzero(np.isin(swap.moved, cell)) != 2
                or not is_automorphism(self._graph, self._edges, swap)
            ):
                return False
            automorphisms.append(swap)
        self._symmetries += automorphisms
        return True

    def _cell(self, partition: Partition) -> Int64s:
        """Return the nodes of the colour to branch on.

        Symbols come first: they are few, and their colours settle most others.
        """
        size = partition.sizes[partition.colours]
        several = np.flatnonzero(size > 1)
        colours = partition.colours[several]
        first = np.lexsort((colours, size[several], self._rules.classes[several]))[0]
        return np.flatnonzero(partition.colours == colours[first])

    def _single_out(self, partition: Partition, nodes: tuple[int, ...]) -> Partition:
        self._trials += 1
        if self._trials > TRIALS:
            raise LimitError(
                f"the {len(self._rules.rules)} rules with {len(self._rules.symbols)} names are "
                f"too regular: after singling out {TRIALS} names and variables it is still open "
                "which of them are interchangeable; at most that many may be tried; there is no "
                "signature and no renaming for this rulesheet unless its facts are less alike"
            )
        return singled_out(self._graph, partition, np.array(nodes))

    def _form(self, place: Int64s) -> CanonicalForm:
        """Return the form that a numbering of the nodes gives."""
        kinds, symbols = self._graph.kinds[np.argsort(place)], self._rules.symbols
        names = sorted(symbols, key=lambda name: int(place[symbols[name]]))
        return CanonicalForm(
            self._rules.words, kinds, self._graph.all_edge_keys(place), tuple(names)
        )

"""Colour refinement, against rounds over all nodes in plain Python; and sets within sets."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.coloured_graph import ColouredGraph, with_both_ways
from neurogame.structure.lines import maximal
from neurogame.structure.refine import Refiner


@st.composite
def graphs(draw: st.DrawFn) -> ColouredGraph:
    """Return a small graph of few kinds and labels, in which much looks alike."""
    nodes = draw(st.integers(1, 14))
    node, label = st.integers(0, nodes - 1), st.integers(0, 1)
    edges = draw(st.lists(st.tuples(node, label, node), max_size=24))
    kinds = draw(st.lists(st.integers(0, 1), min_size=nodes, max_size=nodes))
    above, labels, below = np.array(edges, np.int64).reshape(-1, 3).T
    return with_both_ways(np.array(kinds, np.int64), above, labels, below, 2)


def coarsest(graph: ColouredGraph, colours: list[int]) -> list[int]:
    """Return the coarsest refinement of a colouring in which equal nodes have equal surroundings.

    Colours are numbered by the first nodes that have them.
    """
    while True:
        around: list[list[tuple[int, int]]] = [[] for _ in colours]
        for source, label, target in zip(
            graph.sources.tolist(), graph.labels.tolist(), graph.targets.tolist(), strict=True
        ):
            around[target].append((label, colours[source]))
        told = [(own, tuple(sorted(near))) for own, near in zip(colours, around, strict=True)]
        refined = numbered(told)
        if refined == numbered(colours):
            return refined
        colours = refined


def numbered(values: Iterable[object]) -> list[int]:
    """Return each value's place among the different ones, by first appearance."""
    places: dict[object, int] = {}
    return [places.setdefault(value, len(places)) for value in values]


@given(graphs())
def test_cells_are_those_of_the_coarsest_refinement(graph: ColouredGraph) -> None:
    colouring = Refiner(graph).first()
    expected = coarsest(graph, graph.kinds.tolist())
    assert numbered(colouring.cells.tolist()) == expected
    assert numbered(colouring.colours.tolist()) == expected
    for cell in np.unique(colouring.cells):
        assert colouring.sizes[cell] == (colouring.cells == cell).sum()


@given(graphs(), st.data())
def test_a_node_that_is_singled_out(graph: ColouredGraph, data: st.DataObject) -> None:
    refiner = Refiner(graph)
    first = refiner.first()
    cell = refiner.open_cell(first, np.arange(len(graph.kinds)))
    if not len(cell):
        return
    node = data.draw(st.sampled_from(cell.tolist()))
    colouring = refiner.refined_at(first, node)
    alone = first.cells.tolist()
    alone[node] = -1
    assert numbered(colouring.cells.tolist()) == coarsest(graph, alone)
    again = refiner.singled(first, node, colouring.trace)
    assert again is not None
    assert np.array_equal(again.colours, colouring.colours)
    assert refiner.singled(first, node, (*colouring.trace, 0)) is None


@given(st.sets(st.frozensets(st.integers(0, 6), min_size=1)))
def test_sets_that_are_part_of_no_other_one(sets: set[frozenset[int]]) -> None:
    largest = maximal(sets)
    assert len(largest) == len(set(largest))
    assert set(largest) == {one for one in sets if not any(one < other for other in sets)}

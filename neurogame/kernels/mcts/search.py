"""What the parts of a search work on, all of it behind one address."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as _numba

from neurogame.kernels.leaves.block import Block, make_block
from neurogame.kernels.mcts.flight import Flight, make_flight
from neurogame.kernels.mcts.judging import Judging, no_judging
from neurogame.kernels.mcts.tree import Options, Tree, make_tree
from neurogame.kernels.neural.by_address import keep, loader

__all__ = ["Search", "keep", "search_at"]

# It is not annotated.
numba: Any = _numba


class Search(NamedTuple):
    """One search; :func:`keep` gives it an address.

    Attributes:
        tree: the tree.
        options: how to search.
        flight: simulations on their way.
        block: leaves for the rules.
        judging: nodes that are to get priors.
    """

    tree: Tree
    options: Options
    flight: Flight
    block: Block
    judging: Judging


def _example() -> Search:
    """Return the smallest search, for its type."""
    flags = dict.fromkeys(Options._fields, 0)
    reals = dict.fromkeys(("exploration", "k", "urgent", "bias", "minimax", "virtual"), 0.0)
    return Search(
        tree=make_tree(nodes=2, words=8, fluents=1, offsets=(0, 1), best=(1.0,)),
        options=Options(**{**flags, **reals}),  # type: ignore[arg-type]
        flight=make_flight(simulations=1, depth=1, roles=1, moves=1),
        block=make_block(leaves=1, fluents=1, moves=1, roles=1, lane_words=1, depth=1, plies=0),
        judging=no_judging(),
    )


search_at = loader(numba.typeof(_example()))
"""In compiled code: from the address of a kept :class:`Search` to the search."""

"""Compiles a tree search before its first use, which may have little time."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from neurogame.kernels.alphabeta.address import example_search
from neurogame.kernels.alphabeta.advance import advance, begin
from neurogame.kernels.alphabeta.root import follow, plant
from neurogame.kernels.alphabeta.table import enlarge, enlarge_proofs


def prepare(rules: Any, block: Any, values: Any) -> None:
    """Compile what a search calls, or load it from the cache; a second time takes no time.

    Args:
        rules: of any game.
        block: of any game.
        values: of any evaluator.
    """
    search, low, high = example_search(), np.float32(0), np.float32(1)
    _compile(plant, 0, rules, block, block.states)
    _compile(advance, 0, rules, block, values, True)
    _compile(begin, 0, 1, 0, low, high)
    _compile(follow, 0, rules, block, values, 0, 1, block.joint)
    table, proofs = search.table, search.proofs
    _compile(enlarge, search.run, *table, *table)
    _compile(enlarge_proofs, search.run, proofs, proofs)


def _compile(function: Any, *arguments: Any) -> None:
    function.compile(tuple(map(numba.typeof, arguments)))

"""Memory of searches without a game, for tests of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.array_types import Int64s1
from neurogame.search.alphabeta.compiled.memory import Search, Sizes, make_proofs, make_search

NOTHING: Any = None


def bare_search(
    sizes: Sizes,
    *,
    offsets: Int64s1 | None = None,
    role: int = 0,
    rows: int = 1,
    entries: int = 4,
    proofs: int = 4,
    maxn: bool = False,
) -> Search:
    """Return the memory of a search that has neither rules nor an evaluator."""
    even = np.arange(sizes.roles + 1) * (sizes.moves // sizes.roles)
    return make_search(
        sizes,
        offsets=even if offsets is None else offsets,
        role=role,
        rows=rows,
        children=4,
        entries=entries,
        lanes=4,
        maxn=maxn,
        proofs=make_proofs(sizes, proofs),
        rules=NOTHING,
        block=NOTHING,
        values=NOTHING,
    )

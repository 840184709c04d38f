"""What is said, once, where the system gives a search less memory than it was to have."""

from __future__ import annotations

import warnings
from functools import cache

from neurogame.errors import NeurogameWarning


@cache
def say_less_memory(search: str) -> None:
    """Warn that a search goes on with less memory; the same search is warned of once.

    Args:
        search: what it is called, such as ``mcts``.
    """
    warnings.warn(
        f"{search}: the system refuses the memory that the search was to have; it goes on with "
        "less and forgets more: lower the player's memory or capacity (said once)",
        NeurogameWarning,
        stacklevel=2,
    )

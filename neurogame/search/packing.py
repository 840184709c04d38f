"""States as bytes: the key of a state in every table of the search."""

from __future__ import annotations

import numpy as np

from neurogame.search.tree import Bytes, Flags


def pack_states(fluents: Flags) -> Bytes:
    """Pack states, eight fluents to the byte, the first fluent in the highest bit.

    Args:
        fluents: states; bool ``[B, F]``.

    Returns:
        uint8 ``[B, ceil(F / 8)]``; ``row.tobytes()`` is the state's key.
    """
    return np.packbits(fluents, axis=1)


def unpack_states(packed: Bytes, fluent_count: int) -> Flags:
    """Return the states that :func:`pack_states` packed.

    Args:
        packed: uint8 ``[B, P]``.
        fluent_count: number of fluents, ``F``.

    Returns:
        bool ``[B, F]``.
    """
    return np.unpackbits(packed, axis=1, count=fluent_count).view(np.bool_)


def state_keys(fluents: Flags) -> list[bytes]:
    """Return the key of each state, as used in ``SearchResult.proved_states``.

    Args:
        fluents: states; bool ``[B, F]``.
    """
    return [row.tobytes() for row in pack_states(fluents)]

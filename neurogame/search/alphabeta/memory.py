"""The memory of one searching role, kept from search to search and enlarged where needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np

from neurogame.errors import NeurogameError
from neurogame.search.alphabeta.compiled import memory as reserve
from neurogame.search.alphabeta.compiled.memory import Proofs, Sizes
from neurogame.search.alphabeta.compiled.records import MORE_ENTRIES, MORE_PROOFS, MORE_ROWS
from neurogame.search.alphabeta.compiled.table import refill, refill_proofs
from neurogame.search.refusal import say_less_memory

_ROWS, _ENTRIES, _PROOFS = 1024, 4096, 1024
_FEWEST = 1024
"""Children for which there must be memory."""
_UNLIMITED = np.iinfo(np.int64).max


@final
class Capacity(NamedTuple):
    """The most that is kept.

    Attributes:
        children: generated states; at least 1.
        entries: of the transposition table; a power of 2, at least 4.
        proofs: proved states; a power of 2, at least 4.
    """

    children: int
    entries: int
    proofs: int


def capacity_of(sizes: Sizes, mebibytes: int, *, maxn: bool) -> Capacity:
    """Return what fits into some memory: half of it children, a quarter the table.

    Args:
        sizes: of the game.
        mebibytes: memory; MiB, at least 1.
        maxn: whether values of all roles are kept.
    """
    memory = mebibytes << 20
    entry = reserve.entry_bytes(sizes.roles if maxn else 0)
    proof = 8 * sizes.state_words + 4 * sizes.roles + 1
    return Capacity(
        children=memory // 2 // reserve.child_bytes(sizes),
        entries=max(_power(memory // 4 // entry), 4),
        proofs=max(_power(memory // 8 // proof), 4),
    )


def halved(capacity: Capacity) -> Capacity:
    """Return half of a capacity."""
    return Capacity(
        children=max(capacity.children // 2, 1),
        entries=max(capacity.entries // 2, 4),
        proofs=max(capacity.proofs // 2, 4),
    )


def _power(number: int) -> int:
    """Return the largest power of 2 that is not larger; 1 at least."""
    return 1 << max(number.bit_length() - 1, 0)


@final
class ProvedMemory:
    """Proved states of a game, for all roles that search.

    Attributes:
        proofs: the states.
        count: how many there are.
        capacity: the most that are kept.
    """

    def __init__(self, sizes: Sizes, capacity: int) -> None:
        """Reserve a little; ``capacity`` is a power of 2, at least 4."""
        self._sizes = sizes
        self.capacity = capacity
        self.clear()

    def clear(self) -> None:
        """Forget all states."""
        self.proofs: Proofs = reserve.make_proofs(self._sizes, min(_PROOFS, self.capacity))
        self.count = 0


@final
class SearchMemory:
    """What one searching role knows: a stack, a table, generated children, move ordering.

    Attributes:
        search: all of it.
        maxn: whether values of all roles are kept.
        capacity: the most that is kept.
    """

    def __init__(
        self,
        sizes: Sizes,
        capacity: Capacity,
        proved: ProvedMemory,
        make: Callable[..., reserve.Search],
        *,
        maxn: bool,
    ) -> None:
        """Reserve memory, less than wanted where the system refuses it.

        Args:
            sizes: of the game.
            capacity: the most that is to be kept.
            proved: proved states, shared with the other roles.
            make: :func:`.make_search` for the role, but for rows, children, entries and proofs.
            maxn: whether values of all roles are kept.

        Raises:
            MemoryError: there is not even memory for a thousand children.
        """
        self.maxn = maxn
        self._sizes = sizes
        self.capacity = capacity
        self._proved = proved
        self.search = self._made(make)
        self._settle()

    def _made(self, make: Callable[..., reserve.Search]) -> reserve.Search:
        """Return what is made, with half the capacity as often as there is no memory."""
        while True:
            try:
                return make(
                    rows=_ROWS,
                    children=self.capacity.children,
                    entries=min(_ENTRIES, self.capacity.entries),
                    proofs=self._proved.proofs,
                )
            except MemoryError:
                if self.capacity.children < 2 * _FEWEST:
                    raise
            self.capacity = halved(self.capacity)
            say_less_memory("alpha-beta")

    def begin(self, *, fade: bool = True) -> None:
        """Prepare for a new search.

        Args:
            fade: whether old preferences are to count less.
        """
        search = self.search
        search.age += 1
        search.proofs = self._proved.proofs
        search.proof_count = self._proved.count
        self._settle()
        choices = search.choices
        if fade:
            choices.history[:] *= 0.5
            choices.top[:] *= 0.5
        # Their plies are others now.
        choices.killers[:] = -1

    def end(self) -> None:
        """Hand over what has been proved."""
        self._proved.proofs = self.search.proofs
        self._proved.count = self.search.proof_count

    def enlarge(self, status: int) -> None:
        """Make room where the search has asked for it; tables stay as they are if refused more.

        Raises:
            MemoryError: there is no memory for a longer stack.
        """
        search, entries, proofs = self.search, self.search.table, self.search.proofs
        try:
            if status == MORE_ROWS:
                reserve.enlarge_stack(search.stack, 4 * len(search.stack.rows))
            elif status == MORE_ENTRIES:
                search.table = reserve.make_table(4 * len(entries.entries), entries.values.shape[1])
                refill(search, entries)
            elif status == MORE_PROOFS:
                search.proofs = reserve.make_proofs(self._sizes, 4 * len(proofs.used))
                refill_proofs(search, proofs)
            else:
                raise NeurogameError(f"alpha-beta: unexpected status {status}; this is a defect")
        except MemoryError:
            if status == MORE_ROWS:
                raise
            capacity = self.capacity
            if status == MORE_ENTRIES:
                capacity = capacity._replace(entries=len(entries.entries))
            else:
                capacity = capacity._replace(proofs=len(proofs.used))
            self.capacity = capacity
            say_less_memory("alpha-beta")
        self._settle()

    def _settle(self) -> None:
        """Write down when the tables are to grow while they may."""
        search = self.search
        entries, proofs = len(search.table.entries), len(search.proofs.used)
        grows = 4 * entries <= self.capacity.entries
        search.entries_limit = entries // 2 if grows else _UNLIMITED
        grows = 4 * proofs <= self.capacity.proofs
        search.proofs_limit = proofs // 2 if grows else _UNLIMITED

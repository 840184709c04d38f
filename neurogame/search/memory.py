"""The memory of one searching role, kept from search to search and enlarged where needed."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from neurogame.errors import NeurogameError
from neurogame.kernels.alphabeta import memory as reserve
from neurogame.kernels.alphabeta.memory import Proofs, Search, Sizes
from neurogame.kernels.alphabeta.records import MORE_ENTRIES, MORE_PROOFS, MORE_ROWS
from neurogame.kernels.alphabeta.table import enlarge, enlarge_proofs
from neurogame.kernels.neural.by_address import keep

_ROWS, _ENTRIES, _PROOFS = 1024, 4096, 1024
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
        search: all of it; replaced whenever a part is enlarged.
        address: of where compiled code finds it.
    """

    def __init__(
        self,
        sizes: Sizes,
        capacity: Capacity,
        proved: ProvedMemory,
        *,
        offsets: reserve.Integers,
        role: int,
        lanes: int,
        maxn: bool,
    ) -> None:
        """Reserve memory.

        Args:
            sizes: of the game.
            capacity: the most that is kept.
            proved: proved states, shared with the other roles.
            offsets: first move of each role, and the total; int64 ``[R + 1]``.
            role: the searching one.
            lanes: most nodes that are generated together.
            maxn: whether values of all roles are kept.
        """
        self._sizes = sizes
        self._capacity = capacity
        self._proved = proved
        self.search = Search(
            run=reserve.make_run(),
            stack=reserve.make_stack(sizes, _ROWS),
            kept=reserve.make_kept(sizes, capacity.children),
            table=reserve.make_table(min(_ENTRIES, capacity.entries), sizes.roles if maxn else 0),
            proofs=proved.proofs,
            batch=reserve.make_batch(sizes, lanes),
            choices=reserve.make_choices(offsets, role),
        )
        self.search.run["role"] = role
        self._settle()

    def begin(self, *, fade: bool = True) -> None:
        """Prepare for a new search.

        Args:
            fade: whether old preferences are to count less.
        """
        run = self.search.run
        run["age"] += 1
        self.search = self.search._replace(proofs=self._proved.proofs)
        run["proofs"] = self._proved.count
        self._settle()
        choices = self.search.choices
        if fade:
            choices.history[:] *= 0.5
            choices.top[:] *= 0.5
        # Their plies are others now.
        choices.killers[:] = -1

    def end(self) -> None:
        """Hand over what has been proved."""
        self._proved.proofs = self.search.proofs
        self._proved.count = int(self.search.run["proofs"][0])

    def enlarge(self, status: int) -> None:
        """Make room where the search has asked for it."""
        search = self.search
        if status == MORE_ROWS:
            rows = 4 * len(search.stack.rows)
            self.search = search._replace(stack=reserve.larger_stack(search.stack, rows))
        elif status == MORE_ENTRIES:
            old = search.table
            table = reserve.make_table(4 * len(old.entries), old.values.shape[1])
            enlarge(search.run, old.entries, old.values, table.entries, table.values)
            self.search = search._replace(table=table)
        elif status == MORE_PROOFS:
            proofs = reserve.make_proofs(self._sizes, 4 * len(search.proofs.used))
            enlarge_proofs(search.run, search.proofs, proofs)
            self.search = search._replace(proofs=proofs)
        else:
            raise NeurogameError(f"alpha-beta: unexpected status {status}; this is a defect")
        self._settle()

    def _settle(self) -> None:
        """Write down where everything is, and when the tables are to grow while they may."""
        self._described = keep(self.search)
        self.address = int(self._described.ctypes.data)
        run, search = self.search.run, self.search
        entries, proofs = len(search.table.entries), len(search.proofs.used)
        grows = 4 * entries <= self._capacity.entries
        run["entries_limit"] = entries // 2 if grows else _UNLIMITED
        grows = 4 * proofs <= self._capacity.proofs
        run["proofs_limit"] = proofs // 2 if grows else _UNLIMITED

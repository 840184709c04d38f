"""How a tree lies in memory.

A *node* is a state. It has a *stub* in a heap of 32-bit words, whose place names the node, so that
older nodes have smaller names; and once simulations are to pass through it a *record*, also in
the heap. A record holds, beside counts, a *slot* for each move of a role that has a choice: header
and slots side by side, so that a visit touches few cache lines and these can be asked for ahead of
time. Words of sums and values are single-precision reals in the same memory. ``R`` roles.

A stub::

    index  record  ends  flags  values[R]  ( hints[R] )  numbers of legal moves[R]  moves

``index`` is the row of the state; ``ends`` counts the simulations that ended here and ``values``
sums up their results, until there is a record. Then ``ends`` names GRAVE's table, and once values
are proved ``values`` has these. Moves are in ascending order, two to a word if their numbers fit
16 bits. Terminal nodes have no moves.

A record, at a multiple of 8 words::

    visits  ends  status  stub  sums[R]  { role and count, tried }[D]  ( proved joint moves, same )
    per deciding role:  visits  sums  moves  links  ( hints )  ( priors )  ( seen  hits )

``D`` roles decide: those with more than one legal move, or role 0 where there is none such. Each
array of slots is as long as the role has moves, rounded up to a multiple of 8. Slots lie in random
order; those before ``tried`` have been chosen at least once, and once a record has priors, the
others have the greatest first. Where ``D`` is 1 a slot's link leads
to the child; where it is greater, children are found by the node and the joint move, and the word
counts proved children that are the best the role can get.
"""

from __future__ import annotations

INDEX, RECORD, OWN_ENDS, FLAGS, VALUES = 0, 1, 2, 3, 4
"""Words of a stub."""
TABLE = OWN_ENDS
"""The same word, once there is a record."""
TERMINAL, EXACT = 1, 2
"""Flags: the game is over here; ``values`` are proved."""

VISITS, ENDS, STATUS, STUB, SUMS = 0, 1, 2, 3, 4
"""Words of a record: simulations that came here, those of them that ended here, status, stub."""

PENDING = (1 << 10) - 1
"""Bits of the status, and of a slot's word of moves: simulations on their way."""
PROVED = 1 << 10
"""Bit of the status: the node's values are proved."""
SETTLED = 1 << 11
"""Bit of the status: a proved child is the best that the deciding role can get in this game."""
PARTED = 1 << 12
"""Bit of the status: some slot leads to a child with proved values."""
JUDGED = 1 << 13
"""Bit of the status: the slots have priors."""
DECIDERS = 16
"""First bit of the number of deciding roles in the status."""
ROLE = 24
"""First bit of the role in a record's word of role and count."""
COUNT = (1 << ROLE) - 1
"""Bits of the count in it."""

MOVE = 10
"""First bit of the move number in a slot's word of moves."""
KNOWN = 1 << 30
"""Bit of a slot's word of moves: the child's values are proved."""
MOST_MOVES = 1 << 20
"""Bound on move numbers."""

SLOT_VISITS, SLOT_SUMS, SLOT_MOVES, SLOT_LINKS, SLOT_EXTRA = 0, 1, 2, 3, 4
"""Numbers of the arrays of slots."""

NO_LINK = -1
"""Link where there is no child yet. From 0 on: the child's record. Below: ``CLOSED - stub``."""
CLOSED = -2

NODES, HEAP, JOINTS, PROOFS, TABLES, ROOT = 0, 1, 2, 3, 4, 5
"""Places in ``Tree.used``: nodes, heap words, joint moves, proofs and tables in use; the root."""
USED = 8

FIRST_WORD = 8
"""First word of the heap in use, so that 0 means none."""


def slot_start(roles: int, deciders: int) -> int:
    """Return where a record's slots begin, in words from its start."""
    return (SUMS + roles + 2 * deciders + (2 if deciders > 1 else 0) + 7) & ~7

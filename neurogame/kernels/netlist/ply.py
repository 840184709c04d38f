"""One ply as gates: legal moves, ends and goals, the random choice, and the next state.

The gates stand in *sections*, the parts that run together: status, goals, count, descend, next.
Moves are drawn by *choices*, each of them uniform among its *slots*; a slot is a move of each role
that the choice serves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import final

from neurogame.array_types import Int64s
from neurogame.kernels.netlist.netlist import Netlist


class Section(IntEnum):
    """The parts of a ply in the order in which they run."""

    STATUS = 0
    GOALS = 1
    COUNT = 2
    DESCEND = 3
    NEXT = 4


@final
@dataclass(frozen=True, eq=False)
class Choice:
    """One uniform choice: of one role's move, or of the role's whose turn it is.

    Roles share a choice only if it is proved that never two of them have a choice in the same
    state. Slot ``i`` of the choice belongs to the ``i``-th move of each of these roles that is
    not *forced*; a forced move is one that is the only legal one whenever it is legal (a noop,
    typically), and is made without drawing.

    Attributes:
        roles: numbers of the roles, ascending.
        slots: number of slots, at least 2.
        total: rows of the number of legal slots, least significant bit first; ``[k]``.
        mask: rows of the smallest ``2^j - 1 >= total - 1``, least significant bit first;
            ``[n]``, ``n = bits of (slots - 1)``.
        some: row that says whether the total is not 0.
        rank: input rows for a number drawn uniformly in ``0 .. total - 1``, 0 where the total
            is 0; least significant bit first; ``[n]``.
    """

    roles: tuple[int, ...]
    slots: int
    total: Int64s
    mask: Int64s
    some: int
    rank: Int64s

    @property
    def stream(self) -> int:
        """Key of the random words: the first of the roles."""
        return self.roles[0]


@final
@dataclass(frozen=True, eq=False)
class Ply:
    """The gates of one ply, in sections, and the rows that have a meaning.

    There are two kinds. In a *play* netlist moves are chosen inside: its inputs are the fluents
    (rows ``1..F``), the ranks of the choices, and ``reset``; it is right on reachable states
    only. In a *step* netlist moves are given: its inputs are the fluents (rows ``1..F``) and the
    moves of all roles (rows ``F+1..F+M``); it equals the rules on every state and every
    assignment that makes exactly one move per role. The moves and the next state of a play
    netlist mean nothing in states that are terminal or stuck, except where ``reset`` is set.

    ``F`` fluents, ``M`` moves of all roles, ``V`` goal values of all roles in the order of
    ``Circuit.goals``. A row may have several meanings, and may be an input or row 0.

    Attributes:
        netlist: the gates, ordered by section.
        bounds: section ``s`` has the gates ``bounds[s] .. bounds[s + 1]``; ``[6]``. A gate is
            in GOALS only if no other section uses it.
        terminal: row, in STATUS.
        legal: rows of the legal moves, as the rules derive them in terminal states too; ``[M]``.
            Empty in a play netlist, which needs the slots of choices alone.
        goals: rows, in GOALS or STATUS; ``[V]``. In a play netlist a goal holds only where no
            higher one of the same role does.
        several: row that says whether a role has more than one goal; 0 in a step netlist.
        stuck: row, in COUNT: not terminal, but some role has no legal move.
        choices: in a play netlist one per random choice; else empty.
        reset: input row; where it is set, the next state is the initial state. 0 in a step
            netlist.
        does: rows of the moves made; ``[M]``. Empty in a play netlist made without moves.
        next: rows of the fluents in the next state; ``[F]``.
    """

    netlist: Netlist
    bounds: tuple[int, ...]
    terminal: int
    legal: Int64s
    goals: Int64s
    several: int
    stuck: int
    choices: tuple[Choice, ...]
    reset: int
    does: Int64s
    next: Int64s

    def gates(self, section: Section) -> range:
        """Return the gates of a section."""
        return range(self.bounds[section], self.bounds[section + 1])

"""The ground program: a rulesheet without variables, as integer arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.array_types import Bools, Int32s, Int64s
from neurogame.ground.atoms import AtomTable


@final
@dataclass(frozen=True, eq=False)
class GroundProgram:
    """All ground rules that ``legal``, ``next``, ``terminal`` and ``goal`` depend on.

    ``R`` roles, ``F`` fluents, ``M`` moves of all roles, ``A`` atoms, ``N`` ground rules. Atoms
    ``0..F-1`` say that a fluent holds, ``F..F+M-1`` that a move is made, the others are derived.
    Static atoms do not occur: they have been evaluated.

    Attributes:
        roles: role names in the order of their facts; ``[R]``.
        fluents: compact KIF text of each fluent, sorted by code point; ``[F]``.
        moves: per role the compact KIF texts of its moves, sorted by code point.
        initial: the initial state; bool ``[F]``.
        rule_head: the atom that a rule derives; int32 ``[N]``.
        rule_start: rule ``n`` has the body ``rule_body[rule_start[n]:rule_start[n + 1]]``;
            int64 ``[N + 1]``.
        rule_body: ``2 * atom + negated``, concatenated; int32.
        rule_source: index of the rule in ``Rules.rules``; int32 ``[N]``.
        legal: atom that makes a move legal; int64 ``[M]``.
        next: atom that puts a fluent into the next state, or -1 if none can; int64 ``[F]``.
        terminal: atom, or -1 if no state is terminal.
        goals: per role ``(goal value, atom)``, highest value first; any integers.
        atoms: the atoms, for names; ``[A]``.
        key: hash of the rules' text.
    """

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    initial: Bools
    rule_head: Int32s
    rule_start: Int64s
    rule_body: Int32s
    rule_source: Int32s
    legal: Int64s
    next: Int64s
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]
    atoms: AtomTable
    key: str

    @property
    def rule_count(self) -> int:
        """Number of ground rules, ``N``."""
        return len(self.rule_head)

    @property
    def move_count(self) -> int:
        """Number of moves of all roles, ``M``."""
        return sum(map(len, self.moves))

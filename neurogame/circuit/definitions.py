"""Which rules define and use each atom of a ground program."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.program import GroundProgram

COUNT_FROM = 16
"""Uses by at least one in so many of all atoms are counted in an array over all atoms; fewer are
sorted."""


@final
class Definitions:
    """Look-up of a program's rules by the atoms in them.

    Attributes:
        program: the ground program, with ``A`` atoms.
        inputs: number of the atoms that are given: fluents and moves.
        waiting: how many body literals of an atom's rules are derived atoms; int64 ``[A]``.
    """

    def __init__(self, program: GroundProgram) -> None:
        """Sort the rules by head and by body."""
        self.program = program
        self.inputs = len(program.fluents) + program.move_count
        count = len(program.atoms)
        # Rules come one clause after another, mostly ascending: a stable sort has little to do.
        self._by_head = np.argsort(program.rule_head, kind="stable").astype(np.int32)
        self._head_start = group_starts(np.bincount(program.rule_head, minlength=count))
        numbers = np.arange(program.rule_count, dtype=np.int32)
        rule = np.repeat(numbers, np.diff(program.rule_start))
        body = program.rule_body >> 1
        derived = body >= self.inputs
        rule, body = rule[derived], body[derived]
        self._user = rule[np.argsort(body, kind="stable")]
        self._user_start = group_starts(np.bincount(body, minlength=count))
        self.waiting: Int64s = np.bincount(program.rule_head[rule], minlength=count)

    def rules(self, atoms: Int64s) -> tuple[Int64s, Int64s]:
        """Return the rules of ``n`` atoms, one atom after the other, and how many each has; int64.

        The first array has all the rules, the second ``[n]`` counts.
        """
        rules = gather_groups(self._head_start, self._by_head, atoms).astype(np.int64)
        return rules, self._head_start[atoms + 1] - self._head_start[atoms]

    def body(self, rules: Int64s) -> tuple[Int64s, Int64s]:
        """Return the body literals of ``n`` rules, one after the other, and their sizes; int64.

        Literals are ``2 * atom + negated``; the sizes are ``[n]``.
        """
        start = self.program.rule_start
        body = gather_groups(start, self.program.rule_body, rules).astype(np.int64)
        return body, start[rules + 1] - start[rules]

    def needs(self, atom: int) -> list[int]:
        """Return the atoms in the bodies of an atom's rules."""
        rules, _ = self.rules(np.array([atom]))
        atoms: list[int] = (self.body(rules)[0] >> 1).tolist()
        return atoms

    def users(self, atoms: Int64s) -> Int64s:
        """Return the heads of the rules that use some atoms, once per use; int64 ``[uses]``."""
        users = gather_groups(self._user_start, self._user, atoms)
        return self.program.rule_head[users].astype(np.int64)


@final
class Progress:
    """Which atoms are derived, and which may be next.

    Attributes:
        done: the atoms that are derived, or given; bool ``[A]``.
        waiting: how many body literals of an atom's rules are not; int64 ``[A]``.
    """

    def __init__(self, definitions: Definitions) -> None:
        """Begin with fluents and moves alone."""
        self._definitions = definitions
        self.waiting = definitions.waiting.copy()
        self.done = np.zeros(len(definitions.program.atoms), np.bool_)
        self.done[: definitions.inputs] = True

    def first(self) -> Int64s:
        """Return the atoms that wait for nothing; int64 ``[n]``."""
        return np.flatnonzero((self.waiting == 0) & ~self.done)

    def release(self, atoms: Int64s) -> Int64s:
        """Note that atoms, int64 ``[n]``, are derived; return their users that wait no longer."""
        self.done[atoms] = True
        heads = self._definitions.users(atoms)
        if len(heads) < len(self.waiting) // COUNT_FROM:
            heads, uses = np.unique(heads, return_counts=True)
            self.waiting[heads] -= uses
        else:
            every = np.bincount(heads, minlength=len(self.waiting))
            self.waiting -= every
            heads = np.flatnonzero(every)
        free: Int64s = heads[(self.waiting[heads] == 0) & ~self.done[heads]]
        return free

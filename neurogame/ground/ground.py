"""Grounding: from rules with variables to ground rules.

1. Static relations are evaluated exactly; the domains of the others by relaxed reachability:
   the least set of fluents and moves closed under ``init``, ``next`` and ``legal`` when every
   negated literal that depends on the state is taken as true. ``base`` and ``input`` are not
   needed, and a fluent or move missing from them is kept if it is reachable.
2. Every rule is instantiated over those domains; static atoms are simplified away.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import final

import numpy as np

from neurogame.errors import GroundingError
from neurogame.gdl.terms import Rules, Variable
from neurogame.gdl.write import rules_text
from neurogame.ground.clauses import Clause, Literal, bind_variables, clauses_of
from neurogame.ground.derive import derive, predicate_strata
from neurogame.ground.instantiate import instantiate
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.pool import TermPool
from neurogame.ground.program import GroundProgram
from neurogame.ground.relation import Database
from neurogame.ground.split import split_clauses

TEXT_OVERHEAD = 120
"""Bytes that a text takes beside its characters, with its place in the sorted order."""

OUTPUTS = ("legal/2", "next/1", "terminal/0", "goal/2")
"""The relations that a ground program computes."""

_WANTED = ("role/1", "init/1", *OUTPUTS)


def ground(rules: Rules, limits: GroundLimits | None = None) -> GroundProgram:
    """Return the ground program of a rulesheet.

    Args:
        rules: a rulesheet that passes the checks.
        limits: what it may cost.

    Raises:
        GroundingError: if the rules have no ground program.
        LimitError: if a limit is reached.

    Reference:
        Michulke and Thielscher, section 3.1 (ground instantiation) and 3.6 (exploiting
        functional relations), here by joins.
    """
    return _Grounder(rules, limits or GroundLimits()).ground()


def rules_key(rules: Rules) -> str:
    """Return the hash that names a rulesheet."""
    return hashlib.sha256(rules_text(rules).encode()).hexdigest()


@final
class _Grounder:
    """The steps of grounding one rulesheet."""

    def __init__(self, rules: Rules, limits: GroundLimits) -> None:
        self.rules = rules
        self.watch = Watch(limits)
        self.database = Database(TermPool(limits.depth))

    def ground(self) -> GroundProgram:
        wanted = _relevant(clauses_of(self.rules, self.watch))
        clauses = split_clauses([bind_variables(c, self.rules) for c in wanted], self.watch)
        dynamic = dynamic_predicates(clauses)
        static = [c for c in clauses if c.head.predicate not in dynamic]
        moving = [c for c in clauses if c.head.predicate in dynamic]
        self._refuse_dynamic(dynamic)
        derive(static, self.database, self.watch, self.rules.source)
        open_ = _only_negated(moving, dynamic)
        for predicate in open_:
            self.database.relation(predicate).open = True
        closed = [c for c in moving if c.head.predicate not in open_]
        reachable = _drop_dynamic_negation([*closed, *_TRANSITION], dynamic)
        derive(reachable, self.database, self.watch, self.rules.source)
        self.database.forget_views()
        self._limit_texts()
        return instantiate(
            moving, dynamic, OUTPUTS, self.database, self.rules, self.watch, rules_key(self.rules)
        )

    def _limit_texts(self) -> None:
        """Refuse fluents and moves whose texts together would fill the memory."""
        fluents = self.database.relation("true/1").rows.rows[:, 0]
        moves = self.database.relation("does/2").rows.rows[:, 1]
        lengths = self.database.pool.lengths(np.concatenate([fluents, moves]))
        need = int(lengths.sum()) + TEXT_OVERHEAD * len(lengths)
        self.watch.check_need(need / 2**20, "writing the names of the fluents and moves")

    def _refuse_dynamic(self, dynamic: set[str]) -> None:
        for predicate in ("role/1", "init/1"):
            if predicate in dynamic:
                name = predicate.partition("/")[0]
                raise GroundingError(
                    f"{self.rules.source}: '{name}' depends on the state or on moves, but it "
                    "must be the same in every state"
                )


def _transition() -> tuple[Clause, ...]:
    """Return the clauses that close the domains under play."""
    x, r, m = Variable("x"), Variable("r"), Variable("m")
    true = Literal("true/1", (x,))
    return (
        Clause(true, (Literal("init/1", (x,)),), (), -1),
        Clause(true, (Literal("next/1", (x,)),), (), -1),
        Clause(
            Literal("does/2", (r, m)),
            (Literal("legal/2", (r, m)), Literal("role/1", (r,))),
            (),
            -1,
        ),
    )


_TRANSITION = _transition()


def _relevant(clauses: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that the wanted relations depend on."""
    uses: dict[str, set[str]] = defaultdict(set)
    for clause in clauses:
        uses[clause.head.predicate].update(x.predicate for x in clause.body)
    wanted = set(_WANTED)
    todo = list(_WANTED)
    while todo:
        found = uses[todo.pop()] - wanted
        wanted |= found
        todo += found
    return [c for c in clauses if c.head.predicate in wanted]


def dynamic_predicates(clauses: Sequence[Clause]) -> set[str]:
    """Return the predicates that may differ between states.

    Predicates that depend negatively on themselves count as dynamic, too: on ground atoms they
    may still be stratified, which the circuit decides.
    """
    dynamic = {"true/1", "does/2", *OUTPUTS}
    bodies_of: dict[str, list[Literal]] = defaultdict(list)
    for clause in clauses:
        bodies_of[clause.head.predicate] += clause.body
    for component in predicate_strata(clauses):
        members = set(component)
        bodies = [x for predicate in component for x in bodies_of[predicate]]
        if any(x.predicate in dynamic or (x.negated and x.predicate in members) for x in bodies):
            dynamic |= members
    return dynamic


def _only_negated(clauses: Sequence[Clause], dynamic: set[str]) -> set[str]:
    """Return the dynamic predicates that are used, but never in a positive literal.

    Relaxed reachability takes their negations as true, so it does not need their domains.
    """
    positive = {x.predicate for c in clauses for x in c.body if not x.negated}
    return dynamic - positive - {"true/1", "does/2", *OUTPUTS}


def _drop_dynamic_negation(clauses: Sequence[Clause], dynamic: set[str]) -> list[Clause]:
    return [
        Clause(
            c.head,
            tuple(x for x in c.body if not (x.negated and x.predicate in dynamic)),
            c.distinct,
            c.source,
        )
        for c in clauses
    ]

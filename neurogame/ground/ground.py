"""Grounding: from rules with variables to ground rules.

1. Static relations are evaluated exactly; the domains of the others by relaxed reachability:
   the least set of fluents and moves closed under ``init``, ``next`` and ``legal`` when every
   negated literal that depends on the state is taken as true. ``base`` and ``input`` are not
   needed, and a fluent or move missing from them is kept if it is reachable.
2. Every rule is instantiated over those domains; static atoms are simplified away.

Relations that turn out to be wide are derived on demand (:mod:`~neurogame.ground.demand`), and so
is all that uses them: the first half then begins anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import final

import numpy as np

from neurogame.errors import GroundingError
from neurogame.gdl.terms import Rules, Variable
from neurogame.gdl.write import rules_text
from neurogame.ground.certain import with_certain
from neurogame.ground.clause_parts import OUTPUTS, ClauseParts, dynamic_predicates, needed_for
from neurogame.ground.clauses import Clause, Literal, clauses_of, require_bound
from neurogame.ground.derive import derive
from neurogame.ground.instantiate import instantiate
from neurogame.ground.join import product_rows
from neurogame.ground.limits import GroundLimits, Watch, WideRelation
from neurogame.ground.narrow import narrowed
from neurogame.ground.pool import TermPool
from neurogame.ground.program import GroundProgram
from neurogame.ground.relation import Database
from neurogame.ground.split import split_clauses
from neurogame.ground.stages import Stages
from neurogame.ground.unfold import unfold

TEXT_OVERHEAD = 120
"""Bytes that a text takes beside its characters, with its place in the sorted order."""

TRIAL_ROWS = 1_000_000
"""Rows of one join, or of one relation, from which relations are derived on demand instead."""

SMALL_ROWS = 100_000
"""Relations with fewer rows that could be derived as a whole are, on demand or not."""

_COLLECTING = "collecting the atoms of a relation"

_WANTED = ("role/1", "init/1", *OUTPUTS)


def ground(
    rules: Rules,
    limits: GroundLimits | None = None,
    trial_rows: int = TRIAL_ROWS,
    stages: Stages | None = None,
) -> GroundProgram:
    """Return the ground program of a rulesheet.

    Args:
        rules: a rulesheet that passes the checks.
        limits: what it may cost.
        trial_rows: rows at once from which relations are derived on demand.
        stages: notes what the stages take; the last one is still open on return.

    Raises:
        GroundingError: if the rules have no ground program.
        LimitError: if a limit is reached.

    Reference:
        Michulke and Thielscher, section 3.1 (ground instantiation) and 3.6 (exploiting
        functional relations), here by joins.
    """
    return _Grounder(rules, limits or GroundLimits(), trial_rows, stages or Stages()).ground()


def rules_key(rules: Rules) -> str:
    """Return the hash that names a rulesheet."""
    return hashlib.sha256(rules_text(rules).encode()).hexdigest()


@final
class _Grounder:
    """The steps of grounding one rulesheet."""

    def __init__(self, rules: Rules, limits: GroundLimits, trial_rows: int, stages: Stages) -> None:
        self.rules = rules
        self.stages = stages
        self.watch = Watch(limits)
        self.trial_rows = trial_rows

    def ground(self) -> GroundProgram:
        self.stages.begin("rules as clauses")
        clauses = needed_for(clauses_of(self.rules, self.watch), _WANTED)
        require_bound(clauses, self.rules)
        dynamic = dynamic_predicates(clauses)
        clauses = narrowed(clauses, dynamic, self.watch)
        dynamic = dynamic_predicates(clauses)
        whole = ClauseParts(split_clauses(clauses, self.watch, dynamic), {})
        database = self._database()
        self.watch.trial_rows = self.trial_rows
        try:
            parts = self._derived(whole, database)
        except WideRelation:
            self.stages.begin("wide relations unfolded")
            small = _small(database)
            unfolded = needed_for(unfold(clauses, {*small, *_WANTED}), _WANTED)
            unfolded, sure = with_certain(unfolded, dynamic, small - dynamic)
            small |= sure
            parts = ClauseParts(split_clauses(unfolded, self.watch, dynamic), {}).on_demand(small)
            database = self._database()
            self.watch.trial_rows = None
            parts = self._derived(parts, database)
        self.watch.trial_rows = None
        self.stages.begin("ground rules")
        database.forget_views()
        self._limit_texts(database)
        key = rules_key(self.rules)
        return instantiate(
            parts.moving, parts.dynamic, OUTPUTS, database, self.rules, self.watch, key
        )

    def _database(self) -> Database:
        """Return an empty database that looks at the limits while its relations grow."""
        return Database(TermPool(self.watch.limits.depth, self._look))

    def _look(self, need_mb: float) -> None:
        """Look at the limits before so many MiB more are taken."""
        self.watch.check(_COLLECTING)
        self.watch.check_need(need_mb, _COLLECTING)

    def _derived(self, parts: ClauseParts, database: Database) -> ClauseParts:
        """Derive the static relations, and the domains of the others; return the parts."""
        self._refuse_dynamic(parts.dynamic)
        again = " on demand" if parts.patterns else ""
        self.stages.begin("static relations")
        derive(parts.static, database, self.watch, self.rules.source)
        for predicate in parts.open:
            database.relation(predicate).open = True
        for predicate in parts.patterns:
            database.relation(predicate).partial = True
        if self.watch.trial_rows is not None and any(
            product_rows(clause, database) > self.watch.trial_rows for clause in parts.moving
        ):
            # Some relation will be too wide: nothing large is derived before it comes to that.
            self.watch.trial_rows = min(self.watch.trial_rows, SMALL_ROWS)
        self.stages.begin("fluents, moves and what they derive" + again)
        derive(parts.reachable(_TRANSITION), database, self.watch, self.rules.source)
        return parts

    def _limit_texts(self, database: Database) -> None:
        """Refuse fluents and moves whose texts together would fill the memory."""
        fluents = database.relation("true/1").rows.rows[:, 0]
        moves = database.relation("does/2").rows.rows[:, 1]
        lengths = database.pool.lengths(np.concatenate([fluents, moves]))
        need = int(lengths.sum()) + TEXT_OVERHEAD * len(lengths)
        self.watch.check_need(need / 2**20, "writing the names of the fluents and moves")

    def _refuse_dynamic(self, dynamic: Collection[str]) -> None:
        for predicate in ("role/1", "init/1"):
            if predicate in dynamic:
                name = predicate.partition("/")[0]
                raise GroundingError(
                    f"{self.rules.source}: '{name}' depends on the state or on moves, but it "
                    "must be the same in every state"
                )


def _small(database: Database) -> set[str]:
    """Return the relations that were derived as a whole, and are small."""
    return {
        predicate
        for predicate, relation in database.relations()
        if relation.complete and relation.rows.count <= SMALL_ROWS
    }


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

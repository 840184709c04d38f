"""All relations of a state at once, bottom up: it decides what depends on its own negation.

A proof goes round in circles there; closed from below such a question is decided atom by atom, or
refused.
"""

from __future__ import annotations

from typing import final

from neurogame.gdl.terms import Rules
from neurogame.prover.program import DOES, TRUE
from neurogame.prover.values import Predicate, Row
from tests.reference.datalog import DatalogProgram, Stratum
from tests.reference.joins import EMPTY, Database, IndexedRows

LOOKED_AT: tuple[Predicate, ...] = (("legal", 2), ("goal", 2), ("terminal", 0))
AFTER_MOVES: tuple[Predicate, ...] = (("role", 1), ("init", 1), ("next", 1))


@final
class WholeStates:
    """The rules sorted by what they depend on: nothing, the state, or the moves too.

    Args:
        rules: a rulesheet.

    Raises:
        RulesError: a rule is unsafe.
        LimitError: a rule has too many literals or branches.
        GroundingError: an atom depends on its own negation (where only some states show it,
            the question that meets it raises).
    """

    def __init__(self, rules: Rules) -> None:
        program = DatalogProgram(rules, frozenset((TRUE, DOES)))
        self._static: Database = {}
        self._of_states: list[Stratum] = []
        self._of_moves: list[Stratum] = []
        self._looked: tuple[frozenset[Row], Database] | None = None
        looked_at = program.below(LOOKED_AT)
        needed = looked_at | program.below(AFTER_MOVES)
        for stratum in program.strata:
            if not stratum.members & needed:
                continue
            if not program.below(stratum.members) & {TRUE, DOES}:
                stratum.evaluate(self._static)
            elif stratum.members & looked_at:
                self._of_states.append(stratum)
            else:
                self._of_moves.append(stratum)

    def answers(
        self, predicate: Predicate, key: Row, fluents: frozenset[Row], moves: frozenset[Row]
    ) -> tuple[Row, ...]:
        """Return the other arguments of a predicate's rows whose first ones are known.

        Args:
            predicate: one that games are asked for.
            key: the first arguments.
            fluents: what ``true`` holds of.
            moves: what ``does`` holds of; looked at for what depends on it alone.
        """
        database = self._static
        if predicate in LOOKED_AT or predicate == AFTER_MOVES[-1]:
            database = self._look(fluents)
        if predicate == AFTER_MOVES[-1]:
            database = {**database, DOES: IndexedRows(moves)}
            for stratum in self._of_moves:
                stratum.evaluate(database)
        paths = tuple((place,) for place in range(len(key)))
        rows = database.get(predicate, EMPTY).matching(paths, key)
        return tuple(row[len(key) :] for row in rows)

    def _look(self, fluents: frozenset[Row]) -> Database:
        """Return all relations of a state that do not depend on the moves."""
        if self._looked is None or self._looked[0] != fluents:
            database = {**self._static, TRUE: IndexedRows(fluents)}
            for stratum in self._of_states:
                stratum.evaluate(database)
            self._looked = (fluents, database)
        return self._looked[1]

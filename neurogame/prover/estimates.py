"""What may depend on its own negation, decided atom by atom: estimates that close in on the model.

A proof goes round in circles there. The first estimate takes every negation of such a predicate for
true, and so derives too much. Each further one takes for true what the one before does not derive:
in turns they derive too little and too much, but never less, or more, than those before. Where two
in a row agree, the answer is right; where they stay apart, something depends on its own negation.

*Reference:* Van Gelder, The Alternating Fixpoint of Logic Programs with Negation (1993).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from neurogame.errors import GroundingError
from neurogame.gdl.write import term_text
from neurogame.prover.compiler import RuleCompiler
from neurogame.prover.program import SortedRules
from neurogame.prover.questions import QuestionForm, Tabling
from neurogame.prover.values import Predicate, Row, Value, sentence_of


@final
class Estimates:
    """Answers questions that cannot be proved one by one.

    Args:
        program: the rules.
        stop: asked every so often; True interrupts with a `LimitError`.
    """

    def __init__(self, program: SortedRules, stop: Callable[[], bool] | None) -> None:
        self._program, self._stop = program, stop
        self._estimates: list[RuleCompiler] = []

    def answers(
        self, predicate: Predicate, key: Row, fluents: frozenset[Row], moves: frozenset[Row]
    ) -> tuple[Row, ...]:
        """Return the other arguments of a predicate's rows whose first ones are known.

        Args:
            predicate: what is asked about.
            key: its first arguments.
            fluents: the rows of ``true`` in the state.
            moves: the rows of ``does``; of no weight to what does not depend on moves.

        Raises:
            GroundingError: the answer depends on an atom that depends on its own negation.
        """
        number = 0
        while True:
            self._estimate(number).enter(fluents, moves)
            rows = self._estimate(number).ask(predicate, key)
            if number and set(rows) == set(self._estimate(number - 1).ask(predicate, key)):
                return rows
            if number > 1 and self._stands_still(number):
                raise self._refusal(number)
            number += 1

    def _estimate(self, number: int) -> RuleCompiler:
        """Return one of the estimates, counted from 0; those of even numbers derive too much."""
        if number == len(self._estimates):
            tabling = Tabling(self._program.source)
            tabling.stop = self._stop
            denied = self._estimates[-1].ask if self._estimates else _nothing
            self._estimates.append(RuleCompiler(self._program, tabling, denied))
        return self._estimates[number]

    def _stands_still(self, number: int) -> bool:
        """Return whether an estimate answers what the last but one was asked as that one did."""
        newer, older = self._estimates[number], self._estimates[number - 2]
        return all(_rows(newer, *asked) == _rows(older, *asked) for asked in older.asked())

    def _refusal(self, number: int) -> GroundingError:
        """Return the error about an atom that one estimate derives, and the next one does not."""
        odd = number % 2
        upper, lower = self._estimates[number - odd], self._estimates[number - 1 + odd]
        doubtful = [
            _text(form, key, row)
            for form, key in (*upper.asked(), *lower.asked())
            if form.predicate in self._program.on_negative_cycles
            for row in _rows(upper, form, key) - _rows(lower, form, key)
        ]
        return GroundingError(
            f"{self._program.source}: not stratified: {min(doubtful)} depends on its own negation; "
            "in valid GDL no atom may"
        )


def _nothing(predicate: Predicate, key: Row) -> tuple[Row, ...]:
    """Return that nothing holds: what the first estimate takes for true is every negation."""
    return ()


def _rows(estimate: RuleCompiler, form: QuestionForm, key: Row) -> set[Row]:
    return set(estimate.ask(form.predicate, key, form.known))


def _text(form: QuestionForm, key: Row, row: Row) -> str:
    """Return the atom that answers a question."""
    name, arity = form.predicate
    others = iter(row)
    told = dict(zip(form.known, key, strict=True))
    whole: list[Value] = [told[place] if place in told else next(others) for place in range(arity)]
    return term_text(sentence_of(name, tuple(whole)))

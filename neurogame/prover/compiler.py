"""The functions of a question, made when it is first asked: compiled rules over indexed tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

from neurogame.gdl.terms import Compound, Rule, Sentence, Symbol, Variable
from neurogame.gdl.walk import arguments_of, relation_of, substitute, variable_names, variables_in
from neurogame.prover.order import ordered
from neurogame.prover.program import DOES, TRUE, Lifetime, SortedRules
from neurogame.prover.questions import QuestionForm, Tabling
from neurogame.prover.source import (
    FunctionText,
    Names,
    RuleText,
    local,
    match,
    row_of,
    sorter_text,
    split_arguments,
)
from neurogame.prover.tables import RowIndex, StoredRows
from neurogame.prover.values import Predicate, Row, Value, functor_of

_CHAIN = "<rules of the game>"


@final
class RuleCompiler:
    """Makes questions, and what answers them.

    Args:
        program: the rules.
        tabling: completes what depends on itself.
        denied: whether something holds that a negation asks for whose predicate may depend on its
            own negation; None: what is asked for is proved, and may turn out to be on a cycle.
    """

    def __init__(
        self,
        program: SortedRules,
        tabling: Tabling,
        denied: Callable[[Predicate, Row], Sequence[Row]] | None = None,
    ) -> None:
        self.program = program
        self.denied = denied
        self._tabling = tabling
        self._relations = {TRUE: StoredRows(TRUE), DOES: StoredRows(DOES)}
        self._questions: dict[tuple[Predicate, tuple[int, ...]], QuestionForm] = {}
        self._indexes: dict[tuple[object, ...], RowIndex] = {}

    def relation(self, predicate: Predicate) -> StoredRows:
        """Return the stored rows of a predicate."""
        if predicate not in self._relations:
            self._relations[predicate] = StoredRows(predicate, self.program.facts(predicate))
        return self._relations[predicate]

    def enter(self, fluents: frozenset[Row], moves: frozenset[Row]) -> None:
        """Let answers be about a state and a joint move, given as rows of ``true`` and ``does``."""
        for predicate, rows, lifetime in (
            (TRUE, fluents, Lifetime.STATE),
            (DOES, moves, Lifetime.MOVE),
        ):
            if self.relation(predicate).rows is not rows:
                self._tabling.forget(lifetime)
                self.relation(predicate).replace(rows)

    def ask(
        self, predicate: Predicate, key: Row, known: tuple[int, ...] | None = None
    ) -> tuple[Row, ...]:
        """Return all answers about a predicate some arguments of which are known.

        Args:
            predicate: name and arity.
            key: the known arguments.
            known: their places; None: they are the first ones.
        """
        question = self.question(predicate, tuple(range(len(key))) if known is None else known)
        rows = question.table.get(key)
        if rows is None:
            with self._tabling.asking():
                rows = self._tabling.prove(question, key)
        return rows

    def asked(self) -> list[tuple[QuestionForm, Row]]:
        """Return the questions that are answered, with their keys."""
        return [(form, key) for form in list(self._questions.values()) for key in form.table]

    def question(self, predicate: Predicate, known: tuple[int, ...]) -> QuestionForm:
        """Return the question about a predicate with some arguments known."""
        question = self._questions.get((predicate, known))
        if question is None:
            question = QuestionForm(predicate, known, self.program.level(predicate))
            question.solver = RuleSolver(self, question)
            self._tabling.add(question)
            self._questions[(predicate, known)] = question
        return question

    def function(
        self, rule: Rule, question: QuestionForm, lazily: bool = False
    ) -> Callable[..., Any]:
        """Return a rule as a function of key and answers found, or as a generator of answers."""
        head = arguments_of(rule.head)
        bound = variable_names(*(head[place] for place in question.known))
        order = ordered(rule.body, bound, self.program.is_stored)
        space: dict[str, Any] = {"prove": self._tabling.prove, "refuted": self._tabling.refuted}
        if lazily:
            space["lazily"] = self._tabling.lazily
        writer = _Writer(self, space, lazily)
        text = RuleText(head, question.known, order, writer.look, writer.test, lazily).text()
        exec(compile(text, _CHAIN, "exec"), space)
        function: Callable[..., Any] = space["rule"]
        return function

    def index(self, literal: Sentence, known: Sequence[str], free: Sequence[str]) -> RowIndex:
        """Return the stored rows as a literal looks them up; equal literals share one index.

        Args:
            literal: the sentence.
            known: its variables that the key holds.
            free: its other variables.
        """
        numbers = {name: str(place) for place, name in enumerate((*known, *free))}
        numbered = {name: Variable(number) for name, number in numbers.items()}
        arguments = [substitute(term, numbered) for term in arguments_of(literal)]
        shape = (relation_of(literal), tuple(arguments), len(known))
        if shape not in self._indexes:
            parts = [numbers[name] for name in known], [numbers[name] for name in free]
            space: dict[str, Any] = {}
            exec(compile(sorter_text(arguments, *parts), _CHAIN, "exec"), space)
            self._indexes[shape] = self.relation(relation_of(literal)).index(space["sort"])
        return self._indexes[shape]


@final
class RuleSolver:
    """Derives answers from the facts and rules of one predicate.

    Each rule is compiled when a key first fits its head.
    """

    def __init__(self, compiler: RuleCompiler, question: QuestionForm) -> None:
        self._compiler = compiler
        self._question = question
        program, predicate = compiler.program, question.predicate
        self._facts = self._facts_by_key(program.facts(predicate))
        self._rules = program.rules(predicate)
        self._functions: dict[int, Callable[[Row, set[Row]], bool]] = {}
        self._lazy: dict[int, Callable[[Row, tuple[()]], Any]] = {}
        self._fitting: dict[str, list[int]] = {}
        self._place = self._telling_place()

    def solve(self, key: Row, answers: set[Row]) -> bool:
        """Add answers; return True where one answer is all that there can be."""
        facts = self._facts.get(key)
        if facts:
            answers.update(facts)
            if self._question.is_test:
                return True
        for number in self.fitting(key):
            function = self._functions.get(number)
            if function is None:
                rule = self._rules[number]
                function = self._compiler.function(rule, self._question)
                self._functions[number] = function
            if function(key, answers):
                answers.add(())
                return True
        return False

    def answers(self, key: Row) -> Iterator[Row]:
        """Yield answers as they are found; one may come several times."""
        yield from self._facts.get(key, ())
        for number in self.fitting(key):
            if number not in self._lazy:
                rule = self._rules[number]
                self._lazy[number] = self._compiler.function(rule, self._question, lazily=True)
            rows = self._lazy[number](key, ())
            if not self._question.is_test:
                yield from rows
            elif rows:
                yield ()
                return

    def fitting(self, key: Row) -> list[int]:
        """Return the numbers of the rules whose head may fit a key."""
        top = "" if self._place is None else _top(key[self._place])
        numbers = self._fitting.get(top)
        if numbers is None:
            numbers = [n for n, rule in enumerate(self._rules) if self._may_fit(rule, top)]
            self._fitting[top] = numbers
        return numbers

    def _facts_by_key(self, rows: Sequence[Row]) -> dict[Row, list[Row]]:
        known = self._question.known
        free = [place for place in range(self._question.predicate[1]) if place not in known]
        facts: dict[Row, list[Row]] = {}
        for row in rows:
            key = tuple([row[place] for place in known])
            facts.setdefault(key, []).append(tuple([row[place] for place in free]))
        return facts

    def _telling_place(self) -> int | None:
        """Return the place in the key that tells most rules apart."""
        counts = [
            sum(not isinstance(arguments_of(rule.head)[place], Variable) for rule in self._rules)
            for place in self._question.known
        ]
        return counts.index(max(counts)) if counts else None

    def _may_fit(self, rule: Rule, top: str) -> bool:
        if self._place is None:
            return True
        term = arguments_of(rule.head)[self._question.known[self._place]]
        return isinstance(term, Variable) or _top_of_term(term) == top


@final
class _Writer:
    """Writes how one rule reads what is stored and asks what is derived."""

    def __init__(self, compiler: RuleCompiler, space: dict[str, Any], lazily: bool) -> None:
        self._compiler = compiler
        self._space = space
        self._lazily = lazily

    def look(self, literal: Sentence, names: Names, text: FunctionText) -> None:
        """Write the loop over the answers of a sentence with unknown variables."""
        if self._compiler.program.is_stored(relation_of(literal)):
            used = list(dict.fromkeys(v.name for v in variables_in(literal)))
            known = [name for name in used if name in names]
            free = [name for name in used if name not in names]
            index = self._named(self._compiler.index(literal, known, free))
            key = row_of([Variable(name) for name in known], names)
            table = text.fresh()
            text.write(f"{table} = {index}.table")
            text.write(f"if {table} is None: {table} = {index}.build()")
            targets = "".join(f"{local(name, names)}, " for name in free)
            text.loop(targets, f"{table}.get({key}, ())")
            return
        places, free_terms = split_arguments(literal, names)
        rows = self._ask(literal, places, names, "prove", text)
        targets, matches = "", []
        for term in free_terms:
            if isinstance(term, Variable) and term.name not in names:
                targets += f"{local(term.name, names)}, "
            else:
                value = text.fresh()
                matches.append((term, value))
                targets += f"{value}, "
        text.loop(targets, rows)
        for term, value in matches:
            match(term, value, names, text)

    def test(self, literal: Sentence, names: Names, negated: bool, text: FunctionText) -> None:
        """Write the test of a sentence without unknown variables, or of its negation."""
        terms, program = arguments_of(literal), self._compiler.program
        if program.is_stored(relation_of(literal)):
            relation = self._named(self._compiler.relation(relation_of(literal)))
            holds = f"{row_of(terms, names)} in {relation}.rows"
        elif negated and self._compiler.denied and relation_of(literal) in program.doubtful:
            denied, asked = self._named(self._compiler.denied), self._named(relation_of(literal))
            holds = f"{denied}({asked}, {row_of(terms, names)})"
        else:
            ask = "refuted" if negated else "prove"
            holds = self._ask(literal, tuple(range(len(terms))), names, ask, text)
        text.leave_unless(f"not ({holds})" if negated else holds)

    def _ask(
        self, literal: Sentence, places: tuple[int, ...], names: Names, ask: str, text: FunctionText
    ) -> str:
        """Write a question; return the name of its answers."""
        question = self._compiler.question(relation_of(literal), places)
        table, asked = self._named(question.table), self._named(question)
        terms = arguments_of(literal)
        ask = "lazily" if self._lazily else ask
        rows, key = text.fresh(), text.fresh()
        text.write(f"{key} = {row_of([terms[place] for place in places], names)}")
        text.write(f"{rows} = {table}.get({key})")
        text.write(f"if {rows} is None: {rows} = {ask}({asked}, {key})")
        return rows

    def _named(self, thing: object) -> str:
        name = f"g{len(self._space)}"
        self._space[name] = thing
        return name


def _top(value: Value) -> str:
    """Return a constant, or the functor of a composed value."""
    if isinstance(value, str):
        return value
    assert isinstance(value[0], str)
    return value[0]


def _top_of_term(term: Symbol | Compound) -> str:
    return term.name if isinstance(term, Symbol) else functor_of(term)

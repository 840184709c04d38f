"""Questions, their answers so far, and how those that depend on each other are completed.

A question is *open* while it is being answered.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Protocol, final

from neurogame.errors import LimitError
from neurogame.gdl.write import term_text
from neurogame.prover import limits
from neurogame.prover.lazily import CycleError, LazyAnswers
from neurogame.prover.program import Lifetime
from neurogame.prover.values import Predicate, Row, sentence_of

_INDEPENDENT = sys.maxsize
_FRAMES = 8
"""Of Python for each question that waits, at most: longer rules are more functions, but rare."""


class Solving(Protocol):
    """What derives answers."""

    def solve(self, key: Row, answers: set[Row]) -> bool:
        """Add answers; return True where one answer is all that there can be."""

    def answers(self, key: Row) -> Iterator[Row]:
        """Yield answers as they are derived; one may come several times."""


class NegativeCycleError(Exception):
    """A negation was met whose question is not answered yet and depends on it."""


@final
class QuestionForm:
    """All questions about one predicate with the same arguments known.

    Attributes:
        predicate: what is asked about.
        known: the places of the arguments that are known; the key holds their values.
        level: for how long answers stay right.
        table: key -> all answers, of the questions answered; an answer holds the other arguments.
        is_cyclic: whether such a question may depend on itself, as has been met.
        lazy: key -> the answers so far, of questions whose answers come one by one.
        waiting: key -> the open question.
        solver: derives the answers.
    """

    def __init__(self, predicate: Predicate, known: tuple[int, ...], level: Lifetime) -> None:
        self.predicate = predicate
        self.known = known
        self.level = level
        self.is_test = len(known) == predicate[1]
        self.table: dict[Row, tuple[Row, ...]] = {}
        self.is_cyclic = False
        self.lazy: dict[Row, LazyAnswers] = {}
        self.waiting: dict[Row, OpenQuestion] = {}
        self.solver: Solving


@final
class OpenQuestion:
    """A question that is being answered.

    Attributes:
        place: its number on the stack.
        low: the least place of an open question that it depends on.
        round: when its rules were last gone through.
        active: whether they are being gone through.
        rows: the answers so far.
    """

    __slots__ = ("active", "key", "low", "place", "question", "round", "rows")

    def __init__(self, question: QuestionForm, key: Row, place: int) -> None:
        self.question = question
        self.key = key
        self.place = place
        self.low = _INDEPENDENT
        self.round = 0
        self.active = False
        self.rows: set[Row] = set()


@final
class Tabling:
    """Answers questions, each once.

    A question that meets an open one takes the answers that this has so far. The open questions
    that depend on each other are then gone through again, from the first of them on, until no
    answer is new. What was never asked is never derived.

    *Reference:* N.-F. Zhou, T. Sato and Y.-D. Shen, Linear tabling strategies and optimizations
    (2008): iteration of the top-most looping subgoal.

    Attributes:
        stop: is asked every so often; True interrupts.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self.stop: Callable[[], bool] | None = None
        self._questions: list[QuestionForm] = []
        self._stack: list[OpenQuestion] = []
        self._path: list[OpenQuestion] = []
        self._round = 0
        self._fresh = 0
        self._entered = 0
        self._steps = 0
        self._kept = [0, 0, 0]
        self._nested = 0

    def add(self, question: QuestionForm) -> None:
        """Keep the tables of a question."""
        self._questions.append(question)

    def forget(self, least: Lifetime) -> None:
        """Drop the answers that stay right for no longer than this level says."""
        if self._kept[Lifetime.MATCH] > limits.MOST_ANSWERS // 2:
            least = Lifetime.MATCH
        for question in self._questions:
            if question.level >= least:
                question.table.clear()
                question.lazy.clear()
        for level in range(least, len(self._kept)):
            self._kept[level] = 0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Allow questions to nest deeply, and leave no open question behind after an error."""
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _FRAMES * limits.DEEPEST_QUESTIONS + 10_000))
        try:
            yield
        except BaseException as error:
            for question in self._questions:
                question.waiting.clear()
            self._stack.clear()
            self._path.clear()
            self._entered = self._fresh
            if isinstance(error, RecursionError):
                raise LimitError(
                    f"{self._source}: the questions that wait for each other fill Python's stack; "
                    "bound the recursion of the rules, or use the circuit"
                ) from None
            raise
        finally:
            sys.setrecursionlimit(before)

    def prove(self, question: QuestionForm, key: Row) -> tuple[Row, ...]:
        """Return the answers to a question that is not in its table.

        They are complete unless it depends on an open question that waits for it.
        """
        asked = question.waiting.get(key)
        if asked is None:
            asked = self._open(question, key)
        elif asked.active:
            self._depend(asked.place)
            return tuple(asked.rows)
        elif asked.round == self._round:
            self._depend(asked.low)
            return tuple(asked.rows)
        return self._go_through(asked)

    def lazily(self, question: QuestionForm, key: Row) -> Iterable[Row]:
        """Return the answers to a question one by one, as far as it does not depend on itself.

        No open question may wait for it: what its answers are is then known when they are.

        Args:
            question: what is asked.
            key: is not in its table.

        Raises:
            CycleError: going through them, it turns out that they depend on each other; from then
                on questions of this form are answered as a whole. Ask again.
        """
        known = question.lazy.get(key)
        if known is not None:
            return known
        if question.is_cyclic or self._nested >= limits.DEEPEST_LAZY:
            return self.prove(question, key)
        self._look(question, (key,))

        def derive() -> Iterator[Row]:
            answers = question.solver.answers(key)
            while True:
                self._nested += 1
                try:
                    row = next(answers, None)
                except CycleError as cycle:
                    if cycle.answers is not None:
                        question.is_cyclic = True
                        question.lazy.clear()
                        cycle.answers = None if cycle.answers is made else cycle.answers
                    raise
                finally:
                    self._nested -= 1
                if row is None:
                    return
                yield row

        def note(row: Row | None) -> None:
            self._kept[question.level] += 1 if row is not None else 0
            self._look(question, () if row is None else (row,))

        def finish(rows: tuple[Row, ...]) -> None:
            question.table[key] = rows
            question.lazy.pop(key, None)

        made = question.lazy[key] = LazyAnswers(derive, note, finish)
        return made

    def refuted(self, question: QuestionForm, key: Row) -> tuple[Row, ...]:
        """Return the answers to a question that a negation asks.

        Raises:
            NegativeCycleError: whether there are any depends on the negation itself.
        """
        rows = self.prove(question, key)
        if not rows and key not in question.table:
            raise NegativeCycleError
        return rows

    def _open(self, question: QuestionForm, key: Row) -> OpenQuestion:
        self._look(question, (key,))
        if len(self._path) >= limits.DEEPEST_QUESTIONS:
            most = limits.DEEPEST_QUESTIONS
            self._refuse(question, f"more than {most:,} questions wait for each other")
        asked = OpenQuestion(question, key, len(self._stack))
        self._stack.append(asked)
        question.waiting[key] = asked
        return asked

    def _look(self, question: QuestionForm, rows: Iterable[Row]) -> None:
        """See whether to go on: at terms every time, at clock and memory every so often.

        Args:
            question: what is being answered.
            rows: the key of the question, or answers to it.
        """
        for row in rows:
            wrong = limits.excess(row)
            if wrong is not None:
                self._refuse(question, wrong)
        self._steps += 1
        if self._steps % limits.CHECK_EVERY:
            return
        if self.stop is not None and self.stop():
            raise LimitError(f"{self._source}: proving from the rules was interrupted")
        if sum(self._kept) + self._fresh - self._entered > limits.MOST_ANSWERS:
            most = limits.MOST_ANSWERS
            self._refuse(question, f"more than {most:,} answers would have to be kept")

    def _refuse(self, question: QuestionForm, what: str) -> None:
        name, arity = question.predicate
        about = term_text(sentence_of(name, tuple(f"?{n}" for n in range(1, arity + 1))))
        raise LimitError(
            f"{self._source}: {what}, the last about {about}; "
            "bound its recursion, or use the circuit"
        )

    def _depend(self, place: int) -> None:
        if self._path:
            asked = self._path[-1]
            asked.low = min(asked.low, place)

    def _go_through(self, asked: OpenQuestion) -> tuple[Row, ...]:
        """Go through the rules of an open question until nothing is new."""
        question = asked.question
        asked.active = True
        self._path.append(asked)
        while True:
            began = self._fresh
            asked.round = self._round
            before = len(asked.rows)
            final = question.solver.solve(asked.key, asked.rows)
            self._fresh += len(asked.rows) - before
            if len(asked.rows) > before:
                self._look(question, islice(asked.rows, limits.FEW_ROWS))
            if final or asked.low < asked.place or asked.low == _INDEPENDENT:
                break
            if self._fresh == began:
                break
            self._round += 1
        self._path.pop()
        asked.active = False
        if final or asked.low >= asked.place:
            return self._complete(asked, not final)
        self._depend(asked.low)
        return tuple(asked.rows)

    def _complete(self, asked: OpenQuestion, together: bool) -> tuple[Row, ...]:
        """Enter the answers of an open question, and of those that depend on it alone.

        Args:
            asked: has all its answers.
            together: whether those above it on the stack have all of theirs, too; else they are
                forgotten, because nobody would complete them.
        """
        finished = self._stack[asked.place :]
        self._entered += sum(len(other.rows) for other in finished)
        del self._stack[asked.place :]
        for other in finished:
            question = other.question
            del question.waiting[other.key]
            if together or other is asked:
                question.table[other.key] = tuple(other.rows)
                self._kept[question.level] += 1 + len(other.rows)
        return tuple(asked.rows)

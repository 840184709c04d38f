"""Questions, their answers so far, and how those that depend on each other are completed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, final

from neurogame.errors import LimitError
from neurogame.gdl.write import term_text
from neurogame.prover.program import Level
from neurogame.reference.joins import Predicate, Row, sentence_of

DEEPEST = 50_000
"""Most questions that may wait for one another."""

MOST_ANSWERS = 4_000_000
"""Most questions and answers that are kept at a time, some 150 bytes each."""

_INDEPENDENT = sys.maxsize
_FRAMES = 4  # of Python per question that waits
_CHECK_EVERY = 256


class Solving(Protocol):
    """What derives answers."""

    def solve(self, key: Row, found: set[Row]) -> bool:
        """Add answers; return True where one answer is all that there can be."""


class NegativeCycleError(Exception):
    """A negation was met whose question is not answered yet and depends on it."""


@final
class Question:
    """All questions about one predicate with the same arguments known.

    Attributes:
        predicate: what is asked about.
        known: the places of the arguments that are known; the key holds their values.
        level: for how long answers stay right.
        table: key -> all answers, of the questions answered; an answer holds the other arguments.
        waiting: key -> the goal of a question that is being answered.
        solver: derives the answers.
    """

    def __init__(self, predicate: Predicate, known: tuple[int, ...], level: Level) -> None:
        self.predicate = predicate
        self.known = known
        self.level = level
        self.is_test = len(known) == predicate[1]
        self.table: dict[Row, tuple[Row, ...]] = {}
        self.waiting: dict[Row, Goal] = {}
        self.solver: Solving


@final
class Goal:
    """A question that is being answered.

    Attributes:
        place: its number on the stack.
        low: the least place of a goal that it depends on while that is not complete.
        round: when its rules were last gone through.
        active: whether they are being gone through.
        rows: the answers so far.
    """

    __slots__ = ("active", "key", "low", "place", "question", "round", "rows")

    def __init__(self, question: Question, key: Row, place: int) -> None:
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

    A goal that meets one that waits for it takes the answers so far. The goals that depend on
    each other are then gone through again, from the first of them on, until no answer is new.
    What was never asked is never derived.

    *Reference:* N.-F. Zhou, T. Sato and Y.-D. Shen, Linear tabling strategies and optimizations
    (2008): iteration of the top-most looping subgoal.

    Attributes:
        stop: is asked every so often; True interrupts.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self.stop: Callable[[], bool] | None = None
        self._questions: list[Question] = []
        self._stack: list[Goal] = []
        self._path: list[Goal] = []
        self._round = 0
        self._fresh = 0
        self._steps = 0
        self._kept = [0, 0, 0]

    def add(self, question: Question) -> None:
        """Keep the tables of a question."""
        self._questions.append(question)

    def forget(self, least: Level) -> None:
        """Drop the answers that stay right for no longer than this level says."""
        if self._kept[Level.MATCH] > MOST_ANSWERS // 2:
            least = Level.MATCH
        for question in self._questions:
            if question.level >= least and question.table:
                question.table.clear()
        for level in range(least, len(self._kept)):
            self._kept[level] = 0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Allow questions to nest deeply, and leave no goal behind after an error."""
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _FRAMES * DEEPEST + 10_000))
        try:
            yield
        except BaseException:
            for question in self._questions:
                question.waiting.clear()
            self._stack.clear()
            self._path.clear()
            raise
        finally:
            sys.setrecursionlimit(before)

    def prove(self, question: Question, key: Row) -> tuple[Row, ...]:
        """Return the answers to a question that is not in its table.

        They are complete unless it depends on a goal that waits for it.
        """
        goal = question.waiting.get(key)
        if goal is None:
            goal = self._open(question, key)
        elif goal.active:
            self._depend(goal.place)
            return tuple(goal.rows)
        elif goal.round == self._round:
            self._depend(goal.low)
            return tuple(goal.rows)
        return self._go_through(goal)

    def refuted(self, question: Question, key: Row) -> tuple[Row, ...]:
        """Return the answers to a question that a negation asks.

        Raises:
            NegativeCycleError: whether there are any depends on the negation itself.
        """
        rows = self.prove(question, key)
        if not rows and key not in question.table:
            raise NegativeCycleError
        return rows

    def _open(self, question: Question, key: Row) -> Goal:
        self._steps += 1
        if self._steps % _CHECK_EVERY == 0 and self.stop is not None and self.stop():
            raise LimitError(f"{self._source}: proving from the rules was interrupted")
        if len(self._path) >= DEEPEST:
            self._refuse(question, f"more than {DEEPEST:,} questions wait for each other")
        if sum(self._kept) > MOST_ANSWERS:
            self._refuse(question, f"more than {MOST_ANSWERS:,} answers would have to be kept")
        goal = Goal(question, key, len(self._stack))
        self._stack.append(goal)
        question.waiting[key] = goal
        return goal

    def _refuse(self, question: Question, what: str) -> None:
        name, arity = question.predicate
        about = term_text(sentence_of(name, tuple(f"?{n}" for n in range(1, arity + 1))))
        raise LimitError(
            f"{self._source}: {what}, the last about {about}; "
            "bound its recursion, or use the circuit"
        )

    def _depend(self, place: int) -> None:
        if self._path:
            goal = self._path[-1]
            goal.low = min(goal.low, place)

    def _go_through(self, goal: Goal) -> tuple[Row, ...]:
        """Go through the rules of a goal until nothing that it depends on gives new answers."""
        question = goal.question
        goal.active = True
        self._path.append(goal)
        while True:
            began = self._fresh
            goal.round = self._round
            before = len(goal.rows)
            final = question.solver.solve(goal.key, goal.rows)
            self._fresh += len(goal.rows) - before
            if final or goal.low < goal.place or goal.low == _INDEPENDENT:
                break
            if self._fresh == began:
                break
            self._round += 1
        self._path.pop()
        goal.active = False
        if final or goal.low >= goal.place:
            return self._complete(goal, not final)
        self._depend(goal.low)
        return tuple(goal.rows)

    def _complete(self, goal: Goal, together: bool) -> tuple[Row, ...]:
        """Enter answers into the tables: a goal's own, and of those that depend on it alone.

        Args:
            goal: has all its answers.
            together: whether those above it on the stack have all of theirs, too; else they are
                forgotten, because nobody would complete them.
        """
        finished = self._stack[goal.place :]
        del self._stack[goal.place :]
        for other in finished:
            question = other.question
            del question.waiting[other.key]
            if together or other is goal:
                question.table[other.key] = tuple(other.rows)
                self._kept[question.level] += 1 + len(other.rows)
        return tuple(goal.rows)

"""Answers to a question that come one by one, each derived when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import final

from neurogame.prover.values import Row


class CycleError(Exception):
    """A question was met while its next answer is being derived: it may depend on itself.

    Attributes:
        answers: those to that question; None once all questions of the cycle know of it.
    """

    def __init__(self, answers: LazyAnswers) -> None:
        super().__init__()
        self.answers: LazyAnswers | None = answers


@final
class LazyAnswers:
    """The answers to one question; whoever goes through them shares what is known.

    Going through all of them costs as much as asking for all at once; asking whether there is one,
    or for the first, costs what that one costs.
    """

    __slots__ = (
        "_derive",
        "_finish",
        "_is_active",
        "_is_over",
        "_known",
        "_note",
        "_seen",
        "_source",
    )

    def __init__(
        self,
        derive: Callable[[], Iterator[Row]],
        note: Callable[[Row | None], None],
        finish: Callable[[tuple[Row, ...]], None],
    ) -> None:
        """Derive nothing yet.

        Args:
            derive: yields answers, one perhaps several times.
            note: is told of each answer that is new; None: it was not.
            finish: is told all answers once there are no others.
        """
        self._derive, self._note, self._finish = derive, note, finish
        self._source = derive()
        self._known: list[Row] = []
        self._seen: set[Row] = set()
        self._is_active = self._is_over = False

    def __iter__(self) -> Iterator[Row]:
        """Yield the answers, each once."""
        place = 0
        while place < len(self._known) or self._pull():
            yield self._known[place]
            place += 1

    def __bool__(self) -> bool:
        """Return whether there is an answer."""
        return bool(self._known) or self._pull()

    def _pull(self) -> bool:
        """Derive one more answer; return whether there was one.

        Raises:
            CycleError: it is being derived already.
        """
        if self._is_active:
            raise CycleError(self)
        while not self._is_over:
            self._is_active = True
            try:
                row = next(self._source, None)
                self._note(None if row in self._seen else row)
            except BaseException:
                # What was interrupted cannot go on: those known come again, and are passed over.
                self._source = self._derive()
                raise
            finally:
                self._is_active = False
            if row is None:
                self._is_over = True
                self._finish(tuple(self._known))
            elif row not in self._seen:
                self._seen.add(row)
                self._known.append(row)
                return True
        return False

"""Rules of which every call is one of Python."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol, final

from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.request import CALLBACK, FUNCTIONS, LOOK, STEP, new_request
from neurogame.kernels.leaves.rules import Rules


class Answers(Protocol):
    """What a Python object does with the arrays of a block, as :mod:`.rules` says."""

    def step(self, count: int) -> None:
        """Make the joint moves of the first leaves and look at what follows."""

    def look(self, count: int) -> None:
        """Look at the first leaves' states."""

    def play(self, count: int, seed: int, plies: int) -> None:
        """Play the first leaves' states on at random."""


@final
class CallbackRules:
    """Rules that call a Python object; what it raises is kept, and the call has failed.

    Attributes:
        rules: for compiled code.
        error: what a call has raised, or None.
    """

    def __init__(self, answers: Answers, block: Block) -> None:
        """Make the rules.

        Args:
            answers: what is called; after it has raised an error, not until :meth:`check`.
            block: what it works on.
        """
        self.error: BaseException | None = None
        self._answers = answers
        function = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._call)
        address = ctypes.cast(function, ctypes.c_void_p).value
        self._request: Any = new_request(CALLBACK, block, function)
        for name in FUNCTIONS:
            self._request[name] = address
        self.rules = Rules(self._request)

    def check(self) -> None:
        """Raise what a call has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self._request["failed"] = 0
            raise error

    def _call(self, _address: int) -> None:
        request = self._request[0]
        if request["failed"]:
            return
        try:
            self._answer(int(request["task"]), int(request["count"]))
        except BaseException as error:
            # Compiled code cannot pass it on.
            self.error = error
            request["failed"] = 1

    def _answer(self, task: int, count: int) -> None:
        if task == STEP:
            self._answers.step(count)
        elif task == LOOK:
            self._answers.look(count)
        else:
            request = self._request[0]
            self._answers.play(count, int(request["seed"]), int(request["plies"]))

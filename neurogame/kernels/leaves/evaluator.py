"""Evaluators of Python in the form that compiled searches call: :class:`SearchEvaluator`."""

from __future__ import annotations

from itertools import chain
from typing import final

import torch

from neurogame.array_types import Float32s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.judges.states import (
    CALLBACK,
    NONE,
    PROGRAM,
    UNKNOWN,
    Valuer,
    checked_values,
    new_values,
)
from neurogame.kernels.words.rows import unpack_rows
from neurogame.native.entries import callback
from neurogame.native.struct import Struct, array_of


@final
class SearchEvaluator:
    """An evaluator for compiled code, which :attr:`values` stands for; one per thread.

    Attributes:
        values: for :func:`~neurogame.judges.states.evaluate`; it stays the same.
        fluents: of the game.
        roles: of the game.
        error: what the evaluator raised, or None.
    """

    def __init__(self, evaluator: Valuer | None, circuit: Circuit) -> None:
        """Make it: compiled code where the evaluator has that form, else a call of Python.

        Args:
            evaluator: of the game; None: none.
            circuit: the game.
        """
        self._called = callback(self._call)
        self.values = new_values()
        self.error: BaseException | None = None
        self._evaluator = evaluator
        self.fluents, self.roles = len(circuit.fluents), len(circuit.roles)
        self._kept: object = None
        self.refresh()

    @property
    def kind(self) -> int:
        """:data:`~.states.NONE`, :data:`~.states.PROGRAM` or :data:`~.states.CALLBACK`."""
        return self.values.kind

    def refresh(self) -> None:
        """Take the evaluator's present weights, as is necessary whenever they have changed."""
        values = self.values
        self.error, self._kept = None, None
        values.failed = 0
        compiled = None if self._evaluator is None else self._evaluator.compiled_values()
        if compiled is not None:
            values.kind, self._kept = PROGRAM, compiled.kept
            values.value, values.evaluator = compiled.value, compiled.evaluator
        else:
            values.kind = NONE if self._evaluator is None else CALLBACK
            values.value, values.evaluator = self._called, Struct()

    def check(self) -> None:
        """Raise what the evaluator has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self.values.failed = 0
            raise error

    def _call(self) -> None:
        """Value the given states with the module; called by compiled code."""
        values = self.values
        out = array_of(values, "out")[: values.count]
        try:
            out[:] = self._valued(array_of(values, "states")[: values.count])
        except BaseException as error:
            # Compiled code cannot pass it on.
            out[:] = UNKNOWN
            self.error = error
            values.failed = 1

    def _valued(self, states: UInt64s) -> Float32s:
        """Return the values of packed states; float32 ``[count, R]``."""
        evaluator, count = self._evaluator, len(states)
        assert evaluator is not None
        first = next(chain(evaluator.parameters(), evaluator.buffers()), None)
        held = unpack_rows(states, self.fluents)
        with torch.no_grad():
            values = evaluator(held if first is None else held.to(first.device))
        result: Float32s = checked_values(values, count, self.roles).float().cpu().numpy()
        return result

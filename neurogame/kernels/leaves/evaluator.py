"""Evaluators of Python in the form that compiled searches call: :class:`SearchEvaluator`."""

from __future__ import annotations

from itertools import chain
from typing import Any, Protocol, final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Float32s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.heuristic.derived import make_derived
from neurogame.kernels.heuristic.exported import ExportedHeuristic
from neurogame.kernels.heuristic.search import HeuristicValuation, value_heuristic
from neurogame.kernels.leaves.values import (
    CALLBACK,
    NONE,
    PROGRAM,
    UNKNOWN,
    Valuation,
    Values,
    make_valuation,
    value_states,
)
from neurogame.kernels.native.entries import callback, entry
from neurogame.kernels.native.struct import Struct, array_of
from neurogame.kernels.neural.exported import Exported
from neurogame.kernels.parts.exported import ExportedParts
from neurogame.kernels.parts.parts import make_loaded
from neurogame.kernels.parts.search import PartsValuation, value_parts
from neurogame.kernels.step import GOALS


class Valuer(Protocol):
    """What :func:`make_values` asks of an evaluator."""

    def exported(self) -> Exported | ExportedParts | ExportedHeuristic | None:
        """Return the compiled form, or None where there is none."""

    def parameters(self) -> Any:
        """Return the parameters."""

    def buffers(self) -> Any:
        """Return the other tensors; parameters and these say where it computes."""

    def __call__(self, fluents: Tensor) -> Any:
        """Return values, ``[B, R]`` in 0..1, of states, bool ``[B, F]``."""


@final
class SearchEvaluator:
    """An evaluator for compiled code, which :attr:`values` stands for; one per thread.

    Attributes:
        values: for :func:`~neurogame.kernels.leaves.values.evaluate`; it stays the same.
        fluents: of the game.
        roles: of the game.
        error: what the evaluator raised, or None.
    """

    def __init__(self, evaluator: Valuer | None, circuit: Circuit) -> None:
        """Make it; :func:`make_values` is the public way."""
        self._called = callback(self._call)
        self.values = self._values(None)
        self.error: BaseException | None = None
        self._evaluator = evaluator
        self.fluents, self.roles = len(circuit.fluents), len(circuit.roles)
        self._kept: object = None
        self.refresh()

    @property
    def kind(self) -> int:
        """:data:`~.values.NONE`, :data:`~.values.PROGRAM` or :data:`~.values.CALLBACK`."""
        return self.values.kind

    def refresh(self) -> None:
        """Take the evaluator's present weights, as is necessary whenever they have changed."""
        values = self.values
        self.error, self._kept = None, None
        values.failed = 0
        exported = None if self._evaluator is None else self._evaluator.exported()
        if isinstance(exported, ExportedHeuristic):
            self._take_heuristic(exported)
            return
        networks = exported.networks if isinstance(exported, ExportedParts) else exported
        if exported is not None and (networks is None or _runs(networks)):
            values.kind = PROGRAM
            if isinstance(exported, ExportedParts):
                values.value, values.evaluator = (
                    entry(value_parts, counted=True),
                    PartsValuation(
                        logic=self._values(networks),
                        parts=exported.parts,
                        loaded=make_loaded(exported.parts),
                    ),
                )
            else:
                values.value, values.evaluator = (
                    entry(value_states, counted=True),
                    self._valuation(exported),
                )
        else:
            values.kind = NONE if self._evaluator is None else CALLBACK
            values.value, values.evaluator = self._called, Struct()

    def _take_heuristic(self, exported: ExportedHeuristic) -> None:
        """Take a heuristic; by calls of Python where it derives what cannot be compiled."""
        values, variant = self.values, None
        if exported.is_derived:
            backend, variant = _backend(exported.circuit)
            if backend != "llvm":
                values.kind, values.value, values.evaluator = CALLBACK, self._called, Struct()
                return
        derived, self._kept = make_derived(exported, variant or None)
        values.kind = PROGRAM
        values.value, values.evaluator = (
            entry(value_heuristic, counted=True),
            HeuristicValuation(
                parts=exported.parts,
                loaded=make_loaded(exported.parts),
                derived=derived,
                feature=exported.feature,
                base=exported.base,
                slope=exported.slope,
                least=exported.least,
                most=exported.most,
            ),
        )

    def check(self) -> None:
        """Raise what the evaluator has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self.values.failed = 0
            raise error

    def _values(self, exported: Exported | None) -> Values:
        """Return goal networks as an evaluator of their own, of the kind NONE if there are none."""
        return Values(
            value=self._called if exported is None else entry(value_states, counted=True),
            evaluator=Struct() if exported is None else self._valuation(exported),
            kind=NONE if exported is None else PROGRAM,
            failed=0,
            count=0,
            states=np.zeros((0, 0), np.uint64),
            lanes=np.zeros((0, 0), np.int64),
            out=np.zeros((0, 0), np.float32),
        )

    def _valuation(self, exported: Exported) -> Valuation:
        """Reserve memory for the compiled form."""
        logic, arguments = 0, np.zeros(1, np.int64)
        source, target = np.zeros((0, 1), np.int64), np.zeros((0, 1), np.int64)
        if exported.logic is not None:
            step = load_step(exported.logic, _backend(exported.logic)[1] or None)
            words, places = step.lane_words, np.ascontiguousarray(step.outputs[GOALS])
            inputs = len(exported.logic.fluents) + exported.logic.move_count
            source = aligned(inputs * words).reshape(inputs, words)
            target = aligned(len(places) * words).reshape(len(places), words)
            cells = aligned(step.memory // 8)
            arguments = step.arguments(cells)
            arguments[Input.BLOCK_END] = 1
            arguments[Input.PARTS] = 1 << Part.LOOK | 1 << Part.GOALS
            arguments[Input.STRIDE] = 8 * words
            arguments[Input.FROM], arguments[Input.FROM_COUNT] = source.ctypes.data, inputs
            arguments[Input.TO], arguments[Input.TO_COUNT] = target.ctypes.data, len(target)
            arguments[Input.TO_CELLS] = places.ctypes.data
            logic = step.code.address("evaluate")
            self._kept = step, places, cells
        return make_valuation(exported.program, logic, arguments, source, target)

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
        flags = np.unpackbits(states.view(np.uint8), axis=1, count=self.fluents, bitorder="little")
        first = next(chain(evaluator.parameters(), evaluator.buffers()), None)
        held = torch.from_numpy(flags).view(torch.bool)
        with torch.no_grad():
            found = evaluator(held if first is None else held.to(first.device))
        if tuple(found.shape) != (count, self.roles):
            raise GameError(
                f"the evaluator returned values of shape {list(found.shape)} for {count} states "
                f"of a game with {self.roles} roles; it must return [{count}, {self.roles}]"
            )
        result: Float32s = found.float().cpu().numpy()
        return result


def make_values(evaluator: Valuer | None, circuit: Circuit) -> SearchEvaluator:
    """Return an evaluator for compiled code.

    It is compiled code itself where the evaluator has that form, else a call of Python.

    Args:
        evaluator: of the game; None: none.
        circuit: the game.
    """
    return SearchEvaluator(evaluator, circuit)


def _runs(exported: Exported) -> bool:
    """Return whether the gates of the compiled form, if any, can be compiled."""
    return exported.logic is None or _backend(exported.logic)[0] == "llvm"


def _backend(logic: Circuit) -> list[str]:
    """Return the backend that computes gates, and its variant, empty for any."""
    family, _, variant = resolve_backend("auto", "cpu", logic).partition("-")
    return [family, variant]

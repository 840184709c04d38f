"""Evaluators for compiled searches: many states in, values out, whatever the evaluator is."""

from __future__ import annotations

import ctypes
from itertools import chain
from typing import Any, NamedTuple, Protocol, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.leaves.block import Reals
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import compiled, entry
from neurogame.kernels.neural.by_address import keep
from neurogame.kernels.neural.exported import Exported
from neurogame.kernels.neural.valuation import REQUEST, make_bundle, value_states
from neurogame.kernels.step import GOALS

NONE, PROGRAM, CALLBACK = 0, 1, 2
"""How states are valued: not at all, by compiled code alone, or by a torch module."""

UNKNOWN = 0.5
"""The value of every state where there is no evaluator, or where it has failed."""


class Valuer(Protocol):
    """What :func:`make_values` asks of an evaluator."""

    def exported(self) -> Exported | None:
        """Return the compiled form, or None where there is none."""

    def parameters(self) -> Any:
        """Return the parameters."""

    def buffers(self) -> Any:
        """Return the other tensors; parameters and these say where it computes."""

    def __call__(self, fluents: Tensor) -> Any:
        """Return values, ``[B, R]`` in 0..1, of states, bool ``[B, F]``."""


class Values(NamedTuple):
    """An evaluator as compiled code takes it: one type for all; one per thread.

    Attributes:
        request: what :func:`evaluate` fills in, see :data:`REQUEST`; its field ``kind`` is
            :data:`NONE`, :data:`PROGRAM` or :data:`CALLBACK`, its field ``failed`` is not 0 once
            the evaluator has raised an error; ``[1]``.
    """

    request: npt.NDArray[np.void]


@compiled
def evaluate(values: Any, states: Any, lanes: Any, count: int, out: Any) -> None:
    """Value the first states.

    Args:
        values: the evaluator.
        states: packed states, in which bits beyond the fluents are 0; uint64 ``[N, Fw]``.
        lanes: the same as lane words, lane ``l`` being bit ``l % 64`` of word ``l // 64``, whose
            lanes beyond ``count`` may hold anything; int64 ``[F, W]``. With ``W = 0`` they are
            made from the rows.
        count: number of states, 0 to ``N``.
        out: written, rows ``0..count - 1``: values in role order, 0..1, all 0.5 without an
            evaluator and once it has failed (see :func:`has_failed`); float32 ``[N, R]``.
    """
    request = values.request[0]
    if request.kind == 0 or request.failed != 0:
        out[:count] = np.float32(0.5)
    elif count > 0:
        request.count = count
        request.states = states.ctypes.data
        request.state_stride = states.strides[0]
        request.lanes = lanes.ctypes.data
        request.lane_stride = lanes.strides[0]
        request.lane_words = lanes.shape[1]
        request.out = out.ctypes.data
        request.out_stride = out.strides[0]
        call_address(request.function, values.request.ctypes.data)


@compiled
def has_failed(values: Any) -> bool:
    """Return whether the evaluator has raised an error; see :meth:`ValuesPort.check`."""
    failed: bool = values.request[0].failed != 0
    return failed


@final
class ValuesPort:
    """The Python object that owns what :class:`Values` points to; one per thread.

    Attributes:
        values: for :func:`evaluate`; it stays the same.
        fluents: of the game.
        roles: of the game.
        error: what the evaluator raised, or None.
    """

    def __init__(self, evaluator: Valuer | None, circuit: Circuit) -> None:
        """Make the port; :func:`make_values` is the public way."""
        self.values = Values(np.zeros(1, REQUEST))
        self.error: BaseException | None = None
        self._evaluator = evaluator
        self.fluents, self.roles = len(circuit.fluents), len(circuit.roles)
        self._kept: tuple[Any, ...] = ()
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._call)
        self.refresh()

    @property
    def kind(self) -> int:
        """:data:`NONE`, :data:`PROGRAM` or :data:`CALLBACK`."""
        return int(self.values.request["kind"][0])

    def refresh(self) -> None:
        """Take the evaluator's present weights, as is necessary whenever they have changed."""
        request = self.values.request
        self.error, self._kept = None, ()
        request["failed"] = 0
        exported = None if self._evaluator is None else self._evaluator.exported()
        if exported is not None and _runs(exported):
            self._export(exported)
            request["kind"], request["function"] = PROGRAM, entry(value_states)
        elif self._evaluator is not None:
            function = ctypes.cast(self._callback, ctypes.c_void_p).value
            request["kind"], request["function"] = CALLBACK, function
        else:
            request["kind"] = NONE

    def check(self) -> None:
        """Raise what the evaluator has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self.values.request["failed"] = 0
            raise error

    def _export(self, exported: Exported) -> None:
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
        fluents = exported.fluents.astype(np.int64)
        bundle = make_bundle(exported.program, logic, arguments, fluents, source, target)
        memory = keep(bundle)
        self._kept = (*self._kept, bundle, memory)
        self.values.request["bundle"] = memory.ctypes.data

    def _call(self, address: int) -> None:
        """Value the states of a request with the module; called by compiled code."""
        request = self.values.request[0]
        stride, count = request["out_stride"], request["count"]
        out = _rows(request["out"], stride, count, self.roles, np.float32)
        try:
            out[:] = self._valued(request)
        except BaseException as error:
            # Compiled code cannot pass it on.
            out[:] = UNKNOWN
            self.error = error
            request["failed"] = 1

    def _valued(self, request: Any) -> Reals:
        """Return the values of a request's states; float32 ``[count, R]``."""
        evaluator, count = self._evaluator, int(request["count"])
        assert evaluator is not None
        words = (self.fluents + 63) // 64
        rows = _rows(request["states"], request["state_stride"], count, words, np.uint64)
        octets = np.ascontiguousarray(rows).view(np.uint8).reshape(count, 8 * words)
        flags = np.unpackbits(octets, axis=1, count=self.fluents, bitorder="little")
        first = next(chain(evaluator.parameters(), evaluator.buffers()), None)
        held = torch.from_numpy(flags).view(torch.bool)
        with torch.no_grad():
            found = evaluator(held if first is None else held.to(first.device))
        if tuple(found.shape) != (count, self.roles):
            raise GameError(
                f"the evaluator returned values of shape {list(found.shape)} for {count} states "
                f"of a game with {self.roles} roles; it must return [{count}, {self.roles}]"
            )
        result: Reals = found.float().cpu().numpy()
        return result


def make_values(evaluator: Valuer | None, circuit: Circuit) -> ValuesPort:
    """Return an evaluator for compiled code.

    It is compiled code itself where the evaluator has that form, else a call of Python.

    Args:
        evaluator: of the game; None: none.
        circuit: the game.
    """
    return ValuesPort(evaluator, circuit)


def _runs(exported: Exported) -> bool:
    """Return whether the gates of the compiled form, if any, can be compiled."""
    return exported.logic is None or _backend(exported.logic)[0] == "llvm"


def _backend(logic: Circuit) -> list[str]:
    """Return the backend that computes gates, and its variant, empty for any."""
    family, _, variant = resolve_backend("auto", "cpu", logic).partition("-")
    return [family, variant]


def _rows(address: int, stride: int, count: int, width: int, kind: Any) -> Any:
    """Return rows of numbers in memory."""
    item = np.dtype(kind).itemsize
    size = (int(count) - 1) * int(stride) + width * item
    memory: Any = (ctypes.c_char * size).from_address(int(address))
    return np.ndarray((int(count), width), kind, memory, strides=(int(stride), item))

"""What judges of states are: many states in, values of every role out, whatever the evaluator is.

Searches and playouts call :func:`evaluate` with what :mod:`~neurogame.kernels.leaves.evaluator`
makes of an evaluator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np

from neurogame.array_types import Float32s2, Int64s2, UInt64s2
from neurogame.errors import GameError
from neurogame.native.compiled import compiled
from neurogame.native.entries import NOTHING, Entry
from neurogame.native.struct import Struct

if TYPE_CHECKING:
    from torch import Tensor

NONE, PROGRAM, CALLBACK = 0, 1, 2
"""How states are valued: not at all, by compiled code alone, or by a torch module."""

_ROUNDING = 1e-3
"""By how much sums of floats may lie beyond 0..1."""

UNKNOWN = 0.5
"""The value of every state where there is no evaluator, or where it has failed."""


class Values(Struct):
    """An evaluator as compiled code takes it: one type for all; one per thread.

    ``F`` fluents in ``Fw`` words, ``R`` roles.

    Attributes:
        value: the evaluator: writes the values of what is given.
        evaluator: what that function works with.
        kind: :data:`NONE`, :data:`PROGRAM` or :data:`CALLBACK`.
        failed: not 0 once it has raised an error; see :meth:`.SearchEvaluator.check`.
        count: given: number of states.
        states: given: packed states; uint64 ``[N, Fw]``.
        lanes: given: the same as lane words; int64 ``[F, W]``; with ``W = 0`` there are none.
        out: where the values go; float32 ``[N, R]``.
    """

    value: Callable[[Values], None]
    evaluator: Struct
    kind: int
    failed: int = 0
    count: int = 0
    states: UInt64s2
    lanes: Int64s2
    out: Float32s2


@compiled
def evaluate(values: Values, states: UInt64s2, lanes: Int64s2, count: int, out: Float32s2) -> None:
    """Value the first states.

    Args:
        values: the evaluator.
        states: packed states, in which bits beyond the fluents are 0; uint64 ``[N, Fw]``.
        lanes: the same as lane words, lane ``l`` being bit ``l % 64`` of word ``l // 64``, whose
            lanes beyond ``count`` may hold anything; int64 ``[F, W]``. With ``W = 0`` they are
            made from the rows.
        count: number of states, 0 to ``N``.
        out: written, rows ``0..count - 1``: values in role order, 0..1, all 0.5 without an
            evaluator and once it has failed; float32 ``[N, R]``.
    """
    if values.kind == NONE or values.failed != 0:
        for row in range(count):
            for role in range(out.shape[1]):
                out[row, role] = np.float32(UNKNOWN)
    elif count > 0:
        values.count, values.states, values.lanes, values.out = count, states, lanes, out
        values.value(values)


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledValues:
    """An evaluator in compiled code, with memory for one thread.

    Attributes:
        value: see :class:`Values`.
        evaluator: what that function works with.
        kept: what else must live as long.
    """

    value: Entry[[Values]]
    evaluator: Struct
    kept: tuple[object, ...] = ()


def checked_values(values: Tensor, count: int, roles: int) -> Tensor:
    """Return what an evaluator has returned for some states.

    Args:
        values: what it has returned.
        count: of states.
        roles: of the game.

    Raises:
        GameError: it is no tensor of floats of the shape ``[count, roles]``, or holds numbers that
            are not in 0..1.
    """
    if tuple(getattr(values, "shape", ())) != (count, roles):
        found = list(values.shape) if hasattr(values, "shape") else type(values).__name__
        raise GameError(
            f"the evaluator returned values of shape {found} for {count} states "
            f"of a game with {roles} roles; it must return [{count}, {roles}]"
        )
    least, most = (float(end) for end in values.detach().aminmax()) if count else (0.0, 1.0)
    if not (values.is_floating_point() and least >= -_ROUNDING and most <= 1 + _ROUNDING):
        raise GameError(
            f"the evaluator returned values from {least:g} to {most:g} ({values.dtype}); it must "
            "return floats in 0..1"
        )
    return values


def new_values() -> Values:
    """Return an evaluator for :func:`evaluate`, of the kind :data:`NONE`."""
    return Values(
        value=NOTHING,
        evaluator=Struct(),
        kind=NONE,
        states=np.zeros((0, 0), np.uint64),
        lanes=np.zeros((0, 0), np.int64),
        out=np.zeros((0, 0), np.float32),
    )


class Valuer(Protocol):
    """What compiled searches ask of an evaluator."""

    def compiled_values(self) -> CompiledValues | None:
        """Return the compiled form with the present weights, or None where there is none.

        Each call returns one of its own, with memory for one thread.
        """

    def parameters(self) -> Any:
        """Return the parameters."""

    def buffers(self) -> Any:
        """Return the other tensors; parameters and these say where it computes."""

    def __call__(self, fluents: Tensor) -> Any:
        """Return values, ``[B, R]`` in 0..1, of states, bool ``[B, F]``."""

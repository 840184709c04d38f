"""Judges of moves for compiled searches: many states in, a score of every legal move out.

What :mod:`~neurogame.kernels.leaves.values` is for states, this is for moves: one interface for
action heuristics, for knowledge of moves, and for anything in Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import uncounted

Reals = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

LINEAR, LOGITS = 0, 1
"""What scores mean: numbers that only their range over the legal moves of a state gives a meaning,
or logarithms of weights."""

NEUTRAL = 0.5
"""The score of every move where a judge has failed."""

SCORES_REQUEST = np.dtype(
    [
        *(("function", np.int64), ("bundle", np.int64), ("scale", np.int64), ("failed", np.int64)),
        *(("role", np.int64), ("count", np.int64), ("seed", np.int64), ("rows", np.int64)),
        *(("states", np.int64), ("state_stride", np.int64), ("state_words", np.int64)),
        *(("legal", np.int64), ("legal_stride", np.int64), ("legal_words", np.int64)),
        *(("out", np.int64), ("out_stride", np.int64), ("nanoseconds", np.int64)),
    ]
)
"""What is asked for; places in memory are addresses, strides are bytes from row to row.

``function``: what to call, with the request's address; ``bundle``: what it works with;
``scale``: :data:`LINEAR` or :data:`LOGITS`; ``failed``: not 0 once a call has failed; ``role``:
whose moves; ``count``: number of states; ``seed``: of random choices; ``rows``: which row each
state is, int64; ``states``: packed rows of ``state_words`` words; ``legal``: packed legal moves
of all roles, rows of ``legal_words`` words; ``out``: rows of scores; ``nanoseconds``: spent in
calls so far, where somebody counts them.
"""


class MoveScores(NamedTuple):
    """A judge of moves as compiled code takes it: one type for all; one per thread.

    Attributes:
        request: see :data:`SCORES_REQUEST`; ``[1]``.
    """

    request: npt.NDArray[np.void]


@uncounted
def score_moves(
    scores: Any, states: Any, legal: Any, rows: Any, count: int, role: int, seed: int, out: Any
) -> None:
    """Score the legal moves of a role in some states.

    Args:
        scores: the judge.
        states: packed states; uint64 ``[N, Fw]``.
        legal: their packed legal moves, of all roles; uint64 ``[N, Mw]``.
        rows: which rows are meant; int64, at least ``count`` of them.
        count: number of states.
        role: whose moves; it has at least one in every one of these states.
        seed: of random choices, if the judge makes any.
        out: written, row ``i`` for ``rows[i]``: the scores of the legal moves in ascending order
            of their numbers, the higher the better; all 0.5 once the judge has failed; float32
            ``[>= count, >= most legal moves]``.
    """
    request = scores.request[0]
    request.role, request.count, request.seed = role, count, seed
    request.rows = rows.ctypes.data
    request.states, request.state_stride = states.ctypes.data, states.strides[0]
    request.state_words = states.shape[1]
    request.legal, request.legal_stride = legal.ctypes.data, legal.strides[0]
    request.legal_words = legal.shape[1]
    request.out, request.out_stride = out.ctypes.data, out.strides[0]
    if request.failed == 0 and count > 0:
        call_address(request.function, scores.request.ctypes.data)
    if request.failed != 0:
        out[:count] = np.float32(NEUTRAL)


@uncounted
def scores_failed(scores: Any) -> bool:
    """Return whether the judge has raised an error; see :meth:`ScoresPort.check`."""
    failed: bool = scores.request[0].failed != 0
    return failed


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledScores:
    """A judge in compiled code.

    Attributes:
        function: address of a function of the request's address.
        bundle: address of what it works with.
        kept: what must live as long as that.
    """

    function: int
    bundle: int
    kept: tuple[object, ...]


class MoveJudge(Protocol):
    """What :func:`make_scores` asks of a judge of moves."""

    @property
    def scale(self) -> int:
        """:data:`LINEAR` or :data:`LOGITS`."""

    def compiled_scores(self) -> CompiledScores | None:
        """Return the judge with its present weights for compiled code, if it has that form.

        Each call returns one of its own, with memory for one thread.
        """

    def move_scores(self, fluents: Flags, legal: Flags, role: int) -> Reals:
        """Return the scores of a role's moves, as Python computes them.

        Args:
            fluents: which fluents hold in each state; bool ``[B, F]``.
            legal: which moves of the role are legal; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]``; those of moves that are not legal may be anything.
        """


@final
class ScoresPort:
    """The Python object that owns what :class:`MoveScores` points to; one per thread.

    Attributes:
        scores: for :func:`score_moves`; it stays the same.
        error: what the judge raised, or None.
    """

    def __init__(self, judge: MoveJudge, circuit: Circuit) -> None:
        """Make the port.

        Args:
            judge: of the game's moves.
            circuit: the game.
        """
        self.scores = MoveScores(np.zeros(1, SCORES_REQUEST))
        self.error: BaseException | None = None
        self._judge = judge
        self._fluents = len(circuit.fluents)
        self._offsets = np.cumsum([0, *(len(moves) for moves in circuit.moves)])
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._call)
        self._kept: CompiledScores | None = None
        self.refresh()

    @property
    def is_compiled(self) -> bool:
        """Whether no Python runs when moves are scored."""
        return self._kept is not None

    def refresh(self) -> None:
        """Take the judge's present weights, as is necessary whenever they have changed."""
        request = self.scores.request
        self.error, self._kept = None, self._judge.compiled_scores()
        request["failed"], request["scale"] = 0, self._judge.scale
        if self._kept is None:
            request["function"] = ctypes.cast(self._callback, ctypes.c_void_p).value
        else:
            request["function"], request["bundle"] = self._kept.function, self._kept.bundle

    def check(self) -> None:
        """Raise what the judge has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self.scores.request["failed"] = 0
            raise error

    def _call(self, address: int) -> None:
        """Score moves with the Python object; called by compiled code."""
        request = self.scores.request[0]
        try:
            self._answer(request)
        except BaseException as error:
            # Compiled code cannot pass it on.
            self.error = error
            request["failed"] = 1

    def _answer(self, request: Any) -> None:
        count, role = int(request["count"]), int(request["role"])
        rows = _rows(request["rows"], 8, count, 1, np.int64)[:, 0]
        fluents = _bits(request, "state", rows)[:, : self._fluents]
        first, last = self._offsets[role], self._offsets[role + 1]
        legal = _bits(request, "legal", rows)[:, first:last]
        found = self._judge.move_scores(fluents, legal, role)
        widest = int(legal.sum(axis=1).max(initial=0))
        out = _rows(request["out"], request["out_stride"], count, widest, np.float32)
        for row in range(count):
            own = found[row, legal[row]]
            out[row, : len(own)] = own


def make_scores(judge: MoveJudge, circuit: Circuit) -> ScoresPort:
    """Return a judge of moves for compiled code.

    It is compiled code itself where the judge has that form, else a call of Python.

    Args:
        judge: of the game's moves.
        circuit: the game.
    """
    return ScoresPort(judge, circuit)


def no_scores() -> MoveScores:
    """Return what stands for a judge where there is none and nobody asks."""
    return MoveScores(np.zeros(1, SCORES_REQUEST))


def _bits(request: Any, name: str, rows: Sequence[int] | npt.NDArray[np.int64]) -> Flags:
    """Return packed rows of a request as flags; bool ``[count, 64 words]``."""
    address = request["states" if name == "state" else name]
    words, stride = int(request[f"{name}_words"]), int(request[f"{name}_stride"])
    whole = _rows(address, stride, int(np.max(rows)) + 1, words, np.uint64)
    octets = np.ascontiguousarray(whole[rows]).view(np.uint8).reshape(len(rows), 8 * words)
    return np.unpackbits(octets, axis=1, bitorder="little").view(np.bool_)


def _rows(address: int, stride: int, count: int, width: int, kind: Any) -> Any:
    """Return rows of numbers in memory."""
    item = np.dtype(kind).itemsize
    size = (int(count) - 1) * int(stride) + width * item
    memory: Any = (ctypes.c_char * size).from_address(int(address))
    return np.ndarray((int(count), width), kind, memory, strides=(int(stride), item))

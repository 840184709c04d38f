"""Playouts compiled through LLVM: the lanes in blocks, the blocks shared by threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TypeVar, final

import numpy as np
import torch

from neurogame.array_types import Int32s, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.call import Caller
from neurogame.kernels.codegen.frame import Argument
from neurogame.kernels.codegen.kernel import Kernel, load_kernel
from neurogame.kernels.codegen.limits import UNLIMITED, PlyLimit, play_counted, quota
from neurogame.kernels.playout import GivenLanes, PlayedLanes, PlayoutRun, Tally
from neurogame.kernels.words.pack import word_count
from neurogame.kernels.words.random_words import RandomWords

_T = TypeVar("_T")

_CHUNK_WORDS = 128
"""Lane words per call: a call cannot be interrupted, and threads take turns with chunks."""


@final
class LlvmPlayouts:
    """Plays one game's playouts on the processor's vector units."""

    def __init__(self, circuit: Circuit, variant: str | None = None) -> None:
        """Remember the game; code is made when it is first needed.

        Args:
            circuit: the game.
            variant: ``straight`` (an instruction for every gate), ``table`` (gates interpreted),
                or None to choose by the number of gates.
        """
        self._circuit = circuit
        self._variant = variant
        self._kernels: dict[tuple[int, bool], Kernel] = {}
        self._initial: Int64s = -circuit.initial.astype(np.int64)
        self._limit = PlyLimit()

    @property
    def name(self) -> str:
        """``llvm-straight`` or ``llvm-table``."""
        return f"llvm-{self.kernel().variant}"

    def kernel(self, age_bits: int = 0, *, moves: bool = False) -> Kernel:
        """Return the compiled game, with its sizes and what making it took.

        Args:
            age_bits: bits for the plies of a game, 0 for code that cannot cut games.
            moves: whether to make code that can count moves.
        """
        key = (age_bits, moves)
        if key not in self._kernels:
            self._kernels[key] = load_kernel(self._circuit, self._variant, age_bits, moves=moves)
        return self._kernels[key]

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state, with restart."""
        return play_counted(plan, self._play)

    def _play(self, plan: PlayoutRun) -> Tally:
        return self._limit.play(
            plan.max_plies, lambda bits: self._run(plan, self.kernel(bits, moves=plan.moves))
        )

    def _run(self, plan: PlayoutRun, kernel: Kernel) -> Tally | None:
        """Play with one kernel; None if it gives up."""
        words = word_count(min(plan.lanes, plan.games or plan.lanes))
        longest = plan.max_plies + 1 if plan.lengths else 0
        callers: list[Caller] = []

        def start() -> Caller:
            callers.append(Caller(kernel, self._initial, longest, moves=plan.moves))
            return callers[-1]

        def play(caller: Caller, chunk: range) -> None:
            if not any(other.given_up for other in callers):
                _play_chunk(caller, plan, chunk)

        _share(plan.threads, _chunks(words, kernel.lane_words), start, play)
        if any(caller.given_up for caller in callers):
            return None
        return reduce(Tally.__add__, (caller.tally() for caller in callers))

    def finish(self, given: GivenLanes) -> PlayedLanes:
        """Play given states on, without restart."""
        kernel, step = self.kernel(), given.step
        width = given.words.shape[1]
        base = RandomWords(given.seed, given.word_numbers).base.numpy()
        states = given.words.contiguous().numpy()
        looks = UNLIMITED if given.steps is None else given.steps + 1
        final = np.zeros_like(states)
        plies = np.zeros(64 * width, np.int32)
        playing = np.zeros(width, np.int64)

        def start() -> Caller:
            caller = Caller(kernel, self._initial)
            caller.set(Argument.STEP, step)
            caller.set(Argument.LOOKS, looks)
            caller.set(Argument.LEFT_BITS, 1)
            return caller

        def play(caller: Caller, chunk: range) -> None:
            columns = slice(chunk.start, min(chunk.stop, width))
            size = columns.stop - columns.start
            lanes = slice(64 * columns.start, 64 * columns.stop)
            state = _padded(states[:, columns], len(chunk))
            open_ = _padded(np.full(size, -1, np.int64), len(chunk))
            ends, began, lengths = _finish_chunk(
                caller, state, _padded(base[columns], len(chunk)), open_, step
            )
            final[:, columns] = ends[:, :size]
            playing[columns] = open_[:size]
            plies[lanes] = np.where(began[: 64 * size] > step, lengths[: 64 * size], looks - 1)

        _share(given.threads, _chunks(width, kernel.lane_words), start, play)
        return PlayedLanes(
            words=torch.from_numpy(final),
            plies=torch.from_numpy(plies),
            playing=torch.from_numpy(playing),
        )


def llvm_playouts(
    circuit: Circuit, variant: str | None, device: str | torch.device
) -> LlvmPlayouts:
    """Return the playouts of a game on the CPU, the only device that this is made for."""
    return LlvmPlayouts(circuit, variant)


def _finish_chunk(
    caller: Caller, state: Int64s, base: Int64s, open_: Int64s, step: int
) -> tuple[Int64s, Int32s, Int32s]:
    """Play a chunk without restart; ``open_`` is left with the lanes that still play.

    Returns:
        The final states, and per lane a step after ``step`` if it ended, and its plies.
    """
    width = state.shape[1]
    final = np.zeros_like(state)
    began = np.full(64 * width, step, np.int32)
    plies = np.zeros(64 * width, np.int32)
    left = np.zeros((1, width), np.int64)
    for argument, array in (
        (Argument.STATE, state),
        (Argument.BASE, base),
        (Argument.OPEN, open_),
        (Argument.LEFT, left),
        (Argument.FINAL, final),
        (Argument.START, began),
        (Argument.PLIES, plies),
    ):
        caller.set(argument, array)
    caller.set(Argument.STRIDE, 8 * width)
    caller.play(width // caller.kernel.lane_words)
    return final, began, plies


def _play_chunk(caller: Caller, plan: PlayoutRun, chunk: range) -> None:
    """Play the games of some lane words from the initial state."""
    base = RandomWords(plan.seed, torch.arange(chunk.start, chunk.stop)).base.numpy()
    open_, left = quota(plan, chunk.start, len(chunk))
    began = np.zeros(64 * len(chunk), np.int32)
    plies = np.zeros(64 * len(chunk), np.int32)
    for argument, value in (
        (Argument.LOOKS, plan.steps or UNLIMITED),
        (Argument.STRIDE, 8 * len(chunk)),
        (Argument.BASE, base),
        (Argument.OPEN, open_),
        (Argument.LEFT, left),
        (Argument.LEFT_BITS, len(left)),
        (Argument.MAX_PLIES, plan.max_plies),
        (Argument.EPOCH, plan.max_plies // 2),
        (Argument.START, began if plan.lengths else 0),
        (Argument.PLIES, plies),
    ):
        caller.set(argument, value)
    caller.play(len(chunk) // caller.kernel.lane_words)


def _chunks(words: int, block: int) -> list[range]:
    """Cut lane words into chunks of whole blocks; the last one may go beyond the words."""
    size = max(_CHUNK_WORDS // block, 1) * block
    whole = -(-words // block) * block
    return [range(begin, min(begin + size, whole)) for begin in range(0, whole, size)]


def _padded(array: Int64s, width: int) -> Int64s:
    """Return a contiguous copy with zeros up to a number of columns."""
    padded = np.zeros((*array.shape[:-1], width), np.int64)
    padded[..., : array.shape[-1]] = array
    return padded


def _share(
    threads: int,
    chunks: Sequence[range],
    start: Callable[[], _T],
    work: Callable[[_T, range], None],
) -> None:
    """Work through chunks on several threads, each with something of its own."""
    waiting = iter(chunks)

    def run(worker: _T) -> None:
        # Taking from an iterator is atomic: Python's lock is released only inside the kernel.
        for chunk in waiting:
            work(worker, chunk)

    workers = [start() for _ in range(max(min(threads, len(chunks)), 1))]
    if len(workers) == 1:
        run(workers[0])
        return
    with ThreadPoolExecutor(len(workers)) as pool:
        for future in [pool.submit(run, worker) for worker in workers]:
            future.result()

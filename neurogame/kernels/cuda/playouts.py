"""Playouts on a GPU: two threads for every word of lanes, some steps at a time: a *launch*."""

from __future__ import annotations

from ctypes import c_void_p
from functools import reduce
from operator import add
from time import perf_counter
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError
from neurogame.kernels.codegen.call import tally_of
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument, Counter
from neurogame.kernels.codegen.limits import UNLIMITED, PlyLimit, play_counted, quota
from neurogame.kernels.codegen.thread_frame import GROUP, THREADS
from neurogame.kernels.cuda.code import ThreadCode, load_thread_code
from neurogame.kernels.cuda.driver import CudaDriver, open_driver
from neurogame.kernels.playout import GivenLanes, PlayedLanes, PlayoutRun, Tally, joined
from neurogame.kernels.words.pack import word_count
from neurogame.kernels.words.random_words import RandomWords

CHUNK_WORDS = 1 << 18
"""Most lane words at once: more threads than any GPU runs side by side."""

FIRST_LOOKS = 16
"""Steps of the first launch; the following ones get longer or shorter."""

_SHORT, _LONG = 0.1, 0.4
"""Seconds of a launch: during one, a display of the same GPU stands still and Ctrl-C waits."""


@final
class CudaPlayouts:
    """Plays one game's playouts on a GPU.

    Attributes:
        name: ``cuda``.
    """

    name = "cuda"

    def __init__(self, circuit: Circuit, driver: CudaDriver) -> None:
        """Remember the game; code is made when it is first needed.

        Args:
            circuit: the game.
            driver: of the GPU.
        """
        self._circuit = circuit
        self._driver = driver
        self._loaded: dict[int, tuple[ThreadCode, c_void_p]] = {}
        self._limit = PlyLimit()

    def loaded(self, age_bits: int = 0) -> tuple[ThreadCode, c_void_p]:
        """Return the code of a thread, and the function that the driver has made of it.

        Args:
            age_bits: bits for the plies of a game, 0 for code that cannot cut games.
        """
        if age_bits not in self._loaded:
            code = load_thread_code(self._circuit, age_bits)
            self._loaded[age_bits] = code, self._driver.load(code.text)
        return self._loaded[age_bits]

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state, with restart.

        Raises:
            ConfigurationError: moves are to be counted.
        """
        if plan.moves:
            raise ConfigurationError(
                "backend 'cuda' does not count the moves made: take 'torch' on this device, or "
                "'llvm' on cpu"
            )
        return play_counted(plan, self._play)

    def _play(self, plan: PlayoutRun) -> Tally:
        return self._limit.play(plan.max_plies, lambda bits: self._run(plan, bits))

    def _run(self, plan: PlayoutRun, age_bits: int) -> Tally | None:
        """Play with one code; None if it gives up."""
        words = word_count(min(plan.lanes, plan.games or plan.lanes))
        tallies = []
        for begin in range(0, words, CHUNK_WORDS):
            width = min(CHUNK_WORDS, words - begin)
            launches = _Launches(self._driver, *self.loaded(age_bits), width)
            tally = launches.play(plan, torch.from_numpy(self._circuit.initial), begin)
            if tally is None:
                return None
            tallies.append(tally)
        return reduce(add, tallies)

    def finish(self, given: GivenLanes) -> PlayedLanes:
        """Play given states on, without restart; see :class:`PlayoutKernel`."""
        parts = []
        # Without words there is a chunk too, of no words.
        for begin in range(0, max(given.words.shape[1], 1), CHUNK_WORDS):
            chunk = slice(begin, begin + CHUNK_WORDS)
            states = given.words[:, chunk]
            numbers = given.word_numbers[chunk].to(self._driver.device)
            base = RandomWords(given.seed, numbers).base
            launches = _Launches(self._driver, *self.loaded(), states.shape[1])
            parts.append(launches.finish(states, base, given.step, given.steps))
        return joined(parts)


def cuda_playouts(
    circuit: Circuit, variant: str | None, device: str | torch.device
) -> CudaPlayouts:
    """Return the playouts of a game on a GPU; there is one variant."""
    return CudaPlayouts(circuit, open_driver(device))


@final
class _Launches:
    """Some lane words, two threads each, and the table of arguments.

    Attributes:
        given_up: 1 where a thread has given up; int64 ``[1]``.
        counts: totals of all threads; int64, see :class:`Counter`.
    """

    def __init__(
        self, driver: CudaDriver, code: ThreadCode, function: c_void_p, width: int
    ) -> None:
        self._driver, self._code, self._function, self._width = driver, code, function, width
        self._arguments = np.zeros(ARGUMENTS, np.int64)
        self._held: list[Tensor] = []
        self.given_up = self._zeros(1)
        self.counts = self._zeros(Counter.GOALS + code.goal_rows)
        self._threads = THREADS * width
        self._set(Argument.BLOCK_END, self._threads)
        self._set(Argument.STRIDE, 8 * width)
        self._set(Argument.GIVEN_UP, self.given_up)
        self._set(Argument.COUNTS, self.counts)

    def play(self, plan: PlayoutRun, initial: Tensor, begin: int) -> Tally | None:
        """Play the games of the words from ``begin`` on; None if the code gives up.

        Args:
            plan: the playouts.
            initial: the initial state; bool ``[F]``.
            begin: number of the first word.
        """
        device, width = self._driver.device, self._width
        numbers = torch.arange(begin, begin + width, device=device)
        opened, left = (torch.from_numpy(rows).to(device) for rows in quota(plan, begin, width))
        lengths = self._zeros(plan.max_plies + 1 if plan.lengths else 0)
        self._set_states(-initial.to(device, torch.int64)[:, None].expand(-1, width))
        self._set_quota(left)
        self._set(Argument.BASE, RandomWords(plan.seed, numbers).base)
        self._set(Argument.MAX_PLIES, plan.max_plies)
        self._set(Argument.EPOCH, plan.max_plies // 2)
        if plan.lengths:
            self._set(Argument.START, self._zeros(64 * width, torch.int32))
            self._set(Argument.PLIES, self._zeros(64 * width, torch.int32))
            self._set(Argument.LENGTHS, lengths)
        self._launch(opened, plan.steps or UNLIMITED)
        if bool(self.given_up):
            return None
        counted = lengths.cpu().numpy() if plan.lengths else None
        return tally_of(self.counts.cpu().numpy(), self._code.goal_index, counted)

    def finish(self, words: Tensor, base: Tensor, step: int, steps: int | None) -> PlayedLanes:
        """Play given states on; see :class:`PlayoutKernel`."""
        width = self._width
        looks = UNLIMITED if steps is None else steps + 1
        final = _groups(self._zeros((len(words), width)))
        began = torch.full((64 * width,), step, dtype=torch.int32, device=self._driver.device)
        plies = self._zeros(64 * width, torch.int32)
        playing = self._zeros(width) - 1
        self._set_states(words)
        self._set_quota(self._zeros((1, width)))
        for argument, value in (
            (Argument.STEP, step),
            (Argument.BASE, base),
            (Argument.FINAL, final),
            (Argument.START, began),
            (Argument.PLIES, plies),
        ):
            self._set(argument, value)
        self._launch(playing, looks)
        return PlayedLanes(
            words=_rows(final, width),
            plies=torch.where(began > step, plies, looks - 1),
            playing=playing,
        )

    def _launch(self, opened: Tensor, looks: int) -> None:
        """Launch the threads again and again, until no lane is open or all looks are made."""
        self._set(Argument.OPEN, opened)
        self._set(Argument.LOOKS, looks)
        looked, more = 0, FIRST_LOOKS
        while looked < looks and self._width:
            until = min(looked + more, looks)
            self._set(Argument.LOOKED, looked)
            self._set(Argument.PAUSE, until)
            start = perf_counter()
            self._driver.launch(self._function, self._threads, self._arguments)
            looked = until
            # This waits for the threads.
            if bool(self.given_up) or not bool(opened.any()):
                return
            seconds = perf_counter() - start
            more = 2 * more if seconds < _SHORT else max(more // 2, 1) if seconds > _LONG else more

    def _set_states(self, states: Tensor) -> None:
        """Say what the lanes begin with: their states, and zeros in the other rows kept."""
        rows = self._zeros((len(states) + self._code.text.kept, self._width))
        rows[: len(states)] = states
        self._set(Argument.STATE, _groups(rows))

    def _set_quota(self, left: Tensor) -> None:
        """Say how many games lanes may begin after their first; int64 ``[bits, width]``."""
        if len(left) == 1:
            # Ends are taken off two bits at a time.
            left = torch.cat([left, torch.zeros_like(left)])
        self._set(Argument.LEFT, left)
        self._set(Argument.LEFT_BITS, len(left))

    def _set(self, argument: Argument, value: int | Tensor) -> None:
        """Set an argument; a tensor lives as long as this."""
        if isinstance(value, Tensor):
            value = value.contiguous()
            self._held.append(value)
            value = value.data_ptr()
        self._arguments[argument] = value

    def _zeros(self, shape: int | tuple[int, ...], dtype: torch.dtype = torch.int64) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=self._driver.device)


def _groups(rows: Tensor) -> Tensor:
    """Return rows of words, ``[N, width]``, in groups as threads have them, ``[groups, N, 32]``."""
    padded = torch.nn.functional.pad(rows, (0, -rows.shape[1] % GROUP))
    return padded.view(len(rows), -1, GROUP).transpose(0, 1).contiguous()


def _rows(groups: Tensor, width: int) -> Tensor:
    """Return the rows of words again."""
    return groups.transpose(0, 1).reshape(groups.shape[1], -1)[:, :width]

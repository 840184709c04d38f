"""Random playouts in Triton: a board of words on the device, and launches of some steps each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from operator import add
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.circuit.netlist.build import build_play
from neurogame.circuit.netlist.facts import find_facts
from neurogame.errors import ConfigurationError
from neurogame.ground.atoms import IntArray
from neurogame.kernels.lane_numbers import increment
from neurogame.kernels.pack import lanes_below, unpack, word_count
from neurogame.kernels.playout import Finish, PlayoutRun, Tally
from neurogame.kernels.random_words import RandomWords
from neurogame.kernels.triton.blocks import BLOCK, MOST_PROGRAMS, padded
from neurogame.kernels.triton.layout import PlayLayout
from neurogame.kernels.triton.straight import straight_module, straight_source

VARIANTS = ("straight", "table")

_MOST_STRAIGHT_GATES = 3000
_MANY_GATES = 1500
"""Above, the assembler has to be told that it may use all registers: else it spills more."""

_MOST_BYTES = 1 << 30
_STEPS = 128


@final
@dataclass(frozen=True, eq=False)
class Board:
    """All that a kernel reads and writes, over ``W`` words, a multiple of the block.

    Attributes:
        state: int64 ``[F, W]``.
        ends: states of finished lanes, where lanes do not restart; int64 ``[F, W]`` or empty.
        bases: scrambled seed of each word; int64 ``[W]``.
        active: lanes that have a game; int64 ``[W]``.
        left: games that each lane has yet to begin, in bit planes; int64 ``[Q, W]``.
        ages: plies of each lane's game, in bit planes; int64 ``[P, W]``.
        counts: rows of :mod:`~neurogame.kernels.triton.tally`, then one per goal; int64
            ``[5 + V, W]``.
        lengths: games by length; int64 ``[limit of plies + 1]`` or empty.
        flags: moves made in each lane's game; int64 ``[M, W]`` or empty.
        made: games in which a move was made, and of these those with each goal; int64
            ``[M, 1 + V]`` or empty.
    """

    state: Tensor
    ends: Tensor
    bases: Tensor
    active: Tensor
    left: Tensor
    ages: Tensor
    counts: Tensor
    lengths: Tensor
    flags: Tensor
    made: Tensor

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.active) // BLOCK

    @property
    def limit(self) -> int:
        """The greatest age that there is room for."""
        return int((1 << len(self.ages)) - 1)


@final
class TritonPlayouts:
    """Plays a game's netlist in Triton.

    Attributes:
        name: ``triton-straight`` or ``triton-table``.
    """

    def __init__(
        self, circuit: Circuit, device: str | torch.device, variant: str | None = None
    ) -> None:
        """Build the netlist; kernels are compiled when they are first launched.

        Args:
            circuit: the game.
            device: a GPU; any device under Triton's interpreter.
            variant: ``straight`` (generated source) or ``table`` (one kernel for all games);
                None: by the number of gates. Runs that count moves always use the table.

        Raises:
            ConfigurationError: there is no such variant.
        """
        if variant not in (None, *VARIANTS):
            raise ConfigurationError(
                f"variant {variant!r} does not exist; it must be one of {', '.join(VARIANTS)}"
            )
        self.circuit = circuit
        self.device = torch.device(device)
        self._facts = find_facts(circuit)
        self._ply = cache(lambda moves: build_play(circuit, self._facts, moves=moves))
        gates = self._ply(False).netlist.gate_count
        self.variant = variant or ("straight" if gates <= _MOST_STRAIGHT_GATES else "table")
        self.name = f"triton-{self.variant}"
        self._goals = sum(len(pairs) for pairs in circuit.goals)
        self._initial = -torch.from_numpy(circuit.initial.astype(np.int64)).to(self.device)
        self._launcher = cache(self._make_launcher)

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state, with restart; see :class:`PlayoutKernel`."""
        rows = 2 * len(self._initial) + self._goals + self.circuit.move_count * plan.moves + 64
        most = max(_MOST_BYTES // (8 * rows * BLOCK), 1) * BLOCK
        words = word_count(plan.lanes)
        parts = (self._run(plan, at, min(at + most, words)) for at in range(0, words, most))
        return reduce(add, parts)

    def _run(self, plan: PlayoutRun, begin: int, end: int) -> Tally:
        """Play on the lane words ``begin .. end - 1``."""
        launch = self._launcher(plan.moves)
        width = padded(end - begin)
        # Within some steps no game becomes older than that, whatever it may be allowed to.
        limit = plan.max_plies if plan.steps is None else min(plan.max_plies, plan.steps + 1)
        numbers = torch.arange(begin, begin + width, device=self.device)
        board = self._board(
            self._initial[:, None].repeat(1, width),
            RandomWords(plan.seed, numbers).base,
            lanes_below(min(plan.lanes, plan.games or plan.lanes), begin, width, self.device),
            planes=limit.bit_length(),
            lengths=(limit + 1) * plan.lengths,
            moves=plan.moves,
            left=self._left(plan, begin, width),
        )
        if plan.steps is not None:
            for step in range(0, plan.steps, _STEPS):
                steps = min(_STEPS, plan.steps - step)
                launch(board, step, steps, limit, restart=True, endless=True)
        else:
            step = 0
            while bool(board.active.any()):
                launch(board, step, _STEPS, limit, restart=True, endless=False)
                step += _STEPS
        return self._tally(board, plan)

    def finish(
        self,
        words: Tensor,
        word_numbers: Tensor,
        seed: int,
        *,
        step: int = 0,
        steps: int | None = None,
        threads: int = 1,
    ) -> Finish:
        """Play given states on, without restart; see :class:`PlayoutKernel`."""
        width = words.shape[1]
        space = (0, padded(width) - width)
        board = self._board(
            torch.nn.functional.pad(words, space),
            torch.nn.functional.pad(RandomWords(seed, word_numbers).base, space),
            torch.nn.functional.pad(torch.full_like(word_numbers, -1), space),
            planes=_STEPS.bit_length(),
        )
        launch = self._launcher(False)
        plies = torch.zeros(64 * width, dtype=torch.int32, device=self.device)
        made = 0
        while bool(board.active.any()) and made != steps:
            part = _STEPS if steps is None else min(_STEPS, steps - made)
            launch(board, step + made, part, board.limit, restart=False, endless=False)
            plies += _ages(board, width)
            board.ages.zero_()
            made += part
        # One more step finds the lanes that have just come to an end; the others are put back.
        before = board.state.clone()
        launch(board, step + made, 1, board.limit, restart=False, endless=False)
        playing = board.active
        return Finish(
            words=((board.ends & ~playing) | (before & playing))[:, :width].contiguous(),
            plies=plies,
            playing=playing[:width].clone(),
        )

    def _left(self, plan: PlayoutRun, begin: int, width: int) -> Tensor:
        """Return the games that each lane plays after its first, in bit planes."""
        rounds, more = divmod(plan.games or 0, plan.lanes)
        rows = (rounds + 1).bit_length()
        left = torch.zeros((rows, width), dtype=torch.int64, device=self.device)
        for bit, plane in enumerate(left):
            plane -= max(rounds - 1, 0) >> bit & 1
        if rounds:
            increment(left, lanes_below(more, begin, width, self.device))
        return left

    def _board(
        self,
        state: Tensor,
        bases: Tensor,
        active: Tensor,
        *,
        planes: int,
        lengths: int = 0,
        moves: bool = False,
        left: Tensor | None = None,
    ) -> Board:
        """Return a board with all counts 0; without ``left`` every lane plays one game."""
        width = len(bases)
        move_count = self.circuit.move_count if moves else 0

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(shape, dtype=torch.int64, device=self.device)

        return Board(
            state=state.contiguous(),
            ends=zeros(len(state) if left is None else 0, width),
            bases=bases,
            active=active,
            left=zeros(0, width) if left is None else left,
            ages=zeros(planes, width),
            counts=zeros(5 + self._goals, width),
            lengths=zeros(lengths),
            flags=zeros(move_count, width),
            made=zeros(move_count, 1 + self._goals),
        )

    def _tally(self, board: Board, plan: PlayoutRun) -> Tally:
        """Add up the counts of all words."""
        counts = board.counts.sum(dim=1).cpu().numpy()
        games, cut, stuck, several, played = counts[:5].tolist()
        made = board.made.cpu().numpy() if plan.moves else None
        return Tally(
            games=games,
            cut=cut,
            stuck=stuck,
            several=several,
            played=played,
            goals=counts[5:],
            lengths=_trimmed(board.lengths.cpu().numpy()) if plan.lengths else None,
            made=None if made is None else made[:, 0],
            made_goals=None if made is None else made[:, 1:],
        )

    def _make_launcher(self, moves: bool) -> Callable[..., None]:
        """Return what launches the kernel on a board."""
        ply = self._ply(moves)
        layout = PlayLayout(ply, moves, self.device)
        straight = self.variant == "straight" and not moves
        options: dict[str, Any] = {"MOVES": moves, "BLOCK": BLOCK, "num_warps": BLOCK // 32}
        kernel: Any
        if straight:
            ptx = self.device.type == "cuda" and torch.version.hip is None
            kernel = straight_module(straight_source(ply, ptx=ptx)).play
            if ptx and ply.netlist.gate_count > _MANY_GATES:
                options["maxnreg"] = 255
        else:
            from neurogame.kernels.triton.table import play

            kernel = play

        def launch(
            board: Board, step: int, steps: int, limit: int, *, restart: bool, endless: bool
        ) -> None:
            programs = board.blocks if straight else min(board.blocks, MOST_PROGRAMS)
            kernel[(programs,)](
                *(board.state, board.ends, board.bases, board.active, board.left, board.ages),
                *(board.counts, board.lengths, board.flags, board.made),
                *(layout.scratch(0 if straight else programs, BLOCK), layout.layout),
                *(layout.code, layout.factors),
                *(board.blocks, step, steps, len(board.ages), len(board.left), limit),
                RESTART=restart,
                ENDLESS=endless,
                LENGTHS=len(board.lengths) > 0,
                **options,
            )

        return launch


def _ages(board: Board, width: int) -> Tensor:
    """Return the plies of the first ``64 width`` lanes; int32."""
    weights = 1 << torch.arange(len(board.ages), device=board.ages.device)
    return (unpack(board.ages, 64 * width) * weights).sum(dim=1, dtype=torch.int32)


def _trimmed(lengths: IntArray) -> IntArray:
    """Return counts without the zeros at their end."""
    return np.trim_zeros(lengths, "b")

"""Random playouts in plain torch: the definition of every backend's, on any device.

The circuit is evaluated as the rules gave it, without the optimiser of the compiled backends, and
lane words are played in blocks one after another, so memory does not grow with the lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import count, pairwise
from operator import add
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.netlist.facts import facts_of
from neurogame.kernels.playout import GivenLanes, PlayedLanes, PlayoutRun, Tally, joined
from neurogame.kernels.step import GOALS, NEXT, STATUS
from neurogame.kernels.twin.choose import choose_uniform
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import gather_lanes, pack, unpack, word_count
from neurogame.kernels.words.random_words import RandomWords


@final
class TorchPlayouts:
    """Plays with the uniform choice of :mod:`~neurogame.kernels.twin.choose`, role by role.

    Threads share nothing here: torch itself uses several within an operation.

    Attributes:
        name: ``torch``.
        ply: evaluates the circuit.
        streams: key of each role's random words; ``[R]``.
    """

    name = "torch"

    def __init__(self, circuit: Circuit, device: str | torch.device = "cpu") -> None:
        """Prepare playouts.

        Args:
            circuit: the game.
            device: where the words live.
        """
        self.ply = TorchPly(circuit, device)
        self.streams = facts_of(circuit).streams

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state, with restart."""
        blocks = self.ply.blocks(word_count(min(plan.lanes, plan.games or plan.lanes)))
        return reduce(add, (_Block(self, plan, begin, end).play() for begin, end in blocks))

    def finish(self, given: GivenLanes) -> PlayedLanes:
        """Play given states on, without restart; see :class:`PlayoutKernel`."""
        blocks = self.ply.blocks(given.words.shape[1])
        return joined([self._finish(given, begin, end) for begin, end in blocks])

    def _finish(self, given: GivenLanes, begin: int, end: int) -> PlayedLanes:
        """Play one block of words on."""
        words = given.words[:, begin:end]
        random = RandomWords(given.seed, given.word_numbers[begin:end])
        plies = torch.zeros(64 * words.shape[1], dtype=torch.int32, device=words.device)
        made = words.new_zeros((self.ply.move_offsets[-1], words.shape[1]))
        steps = 0
        while True:
            look = self.look(words)
            playing = ~look.terminal & ~look.stuck
            lanes = pack(playing[:, None])[0]
            if steps == given.steps or not bool(playing.any()):
                return PlayedLanes(words=words, plies=plies, playing=lanes, made=made)
            does, following = self.move(words, look.legal & lanes, random, given.step + steps)
            made |= does
            words = words ^ ((following ^ words) & lanes)
            plies += playing
            steps += 1

    def look(self, words: Tensor) -> LaneStatus:
        """Return legal moves and ends of states."""
        status = self.ply.run(words, [STATUS])[0]
        able = torch.full_like(status[-1], -1)
        for begin, end in pairwise(self.ply.move_offsets):
            able &= _any(status[begin:end]) if end > begin else 0
        terminal, stuck = unpack(torch.stack([status[-1], ~status[-1] & ~able]), 64 * len(able)).T
        return LaneStatus(status[:-1], terminal, stuck)

    def move(
        self, words: Tensor, legal: Tensor, random: RandomWords, step: int
    ) -> tuple[Tensor, Tensor]:
        """Choose a move per role and make it.

        Args:
            words: states; int64 ``[F, W]``.
            legal: their legal moves, none in lanes that do not move; int64 ``[M, W]``.
            random: the random words of these lane words.
            step: number of the step.

        Returns:
            Moves made, int64 ``[M, W]``, and next states, ``[F, W]``, which mean nothing in
            lanes that do not move.
        """
        does = torch.zeros_like(legal)
        for stream, (begin, end) in zip(self.streams, pairwise(self.ply.move_offsets), strict=True):
            if end > begin:
                does[begin:end] = choose_uniform(legal[begin:end], random, step, stream)
        return does, self.ply.run(words, [NEXT], does)[0]


def torch_playouts(
    circuit: Circuit, variant: str | None, device: str | torch.device
) -> TorchPlayouts:
    """Return the playouts of a game on any device; there is one variant."""
    return TorchPlayouts(circuit, device)


@final
@dataclass(frozen=True, eq=False)
class LaneStatus:
    """What decides how states go on.

    Attributes:
        legal: as the rules derive it; int64 ``[M, W]``.
        terminal: bool ``[64 W]``.
        stuck: not terminal, but some role has no legal move; bool ``[64 W]``.
    """

    legal: Tensor
    terminal: Tensor
    stuck: Tensor


@final
class _Block:
    """Some lane words of a run that are played together."""

    def __init__(self, player: TorchPlayouts, plan: PlayoutRun, begin: int, end: int) -> None:
        self.player, self.plan = player, plan
        ply, device = player.ply, player.ply.device
        self.random = RandomWords(plan.seed, torch.arange(begin, end, device=device))
        self.words = ply.initial.repeat(1, end - begin)
        lane = torch.arange(64 * begin, 64 * end, device=device)
        self.age = torch.zeros_like(lane)
        # Games that a lane has still to finish; with a number of steps there is no end to them.
        games = plan.lanes << 32 if plan.games is None else plan.games
        self.left = (games - lane + plan.lanes - 1) // plan.lanes * (lane < plan.lanes)
        self.made = ply.initial.new_zeros((ply.move_offsets[-1] if plan.moves else 0, end - begin))
        values = len(ply.circuit.goal_literals)
        self.games = self.cut = self.stuck = self.several = self.played = 0
        self.goals = np.zeros(values, np.int64)
        self.lengths = np.zeros(0, np.int64)
        self.made_games = np.zeros(len(self.made), np.int64)
        self.made_goals = np.zeros((len(self.made), values), np.int64)

    def play(self) -> Tally:
        """Play the lanes' games, or their steps."""
        for step in count() if self.plan.steps is None else range(self.plan.steps):
            if not bool((self.left > 0).any()):
                break
            self._step(step)
        return Tally(
            games=self.games,
            cut=self.cut,
            stuck=self.stuck,
            several=self.several,
            played=self.played,
            goals=self.goals,
            lengths=self.lengths if self.plan.lengths else None,
            made=self.made_games if self.plan.moves else None,
            made_goals=self.made_goals if self.plan.moves else None,
        )

    def _step(self, step: int) -> None:
        """Look at the states, count what is over and restart it, and move the others."""
        player, lanes = self.player, self.left > 0
        look = player.look(self.words)
        cut = (self.age == self.plan.max_plies) & ~look.terminal & ~look.stuck
        over = lanes & (look.terminal | look.stuck | cut)
        going = lanes & ~over
        if bool(over.any()):
            self.cut += int((over & cut).sum())
            self.stuck += int((over & look.stuck).sum())
            self._count(over, look.terminal)
        ended, moving = pack(torch.stack([over, going], dim=1))
        does, following = player.move(self.words, look.legal & moving, self.random, step)
        if self.plan.moves:
            self.made = (self.made & ~ended) | does
        self.played += int(going.sum())
        self.words = following ^ ((following ^ player.ply.initial) & ended)
        self.age = (self.age + 1) * going
        self.left -= over.long()

    def _count(self, over: Tensor, terminal: Tensor) -> None:
        """Count what the finished games came to.

        Args:
            over: lanes whose game is; bool ``[64 W]``.
            terminal: bool ``[64 W]``.
        """
        lanes = over.nonzero().view(-1)
        flags = _lanes(self.player.ply.run(self.words, [GOALS])[0], lanes)
        several = np.zeros(len(flags), np.bool_)
        for begin, end in pairwise(self.player.ply.circuit.goal_offsets.tolist()):
            rank = flags[:, begin:end].cumsum(axis=1)
            several |= (rank > 1).any(axis=1)
            # Of several goals the highest, which is the first, counts.
            flags[:, begin:end] &= rank == 1
        self.games += len(flags)
        self.several += int((several & terminal[lanes].cpu().numpy()).sum())
        self.goals += flags.sum(axis=0)
        if self.plan.lengths:
            lengths = np.bincount(self.age[lanes].cpu().numpy(), minlength=len(self.lengths))
            lengths[: len(self.lengths)] += self.lengths
            self.lengths = lengths
        if self.plan.moves:
            made = _lanes(self.made, lanes).astype(np.int64)
            self.made_games += made.sum(axis=0)
            self.made_goals += made.T @ flags.astype(np.int64)


def _lanes(words: Tensor, lanes: Tensor) -> Bools:
    """Return the flags of some lanes; bool ``[N, F]``."""
    return unpack(gather_lanes(words, lanes), len(lanes)).cpu().numpy()


def _any(rows: Tensor) -> Tensor:
    """Return the OR of all rows; int64 ``[W]``."""
    while len(rows) > 1:
        half = len(rows) // 2
        rest = rows[2 * half :]
        rows = torch.cat([rows[:half] | rows[half : 2 * half], rest])
    return rows[0]

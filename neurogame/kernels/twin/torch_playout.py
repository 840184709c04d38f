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

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.netlist.facts import facts_of
from neurogame.kernels.playout import PlayedLanes, PlayoutRun, Tally
from neurogame.kernels.step import GOALS, NEXT, STATUS
from neurogame.kernels.twin.choose import choose_uniform
from neurogame.kernels.twin.lane_numbers import equals, increment, numbers_of, set_lanes
from neurogame.kernels.twin.popcount import count_ones
from neurogame.kernels.twin.torch_ply import LoadedStates, TorchPly
from neurogame.kernels.words.pack import lanes_below, word_count
from neurogame.kernels.words.random_words import RandomWords

_DROP_EVERY = 4
"""Steps between two removals of words whose games are all over."""


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

    def __init__(
        self, circuit: Circuit, device: str | torch.device = "cpu", ply: TorchPly | None = None
    ) -> None:
        """Prepare playouts.

        Args:
            circuit: the game.
            device: where the words live.
            ply: of this circuit on this device, if there is one already.
        """
        self.ply = TorchPly(circuit, device) if ply is None else ply
        self.streams = facts_of(circuit).streams

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state, with restart."""
        blocks = self.ply.blocks(word_count(plan.lanes))
        return reduce(add, (_Block(self, plan, begin, end).play() for begin, end in blocks))

    def finish(
        self,
        words: Tensor,
        word_numbers: Tensor,
        seed: int,
        *,
        step: int = 0,
        steps: int | None = None,
        threads: int = 1,
    ) -> PlayedLanes:
        """Play given states on, without restart; see :class:`PlayoutKernel`."""
        parts = [
            self._finish(
                words[:, begin:end], RandomWords(seed, word_numbers[begin:end]), step, steps
            )
            for begin, end in self.ply.blocks(words.shape[1])
        ]
        return PlayedLanes(
            words=torch.cat([part.words for part in parts], dim=1),
            plies=torch.cat([part.plies for part in parts]),
            playing=torch.cat([part.playing for part in parts]),
        )

    def _finish(
        self, words: Tensor, random: RandomWords, step: int, steps: int | None
    ) -> PlayedLanes:
        """Play one block on."""
        width = words.shape[1]
        final = words.clone()
        plies = torch.zeros(64 * width, dtype=torch.int32, device=words.device)
        still = torch.zeros(width, dtype=torch.int64, device=words.device)
        columns = torch.arange(width, device=words.device)
        playing = still - 1
        for made in count():
            with self.ply.lock:
                look = self.look(words)
                going = playing & ~look.terminal & ~look.stuck
                lanes = set_lanes(playing & ~going)
                plies[64 * columns[lanes >> 6] + (lanes & 63)] = made
                playing = going
                if made == steps or not bool(playing.any()):
                    break
                _, following = self.move(look, playing, random, step + made)
            words = words ^ ((following ^ words) & playing)
            busy = playing.nonzero().view(-1)
            if made % _DROP_EVERY == 0 and len(busy) < len(playing):
                final[:, columns] = words
                words, playing, columns = words[:, busy], playing[busy], columns[busy]
                random = random.select(busy)
        final[:, columns] = words
        still[columns] = playing
        plies[set_lanes(still)] = made
        return PlayedLanes(words=final, plies=plies, playing=still)

    def look(self, words: Tensor) -> LaneStatus:
        """Return legal moves and ends of states, with the space they are loaded in."""
        space = self.ply.space(words)
        status = space.run(STATUS)
        able = torch.full_like(status[-1], -1)
        for begin, end in pairwise(self.ply.move_offsets):
            able &= _any(status[begin:end]) if end > begin else 0
        return LaneStatus(space, status[:-1], status[-1], ~status[-1] & ~able)

    def move(
        self, look: LaneStatus, playing: Tensor, random: RandomWords, step: int
    ) -> tuple[Tensor, Tensor]:
        """Choose a move per role and make it.

        Args:
            look: the states, still in their space.
            playing: lanes that move; int64 ``[W]``.
            random: the random words of these lane words.
            step: number of the step.

        Returns:
            Moves made, int64 ``[M, W]``, and next states, ``[F, W]``, which mean nothing in
            lanes that do not move.
        """
        for stream, (begin, end) in zip(self.streams, pairwise(self.ply.move_offsets), strict=True):
            if end > begin:
                legal = look.legal[begin:end] & playing
                look.space.moves[begin:end] = choose_uniform(legal, random, step, stream)
        return look.space.moves, look.space.run(NEXT)


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
        space: where they are loaded.
        legal: as the rules derive it; int64 ``[M, W]``.
        terminal: int64 ``[W]``.
        stuck: not terminal, but some role has no legal move; int64 ``[W]``.
    """

    space: LoadedStates
    legal: Tensor
    terminal: Tensor
    stuck: Tensor


@final
class _Block:
    """Some lane words of a run that are played together."""

    def __init__(self, player: TorchPlayouts, plan: PlayoutRun, begin: int, end: int) -> None:
        self.player, self.plan = player, plan
        ply, device = player.ply, player.ply.device
        width = end - begin
        self.random = RandomWords(plan.seed, torch.arange(begin, end, device=device))
        self.words = ply.initial.repeat(1, width)
        self.lanes = lanes_below(plan.lanes, begin, width, device)
        self.age = torch.zeros(
            (plan.max_plies.bit_length(), width), dtype=torch.int64, device=device
        )
        # Lanes that have a game less than others start their count of games at one.
        games, lanes = plan.games or 0, plan.lanes
        self.quota = -(-games // lanes)
        self.begun = self.age.new_zeros((self.quota.bit_length(), width))
        if games % lanes:
            increment(self.begun, ~lanes_below(games % lanes, begin, width, device))
            self.lanes &= ~equals(self.begun, self.quota)
        moves = ply.move_offsets[-1]
        self.made = self.age.new_zeros((moves if plan.moves else 0, width))
        values = sum(len(pairs) for pairs in ply.circuit.goals)
        self.played, self.games, self.cut, self.stuck, self.several = torch.zeros(
            5, dtype=torch.int64, device=device
        )
        self.goals = self.age.new_zeros(values)
        self.lengths = np.zeros(0, np.int64)
        self.made_games = self.age.new_zeros(len(self.made))
        self.made_goals = self.age.new_zeros((len(self.made), values))

    def play(self) -> Tally:
        """Play the lanes' games, or their steps."""
        for step in count() if self.plan.steps is None else range(self.plan.steps):
            if self.plan.games is not None:
                if step % _DROP_EVERY == 0:
                    self._drop_idle_words()
                if not bool(self.lanes.any()):
                    break
            self._step(step)
        return Tally(
            games=int(self.games),
            cut=int(self.cut),
            stuck=int(self.stuck),
            several=int(self.several),
            played=int(self.played),
            goals=self.goals.cpu().numpy(),
            lengths=self.lengths if self.plan.lengths else None,
            made=self.made_games.cpu().numpy() if self.plan.moves else None,
            made_goals=self.made_goals.cpu().numpy() if self.plan.moves else None,
        )

    def _step(self, step: int) -> None:
        """Look at the states, count what is over and restart it, and move the others."""
        player, lanes = self.player, self.lanes
        with player.ply.lock:
            look = player.look(self.words)
            ended = (lanes & look.terminal, lanes & look.stuck)
            going = lanes & ~ended[0] & ~ended[1]
            cut = equals(self.age, self.plan.max_plies) & going
            going &= ~cut
            over = lanes & ~going
            columns = over.nonzero().view(-1)
            if len(columns):
                flags = look.space.run(GOALS)[:, columns]
                self._count(columns, flags, torch.stack([over, *ended, cut])[:, columns])
            does, following = player.move(look, going, self.random, step)
            if self.plan.moves:
                self.made = (self.made & ~over) | does
        self.played += count_ones(going[None])[0]
        self.words = following ^ ((following ^ player.ply.initial) & over)
        increment(self.age, going)
        self.age &= ~over
        if self.plan.games is not None:
            increment(self.begun, over)
            self.lanes = lanes & ~(over & equals(self.begun, self.quota))

    def _count(self, columns: Tensor, flags: Tensor, ended: Tensor) -> None:
        """Count what the finished games came to.

        Args:
            columns: words in which there are some; int64 ``[C]``.
            flags: their goals; int64 ``[V, C]``; overwritten.
            ended: lanes that are over, and which of these are terminal, stuck and cut;
                int64 ``[4, C]``.
        """
        several = self._keep_highest(flags) & ended[1]
        over = ended[0]
        flags &= over
        games, _, stuck, cut, several = count_ones(torch.stack([*ended, several]))
        self.games += games
        self.stuck += stuck
        self.cut += cut
        self.several += several
        self.goals += count_ones(flags)
        if self.plan.lengths:
            numbers = numbers_of(self.age[:, columns], set_lanes(over)).cpu().numpy()
            lengths = np.bincount(numbers, minlength=len(self.lengths))
            lengths[: len(self.lengths)] += self.lengths
            self.lengths = lengths
        if self.plan.moves:
            made = self.made[:, columns] & over
            self.made_games += count_ones(made)
            for value, row in enumerate(flags):
                self.made_goals[:, value] += count_ones(made & row)

    def _keep_highest(self, flags: Tensor) -> Tensor:
        """Of several goals of a role keep the highest; return the lanes where there were some."""
        several = torch.zeros_like(flags[0]) if len(flags) else flags.new_zeros(flags.shape[1])
        rows = iter(flags)
        for pairs in self.player.ply.circuit.goals:
            seen = torch.zeros_like(several)
            for _ in pairs:
                row = next(rows)
                several |= row & seen
                row &= ~seen
                seen |= row
        return several

    def _drop_idle_words(self) -> None:
        """Forget the words whose 64 lanes have played all their games."""
        busy = self.lanes.nonzero().view(-1)
        if len(busy) < len(self.lanes):
            self.words, self.lanes = self.words[:, busy], self.lanes[busy]
            self.age, self.begun = self.age[:, busy], self.begun[:, busy]
            self.made = self.made[:, busy]
            self.random = self.random.select(busy)


def _any(rows: Tensor) -> Tensor:
    """Return the OR of all rows; int64 ``[W]``."""
    while len(rows) > 1:
        half = len(rows) // 2
        rest = rows[2 * half :]
        rows = torch.cat([rows[:half] | rows[half : 2 * half], rest])
    return rows[0]

"""A game's rules and a block of leaves, as tree searches, playouts and learning use them."""

from __future__ import annotations

import math
from typing import final

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.backends import gates_backend
from neurogame.kernels.codegen.kernel import load_kernel
from neurogame.kernels.codegen.shape import shape_for
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.leaves.block import Block, make_block
from neurogame.kernels.leaves.compiled_rules import look_at, make_compiled_rules, make_moves
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.python_rules import PythonRules, TorchRules
from neurogame.kernels.leaves.uniform import make_playouts, play_on
from neurogame.kernels.words.pack import LANES
from neurogame.native.entries import callback, entry
from neurogame.native.struct import Struct


@final
class Leaves:
    """A game's rules and a block of leaves for compiled code; not for several threads at once.

    Attributes:
        rules: for :func:`~neurogame.kernels.leaves.machine.step` and its kin.
        block: the leaves.
    """

    def __init__(
        self,
        circuit: Circuit,
        leaves: int,
        *,
        depth: int = 512,
        plies: int = 0,
        playouts: int = 1,
        played: bool = False,
        playing: Circuit | None = None,
        backend: str | None = None,
    ) -> None:
        """Compile the rules, or load them from the cache, and reserve memory.

        Args:
            circuit: the game.
            leaves: most leaves at once, at least 1.
            depth: longest path in the tree.
            plies: longest playout to record; 0: playouts are not recorded.
            playouts: playouts of each leaf, whose mean is its value; 0: nobody asks for any, and
                none are compiled.
            played: whether the moves of uniform playouts are wanted; with one of each leaf.
            playing: the game as playouts play it: with other legal moves; None: as it is.
            backend: what evaluates the rules, see :mod:`~neurogame.kernels.backends`; with
                ``torch``, which None is for enormous circuits, a call is one of Python.

        Raises:
            ConfigurationError: there is no such backend, or it does not run on the CPU.
            MissingExtraError: its modules are not installed.
        """
        family, variant = gates_backend(circuit, backend)
        self._shape = {"leaves": leaves, "depth": depth, "plies": plies}
        self._played = played
        self._python: PythonRules | None = None
        playing = playing or circuit
        if family == "llvm":
            self.block, self.rules = self._compile(circuit, playing, variant, leaves, playouts)
        else:
            self.block = self._block(circuit, math.ceil(leaves / LANES))
            rules = TorchRules(circuit, playing, self.block, playouts)
            self._python = PythonRules(rules, self.block)
            self.rules = self._python.machine

    @property
    def is_compiled(self) -> bool:
        """Whether no Python runs when rules are asked; else plain torch does the work."""
        return self._python is None

    def step(self, count: int) -> None:
        """Make the joint moves of the first leaves and look at what follows, from Python."""
        self.rules.count = count
        self.rules.make_moves(self.rules)

    def look(self, count: int) -> None:
        """Look at the first leaves' states, from Python."""
        self.rules.count = count
        self.rules.look_at(self.rules)

    def check(self) -> None:
        """Raise what a call has raised, if anything, and forget it."""
        if self._python is not None:
            self._python.check()

    def _block(self, circuit: Circuit, lane_words: int) -> Block:
        return make_block(
            fluents=len(circuit.fluents),
            moves=circuit.move_count,
            roles=len(circuit.roles),
            lane_words=lane_words,
            played=self._played,
            **self._shape,
        )

    def _compile(
        self, circuit: Circuit, playing: Circuit, variant: str | None, leaves: int, playouts: int
    ) -> tuple[Block, StateMachine]:
        """Return a block with compiled rules."""
        rules = load_step(circuit, variant, shape_for(leaves))
        play = None
        if playouts > 0:
            shape = shape_for(leaves * playouts)
            play = load_kernel(playing, variant, 0, moves=self._played, shape=shape)
        self._kept = rules, play
        unit = 1 if play is None else play.lane_words
        block = self._block(circuit, unit * math.ceil(leaves / (LANES * unit)))
        machine = StateMachine(
            make_moves=entry(make_moves),
            look_at=entry(look_at),
            play_on=callback(self._refuse) if play is None else entry(play_on),
            block=block,
            rules=make_compiled_rules(circuit, rules, leaves),
            playouts=Struct() if play is None else make_playouts(circuit, play, block, playouts),
        )
        return block, machine

    def _refuse(self) -> None:
        """Fail: nobody was to ask for playouts."""
        self.rules.failed = 1

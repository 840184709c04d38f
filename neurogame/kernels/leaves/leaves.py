"""The Python object that owns the memory behind :class:`Rules` and :class:`Block`."""

from __future__ import annotations

import math
from typing import final

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.kernel import load_kernel
from neurogame.kernels.codegen.shape import shape_for
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.leaves.assemble import assemble
from neurogame.kernels.leaves.block import Block, make_block
from neurogame.kernels.leaves.callback import CallbackRules
from neurogame.kernels.leaves.rules import Rules
from neurogame.kernels.leaves.torch_rules import TorchRules
from neurogame.kernels.twin.pack import LANES


@final
class Leaves:
    """A game's rules and a block of leaves for compiled code; not for several threads at once.

    Attributes:
        rules: for :func:`~neurogame.kernels.leaves.rules.step` and its kin.
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
        backend: str | None = None,
    ) -> None:
        """Compile the rules, or load them from the cache, and reserve memory.

        Args:
            circuit: the game.
            leaves: most leaves at once, at least 1.
            depth: longest path in the tree.
            plies: longest playout to record; 0: playouts are not recorded.
            playouts: playouts of each leaf, whose mean is its value; at least 1.
            backend: what evaluates the rules, see :mod:`~neurogame.kernels.backends`; with
                ``torch``, which None is for enormous circuits, a call is one of Python.

        Raises:
            ConfigurationError: there is no such backend, or it does not run on the CPU.
            MissingExtraError: its modules are not installed.
        """
        family, _, variant = resolve_backend(backend, "cpu", circuit).partition("-")
        self._shape = {"leaves": leaves, "depth": depth, "plies": plies}
        self._callback: CallbackRules | None = None
        if family == "llvm":
            self.block, self.rules = self._compile(circuit, variant or None, leaves, playouts)
        else:
            self.block = self._block(circuit, math.ceil(leaves / LANES))
            answers = TorchRules(circuit, self.block, playouts)
            self._callback = CallbackRules(answers, self.block)
            self.rules = self._callback.rules

    @property
    def kind(self) -> int:
        """``COMPILED``, or ``CALLBACK`` where plain torch does the work."""
        return int(self.rules.request["kind"][0])

    @property
    def error(self) -> BaseException | None:
        """What a call has raised, or None; after an error calls do nothing."""
        return None if self._callback is None else self._callback.error

    def check(self) -> None:
        """Raise what a call has raised, if anything, and forget it."""
        if self._callback is not None:
            self._callback.check()

    def _block(self, circuit: Circuit, lane_words: int) -> Block:
        fluents = len(circuit.fluents)
        block = make_block(
            fluents=fluents,
            moves=circuit.move_count,
            roles=len(circuit.roles),
            lane_words=lane_words,
            **self._shape,
        )
        return block._replace(lanes=aligned(fluents * lane_words).reshape(fluents, lane_words))

    def _compile(
        self, circuit: Circuit, variant: str | None, leaves: int, playouts: int
    ) -> tuple[Block, Rules]:
        """Return a block with compiled rules."""
        rules = load_step(circuit, variant, shape_for(leaves))
        shape = shape_for(leaves * playouts)
        play = load_kernel(circuit, variant, 0, moves=False, shape=shape)
        width = LANES * play.lane_words
        block = self._block(circuit, play.lane_words * math.ceil(leaves / width))
        return block, Rules(assemble(circuit, rules, play, block, playouts))

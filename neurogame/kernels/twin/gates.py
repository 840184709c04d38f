"""The gates of a graph in plain torch, on any device: one word operation advances 64 games."""

from __future__ import annotations

from threading import Lock
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.graph.graph import OR, Graph, replaced
from neurogame.graph.groups import places_in_groups
from neurogame.graph.levels import levels

_BLOCK_BYTES = 32 << 20
"""Of the words of one block; beyond that the cost per game grows on a processor."""
_LEAST_WORDS = 16


@final
class TorchGates:
    """Computes the outputs of a graph from words of its inputs; safe for several threads.

    An OR is an AND with all edges complemented, and a gate of many inputs a tree of pairs.

    Attributes:
        block_words: words that are worked on at once.
        steps: per step the rows of the ANDs' first inputs and then of the second ones, int64
            ``[2 n]``, and -1 where one is complemented, else 0, ``[2 n, 1]``.
    """

    def __init__(self, graph: Graph, device: str | torch.device = "cpu") -> None:
        """Plan the evaluation of what the outputs need."""
        self._device = device
        self._first = self._rows = graph.input_count
        self.steps: list[tuple[Tensor, Tensor]] = []
        literal = 2 * np.arange(graph.node_count)
        for gates in levels(graph):
            inputs, start = graph.inputs_of(gates)
            sizes = np.diff(start)
            flip = (graph.kind[gates] == OR).astype(np.int64)
            terms = self._joined(replaced(inputs, literal) ^ np.repeat(flip, sizes), sizes)
            literal[graph.input_count + gates] = terms ^ flip
        self._outputs = self._upload(replaced(graph.outputs, literal))
        self._values = torch.empty((0, 0), dtype=torch.int64, device=device)
        self._bound: list[tuple[Tensor, ...]] = []
        self._lock = Lock()
        self.block_words = max(_BLOCK_BYTES // (8 * self._rows), _LEAST_WORDS)

    @property
    def gate_count(self) -> int:
        """Number of ANDs of two inputs."""
        return self._rows - self._first

    def _joined(self, terms: Int64s, sizes: Int64s) -> Int64s:
        """Plan the AND of each group of literals, two at a time; return the literals of the ANDs.

        Args:
            terms: one group after the other; int64 ``[sum of sizes]``.
            sizes: of the groups, at least 1; int64 ``[n]``.
        """
        while len(terms) > len(sizes):
            place = places_in_groups(sizes)
            at = np.flatnonzero((place % 2 == 0) & (place + 1 < np.repeat(sizes, sizes)))
            ends = np.sort(np.stack([terms[at], terms[at + 1]]), axis=0)
            pairs, row = np.unique(ends, axis=1, return_inverse=True)
            self.steps.append(self._upload(pairs.reshape(-1)))
            terms[at] = 2 * (self._rows + row.reshape(-1))
            self._rows += pairs.shape[1]
            terms, sizes = terms[place % 2 == 0], (sizes + 1) // 2
        return terms

    def _upload(self, literals: Int64s) -> tuple[Tensor, Tensor]:
        """Return rows, int64 ``[n]``, and -1 where one is complemented, else 0, ``[n, 1]``."""
        rows, flips = torch.from_numpy(literals >> 1), torch.from_numpy(-(literals & 1))
        return rows.to(self._device), flips[:, None].to(self._device)

    def run(self, inputs: Tensor) -> Tensor:
        """Return the outputs; int64 ``[N, W]``.

        Args:
            inputs: of the graph without the constant; int64 ``[I - 1, W]``.
        """
        parts = torch.split(inputs, self.block_words, dim=1)
        return torch.cat([self._block(part) for part in parts], dim=1)

    def _block(self, inputs: Tensor) -> Tensor:
        with self._lock:
            if self._values.shape != (self._rows, inputs.shape[1]):
                self._bind(inputs.shape[1])
            self._values[1 : self._first] = inputs
            for rows, flips, read, left, right, to in self._bound:
                torch.index_select(self._values, 0, rows, out=read)
                read.bitwise_xor_(flips)
                torch.bitwise_and(left, right, out=to)
            rows, flips = self._outputs
            return self._values.index_select(0, rows).bitwise_xor_(flips)

    def _bind(self, width: int) -> None:
        """Make room for words, and the views of it, which would cost as much as the gates."""
        self._values = self._values.new_zeros((self._rows, width))
        self._bound, begin = [], self._first
        widest = max((len(rows) for rows, _ in self.steps), default=0)
        room = self._values.new_empty((widest, width))
        for rows, flips in self.steps:
            read, end = room[: len(rows)], begin + len(rows) // 2
            self._bound.append((rows, flips, read, *read.chunk(2), self._values[begin:end]))
            begin = end

"""Packing 64 states into one word per fluent, from one byte per fluent and state."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from llvmlite import ir
from numba import types
from torch import Tensor

from neurogame.array_types import UInt8s2, UInt64s2
from neurogame.kernels.lane_rows import transpose
from neurogame.native.compiled import compiled, written
from neurogame.native.vectors import first_item

_SIDE = 64
_TILE = 8
"""Words of a row that are written together: a cache line."""


def pack_flags(flags: Tensor) -> Tensor:
    """Return what :func:`neurogame.kernels.words.pack.pack` does, for bool or uint8 on the CPU.

    Args:
        flags: bool, or uint8 of which anything but 0 holds; ``[B, F]``.

    Returns:
        int64 ``[F, ceil(B / 64)]``.
    """
    size, signals = flags.shape
    words = torch.zeros((signals, (size + _SIDE - 1) // _SIDE), dtype=torch.int64)
    if words.numel():
        octets = flags.detach().contiguous().view(torch.uint8)
        _pack_blocks(octets.numpy(), words.view(torch.uint64).numpy())
    return words


@compiled(arrays=True)
def _pack_blocks(flags: UInt8s2, words: UInt64s2) -> None:
    size, signals = flags.shape
    flat = flags.reshape(-1)
    square = np.empty(_SIDE, np.uint64)
    tile = np.empty((_SIDE, _TILE), np.uint64)
    rest = np.zeros(_SIDE, np.uint8)
    for start in range(0, words.shape[1], _TILE):
        stop = min(start + _TILE, words.shape[1])
        for begin in range(0, signals, _SIDE):
            width = min(_SIDE, signals - begin)
            for word in range(start, stop):
                first = word * _SIDE
                for lane in range(_SIDE):
                    place = (first + lane) * signals + begin
                    if first + lane >= size:
                        square[lane] = 0
                    elif place + _SIDE <= len(flat):
                        # It may read the next state's flags, too, which are not stored.
                        square[lane] = _flags_as_word(flat, place)
                    else:
                        for signal in range(width):
                            rest[signal] = flat[place + signal]
                        square[lane] = _flags_as_word(rest, 0)
                transpose(square)
                for signal in range(width):
                    tile[signal, word - start] = square[signal]
            for signal in range(width):
                for word in range(start, stop):
                    words[begin + signal, word] = tile[signal, word - start]


@written
def _flags_as_word(typing: Any, flat: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = first_item(context, builder, signature.args[0], arguments[0])
        octets = ir.VectorType(ir.IntType(8), _SIDE)
        where = builder.bitcast(builder.gep(data, [arguments[1]]), octets.as_pointer())
        held = builder.icmp_unsigned("!=", builder.load(where, align=1), octets(None))
        return builder.bitcast(held, ir.IntType(64))

    return types.uint64(flat, place), generate

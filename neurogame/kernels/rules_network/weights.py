"""The weights of a rules network, and memory to value a state with them."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Float32s3,
    Int32s1,
    Int32s2,
    UInt64s1,
    UInt64s2,
)
from neurogame.native.struct import Struct, array_of

AT_ONCE = 4
"""Fluents whose weights are added to the inputs of hidden units at the same time."""
_MANTISSA = 24
"""Bits of float32."""
_LEAST = -100
"""Exponent of 2 of the finest rounding; below -126 there are no normal numbers."""


class RulesNetworkWeights(Struct):
    """What the logit of each role's value is the sum of.

    ``F`` fluents, ``M`` modes, ``S`` sets of weights, ``O`` outputs, ``H`` hidden units, ``L``
    look-ups, ``N`` rows of all tables. In mode ``m`` a state is seen in *perspective*: fluent ``f``
    counts as fluent ``seen_as[m, f]``, so that modes that a symmetry exchanges share what a
    position holds. What that is worth is each mode's own: who moves first, and who last, makes
    the roles unlike.

    Attributes:
        mode_fluent: the fluent that says that it is mode ``m``; int32 ``[M]``, empty where there
            is one mode only.
        seen_as: the fluent as which each counts in a mode, -1 if it does not count; int32
            ``[M, F]``.
        weights: the set of weights of a mode; int32 ``[M]``.
        turn: as which output each counts in a mode; int32 ``[M, O]``.
        sign: by what outputs are multiplied in a mode, 1 or -1; float32 ``[M]``.
        addends: by how much a fluent raises the row that a look-up reads, 0 where it does not
            read the fluent; all of a fluent lie together, as whole vectors of them are added;
            int32 ``[F, L]``.
        first: row that a look-up reads where none of its fluents holds; int32 ``[L]``.
        last: the last row that it may read, whatever fluents hold; int32 ``[L]``.
        tables: what rows add to outputs; float32 ``[S, O, N]``.
        embedding: what fluents add to the hidden units' inputs; float32 ``[S, F, H]``.
        bias: the inputs where no fluent holds; float32 ``[M, H]``.
        readout: what hidden units add to outputs; float32 ``[M, O, H]``.
        opposed: 1 where the one output is the first role's, and the second's is its negative.
    """

    mode_fluent: Int32s1
    seen_as: Int32s2
    weights: Int32s1
    turn: Int32s2
    sign: Float32s1
    addends: Int32s2
    first: Int32s1
    last: Int32s1
    tables: Float32s3
    embedding: Float32s3
    bias: Float32s2
    readout: Float32s3
    opposed: int


def exact_sums(network: RulesNetworkWeights) -> RulesNetworkWeights:
    """Return weights whose sums are exact: those of inputs of hidden units, rounded.

    Rounded to multiples of a power of 2 so large that 24 bits hold what any fluents add up to, sums
    have no rounding errors. So a state has one value, whichever states came before it.

    Args:
        network: the weights; they stay as they are, and all but embedding and bias are shared.
    """
    fields = {name: getattr(network, name) for name in network.layout()}
    embedding, bias = array_of(network, "embedding"), array_of(network, "bias")
    if embedding.size == 0:
        return network
    most = float(np.abs(embedding).sum(axis=1).max() + np.abs(bias).max())
    # What is rounded may be larger by half a unit for each fluent.
    bits = math.frexp(most * (1 + embedding.shape[1] * 2.0**-_MANTISSA))[1]
    unit = np.float32(2.0 ** max(bits - _MANTISSA, _LEAST))
    rounded = {"embedding": np.rint(embedding / unit), "bias": np.rint(bias / unit)}
    return RulesNetworkWeights(**fields | {name: unit * of for name, of in rounded.items()})


class Loaded(Struct):
    """A state with what the network makes of it, mode by mode; one per thread.

    ``Fw`` words of a state.

    Attributes:
        base: the state; uint64 ``[Fw]``.
        known: what the sums of a mode are of: nothing, this state, a former one; int32 ``[M]``.
        former: the state that they are of; uint64 ``[M, Fw]``.
        row: sum of ``first`` and addends of each look-up, in perspective, which is the row that
            it reads unless that lies behind the last; int32 ``[M, L]``.
        hidden: inputs of the hidden units; float32 ``[M, H]``.
        changed: fluents, in perspective, in which another state differs; int32 ``[F + 4]``.
        sign: 1 for those that it holds, -1 for others, 0 behind the last; float32 ``[F + 4]``.
        rows: the same as ``row`` for the state that is compared; int32 ``[L]``.
        units: inputs of the hidden units of that state; float32 ``[H]``.
        canonical: outputs of that state, in perspective; float32 ``[O]``.
        outputs: the same, as they count for the state; float32 ``[O]``.
    """

    base: UInt64s1
    known: Int32s1
    former: UInt64s2
    row: Int32s2
    hidden: Float32s2
    changed: Int32s1
    sign: Float32s1
    rows: Int32s1
    units: Float32s1
    canonical: Float32s1
    outputs: Float32s1


def make_loaded(network: RulesNetworkWeights) -> Loaded:
    """Reserve memory for a state; none is loaded."""
    modes, fluents = network.seen_as.shape
    lookups, outputs = len(network.first), network.tables.shape[1]
    hidden, words = network.bias.shape[1], max(1, -(-fluents // 64))
    return Loaded(
        base=np.zeros(words, np.uint64),
        known=np.zeros(modes, np.int32),
        former=np.zeros((modes, words), np.uint64),
        row=np.zeros((modes, lookups), np.int32),
        hidden=np.zeros((modes, hidden), np.float32),
        changed=np.zeros(fluents + AT_ONCE, np.int32),
        sign=np.zeros(fluents + AT_ONCE, np.float32),
        rows=np.zeros(lookups, np.int32),
        units=np.zeros(hidden, np.float32),
        canonical=np.zeros(outputs, np.float32),
        outputs=np.zeros(outputs, np.float32),
    )

"""What learning keeps beside the weights: step sizes of rows, gradients, moments."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Float32s3,
    Int32s1,
    Int32s3,
)
from neurogame.kernels.rules_network.weights import Loaded, RulesNetworkWeights, make_loaded
from neurogame.native.struct import Struct


class Learning(Struct):
    """The state of learning.

    Letters as in :class:`~neurogame.kernels.rules_network.weights.RulesNetworkWeights`.

    ``G`` symmetries that keep modes and roles.

    Attributes:
        network: the weights that are learned.
        loaded: memory for a state.
        images: the fluent as which each counts, for embeddings, in a mode under a symmetry, -1
            if it does not count; int32 ``[M, G, F]``.
        rate: step of tables, shared by all look-ups of a state; above 0.
        errors: sum of the errors that each row has seen; float32 ``[S, O, N]``.
        sizes: sum of their absolute values; float32 ``[S, O, N]``.
        noted: sum of errors when a look-up's row last changed; float32 ``[L, O]``.
        total: sum of errors of the present game; float32 ``[O]``.
        error: of the present position, per output; float32 ``[O]``.
        turned: the same in perspective; float32 ``[O]``.
        flow: sum of the gradients of the hidden units' inputs; float32 ``[H]``.
        embedding_gradient: gradient; float32 ``[S, F, H]``.
        bias_gradient: gradient; float32 ``[Q, H]``.
        readout_gradient: gradient; float32 ``[Q, O, H]``.
        moments: of Adam, first and second; embedding, bias and readout one after the
            other; float32 ``[2, P]``.
        outside: 1 for weights of rule units that their conditions do not name, else 0; float32
            ``[F, H]``.
        pull: by how much each step draws those towards 0.
        classes: of the embedding's weights: those of a class learn as one; int32 ``[F H]``, without
            symmetries ``[0]``.
        unit_classes: the same of hidden units, for biases and readouts; int32 ``[H]`` or ``[0]``.
        shared: sum of the gradients of a class, then how many weights it has; float32
            ``[2, classes]``.
        step_size: of Adam; 0: hidden units do not learn.
        every: positions of one step of Adam.
        waiting: positions whose gradients have been added up.
        steps: of Adam so far.
        positions: learned from so far.
        loss: sum of their cross-entropy, over roles.
    """

    network: RulesNetworkWeights
    loaded: Loaded
    images: Int32s3
    rate: float
    errors: Float32s3
    sizes: Float32s3
    noted: Float32s2
    total: Float32s1
    error: Float32s1
    turned: Float32s1
    flow: Float32s1
    embedding_gradient: Float32s3
    bias_gradient: Float32s2
    readout_gradient: Float32s3
    moments: Float32s2
    outside: Float32s2
    pull: float
    classes: Int32s1
    unit_classes: Int32s1
    shared: Float32s2
    step_size: float
    every: int
    waiting: int = 0
    steps: int = 0
    positions: int = 0
    loss: float = 0.0


def make_learning(
    network: RulesNetworkWeights,
    images: Int32s3,
    *,
    rate: float,
    step_size: float,
    every: int,
    outside: Float32s2 | None = None,
    pull: float = 0.0,
    classes: tuple[Int32s1, Int32s1] | None = None,
) -> Learning:
    """Reserve memory to learn weights.

    Args:
        network: the weights, changed in place from then on.
        images: see :class:`Learning`.
        rate: see :class:`Learning`.
        step_size: see :class:`Learning`.
        every: see :class:`Learning`.
        outside: see :class:`Learning`; None: no weights are.
        pull: see :class:`Learning`.
        classes: of the embedding's weights and of the units, see :class:`Learning`; None: each
            learns by itself.
    """
    weight_classes, unit_classes = classes or (np.zeros(0, np.int32), np.zeros(0, np.int32))
    outputs, lookups, hidden = network.tables.shape[1], len(network.first), network.bias.shape[1]
    learned = (network.embedding, network.bias, network.readout)
    return Learning(
        network=network,
        loaded=make_loaded(network),
        images=images,
        rate=rate,
        errors=np.zeros_like(network.tables),
        sizes=np.zeros_like(network.tables),
        noted=np.zeros((lookups, outputs), np.float32),
        total=np.zeros(outputs, np.float32),
        error=np.zeros(outputs, np.float32),
        turned=np.zeros(outputs, np.float32),
        flow=np.zeros(hidden, np.float32),
        embedding_gradient=np.zeros_like(network.embedding),
        bias_gradient=np.zeros_like(network.bias),
        readout_gradient=np.zeros_like(network.readout),
        moments=np.zeros((2, sum(part.size for part in learned)), np.float32),
        outside=np.zeros(network.embedding.shape[1:], np.float32) if outside is None else outside,
        pull=pull,
        classes=weight_classes,
        unit_classes=unit_classes,
        shared=np.zeros((2, weight_classes.max(initial=0) + 1), np.float32),
        step_size=step_size,
        every=every,
    )

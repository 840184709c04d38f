"""Steps of Adam for embeddings and hidden units.

*Reference:* Kingma and Ba, "Adam: a method for stochastic optimization" (2015).
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float32s1, Float32s2, Int32s1
from neurogame.kernels.rules_network.learning import Learning
from neurogame.native.compiled import callee, inner

_FIRST, _SECOND = 0.9, 0.999
_TINY = np.float32(1e-8)


@inner
def step_adam(learning: Learning) -> None:
    """Take a step along the mean of the gradients added up so far, and begin anew."""
    network = learning.network
    learning.steps += 1
    corrected: float = math.sqrt(1 - _SECOND**learning.steps) / (1 - _FIRST**learning.steps)
    step, scale = float(learning.step_size * corrected), 1.0 / learning.waiting
    moments = learning.moments
    if len(learning.classes) > 0:
        _share(learning)
    place = 0
    for given, weights in (
        (learning.embedding_gradient.reshape(-1), network.embedding.reshape(-1)),
        (learning.bias_gradient.reshape(-1), network.bias.reshape(-1)),
        (learning.readout_gradient.reshape(-1), network.readout.reshape(-1)),
    ):
        _step(given, weights, moments, place, step, scale)
        place += len(weights)
    learning.waiting = 0
    if learning.pull > 0:
        for weight_set in range(network.embedding.shape[0]):
            embedding = network.embedding[weight_set].reshape(-1)
            _draw(embedding, learning.outside.reshape(-1), learning.pull)


@inner
def _share(learning: Learning) -> None:
    """Give all weights that learn as one the mean of their gradients."""
    shared, readout = learning.shared, learning.readout_gradient
    for weight_set in range(len(learning.embedding_gradient)):
        gradient = learning.embedding_gradient[weight_set].reshape(-1)
        _average(gradient, learning.classes, shared)
    for mode in range(len(readout)):
        _average(learning.bias_gradient[mode], learning.unit_classes, shared)
        for output in range(readout.shape[1]):
            _average(readout[mode, output], learning.unit_classes, shared)


@callee
def _average(gradient: Float32s1, classes: Int32s1, shared: Float32s2) -> None:
    """Replace the gradients of each class by their mean."""
    for number in range(len(classes)):
        shared[0, classes[number]] = shared[1, classes[number]] = np.float32(0)
    for number in range(len(classes)):
        shared[0, classes[number]] += gradient[number]
        shared[1, classes[number]] += np.float32(1)
    for number in range(len(classes)):
        gradient[number] = shared[0, classes[number]] / shared[1, classes[number]]


@callee
def _draw(weights: Float32s1, outside: Float32s1, pull: float) -> None:
    """Draw weights towards 0: a proximal step for the sum of their sizes."""
    most, none = np.float32(pull), np.float32(0)
    for number in range(len(weights)):
        weight, way = weights[number], most * outside[number]
        weights[number] = max(weight - way, none) if weight > none else min(weight + way, none)


@callee
def _step(
    gradient: Float32s1,
    weights: Float32s1,
    moments: Float32s2,
    place: int,
    step: float,
    scale: float,
) -> None:
    """Take the step of some weights; errors are what is missing, so steps go up."""
    length, share = np.float32(step), np.float32(scale)
    keep, add = np.float32(_FIRST), np.float32(1 - _FIRST)
    keep_square, add_square = np.float32(_SECOND), np.float32(1 - _SECOND)
    for number in range(len(weights)):
        slope = gradient[number] * share
        gradient[number] = np.float32(0)
        first = keep * moments[0, place + number] + add * slope
        second = keep_square * moments[1, place + number] + add_square * slope * slope
        moments[0, place + number] = first
        moments[1, place + number] = second
        weights[number] += length * first / (np.float32(math.sqrt(second)) + _TINY)

"""Hidden units and their images: what is learned of a position is learned of its mirror image.

A symmetry of the rules that keeps modes and roles keeps values. So units that begin as conditions
come in *orbits*, a unit and its images, and the same is learned of all of them: the image of a unit
adds for the image of a fluent what the unit adds for the fluent. A unit that begins as a feature is
its own image, and sees all images alike. Those that begin at random learn each by itself.

*Reference:* Shawe-Taylor, "Symmetries and discriminability in feedforward network architectures"
(1993); Cohen and Welling, "Group equivariant convolutional networks" (2016).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from neurogame.array_types import Float32s, Int32s1, Int64s
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout

MOST = 8
"""Symmetries under which units have images, at most: each more makes fewer different units."""


class UnitOrbits(NamedTuple):
    """Which weights are learned as one.

    Attributes:
        weights: class of what each fluent adds to each unit, from 0 on; int32 ``[F H]``.
        units: class of each unit, from 0 on; int32 ``[H]``.
    """

    weights: Int32s1
    units: Int32s1


def unit_symmetries(layout: RulesNetworkLayout) -> Int64s:
    """Return a group of at most :data:`MOST` symmetries, the identity first.

    Each other one moves at least a third of the fluents: of images that differ in a few fluents,
    such as the two free edges of a corner box, many would be nearly the same unit.

    Args:
        layout: the symmetries under which positions are learned.

    Returns:
        The fluent that each becomes, both as seen in perspective; int64 ``[K, F]``.
    """
    fluents, count = layout.sizes.fluents, layout.sizes.images
    symmetries = np.tile(np.arange(fluents), (count, 1))
    for seen, images in zip(layout.seen_as, layout.images, strict=True):
        counts = seen >= 0
        symmetries[:, seen[counts]] = images[:, counts]
    group = symmetries[:1]
    counted = np.unique(layout.seen_as[layout.seen_as >= 0]).size
    for one in symmetries[1:]:
        larger = _generated(np.concatenate([group, one[None]]))
        if larger is None:
            continue
        moved = (larger[1:] != larger[0]).sum(axis=1)
        group = larger if 3 * moved.min(initial=counted) >= counted else group
    return group


def _generated(symmetries: Int64s) -> Int64s | None:
    """Return the group that symmetries generate, None if it is too large."""
    group = np.unique(symmetries, axis=0)
    while len(group) <= MOST:
        products = group[:, group].reshape(-1, group.shape[1])
        larger = np.unique(products, axis=0)
        if len(larger) == len(group):
            # The identity is the least of all.
            return larger
        group = larger
    return None


def with_images(
    embedding: Float32s, bias: Float32s, symmetries: Int64s, most: int
) -> tuple[Float32s, Float32s]:
    """Return units with all their images; those come first that come first.

    Args:
        embedding: of units; ``[F, U]``.
        bias: ``[U]``.
        symmetries: see :func:`unit_symmetries`.
        most: units that are returned; an orbit for which there is no room is left out.

    Returns:
        ``[F, V]`` and ``[V]``.
    """
    units: dict[bytes, Float32s] = {}
    for column in np.concatenate([embedding, bias[None]]).T:
        images = {one.tobytes(): one for one in _images(column, symmetries)}
        if len(units | images) <= most:
            units |= images
    made = np.array(list(units.values())).reshape(len(units), len(embedding) + 1).T
    return made[:-1], made[-1]


def _images(column: Float32s, symmetries: Int64s) -> Iterable[Float32s]:
    """Yield the images of a unit, its bias behind its weights."""
    for symmetry in symmetries:
        yield np.append(column[symmetry], column[-1])


def symmetric(embedding: Float32s, symmetries: Int64s) -> Float32s:
    """Return units that are their own images, with the means of the weights; ``[F, U]``."""
    orbit = symmetries.min(axis=0)
    sums = np.zeros_like(embedding)
    np.add.at(sums, orbit, embedding)
    sizes = np.bincount(orbit).astype(np.float32)
    means: Float32s = sums[orbit] / sizes[orbit, None]
    return means


def unit_orbits(
    layout: RulesNetworkLayout, embedding: Float32s, bias: Float32s
) -> UnitOrbits | None:
    """Return which weights are learned as one.

    Args:
        layout: the symmetries.
        embedding: what units began as; float32 ``[F, H]``.
        bias: float32 ``[H]``.

    Returns:
        None where there are no symmetries. A unit of which some image is not among the units, as
        of those that begin at random, learns by itself.
    """
    symmetries, (fluents, hidden) = unit_symmetries(layout), embedding.shape
    if len(symmetries) == 1:
        return None
    columns = np.concatenate([embedding, bias[None]]).T.copy()
    place = {column.tobytes(): unit for unit, column in enumerate(columns)}
    images = np.array(
        [[place.get(one.tobytes(), -1) for one in _images(c, symmetries)] for c in columns]
    ).reshape(hidden, len(symmetries))
    whole = np.flatnonzero((images >= 0).all(axis=1))
    weights, units = np.arange(fluents * hidden).reshape(fluents, hidden), np.arange(hidden)
    for symmetry, image in zip(symmetries, images[whole].T, strict=True):
        # What the image adds for a fluent, the unit adds for what the fluent becomes.
        places = hidden * np.arange(fluents)[:, None] + image
        weights[symmetry[:, None], whole] = np.minimum(weights[symmetry[:, None], whole], places)
        units[whole] = np.minimum(units[whole], image)
    return UnitOrbits(weights=_numbered(weights), units=_numbered(units))


def _numbered(classes: Int64s) -> Int32s1:
    """Return the same classes with numbers from 0 on; int32, one after the other."""
    _, numbers = np.unique(classes, return_inverse=True)
    return numbers.reshape(-1).astype(np.int32)

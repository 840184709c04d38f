"""Which rows of tables a state reads, and in which perspective it is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import (
    AnyInts,
    Float32s1,
    Float64s,
    Int32s1,
    Int32s2,
    Int32s3,
    Int64s,
)
from neurogame.errors import ConfigurationError


@final
@dataclass(frozen=True, kw_only=True)
class RulesNetworkSizes:
    """The shapes of a layout.

    Attributes:
        fluents: of the game, ``F``.
        modes: ``M``, at least 1.
        mode_fluents: fluents that say which mode it is.
        sets: sets of weights, ``S``.
        outputs: ``O``.
        lookups: ``L``.
        addends: in all.
        rows: of all tables, ``N``.
        images: symmetries that keep modes and roles, ``G``.
        opposed: whether there are two roles whose goals add up to 100, so that one output, of
            the first role, says all.
    """

    fluents: int
    modes: int
    mode_fluents: int
    sets: int
    outputs: int
    lookups: int
    addends: int
    rows: int
    images: int
    opposed: bool

    def numbers(self, hidden: int) -> int:
        """Return how many numbers a layout has, with so many hidden units above it."""
        modes, outputs, fluents = self.modes, self.outputs, self.fluents
        layout = modes * (fluents * (1 + self.images) + outputs + 2) + self.mode_fluents
        layout += fluents + 2 * (self.addends + self.lookups)
        units = (self.sets + 1) * fluents + modes * (1 + outputs) + 1
        return layout + self.sets * outputs * self.rows + units * hidden


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RulesNetworkLayout:
    """All of a rules network that is not learned.

    Attributes:
        sizes: the shapes.
        mode_fluent: see :class:`~neurogame.kernels.rules_network.weights.RulesNetworkWeights`, as
            the following.
        seen_as: the fluent as which each counts in a mode; int32 ``[M, F]``.
        weights: the set of weights of a mode; int32 ``[M]``.
        turn: as which output each counts in a mode; int32 ``[M, O]``.
        sign: by what outputs are multiplied in a mode; float32 ``[M]``.
        start: first addend of each fluent; int32 ``[F + 1]``.
        lookup: look-up of each addend.
        addend: by how much the fluent raises the look-up's row.
        first: row of a look-up where none of its fluents holds; int32 ``[L]``.
        last: the last row that it may read; int32 ``[L]``.
        images: ``seen_as`` under each symmetry; int32 ``[M, G, F]``.
    """

    sizes: RulesNetworkSizes
    mode_fluent: Int32s1
    seen_as: Int32s2
    weights: Int32s1
    turn: Int32s2
    sign: Float32s1
    start: Int32s1
    lookup: Int32s1
    addend: Int32s1
    first: Int32s1
    last: Int32s1
    images: Int32s3

    def arrays(self) -> dict[str, np.ndarray[Any, np.dtype[Any]]]:
        """Return all arrays by their names."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "sizes"}

    def check(self) -> None:
        """Refuse arrays that lead out of what they are indices of; compiled code would follow them.

        Raises:
            ConfigurationError: some do.
        """
        sizes = self.sizes
        within = {
            "mode_fluent": (self.mode_fluent, 0, sizes.fluents),
            "seen_as": (self.seen_as, -1, sizes.fluents),
            "images": (self.images, -1, sizes.fluents),
            "weights": (self.weights, 0, sizes.sets),
            "turn": (self.turn, 0, sizes.outputs),
            "start": (self.start, 0, sizes.addends + 1),
            "lookup": (self.lookup, 0, sizes.lookups),
            "first": (self.first, 0, sizes.rows),
            "last": (self.last, 0, sizes.rows),
            "addend": (self.addend, 0, 1 << 31),
        }
        wrong = [n for n, (a, least, end) in within.items() if ((a < least) | (a >= end)).any()]
        sums = np.bincount(self.lookup, self.addend, sizes.lookups) if not wrong else np.zeros(0)
        ends = (self.start[0], self.start[-1]) == (0, sizes.addends)
        if wrong or not ends or (np.diff(self.start) < 0).any() or (sums >= 1 << 30).any():
            where = ", ".join(wrong) or "rows"
            raise ConfigurationError(
                f"a rules network: its layout leads nowhere ({where}); the file is "
                "damaged or made up"
            )

    def addends(self) -> Int32s2:
        """Return by how much each fluent raises the row of each look-up; int32 ``[F, L]``."""
        addends = np.zeros((self.sizes.fluents, self.sizes.lookups), np.int32)
        fluent = np.repeat(np.arange(self.sizes.fluents), np.diff(self.start))
        addends[fluent, self.lookup] = self.addend
        return addends

    def with_lookups(self, addends: AnyInts, first: AnyInts, last: AnyInts) -> RulesNetworkLayout:
        """Return a layout with the same perspectives, and these look-ups.

        Args:
            addends: by how much a fluent raises the row that a look-up reads; ``[F, L]``.
            first: row of a look-up where none of its fluents holds; ``[L]``.
            last: the last row that it may read; ``[L]``.
        """
        fluent, lookup = np.nonzero(addends)
        return replace(
            self,
            sizes=replace(
                self.sizes,
                lookups=len(first),
                addends=len(lookup),
                rows=int(last.max(initial=0)) + 1,
            ),
            start=np.searchsorted(fluent, np.arange(len(addends) + 1)).astype(np.int32),
            lookup=lookup.astype(np.int32),
            addend=addends[fluent, lookup].astype(np.int32),
            first=first.astype(np.int32),
            last=last.astype(np.int32),
        )

    def mode_of(self, held: Tensor) -> Tensor:
        """Return the mode of states, float ``[B, F]``; int64 ``[B]``, 0 where nothing says so."""
        if not len(self.mode_fluent):
            return torch.zeros(len(held), dtype=torch.int64, device=held.device)
        said = held[:, torch.from_numpy(self.mode_fluent).long().to(held.device)]
        return torch.where(said.amax(dim=1) > 0, said.argmax(dim=1), 0)

    def sources(self, mode: int) -> Int64s:
        """Return which fluent each one of a mode's perspective is, -1 for none; int64 ``[F]``."""
        target = self.seen_as[mode].astype(np.int64)
        sources = np.full(len(target), -1, np.int64)
        sources[target[target >= 0]] = np.flatnonzero(target >= 0)
        return sources

    def seen(self, held: Tensor, mode: int) -> Tensor:
        """Return states, float ``[B, F]``, in the perspective of a mode."""
        target = self.seen_as[mode].astype(np.int64)
        source = np.flatnonzero(target >= 0)
        states = torch.zeros_like(held)
        places = torch.from_numpy(target[source]).to(held.device)
        return states.index_copy(1, places, held[:, torch.from_numpy(source).to(held.device)])

    def rows(self, seen: Tensor) -> Tensor:
        """Return the row that each look-up reads, int64 ``[B, L]``."""
        addends = torch.from_numpy(self.addends().astype(np.float64)).to(seen.device)
        sums = (seen > 0.5).double() @ addends
        rows = sums.long() + torch.from_numpy(self.first).long().to(seen.device)
        return torch.minimum(rows, torch.from_numpy(self.last).long().to(seen.device))


def stored_sizes(
    what: str, given: Mapping[str, Any], fluents: int, roles: int
) -> RulesNetworkSizes:
    """Return sizes as a description holds them.

    Args:
        what: has them, in words.
        given: the sizes by name.
        fluents: of the game, ``F``.
        roles: of the game, ``R``.

    Raises:
        ConfigurationError: they are no sizes, or not those of the game.
    """
    try:
        sizes = RulesNetworkSizes(**given)
    except TypeError as error:
        raise ConfigurationError(f"{what}: its sizes: {error}") from None
    numbers = {n: v for n, v in asdict(sizes).items() if not isinstance(v, int) or v < 0}
    of_game = (sizes.fluents, sizes.outputs) == (fluents, 1 if sizes.opposed else roles)
    if numbers or not of_game or sizes.mode_fluents > sizes.modes or sizes.modes < 1:
        raise ConfigurationError(f"{what}: its sizes do not fit the game: {given}")
    return sizes


def empty_layout(sizes: RulesNetworkSizes) -> RulesNetworkLayout:
    """Return a layout whose arrays are filled when a state dict is loaded."""
    modes, fluents = sizes.modes, sizes.fluents

    def whole(*shape: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        return np.zeros(shape, np.int32)

    return RulesNetworkLayout(
        sizes=sizes,
        mode_fluent=whole(sizes.mode_fluents),
        seen_as=whole(modes, fluents),
        weights=whole(modes),
        turn=whole(modes, sizes.outputs),
        sign=np.ones(modes, np.float32),
        start=whole(fluents + 1),
        lookup=whole(sizes.addends),
        addend=whole(sizes.addends),
        first=whole(sizes.lookups),
        last=whole(sizes.lookups),
        images=whole(modes, sizes.images, fluents),
    )


def bare_layout(
    *,
    mode_fluent: Int64s,
    seen_as: Int64s,
    weights: Int64s,
    turn: Int64s,
    sign: Float64s,
    images: Int64s,
    opposed: bool,
) -> RulesNetworkLayout:
    """Return a layout of perspectives, which has no look-ups yet; see its fields."""
    sizes = RulesNetworkSizes(
        fluents=seen_as.shape[1],
        modes=len(seen_as),
        mode_fluents=len(mode_fluent),
        sets=int(weights.max()) + 1,
        outputs=turn.shape[1],
        lookups=0,
        addends=0,
        rows=1,
        images=images.shape[1],
        opposed=opposed,
    )
    return replace(
        empty_layout(sizes),
        mode_fluent=mode_fluent.astype(np.int32),
        seen_as=seen_as.astype(np.int32),
        weights=weights.astype(np.int32),
        turn=turn.astype(np.int32),
        sign=sign.astype(np.float32),
        images=images.astype(np.int32),
    )

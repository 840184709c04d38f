"""The values of features in many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Float32s, Int32s, Int64s
from neurogame.features.feature import Feature
from neurogame.kernels.feature_sums import FeatureTables, add_looked_up, add_weights
from neurogame.simulate.simulator import Look
from neurogame.simulate.states import StateBatch

_LANES = 64
_SIGNS = np.float32(1), np.float32(-1)


Number = TypeVar("Number", np.float32, np.int32)


@final
@dataclass(frozen=True, eq=False)
class _Sparse(Generic[Number]):
    """The numbers of a table that are not 0, row by row.

    ``S`` rows, ``N`` numbers other than 0.

    Attributes:
        start: of each row its first number, and the end; int64 ``[S + 1]``.
        column: of each number; int32 ``[N]``.
        number: ``[N]``.
    """

    start: Int64s
    column: Int32s
    number: npt.NDArray[Number]


@final
class FeatureValues:
    """Computes features of states; not for several threads at once.

    ``K`` features, ``B`` states.

    Attributes:
        features: whose values these are, in this order.
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        """Take features of one game, at least one."""
        self.features = tuple(features)
        self._fluents = _sparse(np.stack([f.fluents for f in features], axis=1))
        self._moves = _sparse(np.stack([f.moves for f in features], axis=1))
        self._goals = np.stack([f.goals for f in features], axis=1)
        self._rows = _rows(features)

    def of(self, states: StateBatch, look: Look) -> Float32s:
        """Return the features of states; float32 ``[B, K]``.

        Args:
            states: of the game.
            look: what there is to know about them.
        """
        totals = look.goals.numpy() @ self._goals
        held = states.words.numpy()
        for words, weights in ((held, self._fluents), (look.legal_words.numpy(), self._moves)):
            if len(weights.column):
                add_weights(words, weights.start, weights.column, weights.number, totals)
        rows = self._rows
        if rows is not None:
            sums = np.zeros((len(rows.counts), held.shape[1] * _LANES), np.float32)
            add_looked_up(held, rows, sums)
            totals += sums.T[: len(totals)] @ rows.counts
        return totals


def _sparse(table: npt.NDArray[Number]) -> _Sparse[Number]:
    row, column = np.nonzero(table)
    return _Sparse(
        start=np.searchsorted(row, np.arange(len(table) + 1)).astype(np.int64),
        column=column.astype(np.int32),
        number=table[row, column],
    )


def _rows(features: Sequence[Feature]) -> FeatureTables | None:
    columns: dict[bytes, int] = {}
    addends: list[Int32s] = []
    # Row and table -> how often it counts in each feature; of a table and its reverse one is kept.
    entries: dict[tuple[int, bytes], Float32s] = {}
    for number, feature in enumerate(features):
        tables = feature.lookups
        if tables is None:
            continue
        for column, rows in tables.columns(len(feature.fluents)):
            row = columns.setdefault(column.tobytes(), len(addends))
            if row == len(addends):
                addends.append(column.astype(np.int32))
            plain, turned = ((row, (sign * rows + np.float32(0)).tobytes()) for sign in _SIGNS)
            key, sign = (turned, -1) if turned in entries and plain not in entries else (plain, 1)
            entries.setdefault(key, np.zeros(len(features), np.float32))[number] += sign
    if not entries:
        return None
    order = sorted(entries, key=lambda key: key[0])
    tables_of = [np.frombuffer(table, np.float32) for _, table in order]
    groups: dict[bytes, int] = {}
    group = [groups.setdefault(entries[key].tobytes(), len(groups)) for key in order]
    raising = _sparse(np.stack(addends))
    return FeatureTables(
        start=raising.start,
        signal=raising.column,
        addend=raising.number,
        read=np.searchsorted([row for row, _ in order], np.arange(len(addends) + 1)),
        first=np.cumsum([0, *map(len, tables_of)])[:-1].astype(np.int32),
        group=np.array(group, np.int32),
        values=np.concatenate(tables_of),
        counts=np.stack([np.frombuffer(counts, np.float32) for counts in groups]),
        index=np.zeros(_LANES, np.int32),
    )

"""The values of features in many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.features.feature import Feature, Reals
from neurogame.simulate.simulator import Look
from neurogame.simulate.states import StateBatch


@final
@dataclass(frozen=True, eq=False)
class _Rows:
    """Look-ups of all features; those that read the same row do so once.

    ``U`` different rows, ``E`` entries: a table of a feature that reads a row.

    Attributes:
        addends: by how much each fluent raises a row; float32 ``[F, U]``.
        row: which row an entry reads; int64 ``[E]``.
        first: the place in ``values`` where an entry's table begins; int32 ``[E]``.
        features: features that have entries, with their first and the one after their last.
        values: of all tables; float32 ``[N]``.
    """

    addends: Tensor
    row: Tensor
    first: Tensor
    features: tuple[tuple[int, int, int], ...]
    values: Tensor


@final
class FeatureValues:
    """Computes features of states.

    ``K`` features, ``B`` states.

    Attributes:
        features: whose values these are, in this order.
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        """Take features of one game, at least one."""
        self.features = tuple(features)
        self._fluents = _columns([f.fluents for f in features])
        self._moves = _columns([f.moves for f in features])
        self._goals = _columns([f.goals for f in features])
        self._rows = _rows(features)
        self.reads_moves = bool(self._moves.any())

    def of(self, states: StateBatch, look: Look) -> Tensor:
        """Return the features of states; float32 ``[B, K]``.

        Args:
            states: of the game.
            look: what there is to know about them.
        """
        held = states.to_bool().float()
        found = held @ self._fluents + look.goals.float() @ self._goals
        if self.reads_moves:
            found += look.legal.float() @ self._moves
        rows = self._rows
        if rows is not None:
            # One row of the result after the other is gathered faster than one column.
            row = (rows.addends.t() @ held.t()).int()
            for number, begin, end in rows.features:
                place = row[rows.row[begin:end]] + rows.first[begin:end, None]
                found[:, number] += rows.values[place.long()].sum(dim=0)
        return found


def _columns(parts: Sequence[Reals]) -> Tensor:
    return torch.from_numpy(np.stack(parts, axis=1))


def _rows(features: Sequence[Feature]) -> _Rows | None:
    columns: dict[bytes, int] = {}
    addends: list[Reals] = []
    values: list[Reals] = []
    row, first, found, offset = [], [], [], 0
    for number, own in enumerate(features):
        tables = own.lookups
        if tables is None:
            continue
        order = np.argsort(tables.lookup, kind="stable")
        ends = np.searchsorted(tables.lookup[order], np.arange(len(tables.first) + 1))
        for lookup, begin in enumerate(tables.first.tolist()):
            column = np.zeros(len(own.fluents), np.float32)
            mine = order[ends[lookup] : ends[lookup + 1]]
            column[tables.fluent[mine]] = tables.addend[mine]
            place = columns.setdefault(column.tobytes(), len(addends))
            if place == len(addends):
                addends.append(column)
            row.append(place)
            first.append(offset + begin)
        found.append((number, len(row) - len(tables.first), len(row)))
        values.append(tables.values)
        offset += len(tables.values)
    if not row:
        return None
    return _Rows(
        addends=_columns(addends),
        row=torch.tensor(row),
        first=torch.tensor(first, dtype=torch.int32),
        features=tuple(found),
        values=torch.from_numpy(np.concatenate(values)),
    )

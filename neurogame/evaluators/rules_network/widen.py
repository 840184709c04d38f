"""Rules networks with more units and look-ups, and the same values until these learn.

*Reference:* Chen, Goodfellow and Shlens, "Net2Net: accelerating learning via knowledge transfer"
(2016), for networks that grow and compute the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s1
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout
from neurogame.evaluators.rules_network.unit_images import unit_orbits


def widened(evaluator: RulesNetwork, larger: RulesNetwork) -> RulesNetwork:
    """Return an evaluator with the same values and the units and look-ups of another one besides.

    New units come behind the old ones and say nothing at first, as new tables do. What both
    have, as they began, is not added again.

    Args:
        evaluator: stays as it is.
        larger: a fresh one of the same game, with more units or look-ups.
    """
    described = evaluator.describe()
    config = RulesNetworkConfig.from_json(described["config"])
    units = _new_units(evaluator, larger)
    layout = _with_tables(evaluator.layout, larger.layout)
    config = replace(config, hidden=config.hidden + len(units), lookups=layout.sizes.lookups)
    grown = RulesNetwork(evaluator.role_count, layout, config, described["seed"])
    more = torch.from_numpy(units)
    grown.begin(
        torch.cat([evaluator.first_embedding, larger.first_embedding[:, more]], dim=1),
        torch.cat([evaluator.first_bias, larger.first_bias[more]]),
    )
    with torch.no_grad():
        for new, old in zip(grown.learned_weights(), evaluator.learned_weights(), strict=True):
            new[..., : old.shape[-1]] = old
    return grown


def _new_units(evaluator: RulesNetwork, larger: RulesNetwork) -> Int64s1:
    """Return which units of a fresh evaluator another one did not begin with.

    They are as many as the fresh one has more, the first ones; fewer where units and their images
    find no room together.
    """
    known = set(_columns(evaluator.first_embedding, evaluator.first_bias))
    beginnings = _columns(larger.first_embedding, larger.first_bias)
    fresh = [unit for unit, one in enumerate(beginnings) if one not in known]
    room = max(0, len(larger.first_bias) - len(evaluator.first_bias))
    orbits = unit_orbits(larger.layout, larger.first_embedding.numpy(), larger.first_bias.numpy())
    classes = np.arange(len(beginnings)) if orbits is None else orbits.units
    together: dict[int, list[int]] = {}
    for unit in fresh:
        together.setdefault(int(classes[unit]), []).append(unit)
    added: list[int] = []
    for units in together.values():
        added += units if len(added) + len(units) <= room else []
    return np.array(added, np.int64)


def _columns(embedding: Tensor, bias: Tensor) -> list[bytes]:
    """Return what each unit began as."""
    return [one.tobytes() for one in torch.cat([embedding, bias[None]]).t().contiguous().numpy()]


def _with_tables(layout: RulesNetworkLayout, larger: RulesNetworkLayout) -> RulesNetworkLayout:
    """Return a layout with those tables of another one besides whose look-ups it does not have."""
    sizes, addends, more = layout.sizes, layout.addends(), larger.addends()
    known = {column.tobytes() for column in addends.T}
    is_known = np.array([column.tobytes() in known for column in more.T], bool)
    # Tables that any known look-up reads are left out whole.
    taken = np.flatnonzero(~np.isin(larger.first, larger.first[is_known]))
    firsts, table = np.unique(larger.first[taken], return_inverse=True)
    rows = larger.last[taken] - larger.first[taken] + 1
    table_rows = np.zeros(len(firsts), np.int64)
    table_rows[table] = rows
    first = sizes.rows + (np.cumsum(table_rows) - table_rows)[table]
    joined = np.concatenate([addends, more[:, taken]], axis=1)
    return layout.with_lookups(
        joined,
        np.concatenate([layout.first, first]),
        np.concatenate([layout.last, first + rows - 1]),
    )

"""Between which numbers a feature lies, as far as its weights say."""

from __future__ import annotations

from neurogame.features.feature import Feature, FeatureKind


def feature_bounds(feature: Feature) -> tuple[float, float]:
    """Return bounds that a feature keeps in every state.

    Whatever could hold together counts as if it did: the sum of all weights below 0, and that of
    all above. Of a quantity, one value holds at a time. A look-up reads one row.

    Args:
        feature: of a game.
    """
    if feature.kind is FeatureKind.QUANTITY:
        low = min(0.0, float(feature.fluents.min(initial=0.0)))
        high = max(0.0, float(feature.fluents.max(initial=0.0)))
    else:
        low, high = _sums(feature.fluents.tolist())
    for weights in (feature.moves, feature.goals):
        least, most = _sums(weights.tolist())
        low, high = low + least, high + most
    tables = feature.lookups
    if tables is not None:
        for _, rows in tables.columns(len(feature.fluents)):
            low, high = low + float(rows.min()), high + float(rows.max())
    return low, high


def _sums(weights: list[float]) -> tuple[float, float]:
    """Return the sum of all weights below 0, and that of all above."""
    return sum(w for w in weights if w < 0), sum(w for w in weights if w > 0)

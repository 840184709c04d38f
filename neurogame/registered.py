"""What other packages register with this one, by entry points."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Protocol, TypeVar

from neurogame.errors import NeurogameWarning


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Thing = TypeVar("Thing", bound=_Named)


def with_registered(ours: Mapping[str, Thing], group: str, wanted: type[Thing]) -> dict[str, Thing]:
    """Return things by name: those of this package, and behind them those of other packages.

    What cannot be imported, is not of the type, bears another name than its entry point, or one
    that is taken, is left out with a warning.

    Args:
        ours: what this package has, by name.
        group: of entry points.
        wanted: the type of what they lead to.
    """
    things = dict(ours)
    for point in entry_points(group=group):
        try:
            thing = point.load()
            if not isinstance(thing, wanted) or thing.name != point.name or point.name in things:
                raise TypeError(f"it is {thing!r}")
            things[point.name] = thing
        except Exception as error:
            # Whatever another package does: it must not keep all others from working.
            warnings.warn(
                f"{group}: {point.name!r} at {point.value} cannot be had, and is left out: {error}",
                NeurogameWarning,
                stacklevel=2,
            )
    return things

"""Where an evaluator comes from: its game, and its weights before learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from torch import Tensor

from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Origin:
    """What an evaluator is not computed from, but people want to know.

    Copies of an evaluator share it.

    Attributes:
        game: the game whose states are valued.
        initial: the evaluator's tensors before any learning, by name; empty: not known.
    """

    game: Game
    initial: Mapping[str, Tensor] = field(default_factory=dict)

    def __deepcopy__(self, _: dict[int, Any]) -> Origin:
        return self

"""What trials of earlier matches came to, kept for each structural signature.

So the same game under other names is not tried from the beginning, and what has surely lost is not
made again. What self-play has taught goes by another name whenever it has learned more, so that no
former weights speak for, or against, later ones.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Any, final

from neurogame.files import write_text
from neurogame.players.race import Racer
from neurogame.simulate.game import Game
from neurogame.simulate.game_file import game_file

_NAME = "trials-1"
"""Its number changes whenever the rounds of former versions say nothing of the present one."""
_MOST = 40
"""Rounds that are kept of each candidate, the latest ones."""


@final
class TrialMemory:
    """Rounds of all trials of a game so far, against the plain tree search.

    Attributes:
        rounds: what candidates have made of each round, 0..1, oldest first, by name.
    """

    def __init__(self, game: Game) -> None:
        """Read what is kept; what is not there, or damaged, counts as none.

        Args:
            game: the game, under whatever names.
        """
        self._path = game_file(game, _NAME, "json")
        self.rounds: dict[str, list[float]] = {}
        if self._path is not None:
            with contextlib.suppress(OSError, ValueError):
                self.rounds = _checked(json.loads(self._path.read_text()))

    def keep(self, racers: Sequence[Racer]) -> None:
        """Keep the rounds of candidates; no error if nothing can be written.

        Args:
            racers: with all rounds, former ones included.
        """
        played = {racer.name: racer.rounds[-_MOST:] for racer in racers if racer.rounds}
        if self._path is None or not played:
            return
        self.rounds |= played
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self._path, json.dumps(self.rounds))


def _checked(contents: Any) -> dict[str, list[float]]:
    """Return what a file holds.

    Raises:
        ValueError: it is something else.
    """
    try:
        return {name: [float(score) for score in rounds] for name, rounds in contents.items()}
    except (AttributeError, TypeError) as error:
        raise ValueError("no rounds") from error

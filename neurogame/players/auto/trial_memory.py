"""What trials of earlier matches came to, kept for each structural signature.

So the same game under other names is not tried from the beginning, and what has surely lost is not
made again. What self-play has taught goes by another name whenever it has learned more, so that no
former weights speak for, or against, later ones.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
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
    """Rounds of all trials of a game so far, by the baseline and the candidate."""

    def __init__(self, game: Game) -> None:
        """Read what is kept; what is not there, or damaged, counts as none.

        Args:
            game: the game, under whatever names.
        """
        self._path = game_file(game, _NAME, "json")
        self._rounds: dict[str, dict[str, list[float]]] = {}
        if self._path is not None:
            with contextlib.suppress(OSError, ValueError):
                self._rounds = _checked(json.loads(self._path.read_text()))

    def rounds(self, first: str) -> Mapping[str, Sequence[float]]:
        """Return the rounds that candidates have played, by name.

        Args:
            first: the player string of the baseline.
        """
        return self._rounds.get(first, {})

    def keep(self, first: str, racers: Sequence[Racer]) -> None:
        """Keep the rounds of candidates; no error if nothing can be written.

        Args:
            first: the player string of the baseline.
            racers: with all rounds, former ones included.
        """
        if self._path is None or not any(racer.rounds for racer in racers):
            return
        known = self._rounds.setdefault(first, {})
        known |= {racer.name: racer.rounds[-_MOST:] for racer in racers if racer.rounds}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self._path, json.dumps(self._rounds))


def _checked(found: Any) -> dict[str, dict[str, list[float]]]:
    """Return what a file holds.

    Raises:
        ValueError: it is something else.
    """
    try:
        return {
            first: {name: [float(own) for own in rounds] for name, rounds in known.items()}
            for first, known in found.items()
        }
    except (AttributeError, TypeError) as error:
        raise ValueError("no rounds") from error

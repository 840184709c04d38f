"""Learning in a start clock, kept from match to match.

There is one checkpoint for each structural signature, in the folder of the cache: the same game
under other names finds it, and goes on learning from where the last match left it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.learn.checkpoint import empty_checkpoint, load_checkpoint, save_checkpoint
from neurogame.learn.counters import Counters
from neurogame.learn.mapped_evaluator import at_home, map_evaluator
from neurogame.learn.timed_learning import TimedLearning, is_too_slow, learn_until
from neurogame.learn.weights import copied_weights
from neurogame.simulate.game import Game
from neurogame.simulate.game_file import game_file

_NAME = "self-taught-1"
"""Its number changes whenever what is learned is to be learned anew."""
_STEP = 1_000_003


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Taught:
    """What a start clock has taught.

    Attributes:
        evaluator: of the game under the names of this match.
        games: of self-play in this start clock, at least 1.
        earlier: those of earlier ones that it goes on from.
    """

    evaluator: Evaluator
    games: int
    earlier: int

    def __str__(self) -> str:
        """Return a line for people."""
        before = f", after {self.earlier:,} before earlier matches" if self.earlier else ""
        return f"learned from {self.games:,} games with itself{before}"


def learn_in_start_clock(
    game: Game, seconds: float, until: float, *, seed: int, cores: int = 1
) -> Taught | None:
    """Learn a game by self-play, or go on with what was learned before earlier matches.

    Args:
        game: the game, under whatever names.
        seconds: that there are until then, for telling what is too large.
        until: when to end, as ``time.monotonic`` tells it.
        seed: decides the games.
        cores: processor cores to play on.

    Returns:
        None if the game is too large, or no game of self-play ends in time.
    """
    if is_too_slow(game, seconds):
        return None
    path = game_file(game, _NAME, "pt")
    home, begun, steps, earlier = game, None, None, 0
    if path is not None:
        # What is not there, or damaged, is learned from the beginning.
        with contextlib.suppress(CheckpointError):
            held = load_checkpoint(path)
            found, own = at_home(held.evaluator(game), game)
            if isinstance(found, PartsEvaluator):
                home, begun, steps = own, found, held.buffer
                earlier = int(held.counters.get("matches", 0))
    learned = learn_until(
        home, until, begun=begun, steps=steps, seed=seed + _STEP * (earlier > 0), cores=cores
    )
    if learned is None:
        return None
    if path is not None:
        _keep(path, home, learned, earlier)
    evaluator: Evaluator = learned.evaluator
    if home is not game:
        evaluator = map_evaluator(evaluator, home, game)
    return Taught(evaluator=evaluator, games=learned.games, earlier=earlier)


def _keep(path: Path, home: Game, learned: TimedLearning, earlier: int) -> None:
    """Write what was learned; no error if nothing can be written."""
    weights = copied_weights(learned.evaluator)
    found = replace(
        empty_checkpoint(home),
        description=learned.evaluator.describe(),
        weights=weights,
        initial_weights=weights,
        buffer=dict(learned.steps),
        counters=Counters(matches=earlier + learned.games).to_json(),
    )
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        save_checkpoint(path, found)

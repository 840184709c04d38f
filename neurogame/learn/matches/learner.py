"""Learning across matches: from what a player and its opponents did, after each match.

*Reference:* Michulke and Thielscher, "Neural networks for state evaluation in general game
playing" (2009), section 5: players that learn after every match.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import final

import numpy as np
import torch

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import KIND, RulesNetwork
from neurogame.files import lock_file, writing
from neurogame.graph.groups import group_starts
from neurogame.kernels.self_play.recorded import GamesToLearn, learn_recorded, value_recorded
from neurogame.learn.checkpoints.checkpoint import (
    Checkpoint,
    empty_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from neurogame.learn.checkpoints.weights import copied_weights, part_of
from neurogame.learn.counters import Counters
from neurogame.learn.learning_state import learning_of, learning_state, restore_learning
from neurogame.learn.matches.config import MatchLearning
from neurogame.learn.matches.replay import LearnedMatch, MatchReplay
from neurogame.learn.matches.start import starting_network
from neurogame.native.entries import entry
from neurogame.native.struct import array_of
from neurogame.search.packing import state_words
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import map_game
from neurogame.version import __version__

_LEARNING, _REPLAY = "matches.learning.", "matches.replay."


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class PlayedMatch:
    """A match, as a player saw it, of the game that the learner knows.

    Attributes:
        states: its states in order, the last one where it ended; at least one.
        values: what the player's searches found, 0..1 per role, by state.
    """

    states: Sequence[State]
    values: Mapping[State, tuple[float, ...]] = field(default_factory=dict)


@final
class MatchLearner:
    """Learns from matches into a file; not for several threads at once.

    Several learners, of one process or of several, may share a file: each takes the newest weights
    before it learns, and they learn one after the other.

    Attributes:
        path: the file, a checkpoint.
        mapping: from the game that it knows, which is the file's, to the given one.
        evaluator: to play with; of the game that it knows. Weights change in place, and only in
            :meth:`learn` and :meth:`refresh`.
        counters: matches and plies learned from, and updates of the weights.
    """

    def __init__(
        self,
        path: Path | str,
        game: Game,
        start: Callable[[], Evaluator | Checkpoint],
        config: MatchLearning | None = None,
    ) -> None:
        """Go on with a file, or begin; nothing is written before something has been learned.

        Args:
            path: a checkpoint, or where one shall be; its folder must exist.
            game: to be played; it may be the checkpoint's under other names.
            start: returns what to begin with where there is no file: an evaluator of the game, or
                a checkpoint.
            config: how to learn.

        Raises:
            CheckpointError: the file is damaged, or of another game, or has no folder.
            ConfigurationError: what is to learn cannot.
        """
        self.path, self.config = Path(path), config or MatchLearning()
        self.counters = Counters()
        self._replay = MatchReplay(self.config.positions)
        self._waiting: list[PlayedMatch] = []
        self._seen: tuple[int, ...] | None = None
        self._parent: str | None = None
        if not self.path.parent.is_dir():
            raise CheckpointError(
                f"{self.path}: there is no folder {self.path.parent} to learn into; make it"
            )
        self._seen = _stamp(self.path)
        held = self._load() if self._seen is not None else None
        source = held or start()
        self._base = source if isinstance(source, Checkpoint) else None
        self._own = game if self._base is None else self._base.game()
        try:
            self.mapping = map_game(self._own, game)
        except CheckpointError as error:
            raise CheckpointError(
                f"{self.path}: cannot learn {game.name} into it: {error}, or learn into another "
                "file"
            ) from None
        begun = source.evaluator(self._own) if isinstance(source, Checkpoint) else source
        self.evaluator: RulesNetwork = starting_network(self._own, begun)
        self._initial = copied_weights(self.evaluator)
        # Compiled now: at the end of a match there may be little time.
        self._value, self._learn_all = entry(value_recorded), entry(learn_recorded)
        self._learning = learning_of(self.evaluator, self.config.steps)
        if self._base is not None:
            self._take(self._base)

    def observe(self, match: PlayedMatch) -> None:
        """Take a match to learn from; matches of one state hold nothing to learn."""
        if len(match.states) > 1:
            self._waiting.append(match)

    def learn(self) -> None:
        """Learn from what was observed and from earlier matches, and save, all or nothing.

        Raises:
            CheckpointError: the file cannot be had, or has become that of something else; what
                was observed waits for the next time.
            ConfigurationError: it cannot be written.
        """
        if not self._waiting:
            return
        where = writing(str(self.path), "learn into another file")
        with where, _only_one(self.path, self.config.patience):
            self.refresh()
            waiting, self._waiting = self._waiting, []
            began = time.perf_counter()
            for match in waiting:
                self._learn(match)
            self.counters.updates = self._learning.steps
            self.counters.seconds += time.perf_counter() - began
            self.save()

    def refresh(self) -> None:
        """Take the file's weights, if another player has learned into it since.

        Raises:
            CheckpointError: it is damaged, or has become that of something else.
        """
        stamp = _stamp(self.path)
        if stamp is not None and stamp != self._seen:
            self._take(self._load())
            self._seen = stamp

    def save(self) -> None:
        """Write the file; at no moment is there half of one."""
        game, learning = self._own, learning_state(self._learning)
        base = self._base or empty_checkpoint(game)
        kept = {f"{_LEARNING}{name}": tensor for name, tensor in learning.items()}
        kept |= {f"{_REPLAY}{name}": tensor for name, tensor in self._replay.state().items()}
        checkpoint = replace(
            base,
            description=self.evaluator.describe(),
            weights=copied_weights(self.evaluator),
            initial_weights=self._initial,
            optimiser=None,
            buffer=kept,
            counters=asdict(self.counters),
            parent=self._parent,
            created_by=__version__,
        )
        save_checkpoint(self.path, checkpoint)
        self._seen = _stamp(self.path)

    def _load(self) -> Checkpoint:
        """Read the file."""
        held = load_checkpoint(self.path)
        if held.optimiser is not None or (held.buffer is not None and not _is_of_matches(held)):
            raise CheckpointError(
                f"{self.path}: a training run goes on from this file, which learning from matches "
                f"would end; learn into another one, as in alphabeta:{self.path},learn=my.pt"
            )
        return held

    def _take(self, held: Checkpoint) -> None:
        """Take weights and all else from a checkpoint of the same game."""
        game = self._own
        if (held.roles, held.fluents) != (list(game.roles), list(game.fluents)):
            raise CheckpointError(
                f"{self.path}: it has been replaced by a checkpoint of {held.game_name}, under "
                "other names at least; give every player a file of its own"
            )
        if held.description.get("kind") == KIND:
            if held.description != self.evaluator.describe():
                raise CheckpointError(
                    f"{self.path}: it has been replaced by another evaluator of "
                    f"{held.game_name}; give every player a file of its own"
                )
            self.evaluator.load_state_dict(held.weights)
            self._initial = held.initial_weights
        if not _is_of_matches(held):
            # It was trained otherwise: its weights are the beginning.
            self._parent = held.hash
            return
        assert held.buffer is not None
        restore_learning(self._learning, part_of(held.buffer, _LEARNING))
        self._replay.restore(part_of(held.buffer, _REPLAY))
        self.counters, self._parent = Counters(**held.counters), held.parent

    def _learn(self, match: PlayedMatch) -> None:
        """Learn from a match and from some earlier ones, the new one last."""
        number = self.counters.matches
        new = self._valued(match)
        random = np.random.default_rng((self.config.steps.seed, number))
        matches = [*self._replay.draw(self.config.replayed, random), new]
        self._learn_all(self._recorded(matches, random))
        self._replay.add(new)
        self.counters.matches = number + 1
        self.counters.plies += len(new.states)

    def _valued(self, match: PlayedMatch) -> LearnedMatch:
        """Return the positions of a match with their targets.

        The value of a position is what the player's search found there. Where it did not search,
        it is the present value of the state that followed: a look one ply ahead, at the move that
        was made.
        """
        held = torch.stack([state.fluents for state in match.states])
        with torch.no_grad():
            values = self.evaluator(held).float().numpy()
        last = match.states[-1]
        if last.is_terminal:
            values[-1] = [0.0 if goal is None else goal / 100 for goal in last.goals]
        searched = values[1:].copy()
        for place, state in enumerate(match.states[:-1]):
            value = np.array(match.values.get(state, ()), np.float32)
            if len(value) and bool(np.isfinite(value).all()):
                searched[place] = value.clip(0, 1)
        match_ = LearnedMatch(
            states=np.stack([state_words(row.numpy()) for row in held[:-1]]),
            targets=np.zeros_like(searched),
        )
        games = self._recorded([match_], np.random.default_rng(0))
        array_of(games, "searched")[:] = searched
        array_of(games, "goals")[0] = values[-1]
        array_of(games, "ended")[0] = int(last.is_terminal)
        self._value(games)
        targets = array_of(games, "targets").copy()
        return LearnedMatch(states=match_.states, targets=targets)

    def _recorded(
        self, matches: Sequence[LearnedMatch], random: np.random.Generator
    ) -> GamesToLearn:
        """Return matches for compiled code."""
        lengths = [len(match.states) for match in matches]
        rows, roles = sum(lengths), len(self._own.roles)
        images = self.evaluator.layout.images.shape[1]
        return GamesToLearn(
            learning=self._learning,
            states=np.concatenate([match.states for match in matches]),
            modes=np.zeros(rows, np.int32),
            searched=np.zeros((rows, roles), np.float32),
            cut=np.zeros(rows, np.uint8),
            goals=np.zeros((len(matches), roles), np.float32),
            ended=np.ones(len(matches), np.uint8),
            targets=np.concatenate([match.targets for match in matches]),
            first=group_starts(np.array(lengths, np.int64)),
            image=random.integers(images, size=len(matches)),
            lambda_=self.config.steps.lambda_,
        )


def _is_of_matches(held: Checkpoint) -> bool:
    return held.buffer is not None and f"{_LEARNING}numbers" in held.buffer


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what changes whenever a file is replaced; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


@contextmanager
def _only_one(path: Path, patience: float) -> Iterator[None]:
    """Keep all others, threads and processes, from learning into a file.

    Raises:
        CheckpointError: another one has kept it for too long.
    """
    end = time.monotonic() + patience
    with path.with_name(f".{path.name}.lock").open("ab") as file:
        while not lock_file(file, wait=False):
            if time.monotonic() > end:
                raise CheckpointError(
                    f"{path}: another player has been learning into it for {patience:g} "
                    "seconds; give every player a file of its own"
                )
            time.sleep(0.02)
        yield

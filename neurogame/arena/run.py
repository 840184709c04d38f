"""Runs an arena: plays what is missing, keeps every match, and adds up the results."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import final

from tqdm import tqdm

from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.crosstable import Crosstable, slot_key
from neurogame.arena.drive import MatchFailed, drive
from neurogame.arena.fingerprint import fingerprint
from neurogame.arena.folder import ArenaFolder
from neurogame.arena.rounds import best_goal
from neurogame.arena.schedule import Slot
from neurogame.arena.settings import ArenaSettings
from neurogame.arena.worker import openings_of, play_slot, table
from neurogame.errors import CheckpointError, NeurogameError, PlayerError
from neurogame.players.record import MatchRecord
from neurogame.players.spec import PlayerSpec
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game
from neurogame.torch_threads import one_torch_thread
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace, open_workplace


@final
class ArenaError(NeurogameError, RuntimeError):
    """An arena could not go on; the text says why.

    Attributes:
        result: the results of what was played until then.
    """

    def __init__(self, message: str, result: ArenaResult) -> None:
        """Note what is left.

        Args:
            message: one message for the user.
            result: the results so far.
        """
        super().__init__(message)
        self.result = result


def run_arena(
    settings: ArenaSettings,
    *,
    workers: WorkerSettings | None = None,
    workplace: Workplace | None = None,
    output: Path | str | None = None,
    progress: bool = False,
    on_match: Callable[[Slot, MatchRecord], None] | None = None,
) -> ArenaResult:
    """Let all players meet in all games under all limits.

    The result does not depend on the workers, as long as no limit is in seconds; what a worker
    that dies was playing is played again by another one. Ctrl-C ends the arena; what was played
    until then is returned, marked as interrupted.

    With several workers a script must guard its own work by ``if __name__ == "__main__":``,
    because each new process reads it once.

    Args:
        settings: what is measured.
        workers: where matches are played; None: in this thread. More local workers than the
            machine has cores would take time from players with limits in seconds.
        workplace: the same, already open, such as for several arenas with the same workers; it
            comes before ``workers``.
        output: folder in which every match is kept as soon as it is over. If there are matches
            of the same settings already, the arena goes on with the missing ones.
        progress: whether to show a progress bar on standard error.
        on_match: called with the place and the record of every newly finished match.

    Raises:
        ConfigurationError: the folder holds another arena, or the cluster cannot be used.
        GameError: there are fewer players than roles.
        ArenaError: a player raised an error, or workers died over a match; the others are kept.
        NeurogameError: a game or player cannot be made.
    """
    try:
        version = str(values := fingerprint(settings))
        crosstable = _prepared(settings, version)
        with one_torch_thread(), contextlib.ExitStack() as stack:
            folder = None if output is None else ArenaFolder(Path(output), values)
            if folder is not None:
                stack.callback(folder.close)
                plan = {slot_key(slot): slot for slot in crosstable.all_slots()}
                for slot, record in folder.played(plan):
                    crosstable.add(slot, record)
            if workplace is None:
                workplace = stack.enter_context(open_workplace(workers))
            hall = _Hall(settings, version, crosstable, folder, workplace, on_match)
            return hall.run(progress)
    finally:
        table.cache_clear()
        openings_of.cache_clear()


def _check_learning(games: Sequence[Game], players: Sequence[str]) -> None:
    """Refuse players that would learn several games into one file: it is found out after the first.

    Raises:
        PlayerError: there is such a player.
    """
    for text in players:
        path = PlayerSpec.parse(text).own.learn
        for other in games[1:] if path else ():
            try:
                map_game(games[0], other)
            except CheckpointError:
                raise PlayerError(
                    f"player {text}: learn={path} holds one game, and there are {games[0].name} "
                    f"and {other.name}; measure one after the other, each with a file of its own"
                ) from None


def _prepared(settings: ArenaSettings, version: str) -> Crosstable:
    """Make every game and player once, so that mistakes and warnings come at the beginning."""
    games = [
        table(name, settings.players, settings.seed, version, prover=settings.prover)[0]
        for name in settings.games
    ]
    _check_learning(games, settings.players)
    counts = Counter(game.name for game in games)
    names = [
        game.name if counts[game.name] == 1 else given
        for game, given in zip(games, settings.games, strict=True)
    ]
    roles = [len(game.players) for game in games]
    return Crosstable(settings, names, roles, [best_goal(game) for game in games])


@final
@dataclass(eq=False)
class _Hall:
    """An arena in progress."""

    settings: ArenaSettings
    version: str
    crosstable: Crosstable
    folder: ArenaFolder | None
    workplace: Workplace
    on_match: Callable[[Slot, MatchRecord], None] | None
    bar: tqdm[None] = field(default_factory=lambda: tqdm(disable=True))
    handed: int = 0
    over: int = 0

    def run(self, progress: bool) -> ArenaResult:
        """Play what is missing and return the results."""
        with self._shown(progress):
            try:
                drive(
                    self._handed_out(),
                    partial(play_slot, self.settings, self.version),
                    self._collect,
                    self.workplace,
                )
            except KeyboardInterrupt:
                pass
            except MatchFailed as error:
                raise self._stopped(self._blame(error)) from error
            except BrokenExecutor as error:
                raise self._stopped(
                    f"workers died over a match, or cannot be reached ({error}); probably memory "
                    "ran out or a compiled library crashed: try fewer --workers"
                ) from error
        return self._finished()

    @contextlib.contextmanager
    def _shown(self, progress: bool) -> Iterator[None]:
        """Show a progress bar."""
        total = sum(1 for _ in self.crosstable.all_slots())
        missing = sum(1 for _ in self.crosstable.open_slots())
        with tqdm(
            total=total,
            initial=total - missing,
            unit="match",
            # None: only where somebody looks.
            disable=None if progress else True,
            file=sys.stderr,
            dynamic_ncols=True,
        ) as self.bar:
            yield

    def _handed_out(self) -> Iterator[Slot]:
        """Give what is missing, and count what somebody has taken."""
        for slot in self.crosstable.open_slots():
            self.handed += 1
            # Until the first match is over, which may take long, nothing else would say so.
            if not self.over and (workers := self._workers()):
                self.bar.set_postfix_str(workers)
            yield slot

    def _workers(self) -> str:
        """Return what the bar says of workers; nothing where this thread plays."""
        workers = self.workplace.joined
        under_way = self.handed - self.over
        return "" if workers is None else f"workers={workers}, under way={under_way}"

    def _collect(self, slot: Slot, record: MatchRecord) -> None:
        """Keep a finished match."""
        self.over += 1
        if self.folder is not None:
            self.folder.append(slot, record)
        concerned = self.crosstable.add(slot, record)
        self.bar.set_description_str(self.crosstable.title(slot), refresh=False)
        standing = [self.crosstable.standing(slot), self._workers()]
        self.bar.set_postfix_str(", ".join(filter(None, standing)), refresh=False)
        self.bar.update()
        if any(tally.decided for tally in concerned):
            missing = sum(1 for _ in self.crosstable.open_slots())
            self.bar.total = self.bar.n + missing
        if self.on_match is not None:
            self.on_match(slot, record)

    def _blame(self, error: MatchFailed) -> str:
        """Return which match could not be played, and why."""
        labels = self.settings.labels
        who = " against ".join(labels[player] for player in error.slot.seats)
        return (
            f"{self.crosstable.title(error.slot)}, {who}, seed {error.slot.seed}: "
            f"{error.failure.message}"
        )

    def _stopped(self, message: str) -> ArenaError:
        """Return the error that ends the arena, after writing what there is."""
        result = self._finished()
        kept = "" if self.folder is None else f"; finished matches are kept in {self.folder.path}"
        return ArenaError(message + kept, result)

    def _opening_note(self, game: int, plies: int, blocks: int) -> str:
        """Return what there is to say about the openings of a game."""
        rules = self.settings.games[game]
        openings = openings_of(
            rules, plies, self.settings.seed, self.version, prover=self.settings.prover
        )
        return openings.note(blocks)

    def _finished(self) -> ArenaResult:
        """Return the results, written if there is a folder."""
        result = self.crosstable.result(self._opening_note)
        if self.folder is not None:
            self.folder.write_result(result)
        return result

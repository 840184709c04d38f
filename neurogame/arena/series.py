"""Many matches between given players in this process: an arena of one pairing."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from tqdm import tqdm

from neurogame.arena.drive import drive
from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.rounds import best_goal
from neurogame.arena.schedule import Slot, slots
from neurogame.arena.tally import PairingTally
from neurogame.bars import bar_stream
from neurogame.errors import ConfigurationError
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings, check_players
from neurogame.players.player import Player
from neurogame.players.record import MatchRecord
from neurogame.search.openings import Openings
from neurogame.settings import check_kind, whole
from neurogame.simulate.game import Game, game_of
from neurogame.workers.workplace import InlineExecutor, Workplace


def play_series(
    game: Game | str | Path,
    players: Sequence[Player],
    matches: int,
    seed: int = 0,
    *,
    settings: MatchSettings | None = None,
    progress: bool = False,
    on_match: Callable[[int, MatchRecord], None] | None = None,
) -> PairingResult:
    """Play many matches.

    Matches come in blocks (pairs, for two roles) with one common seed and opening, in which every
    player plays every role once. Ctrl-C ends the series; what was played until then is returned.
    :func:`neurogame.arena.run.run_arena` plays the same matches, from player strings, with
    several workers, and can be resumed.

    Args:
        game: the game, or its name or path.
        players: one per role that somebody plays: none for chance.
        matches: number of matches; best a multiple of the block's size.
        seed: decides everything, players included; at least 0.
        settings: the conditions of each match.
        progress: whether to show a progress bar on standard error.
        on_match: called with the number and the record of every finished match.

    Raises:
        GameError: there are more or fewer players than roles, or one plays two of them.
        ConfigurationError: fewer than one match, or a seed below 0.
    """
    loaded = game_of(game)
    check_players(loaded.name, loaded.roles, players)
    for name, value, least in (("matches", matches, 1), ("seed", seed, 0)):
        if whole(value, name) < least:
            raise ConfigurationError(f"{name}={value}; at least {least} is needed")
    chosen = settings or MatchSettings()
    check_kind(chosen, MatchSettings, "settings", "MatchSettings(max_plies=200)")
    openings = Openings(loaded, chosen.opening_plies, seed)

    def play(slot: Slot) -> MatchRecord:
        seated = [players[number] for number in slot.seats]
        return play_match(
            loaded, seated, seed=slot.seed, settings=chosen, opening=openings[slot.block]
        )

    tally = PairingTally(range(len(players)), len(players), matches, best=best_goal(loaded))
    _play(tally, play, matches, seed, progress=progress, on_match=on_match)
    names = [player.name for player in players]
    note = openings.note(tally.blocks)
    return tally.result(loaded.name, str(chosen.limit), names, seed, opening_note=note)


def _play(
    tally: PairingTally,
    play: Callable[[Slot], MatchRecord],
    matches: int,
    seed: int,
    *,
    progress: bool,
    on_match: Callable[[int, MatchRecord], None] | None,
) -> None:
    """Play all matches of a series, or those until Ctrl-C, and add them up."""
    numbers = itertools.count()
    bar: tqdm[None]

    def collect(slot: Slot, record: MatchRecord) -> None:
        if record.ending == "abandoned":
            raise KeyboardInterrupt
        tally.add(slot, record)
        bar.set_postfix_str(tally.progress(), refresh=False)
        bar.update()
        if on_match is not None:
            on_match(next(numbers), record)

    players = len(tally.players)
    plan = slots(players, players, matches, seed)
    with (
        tqdm(total=matches, unit="match", disable=not progress, file=bar_stream()) as bar,
        contextlib.suppress(KeyboardInterrupt),
    ):
        drive(plan, play, collect, Workplace(InlineExecutor()))

"""Plays one match: asks the players, checks their moves and clocks, keeps the record."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import final

import numpy as np

from neurogame.players.match_settings import CLOCK_SHARE, MatchSettings, check_players
from neurogame.players.player import MatchAbandoned, Observer, Player, last_search
from neurogame.players.random_player import RandomPlayer
from neurogame.players.record import Ending, MatchRecord
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.openings import Opening, Openings
from neurogame.search.result import add_work
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, State, game_of
from neurogame.splitmix import seed_word


def play_match(
    game: Game | str | Path,
    players: Sequence[Player],
    limit: Limit | None = None,
    seed: int = 0,
    *,
    settings: MatchSettings | None = None,
    opening: Opening | None = None,
) -> MatchRecord:
    """Play one match.

    All roles choose at the same time from the same state, in turn-taking games too: a role that
    has nothing to decide has a single legal move, which is played without asking its player.
    The same seed and deterministic players give the same match.

    Args:
        game: the game, or its name or path.
        players: one player per role, in role order; chance has none, as the match itself plays
            it uniformly at random.
        limit: how long to think per move; replaces the one in ``settings``.
        seed: decides the opening, replaced moves, and the seeds given to the players.
        settings: all other conditions.
        opening: joint moves at the start; None: as the settings and the seed say.

    Raises:
        GameError: there are more or fewer players than roles, or one plays two of them.
    """
    game = game_of(game)
    check_players(game.name, game.roles, players)
    if game.chance is not None:
        players = [*players[: game.chance], RandomPlayer(), *players[game.chance :]]
    settings = settings or MatchSettings()
    check_kind(settings, MatchSettings, "settings", "MatchSettings(max_plies=200)")
    if limit is not None:
        settings = replace(settings, limit=limit)
    match = _Match(game, players, seed, settings, opening)
    try:
        match.start()
        match.play()
    finally:
        for player in players:
            player.stop()
    match.look_back()
    return match.record()


@final
class _Match:
    """A match in progress."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: int,
        settings: MatchSettings,
        opening: Opening | None,
    ) -> None:
        self._game = game
        self._players = players
        self._seed = seed
        self._settings = settings
        self._limit = settings.thinking
        match_seed, *seeds = (
            np.random.SeedSequence(seed_word(seed)).generate_state(1 + len(players)).tolist()
        )
        self._random = np.random.default_rng(match_seed)
        self._player_seeds: list[int] = seeds
        self._state = game.initial_state()
        self._states = [self._state]
        self._moves: list[tuple[str, ...]] = []
        self._opening = opening
        self._ending: Ending = "terminal"
        roles = len(players)
        self._start_seconds = [0.0] * roles
        self._decisions = [0] * roles
        self._move_seconds = [0.0] * roles
        self._slowest = [0.0] * roles
        self._work: list[dict[str, float]] = [{} for _ in range(roles)]
        self._start_timeouts = [0] * roles
        self._timeouts = [0] * roles
        self._illegal = [0] * roles

    def start(self) -> None:
        """Start all players."""
        clock = self._settings.start_clock
        seconds = None if clock is None else CLOCK_SHARE * clock
        for role, (player, seed) in enumerate(zip(self._players, self._player_seeds, strict=True)):
            began = time.perf_counter()
            with self._blame(role):
                player.start(MatchStart(self._game, role, seed, seconds, self._limit))
            self._start_seconds[role] = time.perf_counter() - began
            self._start_timeouts[role] = int(
                clock is not None and self._start_seconds[role] > clock
            )

    def play(self) -> None:
        """Play to the end."""
        if self._opening is None:
            self._opening = Openings(self._game, self._settings.opening_plies, self._seed)[0]
        for joint in self._opening:
            self._advance(joint)
        while not self._state.is_terminal:
            if len(self._moves) >= self._settings.max_plies:
                self._ending = "step limit"
                return
            if not all(self._state.legal_moves):
                self._ending = "stuck"
                return
            try:
                self._advance([self._ask(role) for role in range(len(self._players))])
            except MatchAbandoned:
                self._ending = "abandoned"
                return

    def _ask(self, role: int) -> int:
        """Return the move of one role, replaced where its player fails."""
        legal = self._state.legal_moves[role]
        if len(legal) == 1:
            return legal[0]
        # Drawn whether it is needed or not: one failure must not change the later draws.
        substitute = int(self._random.choice(legal))
        began = time.perf_counter()
        with self._blame(role):
            move = self._players[role].choose(self._state, self._limit)
        seconds = time.perf_counter() - began
        self._decisions[role] += 1
        if (last := last_search(self._players[role])) is not None:
            add_work(self._work[role], last.work)
        self._move_seconds[role] += seconds
        self._slowest[role] = max(self._slowest[role], seconds)
        clock = self._settings.play_clock
        if clock is not None and seconds > clock:
            self._timeouts[role] += 1
            return substitute
        if move not in legal:
            self._illegal[role] += 1
            return substitute
        return move

    @contextmanager
    def _blame(self, role: int) -> Iterator[None]:
        """Note on a player's error whose it is and when it came."""
        try:
            yield
        except Exception as error:
            name, part = self._players[role].name, self._game.roles[role]
            error.add_note(f"player {name} as {part} after {len(self._moves)} plies")
            raise

    def _advance(self, joint: Sequence[int]) -> None:
        """Make a joint move."""
        names = zip(self._game.moves, joint, strict=True)
        self._moves.append(tuple(moves[move] for moves, move in names))
        self._state = self._state.next(joint)
        self._states.append(self._state)

    def look_back(self) -> None:
        """Show the match to the players that want to see it."""
        states = self._states[len(self._opening or ()) :]
        for role, player in enumerate(self._players):
            if isinstance(player, Observer):
                with self._blame(role):
                    player.observe(states)

    def record(self) -> MatchRecord:
        """Return what happened."""
        states: tuple[State, ...] = tuple(self._states)
        return MatchRecord(
            game=self._game.name,
            roles=tuple(self._game.roles),
            players=tuple(player.name for player in self._players),
            seed=self._seed,
            opening_plies=len(self._opening or ()),
            moves=tuple(self._moves),
            goals=tuple(0.0 if goal is None else float(goal) for goal in self._state.goals),
            ending=self._ending,
            length=len(self._moves),
            start_seconds=tuple(self._start_seconds),
            decisions=tuple(self._decisions),
            move_seconds=tuple(self._move_seconds),
            slowest_seconds=tuple(self._slowest),
            work=tuple(self._work),
            start_timeouts=tuple(self._start_timeouts),
            timeouts=tuple(self._timeouts),
            illegal_moves=tuple(self._illegal),
            states=(
                tuple(state.fluent_texts for state in states)
                if self._settings.record_states
                else None
            ),
            played=self._game,
        )

"""Plays single matches of an arena, in whatever process."""

from __future__ import annotations

import contextlib
import threading
import traceback
import warnings
from functools import cache, lru_cache

from neurogame.arena.drive import Failure, Outcome
from neurogame.arena.schedule import Slot
from neurogame.arena.settings import ArenaSettings
from neurogame.errors import GameError, NeurogameWarning, on_one_line
from neurogame.players.match import play_match
from neurogame.players.match_settings import named_roles
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.openings import Openings
from neurogame.simulate.game import Game

_LEAST = Limit(nodes=1, depth=1, simulations=1)
_TABLE = threading.RLock()
"""Held by whoever plays: players and openings are kept between matches, and their searches write to
memory that two threads at once would destroy, and the process with it."""


@lru_cache(maxsize=1)
def table(
    rules: str, players: tuple[str, ...], seed: int, version: str, *, prover: bool
) -> tuple[Game, tuple[Player, ...]]:
    """Return a game and the players that can play it, warmed up; the last ones made are kept.

    Args:
        rules: name or path of the rulesheet.
        players: player strings.
        seed: decides random weights of fresh evaluators; each player has its own.
        version: changes when a file changes that the players are made from.
        prover: whether to play without a circuit.

    Raises:
        GameError: there are fewer players than roles.
        NeurogameError: the game or a player cannot be made.
    """
    game = _proved(rules, version) if prover else Game.load(rules)
    if len(players) < len(game.players):
        raise GameError(
            f"{game.name} has {named_roles(game.roles)}, but {len(players)} players were given; "
            "name at least as many (one may be named twice)"
        )
    made = tuple(make_player(text, game, seed + n) for n, text in enumerate(players))
    for player in made:
        _warm_up(game, player)
    return game, made


@lru_cache(maxsize=8)
def openings_of(rules: str, plies: int, seed: int, version: str, *, prover: bool) -> Openings:
    """Return the openings of an arena in one game; the last ones asked for are kept.

    Args:
        rules: name or path of the rulesheet.
        plies: of each.
        seed: of the arena.
        version: see :func:`table`.
        prover: see there.
    """
    return Openings(_proved(rules, version) if prover else Game.load(rules), plies, seed)


@cache
def _proved(rules: str, version: str) -> Game:
    """Return a game without a circuit, always the same one: others number moves differently."""
    return Game.load(rules, prover=True)


def _warm_up(game: Game, player: Player) -> None:
    """Let a player choose once, so that no clock sees the compilation of its search."""
    state = game.initial_state()
    if not all(state.legal_moves):
        return
    role = max(game.players, key=lambda seat: len(state.legal_moves[seat]))
    # What fails here fails in a match, too, and is reported there.
    with contextlib.suppress(Exception):
        player.start(MatchStart(game, role, 0))
        player.choose(state, _LEAST)
    player.stop()


def play_slot(settings: ArenaSettings, version: str, slot: Slot) -> Outcome:
    """Play one match of an arena; in one process matches follow each other, whatever its threads.

    Args:
        settings: what is measured.
        version: see :func:`table`.
        slot: which match.

    Returns:
        What happened; a failure if a player raised an error.
    """
    with _TABLE:
        return _played(settings, version, slot)


def _played(settings: ArenaSettings, version: str, slot: Slot) -> Outcome:
    rules, limit = settings.games[slot.game], settings.limits[slot.limit]
    try:
        with warnings.catch_warnings():
            # Whoever has checked the settings has already seen what there is to say.
            warnings.simplefilter("ignore", NeurogameWarning)
            game, players = table(
                rules, settings.players, settings.seed, version, prover=settings.prover
            )
        conditions = settings.match_settings(limit, len(game.players))
        openings = openings_of(
            rules, conditions.opening_plies, settings.seed, version, prover=settings.prover
        )
        return play_match(
            game,
            [players[number] for number in slot.seats],
            seed=slot.seed,
            settings=conditions,
            opening=openings[slot.block],
        )
    except Exception as error:
        return Failure(on_one_line(error), traceback.format_exc())

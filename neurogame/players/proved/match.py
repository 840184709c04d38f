"""Plays one match without a circuit; its record is that of any other match."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import final

import numpy as np

from neurogame.gdl.terms import Rules, Sentence
from neurogame.players.match_settings import MatchSettings, check_players
from neurogame.players.proved.player import ProofPlayer
from neurogame.players.record import Ending, MatchRecord
from neurogame.prover.game import ProverGame, ProverState

_DRAWS = 100
"""Openings that are drawn until one ends no match."""


def play_proved_match(
    rules: Rules,
    players: Sequence[ProofPlayer],
    seed: int = 0,
    *,
    name: str = "game",
    settings: MatchSettings | None = None,
) -> MatchRecord:
    """Play one match; see :func:`neurogame.players.match.play_match`, its twin on circuits.

    Args:
        rules: of the game; they need not be such that they can be grounded.
        players: one player per role, in role order.
        seed: decides the opening, replaced moves, and the seeds given to the players.
        name: of the game, for the record.
        settings: the conditions; there is no start clock, and nothing proves that an opening is
            not decided.

    Raises:
        GameError: there are more or fewer players than roles.
        RulesError: the rules cannot be proved from, see :class:`~neurogame.prover.game.ProverGame`.
        LimitError: a proof takes too much.
    """
    game = ProverGame(rules)
    check_players(name, game.roles, len(players))
    return _ProvedMatch(game, players, seed, name, settings or MatchSettings()).play()


@final
class _ProvedMatch:
    """A match in progress."""

    def __init__(
        self,
        game: ProverGame,
        players: Sequence[ProofPlayer],
        seed: int,
        name: str,
        settings: MatchSettings,
    ) -> None:
        self._game, self._players, self._seed, self._name = game, players, seed, name
        self._settings = settings
        roles = len(players)
        own, *self._seeds = np.random.SeedSequence(seed).generate_state(1 + roles).tolist()
        self._chance = random.Random(own)
        self._moves: list[tuple[str, ...]] = []
        self._states: list[tuple[str, ...]] = []
        self._decisions, self._timeouts = [0] * roles, [0] * roles
        self._seconds, self._slowest = [0.0] * roles, [0.0] * roles

    def play(self) -> MatchRecord:
        """Play to the end."""
        state = self._opened()
        opening = len(self._moves)
        for role, (player, seed) in enumerate(zip(self._players, self._seeds, strict=True)):
            player.start(self._game.rules, role, seed)
        ending: Ending = "terminal"
        while not self._game.terminal(state):
            if len(self._moves) >= self._settings.max_plies:
                ending = "step limit"
                break
            legal = self._game.choices(state)
            if not all(legal):
                ending = "stuck"
                break
            joint = [self._ask(state, role, own) for role, own in enumerate(legal)]
            state = self._after(state, joint)
        roles = range(len(self._players))
        return MatchRecord(
            game=self._name,
            roles=self._game.roles,
            players=tuple(player.name for player in self._players),
            seed=self._seed,
            opening_plies=opening,
            moves=tuple(self._moves),
            goals=tuple(float(max(self._game.goals(state, role), default=0)) for role in roles),
            ending=ending,
            length=len(self._moves),
            start_seconds=tuple(0.0 for _ in roles),
            decisions=tuple(self._decisions),
            move_seconds=tuple(self._seconds),
            slowest_seconds=tuple(self._slowest),
            start_timeouts=tuple(0 for _ in roles),
            timeouts=tuple(self._timeouts),
            illegal_moves=tuple(0 for _ in roles),
            states=tuple(self._states) if self._settings.record_states else None,
        )

    def _opened(self) -> ProverState:
        """Return the state after the opening; a shorter one where no match lasts that long."""
        for plies in range(self._settings.opening_plies, -1, -1):
            for _ in range(_DRAWS if plies else 1):
                self._moves, self._states = [], []
                state = self._game.initial()
                self._note(state)
                for _ in range(plies):
                    legal = [] if self._game.terminal(state) else self._game.choices(state)
                    if not legal or not all(legal):
                        break
                    state = self._after(state, [self._chance.choice(own) for own in legal])
                if len(self._moves) == plies and not self._game.terminal(state):
                    return state
        return state

    def _ask(self, state: ProverState, role: int, moves: list[Sentence]) -> Sentence:
        """Return the move of one role, replaced where its player is late."""
        if len(moves) == 1:
            return moves[0]
        # Drawn whether it is needed or not: one failure must not change the later draws.
        substitute = self._chance.choice(moves)
        began = time.perf_counter()
        move = self._players[role].choose(state, moves, self._settings.thinking)
        seconds = time.perf_counter() - began
        self._decisions[role] += 1
        self._seconds[role] += seconds
        self._slowest[role] = max(self._slowest[role], seconds)
        clock = self._settings.play_clock
        if clock is not None and seconds > clock:
            self._timeouts[role] += 1
            return substitute
        return move

    def _after(self, state: ProverState, joint: list[Sentence]) -> ProverState:
        self._moves.append(tuple(map(self._game.text, joint)))
        state = self._game.next(state, joint)
        self._note(state)
        return state

    def _note(self, state: ProverState) -> None:
        if self._settings.record_states:
            self._states.append(tuple(sorted(map(self._game.text, state))))

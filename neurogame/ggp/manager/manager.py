"""Runs one match of players that are reached over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import final

import numpy as np

from neurogame.ggp.manager.client import Answer, Call, run_all
from neurogame.ggp.manager.contestant import RANDOM, Contestant, contact, seats
from neurogame.ggp.manager.disguise import Disguise
from neurogame.ggp.manager.history import History
from neurogame.ggp.manager.managed_match import Ending, ManagedMatch
from neurogame.ggp.manager.referee import legal_texts, whole_goals
from neurogame.ggp.manager.settings import ManagerSettings
from neurogame.ggp.manager.tally import PlayerResult
from neurogame.ggp.protocol.messages import (
    Abort,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    message_text,
)
from neurogame.simulate.game import Game
from neurogame.splitmix import seed_word

_ABORT_SECONDS = 1.0


def play_http_match(
    game: Game,
    players: Sequence[str | Contestant],
    settings: ManagerSettings | None = None,
    seed: int = 0,
    *,
    progress: Callable[[str], None] | None = None,
) -> ManagedMatch:
    """Run one match: PREVIEW if wanted, START, PLAY until the end, STOP.

    All players are sent each message at the same time. A move that is missing, late, unreadable
    or illegal is replaced by a random legal one and counted, and the match goes on. Ctrl-C
    aborts the match: the players are told, and the match is returned as far as it came.

    Args:
        game: the game, with a circuit or played by proofs.
        players: one per role, in role order: an address such as ``http://127.0.0.1:9147``, or
            ``random`` for uniformly random legal moves; the role ``random`` may be left out.
            Players given as addresses are first asked whether they are there and free.
        settings: the conditions.
        seed: decides the substitutes for failed moves and the moves of ``random``, at least 0.
        progress: called with a few words whenever the match has moved on.

    Raises:
        GameError: a wrong number of players, or one player twice.
        PlayerError: a player cannot be reached, is busy, or its address is malformed.
    """
    settings = settings or ManagerSettings()
    known = [p if isinstance(p, Contestant) else Contestant.parse(p) for p in players]
    seated = seats(game.roles, known)
    if not all(isinstance(player, Contestant) for player in players):
        seated = contact(seated, settings.patience)
    return _Match(game, seated, settings, seed, progress or _silent).run()


@final
class _Match:
    """A match in progress."""

    def __init__(
        self,
        game: Game,
        seated: Sequence[Contestant],
        settings: ManagerSettings,
        seed: int,
        progress: Callable[[str], None],
    ) -> None:
        self._game, self._seated, self._settings = game, seated, settings
        self._seed, self._progress = seed, progress
        self._disguise = Disguise(
            game.rules,
            scramble_seed=settings.scramble,
            upper_case=settings.upper_case,
            strict=settings.strict,
        )
        sources = np.random.SeedSequence(seed_word(seed)).spawn(2 * len(seated))
        self._substitutes = [np.random.default_rng(s) for s in sources[: len(seated)]]
        self._chances = [np.random.default_rng(s) for s in sources[len(seated) :]]
        self._results = [
            PlayerResult(c.name, str(c.address or RANDOM), role)
            for c, role in zip(seated, game.roles, strict=True)
        ]
        self._state = game.initial_state()
        self._history = History(game.name, self._state, len(seated))
        self._id = self._history.match
        self._interrupted = False

    def run(self) -> ManagedMatch:
        """Play from START to STOP or ABORT."""
        ending: Ending
        try:
            ending = self._play()
        except KeyboardInterrupt:
            self._interrupted = True
            ending = "interrupted"
        except BaseException:
            self._abort()
            raise
        if ending == "terminal":
            self._stop()
        else:
            self._abort()
        goals = whole_goals(self._state) if ending == "terminal" else (None,) * len(self._seated)
        for result, goal in zip(self._results, goals, strict=True):
            result.goal = goal
        results = tuple(self._results)
        return ManagedMatch(
            record=self._history.record(
                self._game, self._settings, self._seated, results, ending, self._seed
            ),
            players=results,
            ending=ending,
            interrupted=self._interrupted,
            seed=self._seed,
        )

    def _play(self) -> Ending:
        """Prepare the players and play to the end."""
        settings = self._settings
        if settings.preview_clock is not None:
            self._progress("preview")
            preview = Preview(self._disguise.rules, settings.preview_clock)
            self._send(lambda role: preview, settings.preview_clock)
        self._start()
        while not self._state.is_terminal:
            if self._history.plies >= settings.max_plies:
                return "step limit"
            legal = legal_texts(self._state)
            if not all(legal):
                return "stuck"
            self._progress(f"ply {self._history.plies + 1}")
            self._advance(legal)
        return "terminal"

    def _start(self) -> None:
        self._progress("start")
        clocks = (self._settings.start_clock, self._settings.play_clock)
        roles = [self._disguise.sent(role) for role in self._game.roles]
        answers = self._send(
            lambda role: Start(self._id, roles[role], self._disguise.rules, *clocks), clocks[0]
        )
        self._history.started(
            tuple(
                "" if answer is None else result.started(answer)
                for result, answer in zip(self._results, answers, strict=True)
            )
        )

    def _advance(self, legal: Sequence[Mapping[str, int]]) -> None:
        """Ask for the moves and make them."""
        message = Play(self._id, self._last_moves())
        answers = self._send(lambda role: message, self._settings.play_clock + self._settings.grace)
        read = [
            self._read(role, tuple(moves), answer)
            for role, (moves, answer) in enumerate(zip(legal, answers, strict=True))
        ]
        joint = tuple(move for move, _ in read)
        state = self._state.next([legal[role][move] for role, move in enumerate(joint)])
        self._history.moved(joint, tuple(error for _, error in read), state)
        self._state = state

    def _read(self, role: int, legal: tuple[str, ...], answer: Answer | None) -> tuple[str, str]:
        """Return the move of one role, and its error for the record."""
        # Drawn whether it is needed or not: one failure must not change the later draws.
        substitute = legal[self._substitutes[role].integers(len(legal))]
        if answer is None:
            return legal[self._chances[role].integers(len(legal))], ""
        ply, result = self._history.plies + 1, self._results[role]
        error = result.moved(answer, ply, self._settings.play_clock)
        if error:
            return substitute, error
        reading = self._disguise.read(answer.text, legal)
        if reading.move is None:
            return substitute, result.illegal(answer.text, reading.shown, ply)
        return reading.move, ""

    def _stop(self) -> None:
        """Tell the players the last joint move; Ctrl-C ends only the wait for their replies."""
        self._progress("stop")
        message = Stop(self._id, self._last_moves())
        try:
            answers = self._send(lambda role: message, self._settings.play_clock)
        except KeyboardInterrupt:
            self._interrupted = True
            return
        for result, answer in zip(self._results, answers, strict=True):
            if answer is not None:
                result.problem("STOP", answer)

    def _abort(self) -> None:
        """Tell the players that the match is over without a result."""
        self._progress("abort")
        with suppress(KeyboardInterrupt):
            self._send(lambda role: Abort(self._id), _ABORT_SECONDS)

    def _last_moves(self) -> tuple[str, ...] | None:
        """Return the last joint move as the players are sent it."""
        joint = self._history.last_joint
        return None if joint is None else tuple(map(self._disguise.sent, joint))

    def _send(self, message: Callable[[int], Message], seconds: float) -> list[Answer | None]:
        """Send each player its message and return the answers; None for the manager's own."""
        calls: list[Call | None] = []
        for role, contestant in enumerate(self._seated):
            if contestant.address is None:
                calls.append(None)
                continue
            text = message_text(message(role))
            if self._settings.upper_case:
                # All is in capitals by now but the name of the match.
                text = text.upper()
            calls.append(
                Call(
                    contestant.address,
                    text,
                    seconds,
                    receiver=contestant.name,
                    strict=self._settings.strict,
                )
            )
        return run_all(calls, seconds)


def _silent(words: str) -> None:
    """Say nothing."""

"""The players that may suit a game: plain search, and both searches with what has been learned."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, final

from neurogame.aside import Aside
from neurogame.errors import NeurogameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kinds import move_kind
from neurogame.judges.moves import MoveJudge
from neurogame.learn.news import blind_loss, news
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.auto.candidate import Candidate
from neurogame.players.belief import (
    UNTRIED,
    USUAL,
    Belief,
    learned_belief,
)
from neurogame.players.gate.uses import (
    ALL_MOVES_USE,
    DECISIVE_USE,
    LEARNED_USE,
    settings_of,
)
from neurogame.players.mcts_player import MctsPlayer
from neurogame.players.race import CAPACITY
from neurogame.players.search_player import Outfit
from neurogame.regress.decisive import avoids_losing, decisive
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.home_search import from_home
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import GameMapping
from neurogame.waiting import during

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint
    from neurogame.learn.self_teaching import SelfTeaching

_MEMORY = 32
"""MiB of an alpha-beta's memory in trials."""
_GATE_SECONDS = {DECISIVE_USE: 2e-4, ALL_MOVES_USE: 5e-5}
"""Seconds that a gate adds to the making of a search with each use, once per game."""
_ADVANTAGES = {"": 0.0, DECISIVE_USE: 0.15, ALL_MOVES_USE: 0.7}
"""What learned values lose where plain search has been chosen to have each use: against playouts
that decide 95 % became 55 in connect four, in breakthrough 100 stayed; where moves are many, what
30 seconds had taught lost all of sixteen matches."""
_COMPILING_SHARE = 0.2
"""Share of the time that this may take."""
_LEAST = 1.0
"""Seconds from which it is worth to begin with self-play."""
_FIRST, _LAST = 0.1, 0.7
"""Shares of the learning whose losses are told: up to the first, and from the last on."""


@final
class Offers:
    """Makes candidates for a game.

    Attributes:
        notes: what happened while making them, one line each, for people.
        begun: what self-play teaches, once it is ready; None if nothing is learned.
        advantage: of the plain search that was made last against plain UCT, a share of the points.
    """

    def __init__(self, game: Game, *, seed: int, threads: int = 1) -> None:
        """Take what they are for.

        Args:
            game: the game.
            seed: decides what is random about them.
            threads: trees that a tree search grows side by side in the match, at least 1.
        """
        self._game, self._seed, self._threads = game, seed, threads
        self._news, self.advantage = 1.0, 0.0
        self.begun: Future[SelfTeaching] | None = None
        self.notes: list[str] = []

    @property
    def teaching(self) -> SelfTeaching | None:
        """What self-play teaches; None as long as that is not ready, and if nothing is learned."""
        begun = self.begun
        if begun is None or not begun.done() or begun.exception() is not None:
            return None
        return begun.result()

    def affordable(self, seconds: float, use: str) -> str:
        """Return a use of plain search if compiling it takes no more than a part of the time.

        Args:
            seconds: that there are for everything.
            use: :data:`.ALL_MOVES_USE`, or :data:`.DECISIVE_USE`, which playouts have only where
                they can avoid moves that lose, too.
        """
        most, circuit = _COMPILING_SHARE * seconds / _GATE_SECONDS[use], self._game.circuit
        fits = circuit.gate_count <= most
        # Deciding takes more gates than the game.
        if fits and use == DECISIVE_USE:
            try:
                fits = avoids_losing(circuit) and decisive(circuit).gate_count <= most
            except NeurogameError:
                fits = False
        return use if fits else ""

    def plain(self, use: str) -> Candidate:
        """Return the player that needs nothing: a plain tree search.

        Args:
            use: that is affordable; empty for plain UCT.
        """
        self.advantage = _ADVANTAGES[use]
        return self._mcts(f"mcts:{use}" if use else "mcts", UNTRIED, use)

    def trained(self, paths: Sequence[Path], kinds: Sequence[str]) -> list[Candidate]:
        """Return what the first checkpoint holds that is not damaged.

        Args:
            paths: of checkpoints of this game, the more promising ones first.
            kinds: of :data:`.facts.SEARCHES`.

        Returns:
            Both searches with values; of a checkpoint without values, a tree search with each
            judge of moves.
        """
        # Imported here: who plays without a checkpoint needs nothing of the learning room.
        from neurogame.learn.checkpoints.checkpoint import load_checkpoint

        for path in paths:
            try:
                held = load_checkpoint(path)
                made = self._valued_or_judged(held, path, kinds)
            except NeurogameError as error:
                self.notes.append(f"{path}: not used: {error}")
                continue
            if made:
                return made
        return []

    def _valued_or_judged(
        self, held: Checkpoint, path: Path, kinds: Sequence[str]
    ) -> list[Candidate]:
        """Return the candidates of one checkpoint; see :meth:`trained`."""
        mapping = held.mapping(self._game)
        if held.description:
            learned = float(held.counters.get("seconds", USUAL))
            return self._searches(
                str(path),
                held.evaluator(mapping.home),
                self._expected(learned) if held.counters.get("matches") else UNTRIED,
                kinds,
                mapping=mapping,
                settings=SearchSettings(
                    **{key: value for key, value in held.config.items() if key == "outlook"}
                ),
            )
        judges = {name: held.judge(name, mapping.home) for name in sorted(held.judges)}
        used = {name: move_kind(name).use for name in judges}
        return [
            self._mcts(
                f"mcts:{path},{use}", UNTRIED, use, judges={name: judges[name]}, mapping=mapping
            )
            for name, use in used.items()
        ]

    def learn(self, seconds: float) -> None:
        """Learn by self-play; nothing, with a note, if the game is too large for that.

        What the rules give away is found, and what learns is compiled, in a thread of its own: that
        cannot be interrupted, and goes on where it takes longer.

        Args:
            seconds: that it may take.
        """
        # Imported here: who plays without learning needs nothing of that room.
        from neurogame.learn.self_teaching import SelfTeaching
        from neurogame.learn.timed_learning import is_too_slow

        if seconds < _LEAST or is_too_slow(self._game, seconds):
            self.notes.append("nothing learned: too little time for this game")
            return
        end = time.monotonic() + seconds
        aside = Aside()
        self.begun = begun = aside.submit(
            lambda: SelfTeaching(self._game, seed=self._seed, cores=self._threads)
        )
        aside.close(0.0)
        try:
            with during(f"{self._game.name}: gets ready to learn", seconds):
                teaching = begun.result(seconds)
            left = end - time.monotonic()
            with during(f"{self._game.name}: learns by self-play", max(left, 0.0)):
                teaching.learn(end - (1 - _FIRST) * left)
                first = teaching.take_loss()
                teaching.learn(end - (1 - _LAST) * left)
                teaching.take_loss()
                teaching.learn(end)
        except TimeoutError:
            self.notes.append("nothing learned yet: it is still got ready, beside the match")
            return
        except NeurogameError as error:
            self.notes.append(f"nothing learned: {error}")
            self.begun = None
            return
        last = teaching.take_loss()
        players = len(self._game.players)
        if math.isnan(last):
            # Without time for anything new there may be what earlier matches have learned.
            self._news = float(teaching.earlier > 0)
        else:
            self._news = news(last, players)
        blind = blind_loss(players)
        self.notes.append(f"loss {first:.3f}, then {last:.3f}; a blind guess has {blind:.3f}")

    def taught(self, kinds: Sequence[str]) -> list[Candidate]:
        """Return searches with what self-play has taught by now; none if nothing was learned.

        Args:
            kinds: of :data:`.facts.SEARCHES`.
        """
        teaching = self.teaching
        if teaching is None or not teaching.games + teaching.earlier:
            return []
        return self._searches(
            f"cilp,refine={teaching.seconds:.0f}",
            teaching.evaluator(),
            self._expected(teaching.seconds, self._news),
            kinds,
            mapping=teaching.mapping,
        )

    def _expected(self, seconds: float, news: float = 1.0) -> Belief:
        """Return what is expected of values that have learned, against the plain search of here."""
        return learned_belief(seconds, news).less(self.advantage)

    def _searches(
        self,
        source: str,
        evaluator: Evaluator,
        belief: Belief,
        kinds: Sequence[str],
        *,
        mapping: GameMapping | None,
        settings: SearchSettings | None = None,
    ) -> list[Candidate]:
        """Return searches with an evaluator.

        Args:
            source: of player strings.
            evaluator: has learned.
            belief: in the score of either.
            kinds: of :data:`.facts.SEARCHES`.
            mapping: from the game as it was learned to the one that is played; None: the same.
            settings: of alpha-beta.
        """
        made = []
        if "alphabeta" in kinds:
            settings = settings or SearchSettings()
            name = f"alphabeta:{source}"
            made.append(self._alphabeta(name, belief, evaluator, settings, mapping))
        if "mcts" in kinds:
            name = f"mcts:{source},{LEARNED_USE}"
            made.append(self._mcts(name, belief, LEARNED_USE, evaluator=evaluator, mapping=mapping))
        return made

    def _mcts(
        self,
        name: str,
        belief: Belief,
        use: str = "",
        *,
        evaluator: Evaluator | None = None,
        judges: Mapping[str, MoveJudge] | None = None,
        mapping: GameMapping | None = None,
    ) -> Candidate:
        """Return a tree search.

        Args:
            name: the player string.
            belief: in its score.
            use: its settings, as in a player string.
            evaluator: of states, where the settings ask for one.
            judges: of moves, by name, where the settings ask for them.
            mapping: from the game as these number it to that which is played; None: the same.
        """
        settings = MctsSettings(threads=self._threads, **settings_of(use))
        search = Mcts(
            self._game if mapping is None else mapping.home,
            settings=replace(settings, capacity=CAPACITY, threads=1),
            evaluator=evaluator,
            judges=judges,
            seed=self._seed,
        )
        player = MctsPlayer(
            _outfit(name, evaluator, mapping),
            judges=None if judges is None else lambda game, seed, seconds: judges,
            settings=settings,
        )
        searcher = from_home(search, mapping)
        return Candidate(name=name, player=player, searcher=searcher, belief=belief)

    def _alphabeta(
        self,
        name: str,
        belief: Belief,
        evaluator: Evaluator,
        settings: SearchSettings,
        mapping: GameMapping | None,
    ) -> Candidate:
        """Return an alpha-beta search; see :meth:`_mcts`."""
        search = AlphaBeta(
            self._game if mapping is None else mapping.home,
            evaluator,
            settings=replace(settings, memory=_MEMORY),
            seed=self._seed,
        )
        player = AlphaBetaPlayer(_outfit(name, evaluator, mapping), settings=settings)
        searcher = from_home(search, mapping)
        return Candidate(name=name, player=player, searcher=searcher, belief=belief)


def _outfit(name: str, evaluator: Evaluator | None, mapping: GameMapping | None) -> Outfit:
    """Return what a player brings along whose evaluator, and its home, are there already."""
    return Outfit(
        name=name,
        source=None if evaluator is None else lambda game, seed: evaluator,
        home=None if mapping is None else lambda game: mapping,
    )

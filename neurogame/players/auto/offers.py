"""Which players are worth a trial in a game, and making them one by one while there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, final

from neurogame.errors import GameError, NeurogameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import move_kind
from neurogame.judges.moves import MoveJudge
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.facts import GameFacts
from neurogame.players.gate.uses import FEATURES_USE, LEARNED_USE, settings_of
from neurogame.players.judges import make_judges
from neurogame.players.mcts_player import MctsPlayer
from neurogame.players.race import CAPACITY
from neurogame.players.search_player import Outfit
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
_LEARNING = 3.0
"""Seconds left from which it is worth to begin with self-play."""
_LEARNING_SHARE = 0.5
"""Share of them that it takes; the rest is for trials."""
_LEARNED, _FEATURES = 0.65, 0.6
"""Scores against the plain search that are expected of learned values and of alpha-beta with
features; measured over a dozen games they are a little higher (docs/results.md)."""
_LARGE = 50_000
"""Gates from which the action heuristic is not tried: making it may take longer than a clock."""
_KNOWLEDGE = {"games": "20000", "policy": "knowledge"}
"""How knowledge is learned: by self-play after the first tenth."""
_KNOWLEDGE_SHARE = 0.15
"""Share of the time left that this may take."""


@final
@dataclass(frozen=True, kw_only=True)
class Offer:
    """A player that may be made.

    Attributes:
        name: its player string.
        make: makes it, given its name.
        expected: see :class:`~neurogame.players.auto.candidate.Candidate`.
    """

    name: str
    make: Callable[[str], Candidate]
    expected: float = 0.5


@final
class Offers:
    """Makes candidates for a game.

    Attributes:
        notes: what happened while making them, one line each, for people.
        teaching: what self-play teaches; None if nothing is learned.
        taught: names of the offers that play by that.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int,
        deadline: float,
        threads: int = 1,
        self_play: bool = True,
    ) -> None:
        """Take what they are for.

        Args:
            game: the game.
            seed: decides what is random about them.
            deadline: when the choice is to be made, as ``time.monotonic`` tells it.
            threads: trees that a tree search grows side by side in the match, at least 1.
            self_play: whether what self-play teaches is among them, where there is time for it.
        """
        self._game, self._seed, self._deadline = game, seed, deadline
        self._threads, self._self_play = threads, self_play
        self._found: Evaluator | GameError | None = None
        self.teaching: SelfTeaching | None = None
        self.taught: set[str] = set()
        self.notes: list[str] = []

    def plain(self) -> Candidate:
        """Return the player that needs nothing: a plain tree search."""
        return self._mcts("mcts")

    def trained(self, path: Path) -> list[Offer]:
        """Return what a checkpoint of this game holds; nothing, with a note, if it is damaged.

        Args:
            path: of the checkpoint.
        """
        # Imported here: who plays without a checkpoint needs nothing of the learning room.
        from neurogame.learn.checkpoints.checkpoint import load_checkpoint

        try:
            checkpoint = load_checkpoint(path)
        except NeurogameError as error:
            self.notes.append(f"{path}: not used: {error}")
            return []
        judges = [name for name in sorted(checkpoint.judges) if move_kind(name).use]
        beside = [name for name in sorted(checkpoint.judges) if move_kind(name).beside_values]
        offers = [self._judged(checkpoint, path, judge) for judge in judges]
        if checkpoint.description:
            # What a start clock teaches is no match for a run of training.
            self._self_play = False
            settings = SearchSettings(
                **{key: value for key, value in checkpoint.config.items() if key == "outlook"}
            )
            offers = [
                *self._valued(str(path), lambda: self._of(checkpoint), settings),
                *(self._beside(checkpoint, path, judge) for judge in beside),
                *offers,
            ]
        return offers

    def _of(self, checkpoint: Checkpoint) -> tuple[Evaluator, GameMapping]:
        """Return what a checkpoint has learned, and where that is at home."""
        mapping = checkpoint.mapping(self._game)
        return checkpoint.evaluator(mapping.home), mapping

    def _valued(
        self,
        source: str,
        make: Callable[[], tuple[Evaluator, GameMapping | None]],
        settings: SearchSettings,
    ) -> list[Offer]:
        """Return the offers of both searches with an evaluator that has learned."""

        def search(name: str) -> Candidate:
            evaluator, mapping = make()
            return self._alphabeta(name, evaluator, settings, mapping)

        def tree(name: str) -> Candidate:
            evaluator, mapping = make()
            return self._mcts(name, LEARNED_USE, evaluator=evaluator, mapping=mapping)

        return [
            Offer(name=f"alphabeta:{source}", make=search, expected=_LEARNED),
            Offer(name=f"mcts:{source},{LEARNED_USE}", make=tree, expected=_LEARNED),
        ]

    def _beside(self, checkpoint: Checkpoint, path: Path, judge: str) -> Offer:
        """Return the offer of a tree search with a judge beside the values it has learned from."""
        use = move_kind(judge).beside_values

        def make(name: str) -> Candidate:
            evaluator, mapping = self._of(checkpoint)
            judges = {judge: checkpoint.judge(judge, mapping.home)}
            return self._mcts(name, use, evaluator=evaluator, judges=judges, mapping=mapping)

        return Offer(name=f"mcts:{path},{use}", make=make, expected=_LEARNED)

    def _judged(self, checkpoint: Checkpoint, path: Path, judge: str) -> Offer:
        """Return the offer of a tree search with a judge that a checkpoint holds."""
        use = move_kind(judge).use

        def make(name: str) -> Candidate:
            mapping = checkpoint.mapping(self._game)
            judges = {judge: checkpoint.judge(judge, mapping.home)}
            return self._mcts(name, use, judges=judges, mapping=mapping)

        return Offer(name=f"mcts:{path},{use}", make=make)

    def fresh(self, facts: GameFacts) -> Iterator[Offer]:
        """Yield what can be made of the rules alone, the most promising first.

        Args:
            facts: about the game.
        """
        left = self._deadline - time.monotonic()
        if self._self_play and left >= _LEARNING:
            yield from self.learned(facts, _LEARNING_SHARE * left)
        if facts.suits_alphabeta:
            yield Offer(
                name="alphabeta:features",
                make=lambda name: self._alphabeta(name, self._features()),
                expected=_FEATURES,
            )
        yield Offer(
            name=f"mcts:features,{FEATURES_USE}",
            make=lambda name: self._mcts(name, FEATURES_USE, evaluator=self._features()),
        )
        yield Offer(name="mcts:tree=knowledge", make=self._knowledge)
        if facts.suits_alphabeta:
            yield Offer(
                name="alphabeta:cilp",
                make=lambda name: self._alphabeta(
                    name, make_evaluator(self._game, seed=self._seed)
                ),
            )
        if self._game.circuit.gate_count < _LARGE:
            yield Offer(name="mcts:playout=action,tree=action", make=self._judging)
        yield Offer(name="mcts:playout=mast", make=lambda name: self._mcts(name, "playout=mast"))

    def learned(self, facts: GameFacts, seconds: float = 0.0) -> Iterator[Offer]:
        """Yield the searches with what self-play teaches; none if the game is too large for that.

        Args:
            facts: about the game.
            seconds: of self-play before the first of them is made.
        """
        # Imported here: who plays without learning needs nothing of that room.
        from neurogame.learn.self_teaching import ENOUGH, SelfTeaching
        from neurogame.learn.timed_learning import is_too_slow

        if self.teaching is None:
            if is_too_slow(self._game, seconds):
                return
            self.teaching = SelfTeaching(self._game, seed=self._seed, cores=self._threads)
        teaching = self.teaching
        if teaching.seconds >= ENOUGH:
            seconds = 0.0

        @cache
        def taught() -> tuple[Evaluator, GameMapping | None]:
            if seconds > 0:
                with during(f"{self._game.name}: learns by self-play", seconds):
                    teaching.learn(time.monotonic() + seconds)
                teaching.keep()
                self.notes.append(str(teaching))
            return teaching.evaluator(), teaching.mapping

        source = f"cilp,refine={teaching.seconds + seconds:.0f}"
        search, tree = self._valued(source, taught, SearchSettings())
        self.taught |= {search.name, tree.name}
        yield tree
        if facts.suits_alphabeta:
            yield search

    def make(self, offer: Offer) -> Candidate | None:
        """Make what is offered; None, with a note, if that is impossible.

        Args:
            offer: what.
        """
        try:
            return replace(offer.make(offer.name), expected=offer.expected)
        except NeurogameError as error:
            self.notes.append(f"{offer.name}: not possible: {error}")
            return None

    def _features(self) -> Evaluator:
        """Return the evaluator of features, which is looked for once.

        Raises:
            GameError: no feature tells who wins.
        """
        if self._found is None:
            try:
                self._found = make_fresh("features", self._game, seed=self._seed, recall=True)
            except GameError as error:
                self._found = error
        if isinstance(self._found, GameError):
            raise self._found
        return self._found

    def _knowledge(self, name: str) -> Candidate:
        now = time.monotonic()
        until = now + _KNOWLEDGE_SHARE * (self._deadline - now)
        return self._judging(name, _KNOWLEDGE, until)

    def _judging(
        self,
        name: str,
        options: Mapping[str, str] | None = None,
        deadline: float | None = None,
    ) -> Candidate:
        """Return a tree search with judges of moves made for it."""
        use = name.removeprefix("mcts:")
        settings = MctsSettings(**settings_of(use))
        judges = make_judges(
            self._game, settings, options=options, seed=self._seed, deadline=deadline
        )
        return self._mcts(name, use, judges=judges)

    def _mcts(
        self,
        name: str,
        use: str = "",
        *,
        evaluator: Evaluator | None = None,
        judges: Mapping[str, MoveJudge] | None = None,
        mapping: GameMapping | None = None,
    ) -> Candidate:
        """Return a tree search.

        Args:
            name: the player string.
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
        return Candidate(name=name, player=player, searcher=from_home(search, mapping))

    def _alphabeta(
        self,
        name: str,
        evaluator: Evaluator,
        settings: SearchSettings | None = None,
        mapping: GameMapping | None = None,
    ) -> Candidate:
        """Return an alpha-beta search; see :meth:`_mcts`."""
        settings = settings or SearchSettings()
        search = AlphaBeta(
            self._game if mapping is None else mapping.home,
            evaluator,
            settings=replace(settings, memory=_MEMORY),
            seed=self._seed,
        )
        player = AlphaBetaPlayer(_outfit(name, evaluator, mapping), settings=settings)
        return Candidate(name=name, player=player, searcher=from_home(search, mapping))


def _outfit(name: str, evaluator: Evaluator | None, mapping: GameMapping | None) -> Outfit:
    """Return what a player brings along whose evaluator, and its home, are there already."""
    return Outfit(
        name=name,
        source=None if evaluator is None else lambda game, seed: evaluator,
        home=None if mapping is None else lambda game: mapping,
    )

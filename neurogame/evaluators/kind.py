"""What a kind is: all that the package has to know of what judges states, or moves.

A kind is one file: it says what its judges are called, how they are made, made again from a
checkpoint and taught, what a tree search does with them, and how they explain themselves. The line
of :data:`~neurogame.evaluators.kinds.PLACES` that names it is all that the rest of the package
needs: players, searches, checkpoints, commands, reports and the page go through the kinds that
there are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, final

from neurogame.errors import ConfigurationError, GameError, PlayerError
from neurogame.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

    from neurogame.circuit.circuit import HasCircuit
    from neurogame.evaluators.attribution import Attribution
    from neurogame.evaluators.base import Evaluator
    from neurogame.evaluators.goal_networks import WeightedNetworks
    from neurogame.evaluators.measured import Measured
    from neurogame.judges.moves import MoveJudge
    from neurogame.simulate.game import Game, State

Row: TypeAlias = dict[str, Any]
"""A row of a report, or a report, JSON-able."""
Judge = TypeVar("Judge", bound="MoveJudge")
Valued = TypeVar("Valued", bound="Evaluator")


class Stored(Protocol):
    """What a checkpoint can hold: a torch module with a description."""

    def describe(self) -> dict[str, Any]:
        """Return the JSON-able settings from which it can be rebuilt, its weights apart."""

    def state_dict(self) -> dict[str, Any]:
        """Return its tensors by name."""


@final
@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What ``neurogame learn`` gives a kind to learn from.

    Attributes:
        game: the game.
        settings: how, as texts by name; see :attr:`Kind.settings`.
        seed: same seed, same result.
        begin: called once, with how much there is to do and in what unit; returns what is to be
            called with how much more was done.
        roles: names of the roles that learn; None: all.
        formulas: settings of the formulas that learn, as texts by name.
    """

    game: Game
    settings: Mapping[str, str]
    seed: int
    begin: Callable[[int, str], Callable[[int], None]]
    roles: Sequence[str] | None = None
    formulas: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a kind is told of a judge that no checkpoint holds.

    Attributes:
        game: the game.
        seed: decides every random weight, and the games that are learned from.
        source: of an evaluator: what a player string calls it.
        noise: by how much absolute weights of an evaluator grow at random at most.
        recall: whether what earlier starts have seen of the game may count.
        options: of a judge of moves: texts by name, of those that its kind lists.
        deadline: when learning has to end, as ``time.monotonic`` tells it, with as many games as it
            allows; None: however long it takes.
    """

    game: Game
    seed: int
    source: str = ""
    noise: float = 0.0
    recall: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    deadline: float | None = None


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Learned:
    """What came of a lesson.

    Attributes:
        judge: what has learned.
        initial: the same before that, of an evaluator.
        settings: how.
        counters: what it learned from: counts by their units.
        facts: what else was measured, JSON-able, by name.
        lines: the same for people.
    """

    judge: Stored
    initial: Stored | None = None
    settings: Settings
    counters: Mapping[str, int]
    facts: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[str] = ()


class Kind(ABC):
    """What all kinds have.

    Attributes:
        name: in checkpoints, and on the command line.
        about: a line for people.
        settings: of ``neurogame learn --NAME``; None: there is nothing to learn by that command.
        takes: which of ``roles`` and ``formulas`` a lesson is read for.
    """

    name: str
    about: str
    settings: type[Settings] | None = None
    takes: tuple[str, ...] = ()

    @abstractmethod
    def player(self, path: str) -> str:
        """Return a player that searches with what a checkpoint holds of this kind.

        Args:
            path: of the checkpoint.
        """

    def learn(self, lesson: Lesson) -> Learned:
        """Return what has learned a game; only where there are :attr:`settings`.

        Args:
            lesson: what it learns from.

        Raises:
            ConfigurationError: the settings are unknown or impossible.
        """
        raise ConfigurationError(f"{self.name}: there is nothing that `neurogame learn` teaches it")


class EvaluatorKind(Kind, Generic[Valued]):
    """A kind of evaluators: judges of states, whose description has its name as ``kind``.

    Attributes:
        source: what a player string calls a fresh one; empty: it is not made by a name.
        has_noise: whether its weights may grow at random.
    """

    source: str = ""
    has_noise: bool = False

    def player(self, path: str) -> str:
        """Return a player that searches with an evaluator of this kind in a checkpoint."""
        return f"alphabeta:{path}"

    def is_named(self, source: str) -> bool:
        """Return whether the source of a player string names a fresh evaluator of this kind."""
        return bool(self.source) and source.lower() == self.source

    def make(self, wish: Wish) -> Evaluator:
        """Return an untrained evaluator; only where a source names one.

        Args:
            wish: what is known of it.

        Raises:
            GameError: the rules suggest none.
            LimitError: it is too large.
        """
        raise GameError(f"an evaluator of kind {self.name!r} is not made by a name")

    def rebuild(
        self, game: HasCircuit, description: Mapping[str, Any], weights: Mapping[str, Tensor] | None
    ) -> Valued:
        """Return the evaluator of a description; its state dict is loaded then.

        Args:
            game: the game, or its circuit.
            description: what :meth:`Evaluator.describe` returned.
            weights: the state dict that will be loaded; None: nobody knows yet.

        Raises:
            ConfigurationError: the description holds unknown or impossible settings, or asks for
                far more weights than there are.
        """
        raise ConfigurationError(f"checkpoints hold no evaluator of kind {self.name!r}")

    def networks(self, evaluator: Valued) -> WeightedNetworks | None:
        """Return an evaluator as the networks with weights from rules that it is, or None."""
        return None

    def is_sum(self, evaluator: Valued) -> bool:
        """Return whether values are sums that :meth:`explain` can tell."""
        return False

    def explain(self, evaluator: Valued, state: State, role: int) -> Attribution:
        """Return the exact sum that a value is.

        Args:
            evaluator: of the state's game.
            state: any state.
            role: for whom; its index.

        Raises:
            GameError: it is no sum.
        """
        raise GameError(
            f"an evaluator of kind {self.name!r} is no sum of parts, so that no attribution is "
            "exact; methods for it are 'shapley', 'gradients' and 'toggling'"
        )


class MoveJudgeKind(Kind, Generic[Judge]):
    """A kind of judges of moves.

    Judges say which kind they are by their attribute ``kind``.

    Attributes:
        in_tree: whether a tree search may be told ``tree=NAME``.
        is_stored: whether checkpoints hold it.
        choice: how playouts turn its scores into moves, see ``MctsSettings.choice``.
        epsilon: probability of a uniform move where that choice is greedy.
        tau: temperature where it is not.
        scaling: of its scores in playouts, see ``MctsSettings.scaling``.
        options: names of the options of a player string that :meth:`make` reads.
        options_of: the settings that have these options.
        is_from_rules: whether :meth:`make` needs no games.
    """

    in_tree: bool = True
    is_stored: bool = True
    choice: str = "greedy"
    epsilon: float = 0.4
    tau: float = 10.0
    scaling: str = "range"
    options: tuple[str, ...] = ()
    options_of: type[Settings] = Settings
    is_from_rules: bool = False

    def player(self, path: str) -> str:
        """Return a player that searches with a judge of this kind in a checkpoint."""
        return f"mcts:{path},{self.use},sims=1000"

    @property
    def use(self) -> str:
        """How a tree search uses it."""
        return f"{'tree' if self.in_tree else 'playout'}={self.name}"

    def make(self, wish: Wish) -> Judge:
        """Return a judge that no checkpoint holds.

        Args:
            wish: what is known of it.

        Raises:
            PlayerError: there is none without a checkpoint.
            LimitError: there is none for this game.
        """
        raise PlayerError(
            f"{wish.game.name}: tree={self.name} needs a checkpoint that holds a {self.name}; "
            f"`neurogame learn RULES --{self.name} --into CHECKPOINT` makes one"
        )

    def given(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return those of a player's options that :meth:`make` reads, as texts by name."""
        return {name: text for name, text in options.items() if name in self.options}

    def check(self, options: Mapping[str, str]) -> None:
        """Refuse values that these cannot have.

        Raises:
            ConfigurationError: one is not of its type, or out of its range.
        """
        given = self.given(options)
        if given:
            self.options_of.from_texts(given)

    def make_in_time(self, wish: Wish) -> Judge:
        """Return the same for trials, which can do without: only if there is time to make it.

        Raises:
            LimitError: there is not, or there is none for this game.
        """
        return self.make(wish)

    def rebuild(
        self, game: Game, description: dict[str, Any], weights: Mapping[str, Tensor]
    ) -> Judge:
        """Return the judge of a description; its state dict is loaded then.

        Args:
            game: its game.
            description: what ``describe`` returned.
            weights: the state dict that will be loaded.

        Raises:
            ConfigurationError: the description holds unknown or impossible settings, or asks for
                far more weights than there are.
        """
        raise ConfigurationError(f"checkpoints hold no judge of moves of kind {self.name!r}")

    def is_sum(self, judge: Judge) -> bool:
        """Return whether scores are sums that :meth:`explain` can tell."""
        return False

    def explain(self, judge: Judge, state: State, role: int, move: int) -> Attribution:
        """Return the exact sum that a score is.

        Args:
            judge: of the state's game.
            state: in which the move is legal.
            role: whose move; its index.
            move: an index into the role's moves.

        Raises:
            GameError: it is no sum.
        """
        raise GameError(
            f"scores of {type(judge).__name__} are no sum, so that no attribution is exact; "
            "methods for it are 'shapley' and 'toggling'"
        )

    def score(self, judge: Judge, state: State, role: int, move: int) -> Measured:
        """Return the score of a move as a number of states, in which it may not be legal.

        Args:
            judge: see :meth:`explain`, as all arguments.
            state: of the game.
            role: whose move.
            move: which.
        """
        from neurogame.evaluators.measured import score_for

        return score_for(judge, state.game, role, move)

    def known(self, judge: Judge, game: Game, top: int) -> Row:
        """Return what a judge knows: rows of ``fluents``, ``moves`` or ``leaves``, and ``sizes``.

        Args:
            judge: of the game.
            game: the game.
            top: how many of each role: those that count most.
        """
        return {}

    def differing(self, one: Judge, other: Judge, game: Game) -> list[Row]:
        """Return the fluents whose weights differ most between two judges of this kind."""
        return []


AnyEvaluatorKind: TypeAlias = EvaluatorKind[Any]
AnyMoveJudgeKind: TypeAlias = MoveJudgeKind[Any]

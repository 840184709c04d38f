"""What is looked at: the evaluators and judges of a file, or what is made fresh from rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast, final

from neurogame.errors import CheckpointError, GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kind import Wish
from neurogame.evaluators.kinds import fresh_kind, fresh_names, kinds_from_rules
from neurogame.gdl.library import library_names
from neurogame.inspect.move_values import EvaluatorOrJudge
from neurogame.judges.moves import MoveJudge
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.rules_file import evaluator_of_rules, load_weighted_rules, mapping_of_rules
from neurogame.learn.run_files import LATEST
from neurogame.players.spec import RULES_SUFFIX
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import GameMapping
from neurogame.waiting import during

EVALUATOR = "evaluator"
_RULES = (".kif", ".hrf")
_MANY_GATES, _SECONDS = 5000, 10.0
"""Of a game that a person waits for, and about how long."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """What is looked at.

    Attributes:
        name: as it was asked for.
        game: its game.
        makers: what makes each opinion: ``evaluator``, that of states, and judges of moves.
        checkpoint: the file that it is from; None where it was made from rules.
    """

    name: str
    game: Game
    makers: Mapping[str, Callable[[], EvaluatorOrJudge]]
    checkpoint: Checkpoint | None = None
    _made: dict[str, EvaluatorOrJudge] = field(default_factory=dict)

    @property
    def has_evaluator(self) -> bool:
        """Whether there is an evaluator of states."""
        return EVALUATOR in self.makers

    @property
    def judge_names(self) -> tuple[str, ...]:
        """Names of the judges of moves, sorted."""
        return tuple(sorted({*self.makers} - {EVALUATOR}))

    def judge(self, name: str) -> MoveJudge:
        """Return a judge of moves; made when it is first asked for.

        Raises:
            CheckpointError: there is no such judge.
        """
        if name not in self.judge_names:
            raise CheckpointError(
                f"{self.name} has no judge of moves {name!r}; it has "
                + (", ".join(self.judge_names) or "none")
            )
        return cast(MoveJudge, self._opinion(name))

    def opinion(self, name: str | None = None) -> EvaluatorOrJudge:
        """Return who has something to say of moves.

        Args:
            name: ``evaluator``, or the name of a judge of moves; None: the evaluator, if there is
                one, else the first judge.

        Raises:
            CheckpointError: there is no such one.
        """
        if name is None and not self.has_evaluator:
            name = next(iter(self.judge_names), EVALUATOR)
        return self.values()[0] if name in (None, EVALUATOR) else self.judge(str(name))

    def has_values(self, name: str | None) -> bool:
        """Return whether :meth:`opinion` of a name is the evaluator, which values states, too."""
        return name == EVALUATOR or (name is None and self.has_evaluator)

    def values(self) -> tuple[Evaluator, Evaluator]:
        """Return the evaluator of states, now and before learning.

        Raises:
            CheckpointError: there are only judges of moves.
        """
        if not self.has_evaluator:
            raise CheckpointError(
                f"{self.name} holds no evaluator of states, only judges of moves "
                f"({', '.join(self.judge_names)}); what they say of moves is shown by "
                "'neurogame inspect FILE --state STATE --move MOVE', in what they differ by "
                "--compare"
            )
        evaluator = cast(Evaluator, self._opinion(EVALUATOR))
        if self.checkpoint is None:
            return evaluator, evaluator
        return evaluator, self.checkpoint.initial_evaluator(self.game)

    def _opinion(self, name: str) -> EvaluatorOrJudge:
        if name not in self._made:
            with _waiting(self.game, name):
                self._made[name] = self.makers[name]()
        return self._made[name]


def find_subject(source: str, evaluator: str | None = None, seed: int = 0) -> Subject:
    """Return what a name stands for.

    Args:
        source: the path of a checkpoint, of the folder of a training run, which means its
            ``latest.pt``, or of weighted rules for a game of the library; or a game, by its name
            in the library or the path of its rulesheet.
        evaluator: of a game: which fresh evaluator, one of
            :func:`~neurogame.evaluators.kinds.fresh_names` or a heuristic, or a judge of moves
            that is made from rules, such as ``action``; None: ``cilp``.
        seed: of a fresh evaluator.

    Raises:
        CheckpointError: the file is no checkpoint.
        RulesError: there is no such game.
        GameError: there is no such evaluator, or it is asked for beside a checkpoint.
    """
    if (Path(source) / LATEST).is_file():
        source = str(Path(source) / LATEST)
    path = Path(source)
    known = source.lower() in {name.lower() for name in library_names()}
    if path.suffix.lower() in _RULES or ((known or not path.suffix) and not path.is_file()):
        return fresh_subject(Game.load(source), evaluator or "cilp", seed)
    if evaluator is not None:
        raise GameError(
            f"{source} is a file, which has its own evaluator; --evaluator {evaluator} goes "
            "with a game"
        )
    return file_subject(source)


def is_fresh(kind: str) -> bool:
    """Return whether something that judges is made from rules by that name."""
    return fresh_kind(kind) is not None or kind.lower() in kinds_from_rules()


def fresh_subject(game: Game, kind: str, seed: int) -> Subject:
    """Return an evaluator or judge made from the rules of a game.

    Args:
        game: the game.
        kind: see :func:`find_subject`.
        seed: of random weights.

    Raises:
        GameError: there is no such evaluator.
    """
    if not is_fresh(kind):
        raise GameError(
            f"there is no fresh evaluator {kind!r}; there are {', '.join(fresh_names())}, "
            f"max(FEATURE), min(FEATURE) and, of moves, {', '.join(kinds_from_rules())}"
        )
    judged = kinds_from_rules().get(kind.lower())
    makers: dict[str, Callable[[], EvaluatorOrJudge]] = {
        EVALUATOR: partial(make_fresh, kind, game, seed=seed)
    }
    if judged is not None:
        makers = {judged.name: partial(judged.make, Wish(game=game, seed=seed))}
    return Subject(name=f"{kind} of {game.name}", game=game, makers=makers)


def file_subject(source: str, game: Game | None = None) -> Subject:
    """Return what a file of weighted rules, or a checkpoint, holds.

    Args:
        source: the path.
        game: the game that is looked at; None: that of the file. The subject has it numbered as
            what the file holds has learned it.

    Raises:
        CheckpointError: the file is no checkpoint, or is of another game.
        RulesError: it holds no weighted rules, or there is no such game.
    """
    makers: dict[str, Callable[[], EvaluatorOrJudge]]
    if Path(source).suffix.lower() == RULES_SUFFIX:
        rules = load_weighted_rules(source)
        mapping = mapping_of_rules(rules, game or Game.load(rules.game))
        makers = {EVALUATOR: lambda: evaluator_of_rules(rules, mapping.home)}
        return Subject(name=source, game=_renumbered(mapping), makers=makers)
    checkpoint = load_checkpoint(source)
    game = checkpoint.game() if game is None else _renumbered(checkpoint.mapping(game))
    makers = {name: partial(checkpoint.judge, name, game) for name in checkpoint.judges}
    if checkpoint.description:
        makers[EVALUATOR] = partial(checkpoint.evaluator, game)
    return Subject(name=source, game=game, makers=makers, checkpoint=checkpoint)


def _renumbered(mapping: GameMapping) -> Game:
    """Return a game, numbered as what values it has learned it."""
    # The texts of moves stay, and thereby those of a recorded match.
    is_home = mapping.home.circuit.key == mapping.game.circuit.key
    return mapping.game if is_home else mapping.namesake


def _waiting(game: Game, what: str) -> AbstractContextManager[None]:
    """Say what is made of a large game, which takes seconds."""
    if game.circuit.gate_count < _MANY_GATES:
        return nullcontext()
    return during(f"{game.name}: making {what}", _SECONDS)

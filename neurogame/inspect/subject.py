"""What is looked at: the evaluators and judges of a checkpoint, or one made fresh from rules."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from neurogame.errors import CheckpointError, GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import fresh_kind, fresh_names, kinds_from_rules
from neurogame.gdl.library import library_names
from neurogame.inspect.move_values import EvaluatorOrJudge
from neurogame.judges.moves import MoveJudge
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.rules_file import evaluator_of_rules, load_weighted_rules
from neurogame.players.spec import RULES_SUFFIX
from neurogame.simulate.game import Game
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
        evaluator: of states, or None where there are only judges of moves.
        initial: the same before learning; None where there is no evaluator.
        checkpoint: the file that it is from; None where it was made from rules.
    """

    name: str
    game: Game
    evaluator: Evaluator | None
    initial: Evaluator | None
    checkpoint: Checkpoint | None
    _judges: dict[str, MoveJudge] = field(default_factory=dict)

    @property
    def judge_names(self) -> tuple[str, ...]:
        """Names of the judges of moves, sorted."""
        held = self.checkpoint.judges if self.checkpoint is not None else self._judges
        return tuple(sorted(held))

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
        if name not in self._judges:
            assert self.checkpoint is not None, "all other judges are there from the beginning"
            with _waiting(self.game, f"the judge of moves {name}"):
                self._judges[name] = self.checkpoint.judge(name, self.game)
        return self._judges[name]

    def opinion(self, name: str | None = None) -> EvaluatorOrJudge:
        """Return who has something to say of moves.

        Args:
            name: ``evaluator``, or the name of a judge of moves; None: the evaluator, if there is
                one, else the first judge.

        Raises:
            CheckpointError: there is no such one.
        """
        if name is None and self.evaluator is None:
            name = next(iter(self.judge_names), EVALUATOR)
        if name in (None, EVALUATOR):
            return self.values()[0]
        return self.judge(str(name))

    def has_values(self, name: str | None) -> bool:
        """Return whether :meth:`opinion` of a name is the evaluator, which values states, too."""
        return name == EVALUATOR or (name is None and self.evaluator is not None)

    def values(self) -> tuple[Evaluator, Evaluator]:
        """Return the evaluator of states, now and before learning.

        Raises:
            CheckpointError: there are only judges of moves.
        """
        if self.evaluator is None or self.initial is None:
            raise CheckpointError(
                f"{self.name} holds no evaluator of states, only judges of moves "
                f"({', '.join(self.judge_names)}); what they say of moves is shown by "
                "'neurogame inspect FILE --state STATE --move MOVE', in what they differ by "
                "--compare"
            )
        return self.evaluator, self.initial


def find_subject(source: str, evaluator: str | None = None, seed: int = 0) -> Subject:
    """Return what a name stands for.

    Args:
        source: the path of a checkpoint, or of weighted rules for a game of the library; or a
            game, by its name in the library or the path of its rulesheet.
        evaluator: of a game: which fresh evaluator, one of
            :func:`~neurogame.evaluators.kinds.fresh_names` or a heuristic, or a judge of moves
            that is made from rules, such as ``action``; None: ``cilp``.
        seed: of a fresh evaluator.

    Raises:
        CheckpointError: the file is no checkpoint.
        RulesError: there is no such game.
        GameError: there is no such evaluator, or it is asked for beside a checkpoint.
    """
    path = Path(source)
    known = source.lower() in {name.lower() for name in library_names()}
    if (
        path.suffix.lower() in _RULES
        or (not path.suffix and not path.is_file())
        or (known and not path.is_file())
    ):
        return _fresh(source, evaluator or "cilp", seed)
    if evaluator is not None:
        raise GameError(
            f"{source} is a file, which has its own evaluator; --evaluator {evaluator} goes "
            "with a game"
        )
    if path.suffix.lower() == RULES_SUFFIX:
        return _written(path)
    checkpoint = load_checkpoint(path)
    game = checkpoint.game()
    trained = bool(checkpoint.description)
    return Subject(
        name=source,
        game=game,
        evaluator=checkpoint.evaluator(game) if trained else None,
        initial=checkpoint.initial_evaluator(game) if trained else None,
        checkpoint=checkpoint,
    )


def _fresh(source: str, kind: str, seed: int) -> Subject:
    """Return an evaluator or judge made from the rules of a game."""
    game = Game.load(source)
    name = f"{kind} of {game.name}"
    with _waiting(game, kind):
        judged = kinds_from_rules().get(kind.lower())
        if judged is not None:
            judges: dict[str, MoveJudge] = {judged.name: judged.make(game, {}, seed=seed)}
            return Subject(
                name=name, game=game, evaluator=None, initial=None, checkpoint=None, _judges=judges
            )
        if fresh_kind(kind) is None:
            raise GameError(
                f"there is no fresh evaluator {kind!r}; there are {', '.join(fresh_names())}, "
                f"max(FEATURE), min(FEATURE) and, of moves, {', '.join(kinds_from_rules())}"
            )
        found = make_fresh(kind, game, seed=seed)
    return Subject(name=name, game=game, evaluator=found, initial=found, checkpoint=None)


def _written(path: Path) -> Subject:
    """Return the evaluator of a file of weighted rules."""
    rules = load_weighted_rules(path)
    game = Game.load(rules.game)
    found = evaluator_of_rules(rules, game)
    return Subject(name=str(path), game=game, evaluator=found, initial=found, checkpoint=None)


def _waiting(game: Game, what: str) -> AbstractContextManager[None]:
    """Say what is made of a large game, which takes seconds."""
    if game.circuit.gate_count < _MANY_GATES:
        return nullcontext()
    return during(f"{game.name}: making {what}", _SECONDS)

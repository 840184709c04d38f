"""The registry: which kinds of evaluators and of judges of moves there are.

A kind is registered by one line of :data:`PLACES`. Another package registers one by an entry point
of the group :data:`GROUP`, such as, in its ``pyproject.toml``::

    [project.entry-points."neurogame.kinds"]
    mine = "my_package.my_judge:KIND"
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, final

from neurogame.evaluators.kind import (
    AnyEvaluatorKind,
    AnyMoveJudgeKind,
    EvaluatorKind,
    Kind,
    MoveJudgeKind,
)
from neurogame.registered import with_registered

if TYPE_CHECKING:
    from neurogame.evaluators.base import Evaluator
    from neurogame.judges.moves import MoveJudge

GROUP = "neurogame.kinds"
"""Of entry points by which other packages register kinds."""

PLACES = {
    "cilp": "neurogame.kinds.networks:CILP",
    "cilp-paper": "neurogame.kinds.networks:CILP_PAPER",
    "random": "neurogame.kinds.networks:RANDOM",
    "mlp": "neurogame.kinds.networks:MLP",
    "fuzzy": "neurogame.kinds.networks:FUZZY",
    "fluxplayer": "neurogame.kinds.networks:FLUXPLAYER",
    "rules-network": "neurogame.kinds.rules_network:KIND",
    "heuristic": "neurogame.kinds.heuristic:KIND",
    "knowledge": "neurogame.kinds.knowledge:KIND",
    "action": "neurogame.kinds.action:KIND",
}
"""Name -> where the kind is; what comes first is offered first."""


def evaluator_kinds() -> dict[str, AnyEvaluatorKind]:
    """Return the kinds of evaluators by name."""
    return {name: kind for name, kind in _kinds().items() if isinstance(kind, EvaluatorKind)}


def fresh_kind(source: str) -> AnyEvaluatorKind | None:
    """Return the kind of which a source of player strings names a fresh evaluator, if any."""
    kinds = evaluator_kinds().values()
    return next((kind for kind in kinds if kind.is_named(source)), None)


def fresh_names() -> tuple[str, ...]:
    """Return the names of fresh evaluators in player strings."""
    return tuple(kind.source for kind in evaluator_kinds().values() if kind.source)


def kind_of_evaluator(evaluator: Evaluator) -> AnyEvaluatorKind:
    """Return the kind of an evaluator; of one that nobody has registered, what all can do."""
    name = evaluator.describe().get("kind")
    return evaluator_kinds().get(str(name), _ANY_EVALUATOR)


def move_kinds() -> dict[str, AnyMoveJudgeKind]:
    """Return the kinds of judges of moves by name."""
    return {name: kind for name, kind in _kinds().items() if isinstance(kind, MoveJudgeKind)}


def stored_kinds() -> dict[str, AnyMoveJudgeKind]:
    """Return the kinds of judges of moves that checkpoints hold, by name."""
    return {name: kind for name, kind in move_kinds().items() if kind.is_stored}


def kinds_from_rules() -> dict[str, AnyMoveJudgeKind]:
    """Return the kinds of judges of moves that rules alone make, by name."""
    return {name: kind for name, kind in move_kinds().items() if kind.is_from_rules}


def learning_kinds() -> dict[str, Kind]:
    """Return the kinds that ``neurogame learn`` teaches, by name."""
    return {name: kind for name, kind in _kinds().items() if kind.settings is not None}


def move_kind(name: str) -> AnyMoveJudgeKind:
    """Return the kind of judges of moves of a name; of others what all can do."""
    return move_kinds().get(name, _ANY_JUDGE)


def kind_of_judge(judge: MoveJudge) -> AnyMoveJudgeKind:
    """Return the kind of a judge of moves; of one that nobody has registered, what all can do."""
    return move_kind(getattr(judge, "kind", ""))


@cache
def _kinds() -> dict[str, Kind]:
    """Return all kinds by name."""
    ours: dict[str, Kind] = {name: resolve_name(place) for name, place in PLACES.items()}
    return with_registered(ours, GROUP, Kind)  # type: ignore[type-abstract]


@final
class _AnyEvaluator(EvaluatorKind["Evaluator"]):
    """Of evaluators that nobody has registered."""

    name, about = "", "an evaluator of any kind"


@final
class _AnyJudge(MoveJudgeKind["MoveJudge"]):
    """Of judges that nobody has registered."""

    name, about = "", "a judge of moves of any kind"


_ANY_EVALUATOR, _ANY_JUDGE = _AnyEvaluator(), _AnyJudge()

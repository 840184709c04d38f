"""Fresh evaluators by the names that they have in player strings."""

from __future__ import annotations

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kind import Wish
from neurogame.evaluators.kinds import fresh_kind, fresh_names
from neurogame.simulate.game import Game


def make_fresh(
    name: str, game: Game, *, seed: int = 0, noise: float = 0.0, recall: bool = False
) -> Evaluator:
    """Return the untrained evaluator of a name.

    Args:
        name: one of :func:`.fresh_names`, in any case; or ``max(TEXT)`` or ``min(TEXT)``, see
            :mod:`~neurogame.evaluators.heuristic.named`.
        game: the game.
        seed: decides every random weight, and the games in which features are weighed.
        noise: by how much absolute weights grow at random at most; cilp and cilp-paper only.
        recall: whether ``features`` counts what earlier starts have seen of the game, and adds to
            it; then the seed alone does not decide its weights.

    Raises:
        GameError: there is no such evaluator; or ``features``, and the rules suggest none that
            tells who wins; or no feature, or more than one, has the text.
        LimitError: the networks are too large.
    """
    kind = fresh_kind(name)
    if kind is None:
        raise GameError(
            f"there is no fresh evaluator {name!r}; there are {', '.join(fresh_names())}"
        )
    return kind.make(Wish(game=game, source=name, seed=seed, noise=noise, recall=recall))

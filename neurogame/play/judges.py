"""The judges of moves that a player's settings ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurogame.errors import LimitError
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.search.mcts_settings import MctsSettings
from neurogame.simulate.game import Game

if TYPE_CHECKING:
    from neurogame.learn.checkpoint import Checkpoint

GAMES = 5000
"""Random games from which knowledge is learned where no checkpoint has any."""


def make_judges(
    game: Game,
    settings: MctsSettings,
    checkpoint: Checkpoint | None = None,
    *,
    games: int = GAMES,
    seed: int = 0,
) -> dict[str, MoveJudge]:
    """Return the judges that settings ask for, by name; gating may ask for the action heuristic.

    Those that the checkpoint holds are taken from there. Of the others the action heuristic is
    made from the rules, and knowledge is learned from random games, here and now.

    Args:
        game: the game.
        settings: of the search.
        checkpoint: of the game; None: there is none.
        games: to learn knowledge from; at least 1.
        seed: of these games.

    Raises:
        CheckpointError: the checkpoint is of another game; or nothing in it is asked for.
        LimitError: there is no action heuristic for this game, and gating cannot do without.
    """
    wanted = settings.judges
    if settings.is_gated and "action" not in wanted:
        wanted = ("action", *wanted)
    if checkpoint is not None and not settings.needs_evaluator:
        held = [name for name in wanted if name in checkpoint.judges]
        if wanted and not held:
            checkpoint.judge(wanted[0], game)
    found: dict[str, MoveJudge] = {}
    for name in wanted:
        if checkpoint is not None and name in checkpoint.judges:
            found[name] = checkpoint.judge(name, game)
        elif name == "knowledge":
            found[name] = _learned(game, games, seed)
        else:
            try:
                found[name] = _regressed(game)
            except LimitError:
                if name in settings.judges:
                    raise
    return found


def _regressed(game: Game) -> MoveJudge:
    # Imported here, as in the following: who needs one judge does not need the other.
    from neurogame.evaluators.actions.build import make_action_circuit

    return make_action_circuit(game)


def _learned(game: Game, games: int, seed: int) -> MoveJudge:
    from neurogame.evaluators.knowledge.config import KnowledgeConfig
    from neurogame.learn.knowledge import learn_knowledge

    return learn_knowledge(game, KnowledgeConfig(games=games), seed)
